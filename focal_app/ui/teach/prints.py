"""A set as a page of its own: a worksheet with or without answers, or a quiz without them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from focal_app.figures.quiz_page import quiz_page
from focal_app.figures.worksheet import Sheet, file_name, worksheet
from focal_app.ui.cases import html as case_html
from focal_app.ui.teach import html
from focal_app.ui.teach.state import Lesson

if TYPE_CHECKING:
    # Not when the page is laid out: they bring torch with them.
    from focal_app.explore.cases.gallery import Case, Gallery


@dataclass(frozen=True)
class Print:
    """A document, and the name of its file."""

    document: str
    name: str


def worksheet_of(lesson: Lesson, gallery: Gallery, *, answers: bool) -> Print:
    """A page a case to write on, or with the answers, the lines and the educator's notes."""
    cases = lesson.taught.cases(gallery)
    sheets = [_sheet(case, gallery, lesson.remarks.get(case.key, "")) for case in cases]
    name = f"{file_name(lesson.title)}{'-answers' if answers else ''}.html"
    return Print(worksheet(lesson.title, lesson.note, sheets, answers=answers), name)


def quiz_of(lesson: Lesson, gallery: Gallery) -> Print:
    """A page in which learners write, and which holds no answer."""
    from focal_app.explore.cases.quiz import check_askable

    taught = lesson.taught
    cases = taught.cases(gallery)
    check_askable(cases)
    sheets = [
        Sheet(gallery.ecg(case.number), tuple(case_html.known(case.facts)), ()) for case in cases
    ]
    page = quiz_page(taught.title, taught.note, sheets, identity=taught.identity)
    return Print(page, f"{file_name(taught.title)}-quiz.html")


def _sheet(case: Case, gallery: Gallery, remark: str) -> Sheet:
    return Sheet(
        gallery.ecg(case.number),
        tuple(case_html.known(case.facts)),
        case.facts.labels,
        case.facts.report,
        html.line(case),
        remark,
    )
