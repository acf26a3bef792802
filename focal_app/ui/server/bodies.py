"""What a request may bring: a question of bounded size that names uploaded files only.

Gradio fetches whatever address stands where a file may stand, in every component. So what is no
file of an upload is refused here, before Gradio sees the request; nothing is fetched or looked up.
"""

import asyncio
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from focal_app.ui.server import wording
from focal_app.ui.server.asgi import API, LOGIN, UPLOAD, Body, path_of, refusal, refuse, visitor
from focal_app.ui.server.upload_ledger import Crowded, Ledger
from focal_app.ui.server.upload_patch import UNDER_WAY
from focal_app.untrusted import each_once, refuse_half_characters

MOST_BYTES, MOST_LOGIN_BYTES = 1_000_000, 10_000
DEEPEST = 24
LONGEST_NAME = 100
"""Of a visit; each is held in memory for a while."""
BODY_S, PAUSE_S, UPLOAD_S = 30, 30, 900
"""How long a question may take to arrive, an upload may pause, and an upload may take."""
ASKED = (f"{API}/run/", f"{API}/api/", f"{API}/call/")
ASKED_EXACTLY = frozenset(f"{API}/{name}" for name in ("queue/join", "cancel", "reset"))
READING = frozenset(["GET", "HEAD", "OPTIONS"])


class Refused(Exception):
    """A body that is no proper question; the message is for the visitor."""


@dataclass(frozen=True)
class Named:
    """The files that a body names: those of uploads, and whether there are others."""

    own: tuple[Path, ...]
    foreign: bool


def named_files(body: object, ledger: Ledger) -> Named:
    """Every file that stands anywhere in a value."""
    paths = [one.get("path") for one in _objects(body) if _is_file(one)]
    found = [ledger.own(path) for path in paths]
    return Named(tuple(file for file in found if file), foreign=None in found)


def upload_names(values: object, ledger: Ledger) -> tuple[Path, ...]:
    """The uploads that stand in values which passed the gate."""
    with suppress(Refused):
        return named_files(values, ledger).own
    return ()


def _objects(body: object) -> Iterator[dict[str, object]]:
    waiting = [(body, 0)]
    while waiting:
        one, depth = waiting.pop()
        if depth > DEEPEST:
            raise Refused(wording.TOO_DEEP)
        if isinstance(one, dict):
            yield one
            waiting.extend((value, depth + 1) for value in one.values())
        elif isinstance(one, list):
            waiting.extend((value, depth + 1) for value in one)


def _is_file(one: dict[str, object]) -> bool:
    """More than Gradio takes for a file: whatever has a path, or says that it is one."""
    meta = one.get("meta")
    return "path" in one or (isinstance(meta, dict) and meta.get("_type") == "gradio.FileData")


def read_body(body: bytes) -> dict[str, object]:
    """The JSON object of a body, which no two parsers can read in two ways."""
    try:
        text = body.decode("utf-8")
        told = json.loads(text, object_pairs_hook=each_once)
        refuse_half_characters(text, told)
    except (ValueError, RecursionError):
        raise Refused(wording.NO_JSON) from None
    visit = told.get("session_hash") if isinstance(told, dict) else None
    if not isinstance(told, dict) or len(str(visit)) > LONGEST_NAME:
        raise Refused(wording.NO_JSON)
    return told


