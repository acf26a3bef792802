"""The whole page: what is always in sight, and the tabs below it."""

import gradio as gr

from focal_app.ui import panels, wording
from focal_app.ui.reading_tab import build_reading_tab
from focal_app.ui.source import LazyReader

LEFTOVERS_S = (600, 1800)
"""Every ten minutes, files that an interrupted upload left for half an hour are deleted."""


def build_page(reader: LazyReader) -> gr.Blocks:
    """The page over a reader; nothing is loaded until the page is opened."""
    with gr.Blocks(
        title=wording.TITLE,
        analytics_enabled=False,
        delete_cache=LEFTOVERS_S,
        fill_width=True,
    ) as page:
        gr.HTML(panels.masthead(), elem_id="masthead", js_on_load=None, apply_default_css=False)
        build_reading_tab(page, reader)
    return page
