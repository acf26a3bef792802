"""What a server may send to whoever fetches recordings: so much, and for so long.

with bounded(session):
    session.get(address)       # `Unbounded` where the answer has no end, a timeout where none comes

wfdb's client sets no limit of its own, and holds a file in memory before it writes it.
"""

import contextlib
import time
from collections.abc import Callable, Iterator
from functools import partial
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

    def send(self, request: PreparedRequest, *asked: Any, **named: Any) -> Response:  # noqa: ANN401
        """The answer to a request, of which who asks has set no time."""
        named["timeout"] = named.get("timeout") or (CONNECT_S, PAUSE_S)
        return super().send(request, *asked, **named)

    def build_response(self, req: PreparedRequest, resp: Any) -> Response:  # noqa: ANN401
        """The answer, whose content ends at the limits however it is read.

        What has come is handed on at once: a part that is filled byte by byte would outlast them.
        """
        resp.read = resp.read1
        response = super().build_response(req, resp)
        response.iter_content = partial(_broken_off, response.iter_content)
        return response


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
    length, until = 0, time.monotonic() + LONGEST_S
    for part in content(*asked, **named):
        length += len(part)
        if length > LARGEST or time.monotonic() > until:
            raise Unbounded
        yield part
