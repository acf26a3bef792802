"""The Search tab: cases by text, labels hidden for teaching, a set to keep, share and print."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import gradio as gr

from focal_app.errors import FocalError, GalleryError
from focal_app.figures.layout import THREE_BY_FOUR
from focal_app.figures.tint import deepest
from focal_app.figures.worksheet import Sheet, file_name, worksheet
from focal_app.ui import theme
from focal_app.ui.cases import html, wording
from focal_app.ui.cases import state as shelf
from focal_app.ui.cases.filters import CaseHandlers, FilterParts, build_filters, filters_of
from focal_app.ui.cases.state import Shelf
from focal_app.ui.gradio_helpers import (
    Updates,
    connector,
    handled,
    paper,
    paragraph,
    parts_of,
    sheet,
    words,
)
from focal_app.ui.read import html as reading_html
from focal_app.ui.server.fairness import LANE
from focal_app.ui.server.model_source import LazyExplorer, LazyGallery

if TYPE_CHECKING:
    # Not when the page is laid out: it brings torch with it.
    from focal_app.explore.cases.teaching import TeachingSet

TOP = 12
LARGEST_SET = 100_000
SAVE_SHEET = """(sheet, name) => {
  if (!sheet) return;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([sheet], { type: "text/html" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}"""
SET_OF_LINK = '(state) => [state, new URLSearchParams(window.location.search).get("set")]'


@dataclass(frozen=True)
class Parts:
    """Every part of the tab that an event reads or changes."""

    state: gr.State
    gallery: gr.HTML
    query: gr.Textbox
    heading: gr.HTML
    hide: gr.Checkbox
    filters: FilterParts
    trouble: gr.HTML
    facts: gr.HTML
    paper: gr.HTML
    why: gr.HTML
    cases: gr.HTML
    kept: gr.HTML
    title: gr.Textbox
    note: gr.Textbox
    sheet: gr.Textbox
    sheet_name: gr.Textbox


@dataclass(frozen=True)
class Buttons:
    """What can only be pressed."""

    search: gr.Button
    examples: gr.HTML
    show_set: gr.Button
    empty_set: gr.Button
    open_set: gr.HTML
    without: gr.Button
    answers: gr.Button


def build_search_tab(
    page: gr.Blocks, tabs: gr.Tabs, tab: gr.Tab, reader: LazyExplorer, gallery: LazyGallery
) -> Handlers:
    """Lays out the tab inside `tab`; a set that the address carries opens it."""
    with gr.Row(elem_classes="introduced"):
        words(paragraph(wording.SEARCH_INTRO, "intro"))
        line = words(elem_id="search-gallery")
    with gr.Row(elem_classes="querybar"):
        query = gr.Textbox(
            label=wording.QUERY, placeholder=wording.QUERY_PLACEHOLDER, elem_id="query"
        )
        go = gr.Button(wording.SEARCH, variant="primary", elem_id="search", min_width=0)
    examples = words(html.examples(), elem_id="examples", js_on_load=theme.script("cases/examples"))
    filters = build_filters("search")
    hide = gr.Checkbox(False, label=wording.HIDE, elem_id="hide")
    trouble = words(elem_id="search-trouble")
    heading = words(elem_id="understood")
    with gr.Row(elem_classes="desk", equal_height=False):
        with gr.Column(elem_classes="sheet", min_width=0):
            facts = words(elem_id="search-facts", elem_classes="theirs")
            paper = sheet("search-paper")
            why = words(elem_id="search-why")
        with gr.Column(elem_classes="side", min_width=0):
            cases = words(
                paragraph(wording.NOT_SEARCHED),
                elem_id="search-cases",
                js_on_load=theme.script("cases/cases"),
            )
        with gr.Column(elem_classes="below set", min_width=0):
            kept = words(elem_id="set", js_on_load=theme.script("cases/set"))
            with gr.Row(elem_classes="setwords"):
                title = gr.Textbox(wording.SET_TITLE_FIRST, label=wording.SET_TITLE, max_length=120)
                note = gr.Textbox(wording.SET_NOTE_FIRST, label=wording.SET_NOTE, max_length=2000)
            with gr.Row(elem_classes="buttons"):
                show_set = gr.Button(wording.START_SET, size="md", elem_id="show-set")
                without = gr.Button(wording.WITHOUT_ANSWERS, size="md", elem_id="sheet-without")
                answers = gr.Button(wording.WITH_ANSWERS, size="md", elem_id="sheet-with")
                empty = gr.Button(wording.EMPTY_SET_BUTTON, size="md", elem_id="empty-set")
                open_set = words(
                    _open_set(), elem_id="open-set", js_on_load=theme.script("cases/open_set")
                )
    parts = Parts(
        state=gr.State(Shelf()),
        gallery=line,
        query=query,
        heading=heading,
        hide=hide,
        filters=filters,
        trouble=trouble,
        facts=facts,
        paper=paper,
        why=why,
        cases=cases,
        kept=kept,
        title=title,
        note=note,
        sheet=gr.Textbox(visible=False),
        sheet_name=gr.Textbox(visible=False),
    )
    handlers = Handlers(parts, reader, gallery)
    buttons = Buttons(go, examples, show_set, empty, open_set, without, answers)
    _connect(tab, handlers, buttons)
    _connect_link(page, tabs, handlers)
    return handlers


def _open_set() -> str:
    return html.open_set(LARGEST_SET)


class Handlers(CaseHandlers[Parts]):
    """One method an event: values in, one change of the shelf, and what it alters out."""

    def open(self, state: Shelf) -> Updates:
        """The tab is opened: which cases there are, and what lies on the shelf."""
        try:
            return {**self._offered(), self.parts.kept: self._set(state)}
        except FocalError as error:
            return {self.parts.trouble: reading_html.trouble(str(error))}

    def search(self, state: Shelf, query: str, *filters: object) -> Updates:
        """The cases that show what is asked for."""

        def change() -> Shelf:
            from focal_app.explore.cases.search import search

            found = search(
                self._reader(),
                self._gallery(),
                query or "",
                filters=filters_of(*filters) if filters else None,  # type: ignore[arg-type]
                top=TOP,
            )
            return shelf.with_hits(
                state, found.hits, understood=found.understood, warnings=found.warnings
            )

        return self._step(state, change, old=wording.OLD_SEARCH)

    def try_example(self, state: Shelf, event: gr.EventData) -> Updates:
        """One of the examples, typed and asked."""
        query = str(event.query)
        return {**self.search(state, query), self.parts.query: query}

    def choose(self, state: Shelf, event: gr.EventData) -> Updates:
        """A case of the list."""
        key = str(event.key)
        return self._step(state, lambda: shelf.opened(state, key))

    def reveal(self, state: Shelf, event: gr.EventData) -> Updates:
        """The labels of one case."""
        key = str(event.key)
        return self._step(state, lambda: shelf.revealed(state, key))

    def hide(self, state: Shelf, on: bool) -> Updates:
        """Teaching mode on or off."""
        return self._step(state, lambda: shelf.hiding(state, on=bool(on)))

    def keep(self, state: Shelf, event: gr.EventData) -> Updates:
        """A case into the set or out of it."""
        key = str(event.key)
        return self._step(state, lambda: shelf.kept(state, key))

    def empty(self, state: Shelf) -> Updates:
        """The set without its cases."""
        return self._step(state, lambda: replace(state, keys=()))

    def name(self, state: Shelf, title: str, note: str) -> Updates:
        """The set's title and task."""
        return self._step(state, lambda: shelf.worded(state, title or "", note or ""))

    def show_set(self, state: Shelf) -> Updates:
        """The set's cases on the shelf, their labels hidden."""
        return self._opened(state, lambda: state.taught)

    def open_file(self, state: Shelf, event: gr.EventData) -> Updates:
        """A set that was saved as a file, which the browser has read."""
        text = str(event.text)

        def taught() -> TeachingSet:
            from focal_app.explore.cases.teaching import TeachingSet

            if len(text) > LARGEST_SET:
                raise GalleryError(wording.LARGE_SET)
            return TeachingSet.from_json(text)

        return self._opened(state, taught)

    def open_link(self, state: Shelf, value: str | None) -> Updates:
        """A set that the page's address carries."""

        def taught() -> TeachingSet:
            from focal_app.explore.cases.teaching import TeachingSet

            return TeachingSet.from_link(value or "")

        return self._opened(state, taught) if value else {}

    def sheet(self, state: Shelf, *, answers: bool) -> Updates:
        """The set as a page to print."""
        try:
            cases = state.taught.cases(self._gallery())
            sheets = [
                Sheet(
                    self._gallery().ecg(case.number),
                    tuple(html.known(case.facts)),
                    case.facts.labels,
                    case.facts.report,
                )
                for case in cases
            ]
            document = worksheet(state.title, state.note, sheets, answers=answers)
        except FocalError as error:
            return {self.parts.sheet: "", self.parts.trouble: reading_html.trouble(str(error))}
        name = f"{file_name(state.title)}{'-answers' if answers else ''}.html"
        return {self.parts.sheet: document, self.parts.sheet_name: name, self.parts.trouble: ""}

    def sheet_without(self, state: Shelf) -> Updates:
        """The worksheet that learners get."""
        return self.sheet(state, answers=False)

    def sheet_with(self, state: Shelf) -> Updates:
        """The worksheet for whoever teaches."""
        return self.sheet(state, answers=True)

    def _opened(self, state: Shelf, taught: Callable[[], TeachingSet]) -> Updates:
        def change() -> Shelf:
            found = taught()
            return shelf.with_set(state, found, found.cases(self._gallery()))

        updates, parts = self._step(state, change), self.parts
        after = updates.get(parts.state)
        if not isinstance(after, Shelf):
            return updates
        return {**updates, parts.title: after.title, parts.note: after.note, parts.query: ""}

    def _step(self, state: Shelf, change: Callable[[], Shelf], *, old: str = "") -> Updates:
        """What a change alters; where it is refused, `old` says what still lies there."""
        try:
            return self._shown(state, change())
        except FocalError as error:
            shown = self._shown(state, shelf.aged(state, old)) if old else {}
            return {**shown, self.parts.trouble: reading_html.trouble(str(error))}

    def _shown(self, before: Shelf, after: Shelf) -> Updates:
        parts, hit = self.parts, after.shown
        hidden = hit is not None and after.hides(hit)
        heatmap = None if hit is None or hidden else self._heatmap(hit.case_weights)
        updates: Updates = {
            parts.state: after,
            parts.trouble: "",
            parts.hide: after.hidden,
            parts.heading: html.heading(after),
            parts.cases: html.hits_list(after, teaching=True, caption=wording.PROBABILITY_SHOWN),
            parts.why: html.terms_found(after),
            parts.kept: self._set(after),
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

    def _set(self, state: Shelf) -> str:
        return html.set_list(state, self._gallery() if state.keys else None)


def _connect(tab: gr.Tab, handlers: Handlers, buttons: Buttons) -> None:
    parts = handlers.parts
    outputs = parts_of(parts)
    on = connector([parts.state], outputs)
    asked = (parts.query, *parts.filters.inputs)
    on(tab.select, handlers.open)
    on(buttons.search.click, handlers.search, *asked)
    on(parts.query.submit, handlers.search, *asked)
    on(buttons.examples.select, handlers.try_example)
    on(parts.hide.input, handlers.hide, parts.hide)
    on(parts.cases.select, handlers.choose)
    on(parts.cases.edit, handlers.reveal, each=True)
    on(parts.cases.like, handlers.keep, each=True)
    on(parts.title.blur, handlers.name, parts.title, parts.note)
    on(parts.note.blur, handlers.name, parts.title, parts.note)
    on(buttons.show_set.click, handlers.show_set)
    on(buttons.empty_set.click, handlers.empty)
    on(buttons.open_set.upload, handlers.open_file)
    for button, handler in (
        (buttons.without, handlers.sheet_without),
        (buttons.answers, handlers.sheet_with),
    ):
        made = on(button.click, handler)
        made.then(
            None, inputs=[parts.sheet, parts.sheet_name], js=SAVE_SHEET, api_visibility="private"
        )


def _connect_link(page: gr.Blocks, tabs: gr.Tabs, handlers: Handlers) -> None:
    """A page whose address carries a set opens with it."""
    parts = handlers.parts

    def open_shared(state: Shelf, value: str | None) -> Updates:
        """The set, and its tab."""
        updates = handlers.open_link(state, value)
        return {**updates, tabs: gr.Tabs(selected="search")} if updates else {}

    page.load(
        handled(open_shared),
        inputs=[parts.state, gr.Textbox(visible=False)],
        outputs=[*parts_of(parts), tabs],
        js=SET_OF_LINK,
        show_progress="hidden",
        api_visibility="private",
        **LANE,
    )
