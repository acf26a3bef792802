"""Scripts that run before Gradio's own, written into the head of the page."""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from focal_app.ui.server.asgi import path_of


class ScriptedPage:
    """Writes a script into what `/` answers; `head` of Gradio comes after its scripts have run."""

    def __init__(self, app: ASGIApp, *, script: str) -> None:
        self.app = app
        self._script = script

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request."""
        await self.app(scope, receive, Scripted(send, self._script) if is_page(scope) else send)


class Scripted:
    """Sends a page on with a script in its head, and what is no page as it is."""

    def __init__(self, send: Send, script: str) -> None:
        self._send = send
        self._script = f"<script>{script}</script></head>".encode()
        self._start: Message | None = None
        self._page = b""

    async def __call__(self, message: Message) -> None:
        """Keeps what comes of a page until it is whole."""
        if message["type"] == "http.response.start" and _is_html(message):
            self._start = message
            return
        if self._start is None:
            await self._send(message)
            return
        self._page += message.get("body", b"")
        if message.get("more_body"):
            return
        page = self._page.replace(b"</head>", self._script, 1)
        MutableHeaders(scope=self._start)["content-length"] = str(len(page))
        await self._send(self._start)
        await self._send({"type": "http.response.body", "body": page})


def is_page(scope: Scope) -> bool:
    """Whether a request is for the page itself."""
    return scope["type"] == "http" and path_of(scope) == "/" and scope["method"] == "GET"


def _is_html(start: Message) -> bool:
    kind = MutableHeaders(raw=start.get("headers", [])).get("content-type", "")
    return start["status"] == 200 and kind.startswith("text/html")
