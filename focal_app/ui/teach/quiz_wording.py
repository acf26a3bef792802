"""Every sentence of a quiz."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focal_app.ecg.leads import listed
from focal_app.explore.reading.reading import percent
from focal_app.ui.teach.wording import REMARK as REMARK

if TYPE_CHECKING:
    # Not when the page is laid out: they bring torch with them.
    from focal_app.explore.cases.difficulty import Level
    from focal_app.explore.cases.quiz import Scored

START = "Quiz me on this set"
DRAW_TITLE = "A quiz from the gallery"
DRAW_INTRO = "Cases by chance, as wished, one at a time."
COUNT, FINDING, LEVEL = "Cases", "All with the label", "Difficulty"
ANY = "Any"
LEVELS: dict[str, Level | None] = {ANY: None, "Easy": "easy", "Medium": "medium", "Hard": "hard"}
BY = "Answer by"
TYPING, CHOOSING = "Typing", "Choosing from four"
DRAW = "Start the quiz"
ANSWER = "What does this ECG show?"
ANSWER_HINT = "e.g. LBBB, old infarct"
SEND, GIVE_UP = "Answer", "Show the answer"
NEXT, SUM_UP = "Next case", "Sum up"
LEAVE, AGAIN = "Leave the quiz", "Again with those not fully right"
KEEP = "Keep these cases in the set"
CHOOSE = "What does this ECG show? Choose one:"
HELP = (
    "Name the diagnosis in your own words; names and abbreviations count alike. What is more "
    "general, such as “bundle branch block” for LBBB, is partly right; a finding that is not there "
    "costs half. Words that are no finding are not counted."
)
ANSWERED = "This case is answered already; go on to the next one."
NO_QUIZ = "This quiz has ended, or was forgotten after a while; start it again."
EMPTY_ANSWER = "Write an answer, or have it shown."
DONE = "The quiz in short"
YOU, SHOWN = "You said", "It shows"
NOTHING = "nothing"
SHOWS = "It shows"
CLOSE = "What else was close"
MODEL_TOO = "The model also holds"
LABELLED, UNLABELLED = "labelled too", "not labelled"
RIGHT, PART, WRONG, ASKED = "Right", "Partly right", "Wrong", "The answer"
UNANSWERED = "Not answered"


def rule(*, sure: float, unsure: float, few: int, many: int) -> str:
    """What makes a case easy or hard."""
    return (
        f"Easy: the model finds the diagnosis with {percent(sure)} or more, and at most {few} "
        f"abnormal diagnoses are labelled. Hard: it finds it with less than {percent(unsure)}, or "
        f"{many} or more are labelled. It is the model's measure, not a reader's."
    )


def progress(number: int, count: int) -> str:
    """Where in the quiz the reader is."""
    return f"{number + 1} of {count}"


def so_far(right: int, partly: int, done: int, unanswered: int) -> str:
    """How it went up to here."""
    return f"{right} right, {partly} partly, {_lost(done - right - partly, unanswered)}"


def summary(points: float, count: int, right: int, partly: int, unanswered: int) -> str:
    """How it went in all."""
    lost = _lost(count - right - partly, unanswered)
    return f"{points:g} of {count} points: {right} right, {partly} partly right, {lost}."


def _lost(lost: int, unanswered: int) -> str:
    silent = f", {unanswered} not answered" if unanswered else ""
    return f"{lost - unanswered} missed{silent}"


def verdict(answer: str, scored: Scored) -> str:
    """One word on an answer."""
    if not answer:
        return ASKED
    return RIGHT if scored.right else PART if scored.credit else WRONG


def reasons(answer: str, scored: Scored) -> list[str]:
    """Why an answer is worth what it is."""
    if not answer:
        return []
    said = []
    if scored.near:
        said.append(f"{_quoted(scored.near)}: near, but more general or more specific than this.")
    if scored.beside:
        said.append(f"{_quoted(scored.beside)}: so in this ECG, but not what it is here for.")
    if scored.wrong:
        said.append(f"{_quoted(scored.wrong)}: not labelled in this ECG.")
    if scored.missed and scored.found:
        said.append(f"Not named: {listed(list(scored.missed))}.")
    return said


def model_holds(tag: str, probability: float | None) -> str:
    """An answer, and how probable the model finds it."""
    return tag if probability is None else f"{tag} (the model: {percent(probability)})"


def held(tag: str, probability: float, *, labelled: bool) -> str:
    """What else the model finds."""
    return f"{tag} {percent(probability)}, {LABELLED if labelled else UNLABELLED}"


def _quoted(tags: tuple[str, ...]) -> str:
    return listed([f"“{tag}”" for tag in tags])
