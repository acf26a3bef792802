"""Any server that speaks OpenAI's protocol: vLLM, a hosted provider, and most others.

    Server("http://127.0.0.1:8000/v1", "Qwen/Qwen3-8B", Generation())

Requests run side by side. One that fails for a reason that may pass (no connection, no answer in
time, status 408, 409, 425, 429, 5xx, nonsense in place of the protocol) is tried again after a
growing wait; one that the server refuses for good is handed back as refused. When the tries are
used up, every answer that came is handed over before the error is raised.
"""

import logging
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from focal_app.errors import ConfigError
from focal_app.llm.prompts import RESPONSE_FORMAT
from train.enrich.backends.protocol import Answer, BackendError, request_of
from train.enrich.prompts import Conversation, Generation

if TYPE_CHECKING:
    from huggingface_hub import InferenceClient

PASSING = frozenset({408, 409, 425, 429})
"""Statuses below 500 that may pass."""

LONGEST_WAIT_S = 60.0
BLOCKS = 8
"""Tag sets at once, in those that run side by side: the last of a block are waited for by few."""
_log = logging.getLogger(__name__)


class Refused(Exception):
    """The server will not answer this request, however often it is asked."""


class Stopped(Exception):
    """Another request used up its tries, so this one was given up."""


class Server:
    """A language model behind an address.

    `tries` requests are made before giving up, `wait_s` after the first, twice that after the
    second; a request may take `timeout_s`. `token` is the server's own key, if it wants one.
    """

    name = "server"
    varies = True

    def __init__(
        self,
        base_url: str,
        model: str,
        generation: Generation,
        *,
        concurrency: int = 16,
        timeout_s: float = 300.0,
        tries: int = 6,
        wait_s: float = 1.0,
        token: str | None = None,
    ) -> None:
        """Note the address; nothing is asked yet."""
        if urlsplit(base_url).scheme not in ("http", "https"):
            raise ConfigError(f"found {base_url!r}; needed an address, http://HOST:PORT/v1")
        if concurrency < 1 or tries < 1:
            raise ConfigError(f"found concurrency {concurrency}, tries {tries}; needed 1 or more")
        self.base_url, self.model, self.generation = base_url, model, generation
        self.concurrency, self.tries, self.wait_s = concurrency, tries, wait_s
        self.at_once = BLOCKS * concurrency
        self._client = _client(base_url, timeout_s, token)

    def answer(self, conversations: Sequence[Conversation]) -> Iterator[Answer]:
        """Answers as they come; then a failure, if there was one.

        The next is asked when an answer was taken: a kill costs what was in flight, and no more.
        """
        stop = threading.Event()
        failure: BackendError | None = None
        with ThreadPoolExecutor(self.concurrency) as pool:
            asked = ((pool.submit(self._asked, c, stop), i) for i, c in enumerate(conversations))
            waiting = dict(islice(asked, self.concurrency))
            try:
                while waiting:
                    for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                        number = waiting.pop(future)
                        try:
                            yield Answer(number, future.result())
                        except Refused as error:
                            yield Answer(number, str(error), refused=True)
                        except Stopped:
                            continue
                        except BackendError as error:
                            failure = failure or error
                            stop.set()
                        if not stop.is_set():
                            waiting |= islice(asked, 1)
            finally:
                stop.set()
                pool.shutdown(cancel_futures=True)
        if failure:
            raise failure

    def _asked(self, conversation: Conversation, stop: threading.Event) -> str:
        """One answer, in as many tries as are allowed."""
        reason, wait_s = "", self.wait_s
        for again in range(self.tries):
            if again:
                _log.warning("%s: asking again in %.1f s", reason, wait_s)
                stop.wait(wait_s)
                wait_s = min(2 * wait_s, LONGEST_WAIT_S)
            if stop.is_set():
                raise Stopped
            try:
                return self._request(conversation)
            except _Passing as error:
                reason = str(error)
        raise BackendError(
            f"the server does not answer: {reason}, {self.tries} times. What it answered is kept; "
            "start it again and run the same command."
        )

    def _request(self, conversation: Conversation) -> str:
        from huggingface_hub.errors import HfHubHTTPError, InferenceTimeoutError

        # The library's errors and its HTTP client's have one base, of httpx or httpx2 by version.
        http_error: Any = HfHubHTTPError.__bases__[0]
        try:
            reply = self._client.chat_completion(**self._parameters(conversation))
            return _text(reply)
        except InferenceTimeoutError as error:
            raise _Passing("no answer in time") from error
        except HfHubHTTPError as error:
            status, said = error.response.status_code, error.response.text[:300]
            kind = _Passing if status in PASSING or status >= 500 else Refused
            raise kind(f"status {status}, {said!r}") from error
        except (http_error, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
            raise _Passing(type(error).__name__) from error

    def _parameters(self, conversation: Conversation) -> dict[str, Any]:
        asked = request_of(self.model, conversation, self.generation)
        template = asked.pop("chat_template_kwargs", None)
        return {**asked, "extra_body": {"chat_template_kwargs": template} if template else None}


class _Passing(Exception):
    """A failure that another try may mend."""


def _text(reply: Any) -> str:  # noqa: ANN401
    """The text of a reply; a model that only thought said nothing."""
    content = reply.choices[0].message.content
    if content is not None and not isinstance(content, str):
        raise TypeError("content is no text")
    return content or ""


def _client(base_url: str, timeout_s: float, token: str | None) -> "InferenceClient":
    """The library's client, mended in three places where it serves its own hub only."""
    from huggingface_hub import InferenceClient, get_session

    class Client(InferenceClient):
        def _inner_post(self, request_parameters: Any, **options: Any) -> Any:  # noqa: ANN401
            # The library rewrites a JSON schema to {"type": "json_object", "value": ...}, which
            # vLLM takes for "any JSON": the schema would be lost.
            if request_parameters.json.get("response_format"):
                request_parameters.json["response_format"] = RESPONSE_FORMAT
            return super()._inner_post(request_parameters, **options)

    hooks = get_session().event_hooks
    get_session().event_hooks = {**hooks, "request": [_Admitting(base_url, hooks["request"])]}
    # Without a key of its own the library would send the user's key of the Hub to this server.
    return Client(base_url=base_url, timeout=timeout_s, api_key=token or "none")


class _Admitting:
    """Lets requests to one host pass where HF_HUB_OFFLINE forbids those to the Hub."""

    def __init__(self, base_url: str, others: Sequence[Any]) -> None:
        self.host, self.others = urlsplit(base_url).hostname, others

    def __call__(self, request: Any) -> None:  # noqa: ANN401
        if request.url.host != self.host:
            for other in self.others:
                other(request)
