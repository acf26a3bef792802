"""The whole page: what is always in sight, the tabs below it, and the endpoints for programs."""

from pathlib import Path

import gradio as gr

from focal_app.figures.templates import Templates
from focal_app.ui import wording
from focal_app.ui.about import tab as about_tab
from focal_app.ui.about import wording as wording_about
from focal_app.ui.cases import wording as wording_cases
from focal_app.ui.cases.search_tab import build_search_tab
from focal_app.ui.cases.similar_tab import build_similar_tab
from focal_app.ui.compare import wording as wording_compare
from focal_app.ui.compare.tab import build_compare_tab
from focal_app.ui.gradio_helpers import show_waiting, words
from focal_app.ui.read.tab import build_reading_tab
from focal_app.ui.server.endpoints import build_api
from focal_app.ui.server.model_source import LazyExplorer, LazyGallery
from focal_app.ui.teach import wording as wording_teach
from focal_app.ui.teach.state import Lesson
from focal_app.ui.teach.tab import build_teach_tab, connect_ways
from focal_app.ui.verify import wording as wording_verify
from focal_app.ui.verify.tab import build_verify_tab

_fill = Templates(Path(__file__).parent, wording=wording)


def build_page(
    reader: LazyExplorer,
    gallery: LazyGallery,
    *,
    checkpoint: str | None = None,
) -> gr.Blocks:
    """The page over a model and a gallery; neither is loaded until it is needed.

    `checkpoint` is where the figures of About are read, the embedded one by default.
    """
    with gr.Blocks(
        title=wording.TITLE,
        analytics_enabled=False,
        fill_width=True,
    ) as page:
        # First, so that no handler of the page takes the name of an endpoint.
        build_api(reader, gallery)
        words(_fill("masthead"), elem_id="masthead", scripts=["keyboard"])
        line = words(_fill("waiting"), elem_id="waiting", scripts=["waiting"])
        lesson = gr.State(Lesson())  # filled under Similar and Search, taught from under Teach
        with gr.Tabs(elem_id="tabs", overflow_behavior="wrap") as tabs:
            with gr.Tab(wording.READ_TAB, id="read"):
                read = build_reading_tab(page, reader, checkpoint=checkpoint)
            with gr.Tab(wording_verify.TAB, id="verify") as tab:
                verify = build_verify_tab(tab, read.parts.view, reader)
            with gr.Tab(wording_compare.TAB, id="compare") as tab:
                build_compare_tab(tab, read.parts.view, reader)
            with gr.Tab(wording_cases.SIMILAR_TAB, id="similar") as tab:
                similar = build_similar_tab(tab, read.parts.view, lesson, reader, gallery)
            with gr.Tab(wording_cases.SEARCH_TAB, id="search") as tab:
                search = build_search_tab(tab, lesson, reader, gallery)
            with gr.Tab(wording_teach.TAB, id="teach") as tab:
                teach = build_teach_tab(page, tabs, tab, lesson, (reader, gallery))
                connect_ways(tabs, (similar, search), teach)
            with gr.Tab(wording_about.TAB, id="about") as tab:
                others = about_tab.Tabs(row=tabs, read=read, verify=verify, search=search)
                about_tab.build_about_tab(tab, others, lambda: _folder(checkpoint))
    show_waiting(page, line)
    return page


def _folder(checkpoint: str | None) -> Path:
    from focal_app.explore.reading.explorer import EMBEDDED
    from focal_app.model.checkpoint_folder import local_folder

    return local_folder(checkpoint) if checkpoint else EMBEDDED
