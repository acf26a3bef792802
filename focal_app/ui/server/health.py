"""GET /health: whether the page is up and the model there, for whoever watches over the app."""

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version

from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute

from focal_app.ui.server.model_source import Lazy

PATH = "/health"


def health_route(parts: Mapping[str, Lazy]) -> APIRoute:
    """The route; it answers 503 once a part has failed to load, 200 before and otherwise."""

    def health() -> JSONResponse:
        states = {name: part.state for name, part in parts.items()}
        well = "failed" not in states.values()
        body = {"page": "up", **states, "version": _version()}
        return JSONResponse(body, status_code=200 if well else 503)

    return APIRoute(PATH, health, methods=["GET"], include_in_schema=False)


def _version() -> str:
    try:
        return version("focal-explorer")
    except PackageNotFoundError:
        return "unknown"
