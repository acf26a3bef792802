"""Everything inside Gradio that the app leans on, replaces or wraps, and nowhere else.

None of it is promised by Gradio: `tests/ui/test_gradio_internals.py` names each and fails where
a release has changed it.
"""

import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from typing import Any, NoReturn

import gradio as gr
import safehttpx
from gradio import processing_utils, route_utils, routes
from gradio.blocks import Blocks
from gradio.components.file import File
from gradio.components.upload_button import UploadButton
from gradio.data_classes import FileData
from gradio.queueing import Queue
from gradio.routes import App
from gradio.state_holder import StateHolder
from gradio.utils import NamedString
from starlette.types import ASGIApp, Receive, Scope, Send

from focal_app.ui import wording as page_wording
from focal_app.ui.server import wording
from focal_app.ui.server.logs import kind_and_place

_log = logging.getLogger(__name__)

UploadedFile = route_utils.GradioUploadFile
UploadParser = route_utils.GradioMultiPartParser

FETCHERS: tuple[tuple[Any, str], ...] = (
    (processing_utils, "async_ssrf_protected_get"),
    (processing_utils, "async_ssrf_protected_download"),
    (processing_utils, "ssrf_protected_download"),
    (processing_utils, "save_url_to_cache"),
    (processing_utils, "unsafe_download"),
    (route_utils, "secure_url_stream_response"),
    (safehttpx, "get"),
    (safehttpx, "async_validate_url"),
    (safehttpx, "async_resolve_hostname_google"),
)
"""All by which Gradio fetches an address, or asks for the number of a name."""

MOST_PROGRESS = 2_000
Values = list[Any]
Begin = Callable[[Values], None]
End = Callable[[Values, bool], None]


def guard(file: type[UploadedFile], parser: type[UploadParser]) -> None:
    """Has Gradio take uploads apart and store them by these, and do nothing else with files.

    It fetches no address, in whichever component, makes no empty file beside one that it hands on,
    and grants nothing to pages of other origins; `hosts` decides that.
    """
    setattr(route_utils, "GradioUploadFile", file)  # noqa: B010
    setattr(route_utils, "GradioMultiPartParser", parser)  # noqa: B010
    for module, name in FETCHERS:
        setattr(module, name, _refuse_to_fetch)
    for component in (File, UploadButton):
        setattr(component, "_process_single_file", _handed_on)  # noqa: B010
    setattr(routes, "CustomCORSMiddleware", _Unchanged)  # noqa: B010


def _refuse_to_fetch(*_: object, **__: object) -> NoReturn:
    raise gr.Error(wording.NOT_FETCHED, print_exception=False)


def _handed_on(_: object, file: FileData) -> NamedString:
    return NamedString(file.path)


class _Unchanged:
    """In place of Gradio's rule, which lets any page ask where the host is not this machine."""

    def __init__(self, app: ASGIApp, **_: object) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.app(scope, receive, send)


def around_calls(page: Blocks, begin: Begin, end: End) -> None:
    """Has `begin` and `end` told the values of every call of a handler, by whichever route.

    `end` also hears whether the handler is over; one that goes on is called again for the rest.
    """
    process: Callable[..., Awaitable[dict[str, Any]]] = page.process_api

    async def inside(*arguments: Any, **named: Any) -> dict[str, Any]:  # noqa: ANN401
        values = named["inputs"] if "inputs" in named else arguments[1]
        begin(values)
        told: dict[str, Any] = {}
        try:
            told = await process(*arguments, **named)
            return told
        except gr.Error:
            raise
        except Exception as error:  # noqa: BLE001  most likely a value sent by hand, not the page's
            facts = {"error": kind_and_place(error)}
            _log.warning("values that cannot be converted", extra={"facts": facts})
            raise gr.Error(page_wording.NOT_TOLD, print_exception=False) from None
        finally:
            end(values, not told.get("is_generating"))

    setattr(page, "process_api", inside)  # noqa: B010


def forget_paths(page: Blocks, paths: Iterable[str]) -> None:
    """Takes paths from the lists of files that Gradio made, which else only grow."""
    for made in page.temp_file_sets:
        made.difference_update(paths)


def forget_progress() -> None:
    """Lets go of how far uploads have come, once that is known of very many."""
    known = routes.file_upload_statuses
    if len(known._statuses) + len(known._signals) > MOST_PROGRESS:
        known._statuses.clear()
        known._signals.clear()


def waiting_values(app: App) -> list[Values]:
    """The values of the calls that wait in line or are being answered."""
    events = queue(app).event_ids_to_events
    return [event.data.data for event in list(events.values()) if event.data]


def busy_visits(app: App) -> Collection[str]:
    """The visits that wait for an answer."""
    waiting = queue(app).pending_event_ids_session
    return {name for name, events in waiting.items() if events}


def queue(app: App) -> Queue:
    """The line of all events, and the messages that wait for their visitors."""
    return app.get_blocks()._queue


def visits(app: App) -> StateHolder:
    """What is held for each visit."""
    return app.state_holder


def forget_visit(holder: StateHolder, name: str) -> None:
    """Lets go of what is held for a visit."""
    holder.session_data.pop(name, None)
    holder.time_last_used.pop(name, None)


def needs_password(app: App) -> bool:
    """Whether visitors have to sign in."""
    return app.auth is not None


def signed_in(app: App, cookies: Mapping[str, str]) -> bool:
    """Whether a request brings what Gradio gave out at a sign-in."""
    names = (f"access-token-{app.cookie_id}", f"access-token-unsecure-{app.cookie_id}")
    return any(cookies.get(name) in app.tokens for name in names)
