"""A quiz as one HTML file that is done without the app and holds no answer.

page = quiz_page("Blocks", "Name the block.", sheets, identity=taught.identity)
answers = read_answers(text)       # of the file that the page saves, answered or not
"""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from focal_app.errors import GalleryError
from focal_app.explore.cases.limits import LONGEST_ANSWER, LONGEST_JSON, MOST_CASES
from focal_app.explore.reading.document import NOTICE
from focal_app.figures.templates import Templates
from focal_app.figures.worksheet import Sheet, drawing, file_name
from focal_app.untrusted import parse_json

KIND = "focal-quiz-answers"
_SCRIPT = (
    'const quiz = document.getElementById("quiz");'
    'quiz.addEventListener("submit", (event) => {'
    "event.preventDefault();"
    'const answers = [...quiz.querySelectorAll("input")].map((one) => one.value);'
    "const told = { kind: quiz.dataset.kind, set: quiz.dataset.set, answers };"
    'const file = new Blob([JSON.stringify(told, null, 1)], { type: "application/json" });'
    'const link = document.createElement("a");'
    "link.href = URL.createObjectURL(file);"
    "link.download = quiz.dataset.file;"
    "link.click();"
    "});"
)
_POLICY = "sha256-" + base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()
_fill = Templates(
    Path(__file__).parent, notice=NOTICE, kind=KIND, policy=_POLICY, longest=LONGEST_ANSWER
)


@dataclass(frozen=True)
class Answers:
    """What a learner wrote, a text a case in the order of the set, and to which set."""

    identity: str
    answers: tuple[str, ...]


def quiz_page(title: str, task: str, sheets: Sequence[Sheet], *, identity: str) -> str:
    """A self-contained document: nothing is fetched or sent, one script of its own saves a file.

    Of each sheet the ECG and the facts alone are in it. `identity` tells which set it is of.
    """
    return _fill(
        "quiz_page",
        title=title,
        task=task,
        sheets=sheets,
        identity=identity,
        file=f"{file_name(title)}-answers.json",
        drawing=drawing,
        script=Markup(_SCRIPT),
    )


def read_answers(text: str) -> Answers:
    """The answers of a file that the page saved; a `GalleryError` for anything else."""
    try:
        values = parse_json(text) if len(text) <= LONGEST_JSON else {}
        identity, answers = values["set"], values["answers"]
        if values["kind"] != KIND or not isinstance(identity, str):
            raise KeyError(KIND)
        texts = isinstance(answers, list) and all(isinstance(one, str) for one in answers)
        if not texts or len(answers) > MOST_CASES:
            raise TypeError("answers")
        return Answers(identity, tuple(one[:LONGEST_ANSWER] for one in answers))
    except (ValueError, KeyError, TypeError) as error:
        raise GalleryError(
            "found no answers in the file; needed the JSON file that a quiz page saves"
        ) from error
