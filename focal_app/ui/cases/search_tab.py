"""The Search tab: cases by text, labels hidden for teaching, and put into a set."""

from __future__ import annotations

from collections.abc import Callable

import gradio as gr

from focal_app.errors import FocalError
from focal_app.figures.layout import THREE_BY_FOUR
from focal_app.figures.tint import deepest
from focal_app.ui.cases import html, wording
from focal_app.ui.cases import state as cases_state
from focal_app.ui.cases.filters import FilterParts, filters_of
from focal_app.ui.cases.listing import CaseHandlers, CaseParts
from focal_app.ui.cases.state import CasesState
from focal_app.ui.gradio_helpers import (
    Updates,
    connector,
    paper,
    paragraph,
    parts_of,
    sheet,
    words,
)
from focal_app.ui.server.model_source import LazyExplorer, LazyGallery
from focal_app.ui.steps import refused
from focal_app.ui.teach.state import Lesson

TOP = 12


class Parts(CaseParts):
    """The parts of the tab that events are about, each laid out where it is made."""

    def __init__(self, lesson: gr.State) -> None:
        self.state, self.lesson = gr.State(CasesState()), lesson
        with gr.Row(elem_classes="introduced"):
            words(paragraph(wording.SEARCH_INTRO, "intro"))
            self.gallery = words(elem_id="search-gallery")
        with gr.Row(elem_classes="querybar"):
            self.query = gr.Textbox(
                label=wording.QUERY, placeholder=wording.QUERY_PLACEHOLDER, elem_id="query"
            )
            self.go = gr.Button(wording.SEARCH, variant="primary", elem_id="search", min_width=0)
        self.examples = words(html.examples(), elem_id="examples", scripts=["cases/examples"])
        self.filters = FilterParts("search")
        with gr.Row(elem_classes="ticks"):
            self.only_labelled = gr.Checkbox(
                False, label=wording.ONLY_LABELLED, elem_id="only-labelled", min_width=0
            )
            self.hide = gr.Checkbox(False, label=wording.HIDE, elem_id="hide", min_width=0)
        self.trouble = words(elem_id="search-trouble")
        self.heading = words(elem_id="understood")
        with gr.Row(elem_classes="desk", equal_height=False):
            with gr.Column(elem_classes="sheet", min_width=0):
                self.facts = words(elem_id="search-facts", elem_classes="theirs")
                self.paper = sheet("search-paper")
                self.why = words(elem_id="search-why")
            with gr.Column(elem_classes="side", min_width=0):
                self.in_set = words(elem_id="in-set", scripts=["cases/in_set"])
                self.cases = words(
                    paragraph(wording.NOT_SEARCHED), elem_id="search-cases", scripts=["cases/cases"]
                )


def build_search_tab(
    tab: gr.Tab, lesson: gr.State, reader: LazyExplorer, gallery: LazyGallery
) -> Handlers:
    """Lays out the tab inside `tab`; its cases go into the set in `lesson`."""
    parts = Parts(lesson)
    handlers = Handlers(parts, reader, gallery)
    on = connector([parts.state, parts.lesson], parts_of(parts))
    asked = (parts.query, parts.only_labelled, *parts.filters.inputs)
    on(tab.select, handlers.open)
    on(parts.go.click, handlers.search, *asked)
    on(parts.query.submit, handlers.search, *asked)
    on(parts.only_labelled.input, handlers.narrow, *asked)
    on(parts.examples.select, handlers.try_example, parts.only_labelled)
    on(parts.hide.input, handlers.hide, parts.hide)
    on(parts.cases.select, handlers.choose)
    on(parts.cases.edit, handlers.reveal, each=True)
    on(parts.cases.like, handlers.keep, each=True)
    return handlers


class Handlers(CaseHandlers[Parts]):
    """One method an event: values in, one change of the state, and what it alters out."""

    def open(self, state: CasesState, lesson: Lesson) -> Updates:
        """The tab is opened: which cases there are, and which of those shown are in the set."""
        try:
            return {**self._offered(), **self._listed(state, lesson)}
        except FocalError as error:
            return {**refused(self.parts.trouble, error)}

    def search(
        self, state: CasesState, lesson: Lesson, query: str, only: bool, *filters: object
    ) -> Updates:
        """The cases that show what is asked for."""

        def change() -> CasesState:
            from focal_app.explore.cases.search import search

            found = search(
                self._reader(),
                self._gallery(),
                query or "",
                filters=filters_of(*filters) if filters else None,  # type: ignore[arg-type]
                top=TOP,
                only_labelled=bool(only),
            )
            return cases_state.with_hits(
                state,
                found.hits,
                understood=f"{found.understood} {found.rest}".strip(),
                warnings=found.warnings,
            )

        return self._step(state, lesson, change, old=wording.OLD_SEARCH)

    def narrow(
        self, state: CasesState, lesson: Lesson, query: str, only: bool, *filters: object
    ) -> Updates:
        """Labelled cases alone or all: what was searched is searched again."""
        return {} if state.hits is None else self.search(state, lesson, query, only, *filters)

    def try_example(
        self, state: CasesState, lesson: Lesson, only: bool, event: gr.EventData
    ) -> Updates:
        """One of the examples, typed and asked."""
        query = str(event.query)
        return {**self.search(state, lesson, query, bool(only)), self.parts.query: query}

    def choose(self, state: CasesState, lesson: Lesson, event: gr.EventData) -> Updates:
        """A case of the list."""
        key = str(event.key)
        return self._step(state, lesson, lambda: cases_state.opened(state, key))

    def reveal(self, state: CasesState, lesson: Lesson, event: gr.EventData) -> Updates:
        """The labels of one case."""
        key = str(event.key)
        return self._step(state, lesson, lambda: cases_state.revealed(state, key))

    def hide(self, state: CasesState, lesson: Lesson, on: bool) -> Updates:
        """Teaching mode on or off."""
        return self._step(state, lesson, lambda: cases_state.hiding(state, on=bool(on)))

    def _step(
        self, state: CasesState, lesson: Lesson, change: Callable[[], CasesState], *, old: str = ""
    ) -> Updates:
        """What a change alters; where it is refused, `old` says what still lies there."""
        try:
            return self._shown(state, change(), lesson)
        except FocalError as error:
            shown = self._shown(state, cases_state.aged(state, old), lesson) if old else {}
            return {**shown, **refused(self.parts.trouble, error)}

    def _shown(self, before: CasesState, after: CasesState, lesson: Lesson) -> Updates:
        parts, hit = self.parts, after.shown
        hidden = hit is not None and after.hides(hit)
        heatmap = None if hit is None or hidden else self._heatmap(hit.case_weights)
        updates: Updates = {
            parts.state: after,
            parts.trouble: "",
            parts.hide: after.hidden,
            parts.heading: html.heading(after),
            **self._listed(after, lesson),
            parts.why: html.terms_found(after),
            parts.facts: "",
        }
        if hit is None:
            return {**updates, parts.paper: ""}
        at = deepest(heatmap, THREE_BY_FOUR) if heatmap else None
        updates[parts.facts] = html.placed(html.case_facts(hit.case, hidden=hidden), at)
        if before.shown is not hit or before.hides(hit) != hidden:
            ecg = self._gallery().ecg(hit.case.number)
            updates[parts.paper] = paper(ecg, heatmap=heatmap, faint=hit.improbable)
        return updates
