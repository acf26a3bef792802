"""A worksheet of cases as one HTML file that prints on A4, with or without its answers.

html = worksheet("Blocks", "Name the block.", sheets, answers=False)
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from focal_app.ecg.complete import CompleteECG
from focal_app.explore.cases.label_order import diagnoses, telling_first
from focal_app.explore.reading.document import NOTICE
from focal_app.figures.paper import ecg_svg
from focal_app.figures.templates import Templates

LINES = 3
"""Empty lines to write on where the answers are left out."""


@dataclass(frozen=True)
class Sheet:
    """One page: an ECG, what is known without reading it, and the answer.

    `facts` (age, sex, source, licence) are printed always, `answer` (the labels), `report`, `line`,
    what the case teaches, and `remark`, the educator's own note, with the answers alone.
    """

    ecg: CompleteECG
    facts: tuple[str, ...]
    answer: tuple[str, ...]
    report: str = ""
    line: str = ""
    remark: str = ""


_fill = Templates(
    Path(__file__).parent,
    notice=NOTICE,
    lines=LINES,
    diagnoses=diagnoses,
    telling_first=telling_first,
)


def worksheet(title: str, note: str, sheets: Sequence[Sheet], *, answers: bool) -> str:
    """A self-contained HTML document: nothing is fetched, nothing runs, all text is escaped.

    Of the answers the diagnoses stand first, then the waveforms behind them.
    """
    heading = f"{title}: answers" if answers else title
    return _fill(
        "worksheet", title=heading, note=note, sheets=sheets, drawing=drawing, answers=answers
    )


def file_name(title: str) -> str:
    """A title as the name of a file, without its ending: letters, digits and hyphens."""
    return re.sub(r"[\W_]+", "-", title.casefold())[:60].strip("-") or "worksheet"


def drawing(ecg: CompleteECG) -> Markup:
    """An ECG as a page prints it."""
    return Markup(ecg_svg(ecg))
