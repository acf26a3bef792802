"""A worksheet of cases as one HTML file that prints on A4, with or without its answers.

html = worksheet("Blocks", "Name the block.", sheets, answers=False)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from focal_app.ecg.recording import ECG
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
    return DOCUMENT.format(title=escape(heading), note=said, pages=pages, notice=NOTICE)


def _page(sheet: Sheet, number: int, *, answers: bool) -> str:
    return (
        f'<section>\n<h2>Case {number}</h2>\n<p class="facts">{escape(" · ".join(sheet.facts))}</p>'
        f"\n{ecg_svg(sheet.ecg)}\n{_answer(sheet) if answers else _lines()}\n</section>"
    )


def _answer(sheet: Sheet) -> str:
    items = "".join(f"<li>{escape(label)}</li>" for label in sheet.answer)
    report = f"<p><b>Report</b> {escape(sheet.report)}</p>" if sheet.report.strip() else ""
    return f'<div class="answer"><b>Findings</b><ul>{items}</ul>{report}</div>'


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
h1 {{ font-size: 16pt; margin: 4mm 0 1mm; }}
h2 {{ font-size: 12pt; margin: 3mm 0 0; }}
p {{ margin: 0 0 2mm; }}
.note {{ white-space: pre-wrap; }}
.facts {{ color: #5b6470; font-size: 9.5pt; }}
section {{ break-inside: avoid; break-after: page; }}
section:last-of-type {{ break-after: auto; }}
svg {{ display: block; max-width: 100%; height: auto; }}
.answer {{ font-size: 10pt; margin-top: 2mm; }}
.answer ul {{ margin: 0 0 1mm; padding-left: 5mm; columns: 3; }}
.lines hr {{ border: 0; border-top: 0.3mm solid #9aa2ad; margin: 8mm 0 0; }}
footer {{ color: #5b6470; font-size: 9pt; }}
@media print {{ h1, .note {{ break-after: avoid; }} }}
</style>
</head>
<body>
<h1>{title}</h1>
{note}
{pages}
<footer>{notice}.</footer>
</body>
</html>
"""
