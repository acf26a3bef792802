"""The whole page: what is always in sight, and the tabs below it."""

import gradio as gr

from focal_app.ui import panels, wording, wording_verify
from focal_app.ui.parts import words
from focal_app.ui.reading_tab import build_reading_tab
from focal_app.ui.source import LazyReader
from focal_app.ui.verify_tab import build_verify_tab

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
        words(panels.masthead(), elem_id="masthead")
        with gr.Tabs(elem_id="tabs"):
            with gr.Tab(wording.READ_TAB, id="read"):
                view = build_reading_tab(page, reader)
            with gr.Tab(wording_verify.TAB, id="verify") as verify_tab:
                build_verify_tab(verify_tab, view, reader)
    return page
