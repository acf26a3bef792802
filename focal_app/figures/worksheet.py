"""A worksheet of cases as one HTML file that prints on A4, with or without its answers.

html = worksheet("Blocks", "Name the block.", sheets, answers=False)
"""

from collections.abc import Sequence
from dataclasses import dataclass

from focal_app.ecg.recording import ECG


@dataclass(frozen=True)
class Sheet:
    """One page: an ECG, what is known without reading it, and the answer."""

    ecg: ECG
    facts: tuple[str, ...]
    """Printed always: age, sex, source and licence."""
    answer: tuple[str, ...]
    """Printed with the answers: the labels."""
    report: str = ""


def worksheet(title: str, note: str, sheets: Sequence[Sheet], *, answers: bool) -> str:
    """A self-contained HTML document: nothing is fetched, nothing runs, all text is escaped."""
    raise NotImplementedError


def ecg_svg(ecg: ECG, *, start_s: float = 0.0) -> str:
    """Ten seconds of 12 leads on millimetre paper, 25 mm/s and 10 mm/mV, as an SVG element."""
    raise NotImplementedError
