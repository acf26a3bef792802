"""The Similar tab: the ECG that is open beside cases of the gallery that are like it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING

import gradio as gr
from gradio.components import Component
from gradio.events import Dependency

from focal_app.ecg.recording import LEADS
from focal_app.errors import FocalError, PromptError
from focal_app.ui import case_panels, panels, shelf, theme
from focal_app.ui import wording as reading_wording
from focal_app.ui import wording_cases as wording
from focal_app.ui.case_filters import FilterParts, build_filters, filters_of, offered
from focal_app.ui.case_paper import PAIRED_PX_PER_MM, case_paper
from focal_app.ui.parts import Updates, connect, words
from focal_app.ui.shelf import Shelf
from focal_app.ui.source import LazyExplorer, LazyGallery
from focal_app.ui.view import View

if TYPE_CHECKING:
    # Not when the page is laid out: they bring torch with them.
    from focal_app.explore.similar import Finding, Segment, Whole

TOP = 10
BY = {wording.BY_WHOLE: "whole", wording.BY_FINDING: "finding", wording.BY_SEGMENT: "segment"}


@dataclass(frozen=True)
class Compared:
    """The shelf, and the recording and window with which its cases were compared."""

    shelf: Shelf = field(default_factory=Shelf)
    view: View | None = None

    def fits(self, view: View) -> bool:
        """Whether that window is the one that is open now."""
        before = self.view
        return before is not None and before.ecg is view.ecg and before.start_s == view.start_s


@dataclass(frozen=True)
class Parts:
    """Every part of the tab that an event reads or changes."""

    state: gr.State
    gallery: gr.HTML
    by: gr.Radio
    finding: gr.Dropdown
    lead: gr.Dropdown
    from_s: gr.Number
    to_s: gr.Number
    labels: gr.Dropdown
    source: gr.Dropdown
    trouble: gr.HTML
    place: gr.HTML
    why: gr.HTML
    yours: gr.HTML
    your_paper: gr.Plot
    theirs: gr.HTML
    their_paper: gr.Plot
    cases: gr.HTML


def build_similar_tab(
    tab: gr.Tab, view: gr.State, reader: LazyExplorer, gallery: LazyGallery
) -> None:
    """Lays out the tab inside `tab`, over the recording that `view` holds."""
    with gr.Row(elem_classes="introduced"):
        words(f'<p class="intro">{wording.SIMILAR_INTRO}</p>')
        line = words(elem_id="similar-gallery")
    with gr.Row(elem_classes="toolbar"):
        by = gr.Radio(list(BY), value=wording.BY_WHOLE, label=wording.BY, elem_id="by")
        finding = gr.Dropdown([], label=wording.FINDING, visible=False, elem_id="by-finding")
        lead = gr.Dropdown(list(LEADS), value="V1", label=wording.LEAD, visible=False)
        from_s = gr.Number(0, label=wording.FROM_S, minimum=0, step=1, visible=False)
        to_s = gr.Number(2, label=wording.TO_S, minimum=1, step=1, visible=False)
        find = gr.Button(wording.FIND, variant="primary", elem_id="find-similar")
    filters = build_filters("similar")
    trouble = words(elem_id="similar-trouble")
    with gr.Row(elem_classes="steps"):
        before = gr.Button(wording.BEFORE, size="md", elem_id="case-before")
        place = words(elem_id="similar-place")
        after = gr.Button(wording.AFTER, size="md", elem_id="case-after")
        why = words(elem_id="similar-why")
    with gr.Row(elem_classes="pair", equal_height=False):
        with gr.Column(min_width=0):
            yours = words(elem_id="similar-yours")
            your_paper = _plot("similar-your-paper")
        with gr.Column(min_width=0):
            theirs = words(elem_id="similar-theirs")
            their_paper = _plot("similar-their-paper")
    cases = words(
        f'<p class="hint">{wording.NOT_COMPARED}</p>',
        elem_id="similar-cases",
        js_on_load=theme.script("cases"),
    )
    parts = Parts(
        state=gr.State(Compared()),
        gallery=line,
        by=by,
        finding=finding,
        lead=lead,
        from_s=from_s,
        to_s=to_s,
        labels=filters.labels,
        source=filters.source,
        trouble=trouble,
        place=place,
        why=why,
        yours=yours,
        your_paper=your_paper,
        theirs=theirs,
        their_paper=their_paper,
        cases=cases,
    )
    handlers = Handlers(parts, filters, reader, gallery)
    _connect(tab, view, handlers, find, (before, after))


def _plot(name: str) -> gr.Plot:
    return gr.Plot(show_label=False, container=False, elem_id=name, elem_classes="paper")


class Handlers:
    """One method an event: values in, one change of the shelf, and what it alters out."""

    def __init__(
        self, parts: Parts, filters: FilterParts, reader: LazyExplorer, gallery: LazyGallery
    ) -> None:
        self.parts = parts
        self.filters = filters
        self._reader = reader
        self._gallery = gallery

    def open(self, view: View | None, state: Compared) -> Updates:
        """The tab is opened: what can be asked, and the cases for the ECG that is open."""
        parts = self.parts
        if view is None or view.reading is None:
            return {parts.trouble: panels.trouble(reading_wording.WAITING)}
        prompts = [f.prompt for f in sorted(view.reading.findings, key=lambda f: -f.probability)]
        chosen = view.chosen or next(iter(prompts), None)
        updates: Updates = {parts.finding: gr.update(choices=prompts, value=chosen)}
        try:
            gallery = self._gallery()
            updates |= {**offered(self.filters, gallery)}
            updates[parts.gallery] = case_panels.gallery_line(gallery)
        except FocalError as error:
            return {**updates, parts.trouble: panels.trouble(str(error))}
        if state.shelf.hits is None or not state.fits(view):
            return {**updates, **self.find(view, state, wording.BY_WHOLE, None, "", 0, 0)}
        return {**updates, **self._shown(state)}

    def show_controls(self, view: View, state: Compared, by: str) -> Updates:
        """The controls of one way of comparing."""
        kind, parts = BY.get(by), self.parts
        segment = gr.update(visible=kind == "segment")
        return {
            parts.finding: gr.update(visible=kind == "finding"),
            parts.lead: segment,
            parts.from_s: segment,
            parts.to_s: segment,
        }

    def find(
        self,
        view: View,
        state: Compared,
        by: str,
        finding: str | None,
        lead: str,
        from_s: float,
        to_s: float,
        *filters: object,
    ) -> Updates:
        """The cases that are most like the window that is open."""

        def change() -> Compared:
            from focal_app.explore.similar import similar

            start_s = view.reading.start_s if view.reading else view.start_s
            hits = similar(
                self._reader(),
                self._gallery(),
                view.ecg,
                by=_by(by, finding, lead, from_s, to_s),
                filters=filters_of(*filters) if filters else None,  # type: ignore[arg-type]
                top=TOP,
                start_s=start_s,
            )
            return Compared(shelf.with_hits(state.shelf, hits, compared=True), view)

        return self._step(view, change)

    def choose(self, view: View, state: Compared, event: gr.EventData) -> Updates:
        """A case of the list."""
        key = str(event.key)
        return self._step(view, lambda: replace(state, shelf=shelf.opened(state.shelf, key)))

    def before(self, view: View, state: Compared) -> Updates:
        """The case before."""
        return self._step(view, lambda: replace(state, shelf=shelf.moved(state.shelf, -1)))

    def after(self, view: View, state: Compared) -> Updates:
        """The next case."""
        return self._step(view, lambda: replace(state, shelf=shelf.moved(state.shelf, 1)))

    def _step(self, view: View | None, change: Callable[[], Compared]) -> Updates:
        if view is None:
            return {self.parts.trouble: panels.trouble(reading_wording.EXPIRED)}
        try:
            after = change()
            return self._shown(after)
        except FocalError as error:
            return {self.parts.trouble: panels.trouble(str(error))}

    def _shown(self, state: Compared) -> Updates:
        parts, view, hit = self.parts, state.view, state.shelf.shown
        updates: Updates = {
            parts.state: state,
            parts.trouble: "",
            parts.place: case_panels.place(state.shelf),
            parts.why: case_panels.why(state.shelf),
            parts.cases: case_panels.hits_list(state.shelf, teaching=False),
        }
        if view is not None:
            own = None if hit is None else hit.query_weights
            updates[parts.yours] = panels.recording(view, own=True)
            updates[parts.your_paper] = case_paper(
                view.ecg,
                own,
                start_s=view.reading.start_s if view.reading else view.start_s,
                window_s=self._reader().spec.duration_s,
                px_per_mm=PAIRED_PX_PER_MM,
            )
        updates[parts.theirs] = case_panels.case_facts(hit.case) if hit else ""
        if hit is not None:
            updates[parts.their_paper] = case_paper(
                hit.case.ecg(), hit.case_weights, px_per_mm=PAIRED_PX_PER_MM
            )
        return updates


def _by(
    by: str, finding: str | None, lead: str, from_s: float, to_s: float
) -> Whole | Finding | Segment:
    from focal_app.explore.similar import Finding, Segment, Whole

    kind = BY.get(by)
    if kind == "finding":
        if not finding:
            raise PromptError(reading_wording.CHOOSE)
        return Finding(finding)
    return Segment(lead, float(from_s), float(to_s)) if kind == "segment" else Whole()


def _connect(
    tab: gr.Tab,
    view: gr.State,
    handlers: Handlers,
    find: gr.Button,
    steps: tuple[gr.Button, gr.Button],
) -> None:
    parts, filters = handlers.parts, handlers.filters
    outputs = [getattr(parts, part.name) for part in fields(parts)]

    def on(
        event: Callable[..., Dependency],
        handler: Callable[..., Updates],
        *inputs: Component,
        each: bool = False,
    ) -> None:
        connect(event, handler, inputs=[view, parts.state, *inputs], outputs=outputs, each=each)

    asked = (parts.by, parts.finding, parts.lead, parts.from_s, parts.to_s, *filters.inputs)
    on(tab.select, handlers.open)
    on(parts.by.input, handlers.show_controls, parts.by)
    on(find.click, handlers.find, *asked)
    on(parts.cases.select, handlers.choose)
    on(steps[0].click, handlers.before, each=True)
    on(steps[1].click, handlers.after, each=True)
