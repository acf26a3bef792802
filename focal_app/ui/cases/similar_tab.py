"""The Similar tab: the ECG that is open beside cases of the gallery that are like it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import gradio as gr

from focal_app.ecg.complete import CompleteECG
from focal_app.ecg.recording import LEADS
from focal_app.errors import FocalError
from focal_app.explore.reading.heatmap import Heatmap
from focal_app.figures.layout import PAGE_S
from focal_app.figures.marks import Marked
from focal_app.figures.paper_settings import AT_FIRST, PaperSettings
from focal_app.figures.tint import deepest
from focal_app.ui import wording as reading_wording
from focal_app.ui.cases import html, wording
from focal_app.ui.cases import state as cases_state
from focal_app.ui.cases.comparing import (
    BY,
    Compared,
    asked_by,
    marked_in,
    segment_of,
    shown_s,
    window_start_s,
)
from focal_app.ui.cases.filters import FilterParts, filters_of
from focal_app.ui.cases.listing import CaseHandlers, CaseParts
from focal_app.ui.gradio_helpers import (
    Updates,
    connector,
    number,
    paper,
    paragraph,
    parts_of,
    sheet,
    words,
)
from focal_app.ui.read import html as reading_html
from focal_app.ui.read.state import View
from focal_app.ui.server.model_source import LazyExplorer, LazyGallery
from focal_app.ui.steps import expired, refused
from focal_app.ui.teach.state import Lesson

TOP, FIRST_LEAD = 10, "V1"
PAIRED_PX_PER_MM = 2.5
"""Two sheets beside each other on a desktop; the same scale for both."""


class Parts(CaseParts):
    """The parts of the tab that events are about, each laid out where it is made."""

    def __init__(self, lesson: gr.State) -> None:
        self.state, self.lesson = gr.State(Compared()), lesson
        with gr.Row(elem_classes="introduced"):
            words(paragraph(wording.SIMILAR_INTRO, "intro"))
            self.gallery = words(elem_id="similar-gallery")
        with gr.Row(elem_classes="toolbar"):
            self.by = gr.Radio(list(BY), value=wording.BY_WHOLE, label=wording.BY, elem_id="by")
            self.finding = gr.Dropdown(
                [], label=wording.FINDING, visible=False, elem_id="by-finding"
            )
            self.lead = gr.Dropdown(
                list(LEADS), value=FIRST_LEAD, label=wording.LEAD, visible=False
            )
            first_s, last_s = shown_s(FIRST_LEAD)
            self.from_s = gr.Number(
                first_s, label=wording.FROM_S, minimum=0, step=0.5, visible=False
            )
            self.to_s = gr.Number(last_s, label=wording.TO_S, minimum=0, step=0.5, visible=False)
            self.find = gr.Button(wording.FIND, variant="primary", elem_id="find-similar")
        self.marking = words(paragraph(wording.MARK_HELP), visible=False, elem_id="marking")
        self.filters = FilterParts("similar")
        self.trouble = words(elem_id="similar-trouble")
        self.stale = words(elem_id="similar-stale")
        with gr.Row(elem_classes="steps"):
            self.before = gr.Button(wording.BEFORE, size="md", elem_id="case-before")
            self.place = words(elem_id="similar-place")
            self.after = gr.Button(wording.AFTER, size="md", elem_id="case-after")
            self.why = words(elem_id="similar-why")
        with gr.Row(elem_classes="pair", equal_height=False):
            with gr.Column(min_width=0):
                self.yours = words(elem_id="similar-yours")
                self.your_paper = sheet("similar-your-paper", "read/paper", "cases/segment")
            with gr.Column(min_width=0):
                self.theirs = words(elem_id="similar-theirs", elem_classes="theirs")
                self.their_paper = sheet("similar-their-paper")
        self.in_set = words(elem_id="similar-in-set", scripts=["cases/in_set"])
        self.cases = words(
            paragraph(wording.NOT_COMPARED), elem_id="similar-cases", scripts=["cases/cases"]
        )


def build_similar_tab(
    tab: gr.Tab, view: gr.State, lesson: gr.State, reader: LazyExplorer, gallery: LazyGallery
) -> Handlers:
    """Lays out the tab inside `tab`, over the recording in `view` and the set in `lesson`."""
    parts = Parts(lesson)
    handlers = Handlers(parts, reader, gallery)
    filters, outputs = parts.filters, parts_of(parts)
    on = connector([view, parts.state], outputs)
    listing = connector([view, parts.state, parts.lesson], outputs)
    keeping = connector([parts.state, parts.lesson], outputs)
    segment = (parts.lead, parts.from_s, parts.to_s)
    listing(tab.select, handlers.open, *filters.inputs)
    on(parts.by.input, handlers.turn, parts.by, *segment)
    on(parts.lead.input, handlers.choose_lead, parts.lead)
    on(parts.from_s.input, handlers.mark, *segment)
    on(parts.to_s.input, handlers.mark, *segment)
    on(parts.your_paper.select, handlers.mark_on_paper)
    listing(parts.find.click, handlers.find, parts.by, parts.finding, *segment, *filters.inputs)
    listing(parts.cases.select, handlers.choose)
    keeping(parts.cases.like, handlers.keep, each=True)
    listing(parts.before.click, handlers.before, each=True)
    listing(parts.after.click, handlers.after, each=True)
    return handlers


class Handlers(CaseHandlers[Parts]):
    """One method an event: values in, one change of the state, and what it alters out."""

    def open(self, view: View | None, state: Compared, lesson: Lesson, *filters: object) -> Updates:
        """The tab is opened: what can be asked, and the cases for the ECG that is open."""
        parts = self.parts
        if view is None or view.reading is None:
            waiting = reading_html.trouble(reading_wording.WAITING)
            return {parts.trouble: waiting, **self._listed(state, lesson)}
        prompts = [f.prompt for f in sorted(view.reading.findings, key=lambda f: -f.probability)]
        chosen = view.chosen or next(iter(prompts), None)
        updates: Updates = {parts.finding: gr.update(choices=prompts, value=chosen)}
        try:
            updates |= self._offered()
        except FocalError as error:
            return {**updates, parts.trouble: reading_html.trouble(str(error))}
        if state.hits is not None and state.fits(view):
            return {**updates, **self._shown(state, lesson)}
        found = self.find(view, state, lesson, wording.BY_WHOLE, None, "", None, None, *filters)
        first_s, last_s = (window_start_s(view) + second for second in shown_s(FIRST_LEAD))
        updates |= {
            parts.by: wording.BY_WHOLE,
            parts.lead: gr.update(value=FIRST_LEAD, visible=False),
            parts.from_s: gr.update(value=first_s, visible=False),
            parts.to_s: gr.update(value=last_s, visible=False),
            parts.marking: gr.update(visible=False),
        }
        updates[parts.finding] = gr.update(choices=prompts, value=chosen, visible=False)
        return {**updates, **found}

    def turn(
        self,
        view: View,
        state: Compared,
        by: str,
        lead: str | None,
        from_s: float | None,
        to_s: float | None,
    ) -> Updates:
        """Another way of comparing: its controls, and what is marked by them."""
        kind = BY.get(by, "whole")
        shown = self._marked(view, state, kind, lead, from_s, to_s)
        return {**shown, **self._controls(kind)}

    def choose_lead(self, view: View, state: Compared, lead: str | None) -> Updates:
        """Another lead: the seconds that the usual layout shows of it."""
        if lead not in LEADS:
            return {}
        first_s, last_s = (window_start_s(view) + second for second in shown_s(lead))
        shown = self._marked(view, state, "segment", lead, first_s, last_s)
        return {**shown, self.parts.from_s: first_s, self.parts.to_s: last_s}

    def mark(
        self,
        view: View,
        state: Compared,
        lead: str | None,
        from_s: float | None,
        to_s: float | None,
    ) -> Updates:
        """Other seconds of the segment."""
        return self._marked(view, state, "segment", lead, from_s, to_s)

    def mark_on_paper(self, view: View, state: Compared, event: gr.EventData) -> Updates:
        """A segment that was marked on the visitor's own ECG."""
        lead, from_s, to_s = str(event.lead), number(event.from_s), number(event.to_s)
        if lead not in LEADS:
            return {}
        chosen = {self.parts.lead: lead, self.parts.from_s: from_s, self.parts.to_s: to_s}
        return {**self._marked(view, state, "segment", lead, from_s, to_s), **chosen}

    def find(
        self,
        view: View,
        state: Compared,
        lesson: Lesson,
        by: str,
        finding: str | None,
        lead: str | None,
        from_s: float | None,
        to_s: float | None,
        *filters: object,
    ) -> Updates:
        """The cases that are most like the window that is open."""

        def change() -> Compared:
            from focal_app.explore.cases.similar import similar

            start_s = window_start_s(view)
            end_s = start_s + self._reader().spec.duration_s
            asked = asked_by(by, finding, segment_of(lead, from_s, to_s, start_s, end_s))
            hits = similar(
                self._reader(),
                self._gallery(),
                view.ecg,
                by=asked,
                filters=filters_of(*filters) if filters else None,  # type: ignore[arg-type]
                top=TOP,
                start_s=start_s,
            )
            return replace(cases_state.with_hits(state, hits), view=view, by=asked)

        return self._step(view, state, lesson, change, old=wording.OLD_COMPARISON)

    def choose(self, view: View, state: Compared, lesson: Lesson, event: gr.EventData) -> Updates:
        """A case of the list."""
        key = str(event.key)
        return self._step(view, state, lesson, lambda: cases_state.opened(state, key))

    def before(self, view: View, state: Compared, lesson: Lesson) -> Updates:
        """The case before."""
        return self._step(view, state, lesson, lambda: cases_state.moved(state, -1))

    def after(self, view: View, state: Compared, lesson: Lesson) -> Updates:
        """The next case."""
        return self._step(view, state, lesson, lambda: cases_state.moved(state, 1))

    def _controls(self, kind: str) -> Updates:
        """The controls of one way of comparing."""
        parts, segment = self.parts, gr.update(visible=kind == "segment")
        return {
            parts.finding: gr.update(visible=kind == "finding"),
            parts.lead: segment,
            parts.from_s: segment,
            parts.to_s: segment,
            parts.marking: segment,
        }

    def _marked(
        self,
        view: View | None,
        state: Compared,
        kind: str,
        lead: str | None,
        from_s: float | None,
        to_s: float | None,
    ) -> Updates:
        """What is going to be compared, on the visitor's own paper; the cases are old then."""
        if view is None:
            return expired(self.parts.trouble)
        start_s = window_start_s(view)
        marked = None
        if kind == "segment" and lead in LEADS:
            end_s = start_s + self._reader().spec.duration_s
            chosen = segment_of(lead, from_s, to_s, start_s, end_s)
            marked = Marked(lead, chosen.start_s - start_s, chosen.end_s - start_s)
        old = cases_state.aged(state, wording.OLD_COMPARISON)
        return {
            self.parts.state: old,
            self.parts.stale: html.stale(old),
            **self._yours(view, None, marked, beside=None),
        }

    def _step(
        self,
        view: View | None,
        state: Compared,
        lesson: Lesson,
        change: Callable[[], Compared],
        *,
        old: str = "",
    ) -> Updates:
        """What a change alters; where it is refused, `old` says what still lies there."""
        if view is None:
            return expired(self.parts.trouble)
        try:
            return self._shown(change(), lesson)
        except FocalError as error:
            shown = self._shown(cases_state.aged(state, old), lesson) if old else {}
            return {**shown, **refused(self.parts.trouble, error)}

    def _shown(self, state: Compared, lesson: Lesson) -> Updates:
        parts, view, hit = self.parts, state.view, state.shown
        marked = marked_in(view, state.by)
        updates: Updates = {
            parts.state: state,
            parts.trouble: "",
            parts.stale: html.stale(state),
            parts.place: html.place(state),
            parts.why: html.likeness(hit, state.by) if hit and state.by else "",
            **self._listed(state, lesson),
        }
        ecg = None if hit is None else self._gallery().ecg(hit.case.number)
        if view is not None:
            weights = None if hit is None or marked else hit.query_weights
            own = None if weights is None else self._heatmap(weights, start_s=window_start_s(view))
            updates |= self._yours(view, own, marked, beside=ecg)
        if hit is None or ecg is None or view is None:
            return {**updates, parts.theirs: "", parts.their_paper: ""}
        settings = PaperSettings(layout="12x1") if marked else AT_FIRST
        heatmap = self._heatmap(hit.case_weights)
        at = deepest(heatmap, settings.page_layout) if heatmap else None
        updates[parts.theirs] = html.placed(html.case_facts(hit.case), at)
        updates[parts.their_paper] = paper(
            ecg,
            settings=settings,
            heatmap=heatmap,
            marked=Marked(marked.lead, 0.0, PAGE_S, filled=False) if marked else None,
            px_per_mm=PAIRED_PX_PER_MM,
            faint=hit.improbable,
            beside=(view.ecg, window_start_s(view)),
        )
        return updates

    def _yours(
        self,
        view: View,
        heatmap: Heatmap | None,
        marked: Marked | None,
        *,
        beside: CompleteECG | None,
    ) -> Updates:
        """The visitor's own ECG: tinted, or with the marked segment in a frame."""
        settings = PaperSettings(layout="12x1") if marked else AT_FIRST
        at = (
            marked.middle if marked else deepest(heatmap, settings.page_layout) if heatmap else None
        )
        return {
            self.parts.yours: html.placed(reading_html.recording(view, own=True), at),
            self.parts.your_paper: paper(
                view.ecg,
                start_s=window_start_s(view),
                settings=settings,
                heatmap=heatmap,
                marked=marked,
                px_per_mm=PAIRED_PX_PER_MM,
                beside=None if beside is None else (beside, 0.0),
            ),
        }
