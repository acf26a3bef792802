"""The parts of a quiz that are words: where one is, what was right, and what it was in all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from focal_app.figures.templates import Templates
from focal_app.teaching_lines import line_of
from focal_app.ui.cases import html as case_html
from focal_app.ui.cases import wording as case_wording
from focal_app.ui.gradio_helpers import paragraph
from focal_app.ui.teach import quiz_wording as wording
from focal_app.ui.teach.quiz_state import Given, Quiz

if TYPE_CHECKING:
    # Not when the page is laid out: they bring torch with them.
    from focal_app.explore.cases.differential import Differential
    from focal_app.explore.cases.gallery import Case

_fill = Templates(Path(__file__).parent, wording=wording)


@dataclass(frozen=True)
class Result:
    """A case of a quiz that is over."""

    picture: Markup
    given: Given
    shows: Sequence[str]

    @property
    def kind(self) -> str:
        """How the style sheet knows the answer."""
        return _kind(self.given)


def rule() -> Markup:
    """What makes a case easy or hard."""
    from focal_app.explore.cases.difficulty import FEW, MANY, SURE, UNSURE

    return paragraph(wording.rule(sure=SURE, unsure=UNSURE, few=FEW, many=MANY))


def progress(quiz: Quiz, case: Case, level: str) -> Markup:
    """Where one is, how it went so far, whose ECG it is, and how hard."""
    done = len(quiz.given)
    so_far = wording.so_far(quiz.right, quiz.partly, done, quiz.unanswered) if done else ""
    known = [*case_html.known(case.facts), level]
    return _fill("progress", quiz=quiz, so_far=so_far, known=known)


def asked(choices: Sequence[Sequence[str]] = ()) -> Markup:
    """That an answer is waited for, with what there is to choose from."""
    if choices:
        return _fill("choices", choices=choices)
    return Markup('<p class="hint" data-phase="asked">{}</p>').format(wording.HELP)


def told(
    given: Given,
    close: Differential,
    *,
    remark: str = "",
    tinted: str = "",
    trained: bool = False,
    at: float | None = None,
) -> Markup:
    """What the answer is worth, what the ECG shows and teaches, and what else was close.

    `trained` says that the model knows the patient; `at` is the place across the paper to which a
    narrow screen should go.
    """
    return _fill(
        "told",
        given=given,
        kind=_kind(given),
        shows=[wording.model_holds(*one) for one in close.asked],
        line=line_of([tag for tag, _ in close.asked]),
        relatives=close.relatives,
        held=[wording.held(one.tag, one.probability, labelled=one.labelled) for one in close.held],
        remark=remark,
        tinted=tinted,
        trained=case_wording.TRAINED if trained else "",
        at=0.0 if at is None else at,
    )


def summary(quiz: Quiz, results: Sequence[Result]) -> Markup:
    """How it went, case by case."""
    count = len(quiz.keys)
    said = wording.summary(quiz.points, count, quiz.right, quiz.partly, quiz.unanswered)
    return _fill("summary", said=said, results=results)


def _kind(given: Given) -> str:
    if given.scored.right:
        return "right"
    return "partly" if given.scored.credit else "missed"
