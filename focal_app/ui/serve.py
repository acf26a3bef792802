"""Opens the page on this machine, or in a Space: `python app.py`."""

import logging
import os
import signal
import sys
import tempfile

import gradio as gr

from focal_app.errors import FocalError
from focal_app.ui import theme
from focal_app.ui.page import build_page
from focal_app.ui.source import explorer_source

HERE, EVERYWHERE = "127.0.0.1", "0.0.0.0"
PORT = 7860
LARGEST_UPLOAD = "20mb"
VISITS = 30
"""Recordings of at most this many visits are held in memory, 96 MB each at the most: 3 GB."""
WAITING = 40
"""More events than this in line are turned away rather than kept waiting."""

_log = logging.getLogger(__name__)


def main(source: str | None = None) -> None:
    """Serves the page over a checkpoint (the embedded one by default) until it is stopped."""
    os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
    # A stop by the system ends like one by hand: the folder of uploads goes too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with tempfile.TemporaryDirectory(prefix="focal-") as uploads:
        os.environ["GRADIO_TEMP_DIR"] = uploads
        reader = explorer_source(source or os.environ.get("FOCAL_CHECKPOINT") or None)
        page = build_page(reader).queue(max_size=WAITING)
        open_page(page)
        try:
            reader()
        except FocalError as error:
            _log.error("%s", error)
        page.block_thread()


def open_page(page: gr.Blocks) -> None:
    """Starts the server: on this machine only, without history, telemetry or outside links.

    A Space listens everywhere; GRADIO_SERVER_NAME and GRADIO_SERVER_PORT say otherwise.
    """
    page.launch(
        server_name=os.environ.get("GRADIO_SERVER_NAME") or _host(),
        server_port=int(os.environ.get("GRADIO_SERVER_PORT") or PORT),
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
    )


def _host() -> str:
    return EVERYWHERE if "SPACE_ID" in os.environ else HERE
