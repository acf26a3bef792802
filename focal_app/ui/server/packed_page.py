"""The page's own text, packed on its way: Gradio packs its scripts and styles alone."""

from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from focal_app.ui.server.asgi import path_of


class PackedPage:
    """Packs what `/` answers for a browser that unpacks it; an eighth of it travels."""

    def __init__(self, app: ASGIApp) -> None:
        self._plain, self._packed = app, GZipMiddleware(app)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request."""
        page = scope["type"] == "http" and path_of(scope) == "/"
        await (self._packed if page else self._plain)(scope, receive, send)
