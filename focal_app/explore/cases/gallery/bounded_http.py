"""What a server may send to whoever fetches recordings: so much, and for so long.

with bounded(session):
    session.get(address)       # `Unbounded` where the answer has no end, a timeout where none comes

wfdb's client sets no limit of its own, and holds a file in memory before it writes it.
"""

import contextlib
import io
import time
from collections.abc import Callable, Iterator
from functools import partial
from http.client import HTTPResponse
from typing import Any

from requests import PreparedRequest, Response, Session
from requests.adapters import HTTPAdapter

LARGEST, LONGEST_S = 64_000_000, 600.0
"""Bytes of an answer once unpacked, and how long it may take: the largest table of PTB-XL has some
10 MB."""
CONNECT_S, PAUSE_S = 15.0, 30.0
"""How long a server may take to answer a call, and to go on."""


class Unbounded(Exception):
    """An answer that is larger than any file that is asked for, or takes too long."""


class Bounded(HTTPAdapter):
    """Requests with time limits, and answers that are broken off at theirs."""

    def get_connection_with_tls_context(self, *asked: Any, **named: Any) -> Any:  # noqa: ANN401
        """The pool of connections for a request, each answer on which ends in time."""
        pool: Any = super().get_connection_with_tls_context(*asked, **named)
        if not issubclass(pool.ConnectionCls, _Timed):
            pool.ConnectionCls = type("Timed", (_Timed, pool.ConnectionCls), {})
        return pool

    def send(self, request: PreparedRequest, *asked: Any, **named: Any) -> Response:  # noqa: ANN401
        """The answer to a request, of which who asks has set no time."""
        named["timeout"] = named.get("timeout") or (CONNECT_S, PAUSE_S)
        return super().send(request, *asked, **named)

    def build_response(self, req: PreparedRequest, resp: Any) -> Response:  # noqa: ANN401
        """The answer, whose content ends at the limit however it is read."""
        response = super().build_response(req, resp)
        if response.is_redirect:
            response.close()  # where it leads stands in its headers; it may lead nowhere
        response.iter_content = partial(_broken_off, response.iter_content)
        return response


class _Until(io.RawIOBase):
    """What comes from a server, until its time is over."""

    def __init__(self, coming: io.RawIOBase) -> None:
        self._coming = coming
        self._until = time.monotonic() + LONGEST_S

    def readable(self) -> bool:
        """It is only read."""
        return True

    def readinto(self, into: Any) -> int | None:  # noqa: ANN401
        """What has come: a pause is bounded by the connection, all of them together here."""
        if time.monotonic() > self._until:
            raise Unbounded
        return self._coming.readinto(into)

    def close(self) -> None:
        """Lets the connection go."""
        self._coming.close()
        super().close()


class _Answer(HTTPResponse):
    """An answer whose every byte comes in time: status, headers and lengths of chunks too."""

    def __init__(self, *asked: Any, **named: Any) -> None:  # noqa: ANN401
        super().__init__(*asked, **named)
        self.fp = io.BufferedReader(_Until(self.fp.detach()))


class _Timed:
    """A connection with such answers."""

    response_class = _Answer


@contextlib.contextmanager
def bounded(session: Session) -> Iterator[None]:
    """Has a session keep to the limits."""
    before = dict(session.adapters)
    for scheme in ("http://", "https://"):
        session.mount(scheme, Bounded())
    try:
        yield
    finally:
        session.close()
        session.adapters.update(before)


def _broken_off(content: Callable[..., Iterator[Any]], *asked: Any, **named: Any) -> Iterator[Any]:  # noqa: ANN401
    length = 0
    for part in content(*asked, **named):
        length += len(part)
        if length > LARGEST:
            raise Unbounded
        yield part
