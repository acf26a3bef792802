"""A 12-lead ECG on millimetre paper as one SVG element: page, print and file are drawn alike.

No script, no font, no image; the paper's user unit is a millimetre. Only numbers, names of leads
and words of `labels` come into it.
"""

from typing import TypedDict, Unpack

from focal_app.ecg.complete import CompleteECG
from focal_app.ecg.measurements import Waves
from focal_app.explore.reading.heatmap import Heatmap
from focal_app.figures import labels, marks
from focal_app.figures.layout import PAGE_S, PageLayout
from focal_app.figures.marks import PAPER, QUIET, Marked, text
from focal_app.figures.paper_settings import AT_FIRST, PaperSettings
from focal_app.figures.sheet import FOOT_MM, LEFT_MM, Sheet, sheet_for
from focal_app.figures.tint import LEGEND_MM, edges, hatch, legend, legend_ticks, tint
from focal_app.figures.traces import Trace, draw

TEXT_MM, LARGE_TEXT_MM = 3.2, 4.0
"""Words are this tall; from the larger on, the legend stands on a line of its own."""

BELOW_MM = 0.8
"""What stays free below the legend's marks, the lowest words."""


class Shown(TypedDict, total=False):
    """What a paper shows besides the ECG.

    A heatmap tints it, `faint` where the finding is improbable; without one, `masked` tells where
    the model did not look. `waves` are marked where the settings ask for fiducials, `marked` gets
    a frame.
    """

    heatmap: Heatmap | None
    faint: bool
    masked: Heatmap | None
    waves: Waves | None
    marked: Marked | None


def ecg_svg(
    ecg: CompleteECG,
    *,
    settings: PaperSettings = AT_FIRST,
    start_s: float = 0.0,
    beside: tuple[CompleteECG, float] | None = None,
    text_mm: float = TEXT_MM,
    **shown: Unpack[Shown],
) -> str:
    """Ten seconds of 12 leads from `start_s` on, in true millimetres, as `settings` wants them.

    `shown` is what the paper shows besides (`Shown`). `beside` is another ECG, from a second of its
    own, whose rows shall lie at the same heights. Every lead is centred by its median; gaps stay
    open, derived limb leads are drawn as the model takes them.
    """
    heatmap, faint = shown.get("heatmap"), shown.get("faint", False)
    masked, marked = shown.get("masked"), shown.get("marked")
    waves = shown.get("waves") if settings.fiducials else None
    layout = settings.page_layout
    traces = _traces(ecg, layout, start_s)
    others = _traces(beside[0], layout, beside[1]) if beside else []
    foot_mm = FOOT_MM if text_mm < LARGE_TEXT_MM else FOOT_MM + 2 * text_mm
    sheet = sheet_for([*traces, *others], settings, foot_mm=foot_mm)
    end_s = ecg.duration_s - start_s
    parts = [
        _opened(sheet, traces, start_s),
        tint(heatmap, sheet, faint=faint) if heatmap else "",
        hatch(masked, sheet) if masked and not heatmap else "",
        marks.grid(sheet),
        edges(heatmap, sheet, faint=faint) if heatmap else "",
        marks.frames(marked, layout, sheet) if marked else "",
        marks.fiducials(waves, sheet, start_s=start_s, size_mm=text_mm) if waves else "",
        *(marks.pulse(sheet, row) for row in range(layout.rows)),
        *(marks.strip(trace, sheet, text_mm) for trace in traces),
        marks.end(sheet, end_s, text_mm) if end_s < PAGE_S - 0.05 else "",
        _foot(sheet, heatmap, text_mm, faint=faint),
        "</svg>",
    ]
    return "".join(parts)


def _traces(ecg: CompleteECG, layout: PageLayout, start_s: float) -> list[Trace]:
    return [draw(ecg, strip, start_s=start_s) for strip in layout.strips]


def _opened(sheet: Sheet, traces: list[Trace], start_s: float) -> str:
    """The element's head, with what a script needs to turn a place into seconds and millivolts."""
    wide, high = sheet.width_mm, sheet.height_mm
    tall = [
        trace.strip.name
        for trace in traces
        if not trace.empty
        and (abs(trace.value_mv) * sheet.gain(trace.strip.lead) > sheet.limit_mm).any()
    ]
    said = f"{labels.TITLE}, {_scale(sheet)}{labels.broken_line(list(dict.fromkeys(tall)))}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="ecg" width="{wide:g}mm" '
        f'height="{high:g}mm" viewBox="{-LEFT_MM:g} 0 {wide:g} {high:g}" role="img" '
        f'font-family="{marks.FONT}" aria-label="{said}" data-start="{start_s:g}" '
        f'data-speed="{sheet.mm_per_s:g}" data-left="{LEFT_MM:g}" data-wide="{wide:g}" '
        f'data-high="{high:g}">'
        f'<rect x="{-LEFT_MM:g}" width="{wide:g}" height="{high:g}" fill="{PAPER}"/>'
    )


def _scale(sheet: Sheet) -> str:
    return labels.scale_line(sheet.mm_per_s, sheet.mm_per_mv, sheet.chest_mm_per_mv)


def _foot(sheet: Sheet, heatmap: Heatmap | None, text_mm: float, *, faint: bool) -> str:
    """Scale at the left, the legend of the tint at the right; below it where words are large."""
    line = sheet.height_mm - max(4.0, text_mm + BELOW_MM)
    first = line - (2 * text_mm if text_mm >= LARGE_TEXT_MM else 0.0)
    parts = [text(_scale(sheet), 0.0, first, text_mm, kind="scale")]
    if heatmap is not None:
        right = PAGE_S * sheet.mm_per_s
        said = labels.LOOKED
        parts += [
            text(said, right - LEGEND_MM - 4, line, text_mm, anchor="end", kind="looked"),
            legend(heatmap, right_mm=right, at_mm=line - 3.0, faint=faint),
            *(
                text(tick, at, line + text_mm - 0.2, 0.9 * text_mm, colour=QUIET, anchor="middle")
                for at, tick in legend_ticks(heatmap, right_mm=right)
            ),
        ]
    return "".join(parts)
