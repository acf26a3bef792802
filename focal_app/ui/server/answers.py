"""How every answer leaves: with headers that keep browsers careful, and without tracebacks."""

import logging

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from focal_app.ui import wording
from focal_app.ui.server.asgi import refusal
from focal_app.ui.server.logs import kind_and_place

_log = logging.getLogger(__name__)


class AnswerGate:
    """Adds the headers; what nobody foresaw becomes a sentence, and a line in the log."""

    def __init__(self, app: ASGIApp, *, framed_by: str = "") -> None:
        self.app = app
        self._headers = response_headers(framed_by)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = False

        async def sending(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        try:
            await self.app(scope, receive, sending)
        except Exception as error:  # noqa: BLE001  its text could quote what a visitor sent
            _log.error("request", extra={"facts": {"error": kind_and_place(error)}})
            if not begun:
                await refusal(scope, 500, wording.BROKEN)(scope, receive, sending)


def response_headers(framed_by: str) -> dict[str, str]:
    """What tells browsers to run nothing foreign, to guess no types and to send no address on.

    The page is drawn by scripts and styles that Gradio writes into it, and makes functions of text.
    """
    policy = {
        "default-src": "'self'",
        "script-src": "'self' 'unsafe-inline' 'unsafe-eval'",
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "connect-src": "'self' data: blob:",
        "worker-src": "'self' blob:",
        "object-src": "'none'",
        "base-uri": "'self'",
        "form-action": "'self'",
        "frame-ancestors": f"'self' {framed_by}".strip(),
    }
    return {
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
        "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    }
