"""The reading of one recording: its parts on the page, and one thin handler behind each event."""

import gradio as gr

from focal_app.explore.reading.checkpoint_name import checkpoint_name
from focal_app.ui.read.connections import connect_events, connect_start
from focal_app.ui.read.handlers import Handlers
from focal_app.ui.read.layout import Parts
from focal_app.ui.read.take_away import connect_take_away
from focal_app.ui.server.model_source import LazyExplorer


def build_reading_tab(
    page: gr.Blocks, reader: LazyExplorer, *, checkpoint: str | None = None
) -> Handlers:
    """Lays out the tab inside the Blocks that is being built, and connects its events.

    The other tabs read the visitor's `View`, which is in `parts.view` of what it returns.
    """
    parts = Parts()
    handlers = Handlers(parts, reader)
    connect_events(parts, handlers)
    connect_start(page, parts, handlers)
    connect_take_away(parts.take_away, parts.view, checkpoint=checkpoint_name(checkpoint))
    return handlers
