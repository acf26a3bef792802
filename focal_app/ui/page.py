"""The whole page: what is always in sight, and the tabs below it."""

import gradio as gr

from focal_app.ui import panels, wording, wording_cases, wording_verify
from focal_app.ui.parts import words
from focal_app.ui.reading_tab import build_reading_tab
from focal_app.ui.search_tab import build_search_tab
from focal_app.ui.similar_tab import build_similar_tab
from focal_app.ui.source import LazyExplorer, LazyGallery
from focal_app.ui.verify_tab import build_verify_tab

EXPIRE_S = 1800


def build_page(
    reader: LazyExplorer, gallery: LazyGallery, *, expire_s: int = EXPIRE_S
) -> gr.Blocks:
    """The page over a model and a gallery; neither is loaded until it is needed.

    Files that an interrupted upload left are deleted when they are `expire_s` old.
    """
    with gr.Blocks(
        title=wording.TITLE,
        analytics_enabled=False,
        delete_cache=(max(expire_s // 3, 1), expire_s),
        fill_width=True,
    ) as page:
        words(panels.masthead(), elem_id="masthead")
        with gr.Tabs(elem_id="tabs") as tabs:
            with gr.Tab(wording.READ_TAB, id="read"):
                view = build_reading_tab(page, reader)
            with gr.Tab(wording_verify.TAB, id="verify") as verify_tab:
                build_verify_tab(verify_tab, view, reader)
            with gr.Tab(wording_cases.SIMILAR_TAB, id="similar") as similar_tab:
                build_similar_tab(similar_tab, view, reader, gallery)
            with gr.Tab(wording_cases.SEARCH_TAB, id="search") as search_tab:
                build_search_tab(page, tabs, search_tab, reader, gallery)
    return page
