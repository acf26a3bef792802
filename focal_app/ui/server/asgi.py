"""What the gates in front of Gradio share: who asks, and how a request is refused."""

import asyncio
import json
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.types import Message, Receive, Scope, Send

API = "/gradio_api"
UPLOAD = f"{API}/upload"
LOGIN = "/login"
DRAINED_BYTES, DRAINED_S = 64_000_000, 10
"""So much of a refused body is still let pass, unheld, so that the client hears the refusal."""


def path_of(scope: Scope) -> str:
    """The path that is asked for, as routes name it, without a slash at its end."""
    path, root = scope["path"], scope.get("root_path", "")
    inside = root and path.startswith(f"{root}/")
    return (path[len(root) :] if inside else path).rstrip("/") or "/"


def visitor(scope: Scope, *, in_space: bool = False) -> str:
    """Whom limits are counted for: an address, of IPv6 its network.

    The server puts what a proxy on this machine tells in place of the proxy's own address. In a
    Space nobody but its proxies gets through, and the last public address is the one they saw.
    """
    client = scope.get("client")
    address = client[0] if client else ""
    told = Headers(scope=scope).get("x-forwarded-for", "") if in_space else ""
    for part in map(str.strip, reversed(told.split(","))):
        if (number := ip_number(part)) and number.is_global:
            address = part
            break
    number = ip_number(address)
    return number.exploded[:19] if number and number.version == 6 else address


def ip_number(address: str) -> IPv4Address | IPv6Address | None:
    """The number that an address is; None where it is a name."""
    try:
        return ip_address(address)
    except ValueError:
        return None


def on_this_machine(scope: Scope) -> bool:
    """Whether a request comes from this machine itself and not through a proxy on it."""
    headers = Headers(scope=scope)
    client = scope.get("client")
    number = ip_number(client[0]) if client else None
    near = number is not None and number.is_loopback
    return near and not any("forwarded" in name or name == "via" for name in headers)


class Told(Response):
    """A sentence as JSON, under the names that both clients of Gradio look for."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:  # noqa: ANN401
        """The sentence as bytes."""
        return json.dumps({"detail": content, "error": content}).encode()


def refusal(scope: Scope, status: int, sentence: str) -> Response:
    """A refusal: for uploads plain text, which the page shows as it stands; else JSON."""
    kind = PlainTextResponse if path_of(scope) == UPLOAD else Told
    return kind(sentence, status_code=status)


class Body:
    """A request's body on its way; after its end nothing is waited for."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._over = False

    async def __call__(self) -> Message:
        """The next piece."""
        if self._over:
            return {"type": "http.disconnect"}
        message = await self._receive()
        self._over = message["type"] != "http.request" or not message.get("more_body")
        return message


async def refuse(scope: Scope, receive: Receive, send: Send, answer: Response) -> None:
    """Sends a refusal once what the client still sends is let pass."""
    with suppress(TimeoutError):
        await asyncio.wait_for(_drain(receive), DRAINED_S)
    await answer(scope, receive, send)


async def _drain(receive: Receive) -> None:
    passed = 0
    while passed < DRAINED_BYTES:
        message: Message = await receive()
        passed += len(message.get("body", b""))
        if message["type"] != "http.request" or not message.get("more_body"):
            return