class BodyGate:
    """Lets questions and uploads pass that are what they have to be."""

    def __init__(self, app: ASGIApp, *, ledger: Ledger, in_space: bool = False) -> None:
        self.app = app
        self._ledger = ledger
        self._in_space = in_space

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, or refuses it."""
        if scope["type"] != "http" or scope["method"] in READING:
            await self.app(scope, receive, send)
            return
        path = path_of(scope)
        if scope["method"] != "POST":
            await refuse(scope, receive, send, refusal(scope, 405, wording.NOT_OFFERED))
        elif path == UPLOAD:
            await self._upload(scope, receive, send)
        elif path == LOGIN:
            await self._login(scope, receive, send)
        elif path in ASKED_EXACTLY or path.startswith(ASKED):
            await self._question(scope, receive, send)
        else:
            await refuse(scope, receive, send, refusal(scope, 403, wording.NOT_OFFERED))

    async def _login(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await _whole(scope, receive, send, MOST_LOGIN_BYTES)
        if body is not None:
            await self.app(scope, _again(body, receive), send)

    async def _question(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await _whole(scope, receive, send, MOST_BYTES)
        if body is None:
            return
        try:
            named = named_files(read_body(body), self._ledger)
        except Refused as error:
            await refusal(scope, 400, str(error))(scope, receive, send)
            return
        if named.foreign:
            self._ledger.delete(named.own)
            await refusal(scope, 400, wording.FOREIGN_FILE)(scope, receive, send)
            return
        await self._ask(scope, _again(body, receive), send, named.own)

    async def _ask(
        self, scope: Scope, receive: Receive, send: Send, files: tuple[Path, ...]
    ) -> None:
        """Passes a question on; where it is turned away, its files go at once."""

        async def hearing(message: Message) -> None:
            if message.get("status", 0) >= 400:
                self._ledger.delete(files)
            await send(message)

        try:
            await self.app(scope, receive, hearing)
        except BaseException:
            self._ledger.delete(files)
            raise

    async def _upload(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            who = visitor(scope, in_space=self._in_space)
            receipt = self._ledger.begin(who, _length(scope))
        except Crowded as full:
            await refuse(scope, receive, send, refusal(scope, full.status, full.sentence))
            return
        UNDER_WAY.set(receipt)
        coming, answer = Body(receive), _Kept()
        try:
            await self.app(scope, _Arriving(coming, receipt.size), answer)
        except Crowded as full:
            await refuse(scope, coming, answer, refusal(scope, full.status, full.sentence))
        except ClientDisconnect:
            await refusal(scope, 408, wording.BROKEN_OFF)(scope, receive, answer)
        finally:
            self._ledger.end(receipt, answer.stored())
        await answer.tell(send)


class _Arriving:
    """The bytes of an upload: bounded, and broken off where none come for long."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive = receive
        self._most = self._left = most
        self._end = asyncio.get_running_loop().time() + UPLOAD_S

    async def __call__(self) -> Message:
        try:
            async with asyncio.timeout(PAUSE_S):
                message = await self._receive()
        except TimeoutError:
            return {"type": "http.disconnect"}
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise Crowded(413, wording.upload_too_large(self._most))
        late = asyncio.get_running_loop().time() > self._end
        return {"type": "http.disconnect"} if late else message


class _Kept:
    """An answer that is told once what it leaves on the disk is settled."""

    def __init__(self) -> None:
        self._messages: list[Message] = []

    async def __call__(self, message: Message) -> None:
        self._messages.append(message)

    def stored(self) -> list[Path]:
        """The files that the answer names."""
        begun, last = (self._messages[0], self._messages[-1]) if self._messages else ({}, {})
        if begun.get("status") != 200 or last is begun or last.get("more_body"):
            return []
        said = b"".join(message.get("body", b"") for message in self._messages)
        return [Path(path) for path in json.loads(said)]

    async def tell(self, send: Send) -> None:
        """Sends the answer."""
        for message in self._messages:
            await send(message)


def _length(scope: Scope) -> int | None:
    told = Headers(scope=scope).get("content-length", "")
    return int(told) if told.isascii() and told.isdigit() else None


async def _whole(scope: Scope, receive: Receive, send: Send, most: int) -> bytes | None:
    """A body of at most so many bytes; refused, and None, where it is larger or does not come."""
    coming, body = Body(receive), bytearray()
    with suppress(TimeoutError):
        async with asyncio.timeout(BODY_S):
            message: Message = {"type": "http.request", "more_body": True}
            while message.get("more_body") and len(body) <= most:
                message = await coming()
                body += message.get("body", b"")
            if message["type"] == "http.request" and len(body) <= most:
                return bytes(body)
    await refuse(scope, coming, send, refusal(scope, 413, wording.body_too_large(most)))
    return None


def _again(body: bytes, receive: Receive) -> Receive:
    """Hands a body on that was taken already."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def handing() -> Message:
        return waiting.pop() if waiting else await receive()

    return handing
