"""The Compare tab: the ECG that is open, below an earlier one of the same patient."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import gradio as gr

from focal_app.ecg.complete import CompleteECG
from focal_app.ecg.tables.question import SignalUnknown
from focal_app.errors import RecordingError
from focal_app.explore.reading.bundled_cases import bundled_case, bundled_cases, load_case
from focal_app.explore.reading.reading import Reading
from focal_app.figures.layout import PX_PER_MM
from focal_app.ui.compare import html, wording
from focal_app.ui.gradio_helpers import (
    Updates,
    connector,
    paper,
    paragraph,
    parts_of,
    sheet,
    words,
)
from focal_app.ui.read import html as reading_html
from focal_app.ui.read.state import View
from focal_app.ui.read.uploads import read_upload
from focal_app.ui.server.model_source import LazyExplorer
from focal_app.ui.steps import expired, step


@dataclass(frozen=True)
class Earlier:
    """The earlier ECG of a visit; `case` is None for an upload."""

    ecg: CompleteECG
    case: str | None
    about: str = ""


class Parts:
    """The parts of the tab that events are about, each laid out where it is made."""

    def __init__(self) -> None:
        self.state = gr.State(None)
        words(paragraph(wording.INTRO, "intro"))
        cases = [(case.title, case.name) for case in bundled_cases()]
        with gr.Row(elem_classes="toolbar"):
            self.case = gr.Dropdown(cases, value=None, label=wording.CASE, elem_id="earlier-case")
            self.upload = gr.UploadButton(
                wording.UPLOAD, file_count="multiple", elem_id="earlier-upload", size="md"
            )
            words(paragraph(wording.PRIVATE), elem_classes="privacy")
        self.trouble = words(elem_id="compare-trouble")
        self.changes = words(paragraph(wording.NOT_CHOSEN), elem_id="changes")
        with gr.Column(elem_classes="sheet", min_width=0):
            self.earlier = words(elem_id="compare-earlier")
            self.earlier_paper = sheet("compare-earlier-paper")
            self.later = words(elem_id="compare-later")
            self.later_paper = sheet("compare-later-paper")


def build_compare_tab(tab: gr.Tab, view: gr.State, reader: LazyExplorer) -> None:
    """Lays out the tab inside `tab`, over the recording that `view` holds."""
    parts = Parts()
    handlers = Handlers(parts, reader)
    on = connector([view, parts.state], parts_of(parts))
    on(tab.select, handlers.open)
    on(parts.case.input, handlers.open_case, parts.case)
    on(parts.upload.upload, handlers.open_upload, parts.upload, each=True)


class Handlers:
    """One method an event: the earlier ECG in, and what changed since out."""

    def __init__(self, parts: Parts, reader: LazyExplorer) -> None:
        self.parts = parts
        self._reader = reader

    def open(self, view: View | None, state: Earlier | None) -> Updates:
        """The tab is opened: the comparison with what is open in Read by now."""
        return self._step(view, lambda: state) if state else {}

    def open_case(self, view: View | None, state: Earlier | None, name: str | None) -> Updates:
        """A bundled case as the earlier ECG."""
        found = bundled_case(name)
        if found is None:
            return {}
        earlier = Earlier(load_case(found.name), found.name, found.description)
        return self._step(view, lambda: earlier)

    def open_upload(
        self, view: View | None, state: Earlier | None, paths: Sequence[str] | None
    ) -> Updates:
        """Uploaded files as the earlier ECG."""

        def change() -> Earlier:
            try:
                return Earlier(read_upload(paths or []), None)
            except SignalUnknown as unknown:
                raise RecordingError(wording.bare_table(unknown.table.format)) from None

        return self._step(view, change)

    def _step(self, view: View | None, change: Callable[[], Earlier]) -> Updates:
        """What another earlier ECG alters; where it is refused, why, and all stays."""

        def shown(earlier: Earlier) -> Updates:  # last, so that an upload is deleted whatever else
            return self._shown(view, earlier) if view else expired(self.parts.trouble)

        return step(self.parts.trouble, change, shown)

    def _shown(self, view: View, earlier: Earlier) -> Updates:
        from focal_app.explore.comparing.comparison import Comparison

        read = self._reader().read
        then = read(earlier.ecg, view.prompts)
        now = view.reading or read(view.ecg, view.prompts, start_s=view.start_s)
        before = replace(view, ecg=earlier.ecg, case=earlier.case, about=earlier.about)
        before = replace(before, start_s=0.0, reading=then, chosen=None, fine=None)
        parts = self.parts
        return {
            parts.state: earlier,
            parts.case: earlier.case,
            parts.trouble: "",
            parts.changes: html.changes(Comparison.of(then, now)),
            parts.earlier: _titled(wording.EARLIER, before),
            parts.later: _titled(wording.LATER, view),
            parts.earlier_paper: _paper(before, then, beside=(view.ecg, view.start_s)),
            parts.later_paper: _paper(view, now, beside=(earlier.ecg, 0.0)),
        }


def _titled(title: str, view: View) -> str:
    return paragraph(title, "which") + reading_html.recording(view)


def _paper(view: View, reading: Reading, *, beside: tuple[CompleteECG, float]) -> str:
    """An ECG at the scale of the other: the settings of Read, gain and heights for both."""
    return paper(
        view.ecg,
        settings=view.paper,
        start_s=reading.start_s,
        beside=beside,
        px_per_mm=min(view.px_per_mm, PX_PER_MM),
    )
