"""GET /health: whether the page is up and the model there, for whoever watches over the app.

Strangers hear one word. The parts, the version and the reason of a failure are told on this
machine, and to whoever has signed in.
"""

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version

from fastapi import Request
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute

from focal_app.ui.server.asgi import on_this_machine
from focal_app.ui.server.gradio_internals import needs_password, signed_in
from focal_app.ui.server.model_source import Lazy

PATH = "/health"


def health_route(parts: Mapping[str, Lazy]) -> APIRoute:
    """The route; it answers 503 from a part's failed load until that part is there."""

    def health(request: Request) -> JSONResponse:
        said = status(parts)
        told = {"status": said, **(_details(parts) if _may_know(request) else {})}
        return JSONResponse(told, status_code=503 if said == "failed" else 200)

    return APIRoute(PATH, health, methods=["GET"], include_in_schema=False)


def status(parts: Mapping[str, Lazy]) -> str:
    """The app in one word: ok, starting or failed."""
    states = {part.state for part in parts.values()}
    if "failed" in states:
        return "failed"
    return "ok" if states <= {"ready"} else "starting"


def _may_know(request: Request) -> bool:
    if on_this_machine(request.scope):
        return True
    return needs_password(request.app) and signed_in(request.app, request.cookies)


def _details(parts: Mapping[str, Lazy]) -> dict[str, object]:
    states = {name: part.state for name, part in parts.items()}
    reasons = {name: part.reason for name, part in parts.items() if part.reason}
    told: dict[str, object] = {"page": "up", **states, "version": _version()}
    return {**told, "reasons": reasons} if reasons else told


def _version() -> str:
    try:
        return version("focal-explorer")
    except PackageNotFoundError:
        return "unknown"
