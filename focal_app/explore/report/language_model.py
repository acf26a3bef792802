"""Asks a language model, on a server that the host of the app names, for waveform features.

    server = server_from(os.environ)     # FOCAL_LLM_BASE_URL, FOCAL_LLM_MODEL, FOCAL_LLM_API_KEY
    features = propose(server, ["left bundle branch block"])

Any server of the OpenAI protocol will do, such as vLLM. It is sent the findings that the lexicon
knows, in the paper's two prompts, and nothing else: neither the ECG, nor the report with its other
words, nor anything of the patient.
`conversation` gives exactly what will be sent, so that it can be shown before.

Plain HTTP rather than the Hub's client, which refuses to work while HF_HUB_OFFLINE is set and
would otherwise send the user's Hub token to any server.
"""

import json
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import httpx

from focal_app.errors import LLMError
from focal_app.llm.answers import parse_features
from focal_app.llm.prompts import ORGANISE_PROMPT, RESPONSE_FORMAT, question
from focal_app.words.statements import ReportTag

CONNECT_S, ANSWER_S = 5.0, 90.0
"""How long a server may take to be reached, and for one answer from its first to its last byte."""
LARGEST_ANSWER = 1_000_000
TOKENS = 1024
ATTEMPTS = 2
"""How often the list is asked for. A new attempt is drawn with another seed and not at temperature
0, where the model would answer the same."""
AGAIN_TEMPERATURE = 0.7
ASKED_S = (1 + ATTEMPTS) * (CONNECT_S + ANSWER_S)
"""How long all questions of `propose` may take together."""

OF_A_SERVER = ("FOCAL_LLM_MODEL", "FOCAL_LLM_API_KEY")

Messages = list[dict[str, str]]


@dataclass(frozen=True)
class LLMServer:
    """A server of the OpenAI protocol; the key never shows where the object is printed."""

    base_url: str
    model: str
    api_key: str | None = field(default=None, repr=False)

    @property
    def host(self) -> str:
        """Where it is, without user, password or path: what a visitor may know."""
        parts = urlsplit(self.base_url)
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.scheme}://{parts.hostname}{port}"


def server_from(environment: Mapping[str, str]) -> LLMServer | None:
    """The server that the environment names; None where it names none.

    Raises an `LLMError` for a setting that is wrong, or without effect for want of a server.
    """
    url = environment.get("FOCAL_LLM_BASE_URL", "").strip().rstrip("/")
    if not url:
        if idle := [name for name in OF_A_SERVER if environment.get(name, "").strip()]:
            raise LLMError(
                f"found {' and '.join(idle)} without FOCAL_LLM_BASE_URL, the server that it is "
                "for; set that too, or unset it"
            )
        return None
    if not _is_address(url):
        raise LLMError(
            "FOCAL_LLM_BASE_URL is no address; it needs one such as http://127.0.0.1:8000/v1"
        )
    model = environment.get("FOCAL_LLM_MODEL", "").strip()
    if not model:
        raise LLMError("FOCAL_LLM_MODEL is missing; name the model that the server offers")
    return LLMServer(url, model, environment.get("FOCAL_LLM_API_KEY") or None)


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # brackets that do not close, a port that is no number
        return False


def asked_about(tags: Sequence[ReportTag]) -> tuple[str, ...]:
    """The findings that a model is asked about: what a report affirms or suspects.

    Words that the lexicon does not know are left out: they may name somebody.
    """
    return tuple(tag.prompt for tag in tags if tag.known and not tag.denied and not tag.value)


def conversation(tags: Sequence[str]) -> tuple[str, str]:
    """The two prompts as they will be sent: all that leaves this machine."""
    return question(tags), ORGANISE_PROMPT


def propose(server: LLMServer, tags: Sequence[str]) -> tuple[str, ...]:
    """The features that the model proposes for these tags; an `LLMError` says why there are none.

    The second answer is asked for as JSON; a Python list and a list of lines are understood too.
    Where it holds no list, or an empty one, it is asked for again. No feature at all means that the
    model proposes none, which is another thing than features that the ECG does not show.
    """
    if not tags:
        raise LLMError("found no tag to ask about; the report needs at least one finding")
    first, second = conversation(tags)
    messages: Messages = [{"role": "user", "content": first}]
    thought = _asked(server, messages)
    messages += [{"role": "assistant", "content": thought}, {"role": "user", "content": second}]
    heard: tuple[str, ...] | None = None
    for attempt in range(ATTEMPTS):
        features = parse_features(_asked(server, messages, RESPONSE_FORMAT, again=attempt > 0))
        if features:
            return features
        heard = heard if features is None else features
    if heard is None:
        raise LLMError(
            f"the model's answer holds no list of features, asked {ATTEMPTS} times; try again, or "
            "use the lexicon"
        )
    return heard


def _asked(
    server: LLMServer, messages: Messages, form: object = None, *, again: bool = False
) -> str:
    """One answer of the server; `again` draws another than the likeliest."""
    wanted: dict[str, object] = {
        "model": server.model,
        "messages": messages,
        "max_tokens": TOKENS,
        "temperature": AGAIN_TEMPERATURE if again else 0.0,
        "seed": secrets.randbits(31) if again else 0,
    }
    if form is not None:
        wanted["response_format"] = form
    try:
        said = json.loads(_posted(server, wanted))
        content = said["choices"][0]["message"]["content"]
    except httpx.TimeoutException as error:
        raise LLMError(f"{server.host} did not answer in time; {_INSTEAD}") from error
    except httpx.HTTPError as error:
        raise LLMError(f"{server.host} cannot be reached; {_INSTEAD}") from error
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise LLMError(f"{server.host} gave an answer that cannot be read; {_INSTEAD}") from error
    if not isinstance(content, str) or not content.strip():
        raise LLMError(f"{server.host} gave an empty answer; {_INSTEAD}")
    return content


_INSTEAD = "try again later, or take the lexicon's features, which need no server."


def _posted(server: LLMServer, wanted: Mapping[str, object]) -> bytes:
    """The body of the answer; redirects are not followed, so that the key stays with the host."""
    key = {"Authorization": f"Bearer {server.api_key}"} if server.api_key else {}
    limits = httpx.Timeout(ANSWER_S, connect=CONNECT_S)
    end = time.monotonic() + ANSWER_S
    address = f"{server.base_url}/chat/completions"
    with httpx.stream("POST", address, json=wanted, headers=key, timeout=limits) as answer:
        if answer.status_code != httpx.codes.OK:
            raise LLMError(
                f"{server.host} refused the question with status {answer.status_code}; check the "
                f"model's name and the key, or take the lexicon's features."
            )
        body = b""
        for part in answer.iter_bytes():
            body += part
            if len(body) > LARGEST_ANSWER or time.monotonic() > end:
                raise LLMError(f"{server.host} answers without end; {_INSTEAD}")
    return body
