"""Opens the page on this machine, in a container or in a Space: `python app.py`.

What a host can set stands in `focal_app.ui.server.settings`.
"""

import logging
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Sequence
from functools import partial

import gradio as gr
from starlette.middleware import Middleware

from focal_app.ecg.files import MAX_FILE_MB
from focal_app.ecg.readers import READERS
from focal_app.errors import FocalError
from focal_app.explore.reading.bundled_cases import bundled_cases, load_case
from focal_app.ui import theme, wording
from focal_app.ui.page import build_page
from focal_app.ui.server import zero_gpu
from focal_app.ui.server.answers import AnswerGate
from focal_app.ui.server.bodies import BodyGate, upload_names
from focal_app.ui.server.expiry import forgetting
from focal_app.ui.server.fairness import IN_LINE, STATUS_EVERY_S, share_fairly
from focal_app.ui.server.gradio_internals import Values, around_calls, forget_paths
from focal_app.ui.server.health import health_route
from focal_app.ui.server.hosts import HostGate
from focal_app.ui.server.logs import start_logging
from focal_app.ui.server.memory import share_memory
from focal_app.ui.server.model_source import Lazy, explorer_source, gallery_source
from focal_app.ui.server.packed_page import PackedPage
from focal_app.ui.server.scripted_page import ScriptedPage
from focal_app.ui.server.settings import Settings, read_settings, refuse_arguments, unknown_names
from focal_app.ui.server.sign_in import SignInGate
from focal_app.ui.server.unread_answers import keep_few
from focal_app.ui.server.upload_folder import UploadFolder, upload_folder
from focal_app.ui.server.upload_ledger import Ledger
from focal_app.ui.server.upload_patch import guard_files, refused_routes

LARGEST_UPLOAD = f"{MAX_FILE_MB:g}mb"
VISITS = 64
"""Recordings of at most this many visits are held in memory, 43 MB each at the most: 3 GB."""

_log = logging.getLogger(__name__)


def main(arguments: Sequence[str] = ()) -> None:
    """Serves the page until it is stopped; `arguments` are refused.

    The page opens first and the model is loaded next; until then a reading waits for it.
    """
    os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
    share_memory()
    start_logging()
    zero_gpu.prepare()
    try:
        refuse_arguments(arguments)
        settings = read_settings(os.environ)
    except FocalError as error:
        _log.error("%s", error)
        sys.exit(2)
    for name in unknown_names(os.environ):
        _log.warning("%s is no setting of the app; see docs/hosting.md for their names", name)
    stopping = _stopping()
    with upload_folder() as folder:
        os.environ["GRADIO_TEMP_DIR"] = str(folder.uploads)
        # What is unpacked for a moment lies beside the uploads, and goes with them.
        tempfile.tempdir = str(folder.work)
        reader = explorer_source(settings.checkpoint)
        gallery = gallery_source(reader)
        share_fairly()
        keep_few()
        page = build_page(reader, gallery, checkpoint=settings.checkpoint)
        page.queue(max_size=IN_LINE, status_update_rate=STATUS_EVERY_S)
        open_page(page, settings, folder, {"model": reader, "gallery": gallery})
        try:
            _load(reader, gallery)
            stopping.wait()
        finally:
            # Before its folder goes, or an upload that just arrives would make it anew.
            page.close(verbose=False)


def _stopping() -> threading.Event:
    """Set by a stop of the system or by hand, which ends what is going on and lets uploads go.

    A library may swallow the exit where it stands; the event then still tells of it.
    """
    stopping = threading.Event()

    def stop(*_: object) -> None:
        stopping.set()
        sys.exit(0)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    return stopping


def open_page(
    page: gr.Blocks, settings: Settings, folder: UploadFolder, parts: dict[str, Lazy]
) -> None:
    """Starts the server: without history, telemetry or outside links, and behind its gates."""
    ledger = Ledger(folder.uploads)
    guard_files()
    delete_after_calls(page, ledger)
    page.launch(
        server_name=settings.host,
        server_port=settings.port,
        auth=list(settings.auth) or None,
        auth_message=wording.SIGN_IN,
        theme=theme.theme(),
        css=theme.style(),
        share=False,
        run_history=False,
        enable_monitoring=False,
        strict_cors=True,
        max_file_size=LARGEST_UPLOAD,
        state_session_capacity=VISITS,
        footer_links=[],
        ssr_mode=False,
        prevent_thread_lock=True,
        quiet=True,
        # Gradio has no word for it, and screen readers would hear its key.
        i18n=gr.I18n(en={"common.complete": wording.COMPLETE}),
        app_kwargs={
            "middleware": gates(settings, ledger),
            "routes": [health_route(parts), *refused_routes()],
            "lifespan": forgetting(folder, ledger, after_s=settings.expire_s),
        },
    )
    _log.info("the page is open", extra={"facts": {"url": page.local_url}})
    if settings.public and not settings.auth:
        _log.warning(
            "the page is open to every machine that reaches this one, without a password; set "
            "FOCAL_AUTH to user:password to close it"
        )


def gates(settings: Settings, ledger: Ledger) -> list[Middleware]:
    """What a request has to pass before Gradio sees it, the first gate first."""
    return [
        Middleware(AnswerGate, framed_by=settings.hosts.framed_by),
        Middleware(HostGate, hosts=settings.hosts),
        Middleware(PackedPage),  # outside of those that write into the page
        Middleware(ScriptedPage, script=theme.script("first_sign")),
        Middleware(SignInGate, in_space=settings.in_space),
        Middleware(BodyGate, ledger=ledger, in_space=settings.in_space),
    ]


def delete_after_calls(page: gr.Blocks, ledger: Ledger) -> None:
    """Has the uploads that a call names deleted when it is over, whether its handler ran or not."""

    def begin(values: Values) -> None:
        ledger.use(upload_names(values, ledger))

    def end(values: Values, over: bool) -> None:
        files = upload_names(values, ledger)
        ledger.used(files, delete=over)
        forget_paths(page, map(str, files))

    around_calls(page, begin, end)


def _load(*parts: Lazy) -> None:
    """Loads every part; one that fails is told of, and tried again when it is needed.

    The bundled cases come first: once read, they stay open to visitors when the disk is full.
    """
    steps = [partial(load_case, case.name) for case in bundled_cases()]
    for step in (READERS.start, *steps, *parts):
        try:
            step()
        except FocalError as error:
            _log.error("%s", error)
