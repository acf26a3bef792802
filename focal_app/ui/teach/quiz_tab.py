"""The quiz of the Teach tab: one case at a time, answered, told, and summed up at the end."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING

import gradio as gr
from markupsafe import Markup

from focal_app.errors import FocalError, GalleryError, PromptError
from focal_app.explore.reading.heatmap import Heatmap
from focal_app.figures.layout import THREE_BY_FOUR
from focal_app.figures.quiz_page import read_answers
from focal_app.figures.thumbnail import thumbnail_svg
from focal_app.figures.tint import deepest
from focal_app.ui.cases import wording as case_wording
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
from focal_app.ui.server.model_source import LazyExplorer, LazyGallery
from focal_app.ui.steps import step
from focal_app.ui.teach import quiz_html as html
from focal_app.ui.teach import quiz_state as quizzes
from focal_app.ui.teach import quiz_wording as wording
from focal_app.ui.teach import wording as set_wording
from focal_app.ui.teach.quiz_state import Quiz
from focal_app.ui.teach.state import Lesson

if TYPE_CHECKING:
    # Not when the page is laid out: they bring torch with them.
    from focal_app.explore.cases.gallery import Case

COUNTS = (5, 10, 20)
BY = (wording.TYPING, wording.CHOOSING)


class Wishes:
    """What a quiz of the gallery may be about, and the rule of its difficulty."""

    def __init__(self) -> None:
        with gr.Accordion(wording.DRAW_TITLE, open=False, elem_id="quiz-wishes"):
            words(paragraph(wording.DRAW_INTRO))
            with gr.Row(elem_classes="filterrow"):
                self.count = gr.Radio(list(COUNTS), value=COUNTS[0], label=wording.COUNT)
                self.level = gr.Radio(list(wording.LEVELS), value=wording.ANY, label=wording.LEVEL)
                self.finding = gr.Dropdown(
                    [wording.ANY], value=wording.ANY, label=wording.FINDING, elem_id="quiz-finding"
                )
            self.rule = words(elem_id="quiz-rule")
            self.draw = gr.Button(wording.DRAW, variant="primary", elem_id="quiz-draw")


class Parts:
    """The quiz, which takes the place of what is `around` while it runs.

    `trouble` lies outside both: what refuses a start is said where no quiz is seen.
    """

    def __init__(self, around: gr.Column, trouble: gr.HTML, by: gr.Radio, wishes: Wishes) -> None:
        self.quiz = gr.State(Quiz())
        self.around, self.trouble, self.by, self.wishes = around, trouble, by, wishes
        with gr.Column(visible=False, elem_id="quiz") as self.view:
            self.progress = words(elem_id="quiz-progress")
            with gr.Row(elem_classes="desk", equal_height=False):
                with gr.Column(elem_classes="sheet", min_width=0):
                    self.paper = sheet("quiz-paper")
                with gr.Column(elem_classes="side", min_width=0):
                    with gr.Row(elem_classes="addrow", elem_id="quiz-typing") as self.typing:
                        self.answer = gr.Textbox(
                            label=wording.ANSWER,
                            placeholder=wording.ANSWER_HINT,
                            max_lines=1,
                            elem_id="quiz-answer",
                        )
                        self.send = gr.Button(
                            wording.SEND, variant="primary", min_width=0, elem_id="quiz-send"
                        )
                    self.panel = words(elem_id="quiz-panel", scripts=["teach/quiz"])
                    with gr.Row(elem_classes="buttons"):
                        self.give_up = gr.Button(wording.GIVE_UP, size="md", elem_id="quiz-give-up")
                        self.next = gr.Button(
                            wording.NEXT, variant="primary", visible=False, elem_id="quiz-next"
                        )
                        self.again = gr.Button(
                            wording.AGAIN, size="md", visible=False, elem_id="quiz-again"
                        )
                        self.keep = gr.Button(
                            wording.KEEP, size="md", visible=False, elem_id="quiz-keep"
                        )
                        self.leave = gr.Button(wording.LEAVE, size="md", elem_id="quiz-leave")


class Handlers:
    """One method an event: values in, one change of the quiz, and what it alters out."""

    def __init__(self, parts: Parts, reader: LazyExplorer, gallery: LazyGallery) -> None:
        self.parts = parts
        self._reader = reader
        self._gallery = gallery

    def open(self, quiz: Quiz) -> Updates:
        """The tab is opened: what a quiz can be about."""
        from focal_app.explore.cases.label_order import diagnoses

        try:
            counts = self._gallery().labels()
        except FocalError:  # which the set says
            return {}
        told = [(f"{tag} ({counts[tag]})", tag) for tag in diagnoses(tuple(counts))]
        choices = [(wording.ANY, wording.ANY), *told]
        return {
            self.parts.wishes.rule: html.rule(),
            self.parts.wishes.finding: gr.update(choices=choices),
        }

    def quiz_set(self, quiz: Quiz, lesson: Lesson, by: str) -> Updates:
        """A quiz on the set."""

        def change() -> Quiz:
            from focal_app.explore.cases.quiz import check_askable

            check_askable(lesson.taught.cases(self._gallery()))  # of another gallery: refused
            choosing = by == wording.CHOOSING
            return Quiz(lesson.keys, choosing=choosing, remarks=lesson.remarks)

        return self._step(change)

    def hand_in(self, quiz: Quiz, lesson: Lesson, event: gr.EventData) -> Updates:
        """The answers that a learner saved from a quiz page, scored against the set."""
        text = str(event.text)

        def change() -> Quiz:
            from focal_app.explore.cases.quiz import asked_of, check_askable, score_or_none

            cases, told = lesson.taught.cases(self._gallery()), read_answers(text)
            check_askable(cases)
            if told.identity != lesson.taught.identity or len(told.answers) != len(cases):
                raise GalleryError(set_wording.OTHER_SET)
            scored = [
                score_or_none(answer, asked_of(case.facts), case.facts.labels)
                for case, answer in zip(cases, told.answers, strict=True)
            ]
            return quizzes.handed_in(lesson.keys, told.answers, scored)

        return self._step(change)

    def quiz_drawn(
        self, quiz: Quiz, by: str, count: object, level: str | None, finding: str | None
    ) -> Updates:
        """A quiz on cases of the gallery, drawn as wished."""

        def change() -> Quiz:
            from focal_app.explore.cases.difficulty import Wish, drawn

            wish = Wish(
                count=min(max(int(number(count)), 1), max(COUNTS)),
                finding=None if finding in (None, "", wording.ANY) else finding,
                level=wording.LEVELS.get(level or wording.ANY),
            )
            cases = drawn(self._gallery(), wish, seed=secrets.randbelow(2**32))
            keys = tuple(case.key for case in cases)
            return Quiz(keys, choosing=by == wording.CHOOSING, drawn=True)

        return self._step(change)

    def reply(self, quiz: Quiz, text: str | None) -> Updates:
        """An answer in the visitor's words; what is no finding is said, and not counted."""

        def change() -> Quiz:
            from focal_app.explore.cases.quiz import asked_of, score

            case = self._case(quiz)
            if not (text or "").strip():
                raise PromptError(wording.EMPTY_ANSWER)
            scored = score(text or "", asked_of(case.facts), case.facts.labels)
            return quizzes.answered(quiz, text or "", scored)

        return self._step(change)

    def choose_reply(self, quiz: Quiz, event: gr.EventData) -> Updates:
        """One of the answers to choose from."""

        def change() -> Quiz:
            from focal_app.explore.cases.differential import choices
            from focal_app.explore.cases.quiz import asked_of, graded

            case = self._case(quiz)
            offered = choices(case)
            place = int(number(event.number))
            if not 0 <= place < len(offered):
                raise PromptError(wording.EMPTY_ANSWER)
            told = offered[place]
            scored = graded(told, asked_of(case.facts), case.facts.labels)
            return quizzes.answered(quiz, ", ".join(told), scored)

        return self._step(change)

    def give_up(self, quiz: Quiz) -> Updates:
        """The answer, asked for."""

        def change() -> Quiz:
            from focal_app.explore.cases.quiz import asked_of, graded

            case = self._case(quiz)
            none = graded((), asked_of(case.facts), case.facts.labels)
            return quizzes.answered(quiz, "", none)

        return self._step(change)

    def next_case(self, quiz: Quiz) -> Updates:
        """The next case, or the end."""
        return self._step(lambda: quizzes.next_case(quiz))

    def missed_again(self, quiz: Quiz) -> Updates:
        """Those missed once more."""
        return self._step(lambda: quizzes.again(quiz))

    def leave_quiz(self, quiz: Quiz) -> Updates:
        """Back to the set."""
        parts = self.parts
        return {
            parts.quiz: Quiz(),
            parts.around: gr.update(visible=True),
            parts.view: gr.update(visible=False),
            parts.panel: "",
            parts.paper: "",
            parts.progress: "",
            parts.trouble: "",
        }

    def _case(self, quiz: Quiz) -> Case:
        if quiz.key is None:
            raise PromptError(wording.NO_QUIZ)
        return self._gallery().case(quiz.key)

    def _step(self, change: Callable[[], Quiz]) -> Updates:
        """What a change alters, or why it is refused: then nothing is counted."""
        return step(self.parts.trouble, change, self._shown)

    def _shown(self, quiz: Quiz) -> Updates:
        parts, last = self.parts, quiz.number + 1 == len(quiz.keys)
        updates: Updates = {
            parts.quiz: quiz,
            parts.trouble: "",
            parts.around: gr.update(visible=False),
            parts.view: gr.update(visible=True),
            parts.typing: gr.update(visible=not (quiz.told or quiz.choosing or quiz.over)),
            parts.answer: "",
            parts.give_up: gr.update(visible=not (quiz.told or quiz.over)),
            parts.next: gr.update(
                visible=quiz.told, value=wording.SUM_UP if last else wording.NEXT
            ),
            parts.again: gr.update(visible=quiz.over and bool(quiz.missed)),
            parts.keep: gr.update(visible=quiz.over and quiz.drawn),
        }
        shown = self._summed_up if quiz.over else self._told if quiz.told else self._asked
        return {**updates, **shown(quiz)}

    def _asked(self, quiz: Quiz) -> Updates:
        """The ECG and what is known without reading it; nothing of the answer."""
        from focal_app.explore.cases.differential import choices

        parts, case = self.parts, self._case(quiz)
        return {
            parts.progress: self._progress(quiz, case),
            parts.paper: paper(self._gallery().ecg(case.number)),
            parts.panel: html.asked(choices(case) if quiz.choosing else ()),
        }

    def _told(self, quiz: Quiz) -> Updates:
        """The answer, with the tint of the finding and what else was close."""
        from focal_app.explore.cases.differential import differential, tint_of

        parts, case, gallery = self.parts, self._case(quiz), self._gallery()
        tag, weights = tint_of(self._reader(), gallery, case)
        heatmap = Heatmap.over(weights, start_s=0.0, window_s=self._reader().spec.duration_s)
        close = differential(gallery, case)
        return {
            parts.progress: self._progress(quiz, case),
            parts.paper: paper(gallery.ecg(case.number), heatmap=heatmap, faint=close.hardly_held),
            parts.panel: html.told(
                quiz.given[-1],
                close,
                remark=quiz.remarks.get(case.key, ""),
                tinted=case_wording.looked_for(tag),
                trained=bool(case.facts.trained),
                at=deepest(heatmap, THREE_BY_FOUR) if heatmap else None,
            ),
        }

    def _progress(self, quiz: Quiz, case: Case) -> Markup:
        from focal_app.explore.cases.difficulty import difficulty

        return html.progress(quiz, case, difficulty(self._gallery(), case))

    def _summed_up(self, quiz: Quiz) -> Updates:
        """How it went."""
        from focal_app.explore.cases.quiz import asked_of

        gallery = self._gallery()
        cases = [gallery.case(key) for key in quiz.keys]
        results = [
            html.Result(
                Markup(thumbnail_svg(gallery.ecg(case.number))), given, asked_of(case.facts)
            )
            for case, given in zip(cases, quiz.given, strict=True)
        ]
        return {
            self.parts.progress: "",
            self.parts.paper: "",
            self.parts.panel: html.summary(quiz, results),
        }


def connect_quiz(
    tab: gr.Tab, handlers: Handlers, lesson: gr.State, start: gr.Button, hand_in: gr.HTML
) -> None:
    """Connects it: `start` begins one on the set in `lesson`, `hand_in` takes a file in."""
    parts, wishes = handlers.parts, handlers.parts.wishes
    on = connector([parts.quiz], parts_of(parts))
    on(tab.select, handlers.open)
    on(start.click, handlers.quiz_set, lesson, parts.by)
    on(wishes.draw.click, handlers.quiz_drawn, parts.by, wishes.count, wishes.level, wishes.finding)
    on(hand_in.upload, handlers.hand_in, lesson)
    on(parts.send.click, handlers.reply, parts.answer)
    on(parts.answer.submit, handlers.reply, parts.answer)
    on(parts.panel.select, handlers.choose_reply)
    on(parts.give_up.click, handlers.give_up)
    on(parts.next.click, handlers.next_case)
    on(parts.again.click, handlers.missed_again)
    on(parts.leave.click, handlers.leave_quiz)
