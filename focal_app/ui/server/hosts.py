"""Under which names the page is served, and which other pages may talk to it.

A page of another origin that a visitor has open could otherwise upload, ask and read on its behalf,
also under a name of its own that it lets point to this machine.
"""

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from urllib.parse import SplitResult, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from focal_app.ui.server import wording
from focal_app.ui.server.asgi import ip_number, path_of, refusal, refuse
from focal_app.ui.server.health import PATH as HEALTH

LOOPBACK = ("localhost", "127.0.0.1", "::1", "0.0.0.0")
ANY = "*"
SPACE = "*.hf.space"
EMBEDDERS = "https://huggingface.co https://*.hf.space"
"""The pages of Hugging Face that show a Space in a frame."""
_HOST = re.compile(r"([\w.-]+|\[[0-9a-fA-F:]+\])(:\d{1,5})?", re.ASCII)
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Hosts:
    """Names such as `ecg.example.org` or `*.example.org`, and origins that begin with `http`.

    `numbers` also admits any bare address, which no other page can take as its name.
    """

    names: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    numbers: bool = False
    framed_by: str = ""

    def serves(self, host: str) -> bool:
        """Whether a Host header is a name of ours."""
        name = (_split(f"http://{host}").hostname or "") if _HOST.fullmatch(host) else ""
        if name in LOOPBACK or (self.numbers and ip_number(name)):
            return True
        return any(fnmatchcase(name, known) for known in self.names)

    def welcomes(self, origin: str, host: str) -> bool:
        """Whether a page of this origin may talk to the app that it knows by this host.

        A proxy may have put another host in place of the name that the page has.
        """
        name = _split(origin).hostname or ""
        named = any(fnmatchcase(name, known) for known in self.names if known != ANY)
        return self.lists(origin) or _is_same(origin, host) or named

    def lists(self, origin: str) -> bool:
        """Whether the host of the app has named this origin."""
        return any(fnmatchcase(origin.lower(), known) for known in self.origins)


def _is_same(origin: str, host: str) -> bool:
    asking = _split(origin)
    if asking.scheme not in _PORTS or not asking.hostname:
        return False
    default = _PORTS[asking.scheme]
    asked = _split(f"{asking.scheme}://{host}")
    same_name = asking.hostname == asked.hostname
    return same_name and (_port(asking) or default) == (_port(asked) or default)


def _split(address: str) -> SplitResult:
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")


def _port(address: SplitResult) -> int | None:
    try:
        return address.port
    except ValueError:
        return -1


class HostGate:
    """Lets requests pass that are meant for us and come from no foreign page."""

    def __init__(self, app: ASGIApp, *, hosts: Hosts) -> None:
        self.app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, or refuses it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        granted = self._granted(headers)

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(granted)
            await send(message)

        if answer := self._refusal(scope, headers) or _preflight(scope, headers, granted):
            await refuse(scope, receive, sending, answer)
        else:
            await self.app(scope, receive, sending)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        host, origin = headers.get("host", ""), headers.get("origin")
        if path_of(scope) != HEALTH and not self._hosts.serves(host):
            return refusal(scope, 421, wording.UNKNOWN_HOST)
        if origin is not None and not self._hosts.welcomes(origin, host):
            return refusal(scope, 403, wording.FOREIGN_ORIGIN)
        if origin is None and _is_foreign(headers):
            return refusal(scope, 403, wording.FOREIGN_ORIGIN)
        return None

    def _granted(self, headers: Headers) -> dict[str, str]:
        """What lets a page of a listed origin read the answer."""
        origin = headers.get("origin", "")
        if not self._hosts.lists(origin):
            return {}
        return {
            "Access-Control-Allow-Origin": origin,
            "Access-Control-Allow-Credentials": "true",
            "Vary": "Origin",
        }


def _is_foreign(headers: Headers) -> bool:
    """Whether a browser says that another site asks, and not for a page to show."""
    foreign = headers.get("sec-fetch-site") == "cross-site"
    return foreign and headers.get("sec-fetch-mode") != "navigate"


def _preflight(scope: Scope, headers: Headers, granted: dict[str, str]) -> Response | None:
    asked = headers.get("access-control-request-headers", "")
    if scope["method"] != "OPTIONS" or not granted:
        return None
    allowed = {"Access-Control-Allow-Methods": "GET, POST", "Access-Control-Allow-Headers": asked}
    return PlainTextResponse("", headers=allowed)
