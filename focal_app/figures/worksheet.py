"""A worksheet of cases as one HTML file that prints on A4, with or without its answers.

html = worksheet("Blocks", "Name the block.", sheets, answers=False)
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from focal_app.ecg.recording import ECG
from focal_app.explore.cases.label_order import diagnoses, telling_first
from focal_app.figures.drawing import ecg_svg

NOTICE = "For research and teaching, not for diagnosis"
LINES = 3
"""Empty lines to write on where the answers are left out."""


@dataclass(frozen=True)
class Sheet:
    """One page: an ECG, what is known without reading it, and the answer.

    `facts` (age, sex, source, licence) are printed always, `answer` (the labels) and `report`
    with the answers alone.
    """

    ecg: ECG
    facts: tuple[str, ...]
    answer: tuple[str, ...]
    report: str = ""


def worksheet(title: str, note: str, sheets: Sequence[Sheet], *, answers: bool) -> str:
    """A self-contained HTML document: nothing is fetched, nothing runs, all text is escaped."""
    pages = "\n".join(_page(sheet, n, answers=answers) for n, sheet in enumerate(sheets, 1))
    heading = f"{title}: answers" if answers else title
    said = f'<p class="note">{escape(note)}</p>' if note.strip() else ""
    return DOCUMENT.format(title=escape(heading), note=said, pages=pages)


def file_name(title: str) -> str:
    """A title as the name of a file, without its ending: letters, digits and hyphens."""
    return re.sub(r"[\W_]+", "-", title.casefold())[:60].strip("-") or "worksheet"


def _page(sheet: Sheet, number: int, *, answers: bool) -> str:
    facts = " · ".join(filter(None, sheet.facts))
    return (
        f'<section>\n<h2>Case {number} <span class="facts">{escape(facts)}</span>'
        f'<span class="notice">{NOTICE}</span></h2>'
        f"\n{ecg_svg(sheet.ecg)}\n{_answer(sheet) if answers else _lines()}\n</section>"
    )


def _answer(sheet: Sheet) -> str:
    """The diagnoses first, in strong letters, then the waveforms behind them; both run on."""
    first = diagnoses(sheet.answer)
    rest = [label for label in telling_first(sheet.answer) if label not in first]
    report = f"<p><b>Report</b> {escape(sheet.report)}</p>" if sheet.report.strip() else ""
    said = f'<p class="first">{escape(", ".join(first))}</p>' if first else ""
    return f'<div class="answer">{said}<p>{escape(", ".join(rest))}</p>{report}</div>'


def _lines() -> str:
    return '<div class="lines">' + "<hr>" * LINES + "</div>"


DOCUMENT = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
@page {{ size: A4 landscape; margin: 10mm 12mm; }}
body {{ font: 11pt/1.4 system-ui, sans-serif; color: #14181f; margin: 0 auto; max-width: 273mm; }}
h1 {{ font-size: 14pt; line-height: 1.2; margin: 0; }}
h2 {{ font-size: 12pt; margin: 1mm 0; }}
p {{ margin: 0 0 1mm; }}
.note {{ white-space: pre-wrap; }}
.facts, .notice {{ color: #5b6470; font-size: 9.5pt; font-weight: 400; }}
.facts {{ margin-left: 3mm; }}
.notice {{ float: right; }}
section {{ break-inside: avoid; break-after: page; }}
section:last-of-type {{ break-after: auto; }}
svg {{ display: block; max-width: 100%; height: auto; }}
.answer {{ font-size: 9pt; line-height: 1.3; margin-top: 1.5mm; }}
.answer p {{ margin: 0 0 0.5mm; }}
.answer .first {{ font-size: 11pt; font-weight: 600; }}
.lines hr {{ border: 0; border-top: 0.3mm solid #9aa2ad; margin: 7mm 0 0; }}
@media print {{ h1, .note {{ break-after: avoid; }} }}
</style>
</head>
<body>
<h1>{title}</h1>
{note}
{pages}
</body>
</html>
"""
