"""The parts of Teach that are words: the set's title, its cards, and how it is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from focal_app.errors import GalleryError
from focal_app.explore.cases.label_order import HEALTHY, diagnoses
from focal_app.explore.cases.limits import LONGEST_REMARK
from focal_app.figures.templates import Templates
from focal_app.figures.worksheet import file_name
from focal_app.lexicon import load_lexicon
from focal_app.teaching_lines import line_of
from focal_app.ui.cases import wording as case_wording
from focal_app.ui.gradio_helpers import download, paragraph
from focal_app.ui.teach import wording
from focal_app.ui.teach.quiz_html import rule
from focal_app.ui.teach.state import Lesson

if TYPE_CHECKING:
    # Not when the page is laid out: it brings torch with it.
    from focal_app.explore.cases.gallery import Case

MOST_CHIPS = 2
_fill = Templates(Path(__file__).parent, wording=wording)


@dataclass(frozen=True)
class Drawn:
    """A case with its picture, and how hard it is."""

    case: Case
    picture: Markup
    level: str


def heading(lesson: Lesson) -> Markup:
    """The set's title and task."""
    return _fill("heading", lesson=lesson)


def cards(lesson: Lesson, cases: Sequence[Drawn]) -> Markup:
    """The set's cases, each with its picture, in their order, and the rule of their difficulty."""
    drawn = [_card(lesson, *one) for one in enumerate(cases)]
    return _fill("cards", cards=drawn, rule=rule() if drawn else "")


def _card(lesson: Lesson, number: int, one: Drawn) -> dict[str, object]:
    """A case as far as it may be told."""
    case = one.case
    hidden = lesson.hides(case.key)
    name, *rest = ("",) if hidden else _telling(case)
    return {
        "picture": one.picture,
        "name": wording.case_number(number + 1) if hidden else name or wording.NO_DIAGNOSIS,
        "chips": tuple(rest[:MOST_CHIPS]),
        "patient": " · ".join([case_wording.patient(case.facts), one.level, *_trained_on(case)]),
        "chosen": number == lesson.number,
        "hidden": hidden,
    }


def _trained_on(case: Case) -> list[str]:
    """That the model knows the patient, where it does: then its difficulty says little."""
    return [case_wording.TRAINED_BRIEF] if case.facts.trained else []


def _telling(case: Case) -> tuple[str, ...]:
    """What the case stands for in a few words, then its other diagnoses, most specific ones."""
    from focal_app.explore.cases.quiz import asked_of

    asked, labels = asked_of(case.facts), case.facts.labels
    told = load_lexicon().most_specific(diagnoses(labels))
    others = [tag for tag in told if tag not in {*asked, *HEALTHY}]
    return (", ".join(asked), *others)


def line(case: Case) -> str:
    """What the case teaches, "" where nothing is labelled of which anything is said."""
    from focal_app.explore.cases.quiz import asked_of

    found = line_of(asked_of(case.facts))
    return found.text if found else ""


def taught(case: Case) -> Markup:
    """The same, below what is known of the case."""
    said = line(case)
    return paragraph(said, "about") if said else Markup()


def share(lesson: Lesson) -> Markup:
    """The set's link and file, where its labels may be told: both carry what says the answers."""
    if not lesson.keys or lesson.hidden:
        return _fill("share", hidden=lesson.hidden and bool(lesson.keys), link="", save="", why="")
    taught = lesson.taught
    file = f"{file_name(taught.title)}.json"
    save = download(wording.SAVE_SET, file, taught.to_json(), kind="application/json")
    try:
        link, why = taught.to_link(), ""
    except GalleryError as error:
        link, why = "", str(error)
    noted = bool(taught.remarks)
    return _fill("share", hidden=False, link=link, save=save, why=why, noted=noted)


def remark(lesson: Lesson) -> Markup:
    """The educator's note on the shown case: to be written, or, once revealed, to be read."""
    key = lesson.shown
    if key is None or lesson.hides(key):
        return Markup()
    return _fill(
        "remark",
        text=lesson.remarks.get(key, ""),
        number=lesson.number,
        editable=not lesson.hidden,
        longest=LONGEST_REMARK,
    )


def open_file(label: str, most: int) -> Markup:
    """A field for a file that the browser reads, of at most so many bytes."""
    return _fill("open_set", label=label, most=most)
