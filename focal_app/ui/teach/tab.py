"""The Teach tab: a set of cases as cards, labels hidden for a lesson, to keep, share and print."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import gradio as gr
from markupsafe import Markup

from focal_app.errors import FocalError, GalleryError
from focal_app.explore.cases.limits import LONGEST_JSON, LONGEST_NOTE, LONGEST_TITLE
from focal_app.figures.thumbnail import thumbnail_svg
from focal_app.ui.cases import html as case_html
from focal_app.ui.cases.listing import CaseHandlers
from focal_app.ui.gradio_helpers import (
    Updates,
    connect,
    connector,
    number,
    paper,
    paragraph,
    parts_of,
    sheet,
    words,
)
from focal_app.ui.read import html as reading_html
from focal_app.ui.server.model_source import LazyExplorer, LazyGallery
from focal_app.ui.steps import refused, step
from focal_app.ui.teach import html, quiz_tab, quiz_wording, wording
from focal_app.ui.teach import state as lessons
from focal_app.ui.teach.prints import Print, quiz_of, worksheet_of
from focal_app.ui.teach.quiz_state import Quiz
from focal_app.ui.teach.state import Lesson

if TYPE_CHECKING:
    # Not when the page is laid out: they bring torch with them.
    from focal_app.explore.cases.gallery import Case
    from focal_app.explore.cases.teaching import TeachingSet

SAVE_SHEET = """(sheet, name) => {
  if (!sheet) return;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([sheet], { type: "text/html" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}"""
SET_OF_LINK = '(lesson) => [lesson, new URLSearchParams(window.location.search).get("set")]'


class Parts:
    """The parts of the tab that events are about, each laid out where it is made."""

    def __init__(self, lesson: gr.State) -> None:
        self.lesson = lesson
        quiz_trouble = words(elem_id="quiz-trouble")
        with gr.Column(elem_id="teach-set") as around:
            words(paragraph(f"{wording.INTRO} {wording.UNCHECKED}", "intro"))
            self.trouble = words(elem_id="teach-trouble")
            self.heading = words(elem_id="teach-heading")
            with gr.Row(elem_classes="buttons teachbar"):
                self.hide = gr.Checkbox(
                    False, label=wording.HIDE, elem_id="teach-hide", min_width=0
                )
                self.to_search = gr.Button(wording.TO_SEARCH, size="md", elem_id="to-search")
                self.start = gr.Button(quiz_wording.START, variant="primary", elem_id="quiz-start")
                by = gr.Radio(
                    list(quiz_tab.BY),
                    value=quiz_tab.BY[0],
                    label=quiz_wording.BY,
                    elem_id="quiz-by",
                )
                self.open_set = words(
                    html.open_file(wording.OPEN_SET, LONGEST_JSON),
                    elem_id="open-set",
                    scripts=["teach/open_set"],
                )
            wishes = quiz_tab.Wishes()
            with gr.Row(elem_classes="desk", equal_height=False):
                with gr.Column(elem_classes="sheet", min_width=0):
                    self.facts = words(elem_id="teach-facts", elem_classes="theirs")
                    self.paper = sheet("teach-paper")
                    self.remark = words(elem_id="remark", scripts=["teach/remark"])
                with gr.Column(elem_classes="side", min_width=0):
                    self.cards = words(
                        paragraph(wording.EMPTY), elem_id="set-cards", scripts=["teach/cards"]
                    )
                with gr.Column(elem_classes="below set", min_width=0):
                    with gr.Row(elem_classes="setwords"):
                        self.title = gr.Textbox(
                            wording.TITLE_FIRST, label=wording.TITLE, max_length=LONGEST_TITLE
                        )
                        self.task = gr.Textbox(
                            wording.TASK_FIRST, label=wording.TASK, max_length=LONGEST_NOTE
                        )
                    self.share = words(elem_id="share", scripts=["teach/share"])
                    with gr.Row(elem_classes="buttons"):
                        self.without = gr.Button(
                            wording.WITHOUT_ANSWERS, size="md", elem_id="sheet-without"
                        )
                        self.answers = gr.Button(
                            wording.WITH_ANSWERS, size="md", elem_id="sheet-with"
                        )
                        self.quiz_page = gr.Button(
                            wording.QUIZ_PAGE, size="md", elem_id="quiz-page"
                        )
                        self.empty = gr.Button(wording.EMPTY_BUTTON, size="md", elem_id="empty-set")
                        self.hand_in = words(
                            html.open_file(wording.HAND_IN, LONGEST_JSON),
                            elem_id="hand-in",
                            scripts=["teach/open_set"],
                        )
        self.quiz = quiz_tab.Parts(around, quiz_trouble, by, wishes)
        self.sheet = gr.Textbox(visible=False)
        self.sheet_name = gr.Textbox(visible=False)


def build_teach_tab(
    page: gr.Blocks,
    tabs: gr.Tabs,
    tab: gr.Tab,
    lesson: gr.State,
    sources: tuple[LazyExplorer, LazyGallery],
) -> Handlers:
    """Lays out the tab inside `tab`, over the set in `lesson`; an address may carry one."""
    reader, gallery = sources
    parts = Parts(lesson)
    handlers = Handlers(parts, gallery)
    on = connector([parts.lesson], parts_of(parts))
    on(tab.select, handlers.open)
    on(parts.hide.input, handlers.hide, parts.hide)
    on(parts.cards.select, handlers.choose)
    on(parts.cards.edit, handlers.reveal, each=True)
    on(parts.cards.delete, handlers.drop, each=True)
    on(parts.remark.edit, handlers.remark, each=True)
    on(parts.title.blur, handlers.name, parts.title, parts.task)
    on(parts.task.blur, handlers.name, parts.title, parts.task)
    on(parts.empty.click, handlers.empty)
    on(parts.open_set.upload, handlers.open_file)
    for button, handler in (
        (parts.without, handlers.sheet_without),
        (parts.answers, handlers.sheet_with),
        (parts.quiz_page, handlers.quiz_page),
    ):
        made = on(button.click, handler)
        made.then(
            None, inputs=[parts.sheet, parts.sheet_name], js=SAVE_SHEET, api_visibility="private"
        )
    quiz = quiz_tab.Handlers(parts.quiz, reader, gallery)
    quiz_tab.connect_quiz(tab, quiz, lesson, parts.start, parts.hand_in)
    connect(parts.start.click, handlers.hide_for_quiz, inputs=[lesson], outputs=parts_of(parts))
    _connect_keep(handlers, quiz)
    _connect_link(page, tabs, handlers)
    return handlers


class Handlers:
    """One method an event: values in, one change of the set, and what it alters out."""

    def __init__(self, parts: Parts, gallery: LazyGallery) -> None:
        self.parts = parts
        self._gallery = gallery
        self._drawn = lru_cache(maxsize=256)(self._drawn_anew)

    def open(self, lesson: Lesson) -> Updates:
        """The tab is opened: what lies in the set by now; why it was opened in vain stays said."""
        shown, box = self._step(lambda: lesson), self.parts.trouble
        return {part: value for part, value in shown.items() if part is not box or value}

    def choose(self, lesson: Lesson, event: gr.EventData) -> Updates:
        """A card."""
        return self._step(lambda: lessons.opened(lesson, _place(event)))

    def reveal(self, lesson: Lesson, event: gr.EventData) -> Updates:
        """The labels of one case."""
        return self._step(lambda: lessons.revealed(lesson, _place(event)))

    def drop(self, lesson: Lesson, event: gr.EventData) -> Updates:
        """A case out of the set."""
        return self._step(lambda: lessons.dropped(lesson, _place(event)))

    def hide(self, lesson: Lesson, on: bool) -> Updates:
        """Labels hidden or told."""
        return self._step(lambda: lessons.hiding(lesson, on=bool(on)))

    def hide_for_quiz(self, lesson: Lesson) -> Updates:
        """A quiz begins: no label of the set stays on the page behind it."""
        return self.hide(lesson, on=True) if lesson.keys else {}

    def empty(self, lesson: Lesson) -> Updates:
        """The set without its cases."""
        return self._step(lambda: replace(lesson, keys=(), remarks={}, number=0, hidden=False))

    def name(self, lesson: Lesson, title: str, task: str) -> Updates:
        """The set's title and task."""
        return self._step(lambda: lessons.worded(lesson, title or "", task or ""))

    def open_file(self, lesson: Lesson, event: gr.EventData) -> Updates:
        """A set that was saved as a file, which the browser has read."""
        text = str(event.text)

        def taught() -> TeachingSet:
            from focal_app.explore.cases.teaching import TeachingSet

            if len(text) > LONGEST_JSON:
                raise GalleryError(wording.LARGE_SET)
            return TeachingSet.from_json(text)

        return self._opened(taught)

    def open_link(self, lesson: Lesson, value: str | None) -> Updates:
        """A set that the page's address carries."""

        def taught() -> TeachingSet:
            from focal_app.explore.cases.teaching import TeachingSet

            return TeachingSet.from_link(value or "")

        return self._opened(taught) if value else {}

    def sheet_without(self, lesson: Lesson) -> Updates:
        """The worksheet that learners get."""
        return self._printed(lambda: worksheet_of(lesson, self._gallery(), answers=False))

    def sheet_with(self, lesson: Lesson) -> Updates:
        """The worksheet for whoever teaches."""
        return self._printed(lambda: worksheet_of(lesson, self._gallery(), answers=True))

    def quiz_page(self, lesson: Lesson) -> Updates:
        """A quiz to be done without the app."""
        return self._printed(lambda: quiz_of(lesson, self._gallery()))

    def remark(self, lesson: Lesson, event: gr.EventData) -> Updates:
        """The educator's note on a case."""
        place, text = _place(event), str(event.text)
        try:
            after = lessons.remarked(lesson, place, text)
        except FocalError as error:
            return refused(self.parts.trouble, error)
        return {self.parts.lesson: after, self.parts.share: html.share(after)}

    def _printed(self, make: Callable[[], Print]) -> Updates:
        parts = self.parts
        try:
            made = make()
        except FocalError as error:
            return {parts.sheet: "", parts.trouble: reading_html.trouble(str(error))}
        return {parts.sheet: made.document, parts.sheet_name: made.name, parts.trouble: ""}

    def _opened(self, taught: Callable[[], TeachingSet]) -> Updates:
        def change() -> Lesson:
            found = taught()
            found.cases(self._gallery())  # a set of another gallery is refused before it is shown
            return lessons.with_set(found)

        updates, parts = self._step(change), self.parts
        after = updates.get(parts.lesson)
        if not isinstance(after, Lesson):
            return updates
        return {**updates, parts.title: after.title, parts.task: after.note}

    def _step(self, change: Callable[[], Lesson]) -> Updates:
        """What a change alters, or why it is refused."""
        return step(self.parts.trouble, change, self._shown)

    def _shown(self, lesson: Lesson) -> Updates:
        parts = self.parts
        cases = lesson.taught.cases(self._gallery()) if lesson.keys else ()
        updates: Updates = {
            parts.lesson: lesson,
            parts.trouble: "",
            parts.heading: html.heading(lesson),
            parts.hide: lesson.hidden,
            parts.cards: html.cards(lesson, [self._drawn(case) for case in cases]),
            parts.share: html.share(lesson),
            parts.remark: html.remark(lesson),
        }
        if not cases:
            return {**updates, parts.facts: "", parts.paper: ""}
        shown = cases[lesson.number]
        return {**updates, **self._on_paper(shown, hidden=lesson.hides(shown.key))}

    def _on_paper(self, case: Case, *, hidden: bool) -> Updates:
        facts = case_html.case_facts(case, hidden=hidden)
        return {
            self.parts.facts: facts if hidden else facts + html.taught(case),
            self.parts.paper: paper(self._gallery().ecg(case.number)),
        }

    def _drawn_anew(self, case: Case) -> html.Drawn:
        from focal_app.explore.cases.difficulty import difficulty

        gallery = self._gallery()
        picture = Markup(thumbnail_svg(gallery.ecg(case.number)))
        return html.Drawn(case, picture, difficulty(gallery, case))


def _place(event: gr.EventData) -> int:
    return int(number(event.number))


def connect_ways(tabs: gr.Tabs, found: Sequence[CaseHandlers], teach: Handlers) -> None:
    """From the cases that were found to the set, and back."""

    def to_set() -> Updates:
        """The set; that its tab is chosen opens it."""
        return {tabs: gr.Tabs(selected="teach")}

    def to_search() -> Updates:
        """The cases that were found."""
        return {tabs: gr.Tabs(selected="search")}

    for one in found:
        connect(one.parts.in_set.select, to_set, inputs=[], outputs=[tabs])
    connect(teach.parts.to_search.click, to_search, inputs=[], outputs=[tabs])


def _connect_keep(handlers: Handlers, quiz: quiz_tab.Handlers) -> None:
    """From a quiz that was drawn to a set of its cases."""
    parts, of_quiz = handlers.parts, quiz.parts

    def keep(lesson: Lesson, drawn: Quiz) -> Updates:
        """Its cases into the set, which takes the quiz's place; a full set leaves all as it is."""
        try:
            after = lessons.with_cases(lesson, drawn.keys)
        except FocalError as error:
            return {of_quiz.trouble: reading_html.trouble(str(error))}
        return {**handlers.open(after), **quiz.leave_quiz(drawn)}

    inputs = [parts.lesson, of_quiz.quiz]
    connect(of_quiz.keep.click, keep, inputs=inputs, outputs=parts_of(parts))


def _connect_link(page: gr.Blocks, tabs: gr.Tabs, handlers: Handlers) -> None:
    """A page whose address carries a set opens with it."""
    parts = handlers.parts

    def open_shared(lesson: Lesson, value: str | None) -> Updates:
        """The set, and its tab."""
        updates = handlers.open_link(lesson, value)
        return {**updates, tabs: gr.Tabs(selected="teach")} if updates else {}

    inputs, outputs = [parts.lesson, gr.Textbox(visible=False)], [*parts_of(parts), tabs]
    connect(page.load, open_shared, inputs=inputs, outputs=outputs, js=SET_OF_LINK)
