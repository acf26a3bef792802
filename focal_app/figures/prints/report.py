"""A reading as a PDF to keep: the ECG at true scale, what was found and measured, and where.

Path("reading.pdf").write_bytes(report_pdf(Report(ecg=ecg, reading=reading)))
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from focal_app.ecg.complete import CompleteECG
from focal_app.ecg.measurement_names import named
from focal_app.explore.measured.sentences import early, pacing
from focal_app.explore.measured.unnamed import HEADING
from focal_app.explore.reading.heatmap import Heatmap
from focal_app.explore.reading.reading import Finding, Reading, most_probable
from focal_app.figures.marks import QUIET
from focal_app.figures.paper import ecg_svg
from focal_app.figures.paper_settings import AT_FIRST, PaperSettings
from focal_app.figures.prints import wording
from focal_app.figures.prints.columns import finding_blocks, note_blocks, pages_of
from focal_app.figures.prints.pdf_canvas import A4_MM, Box, PdfPages, wrapped
from focal_app.figures.prints.pdf_fonts import writable
from focal_app.figures.prints.svg_shapes import Words, picture
from focal_app.figures.prints.tiles import tiles

MARGIN_MM, HEAD_MM, FOOT_MM = 15.0, 25.0, 8.0
INSIDE_MM = A4_MM[0] - 2 * MARGIN_MM
ROOM_MM = A4_MM[1] - HEAD_MM - FOOT_MM
LEAST_ROOM_MM = 22.0


@dataclass(frozen=True, kw_only=True)
class Report:
    """Everything that the document shows; `shown` are the prompts whose heatmaps it draws.

    `fine` is a finer heatmap of the one that is shown.
    """

    ecg: CompleteECG
    reading: Reading
    shown: tuple[str, ...] = ()
    fine: Heatmap | None = None
    settings: PaperSettings = AT_FIRST
    checkpoint: str = "embedded"

    @property
    def tinted(self) -> list[Finding]:
        """The findings whose heatmaps are drawn, in the order in which they were chosen."""
        by_prompt = {finding.prompt: finding for finding in self.reading.findings}
        return [by_prompt[prompt] for prompt in self.shown if prompt in by_prompt]


def report_pdf(report: Report) -> bytes:
    """The document: A4, the ECG first, then findings and notes, then a page a heatmap."""
    pages = PdfPages(wording.TITLE)
    drawn = [
        *_ecg_pages(pages, report, None),
        *_word_pages(pages, report),
        *(page for finding in report.tinted for page in _ecg_pages(pages, report, finding)),
    ]
    for number, draw in enumerate(drawn, 1):
        if number > 1:
            pages.next_page()
        draw()
        foot = wording.foot(report.checkpoint, number, len(drawn))
        pages.mark(Words(foot, MARGIN_MM, A4_MM[1] - 4.0, 3.0, QUIET))
    return pages.finished()


def _ecg_pages(
    pages: PdfPages, report: Report, finding: Finding | None
) -> list[Callable[[], None]]:
    """The ECG, tinted for a finding where there is one, on as many pages as its paper needs."""
    reading = report.reading
    faint = finding is not None and finding.improbable
    drawn = picture(
        ecg_svg(
            report.ecg,
            settings=report.settings,
            start_s=reading.start_s,
            heatmap=(report.fine or reading.heatmap(finding)) if finding else None,
            faint=faint,
            waves=reading.measured.waves,
        )
    )
    name = pages.store(drawn)
    room = {"width_mm": INSIDE_MM, "height_mm": ROOM_MM}
    windows = tiles(drawn, x_mm=MARGIN_MM, y_mm=HEAD_MM, **room)

    def page(number: int) -> None:
        _head(pages, report, wording.where(finding) if finding else wording.TITLE, faint=faint)
        for window in windows[number]:
            pages.show(name, drawn, window)
        if finding is None and number == len(windows) - 1:
            _likely(pages, report, below_mm=HEAD_MM + windows[number][0].height_mm + 4.0)

    return [partial(page, number) for number in range(len(windows))]


def _head(pages: PdfPages, report: Report, heading: str, *, faint: bool) -> None:
    """What stands above an ECG: what is drawn, of whom, and what was measured."""
    heading = f"{heading}  {wording.IMPROBABLE}" if faint else heading
    lines = [heading, wording.facts(report.reading)]
    measured = named(report.reading.measured.measurements)
    found = [one for one in measured if one.said and not one.name.amplitude]
    values = [f"{one.name.heading} {wording.measurement(one)}" for one in found]
    values += [f"{name} {value}" for name, value in _beside(report)]
    lines.append(f"{wording.MEASURED}: {' · '.join(values)}")
    down = 9.0
    for number, text in enumerate(lines):
        size = 3.0 if number else 4.0
        for part in wrapped(text, size_mm=size, width_mm=INSIDE_MM, bold=number == 0)[:2]:
            pages.mark(Words(part, MARGIN_MM, down, size, bold=number == 0))
            down += size + 1.3


def _likely(pages: PdfPages, report: Report, *, below_mm: float) -> None:
    """The most probable findings below the ECG, as many as there is room for."""
    found = most_probable(report.reading.findings)
    if A4_MM[1] - FOOT_MM - below_mm < LEAST_ROOM_MM or not found:
        return
    blocks = [*finding_blocks(wording.LIKELY, found)]
    room = {"left_mm": MARGIN_MM, "top_mm": below_mm, "bottom_mm": A4_MM[1] - FOOT_MM}
    _print(pages, pages_of(blocks, **room)[0])


def _word_pages(pages: PdfPages, report: Report) -> list[Callable[[], None]]:
    """Findings, measurements and warnings in columns, over as many pages as they need."""
    findings = finding_blocks(wording.FINDINGS, report.reading.findings)
    blocks = [*findings, *note_blocks(_notes(report))]
    room = {"left_mm": MARGIN_MM, "top_mm": 12.0, "bottom_mm": A4_MM[1] - FOOT_MM}
    return [partial(_print, pages, marks) for marks in pages_of(blocks, **room)]


def _print(pages: PdfPages, marks: Sequence[Box | Words]) -> None:
    for mark in marks:
        pages.mark(mark)


def _notes(report: Report) -> dict[str, list[str]]:
    """What stands after the findings, by its heading."""
    values = named(report.reading.measured.measurements)
    said = [f"{one.name.heading}: {wording.measurement(one)}" for one in values]
    said += [f"{name}: {value}" for name, value in _beside(report)]
    device = wording.device_says(report.reading)
    prompts = [finding.prompt for finding in report.reading.findings]
    romanised = any(writable(prompt) != prompt for prompt in prompts)
    unread = [wording.not_read(why)] if (why := report.reading.not_read) else []
    notes = [*unread, *dict.fromkeys(report.reading.warnings)] or [wording.NO_WARNING]
    notes += [wording.HOW, *([wording.ROMANISED] if romanised else [])]
    missed = [one.said for one in report.reading.unnamed]
    own = {HEADING: missed, wording.MEASURED: said, wording.DEVICE_SAYS: device}
    return {**{name: lines for name, lines in own.items() if lines}, wording.WARNINGS: notes}


def _beside(report: Report) -> list[tuple[str, str]]:
    """What is measured and is no value: beats that come early, and spikes."""
    found = report.reading.measured
    pairs = ((wording.EARLY_BEATS, early(found)), (wording.PACING, pacing(found)))
    return [pair for pair in pairs if pair[1]]
