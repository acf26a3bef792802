"""A 12-lead ECG on millimetre paper as one SVG element, for print: no script, no font, no image."""

from itertools import count

import numpy as np

from focal_app.ecg.leads import CompleteECG
from focal_app.figures import labels
from focal_app.figures.layout import MM_PER_MV, MM_PER_S, PAGE_MM, THREE_BY_FOUR, PageLayout
from focal_app.figures.traces import LIMIT_MV, Trace, draw

LEFT_MM, RIGHT_MM, LEAST_TOP_MM, BOTTOM_MM = 13.0, 4.0, 17.0, 18.0
HEADROOM_MM = 3.0
"""What stays free above the tallest wave of the first row."""
WIDTH_MM = LEFT_MM + PAGE_MM + RIGHT_MM
INK, FINE, COARSE, PAPER, QUIET = "#14181f", "#f0c3b8", "#dc8474", "#fffdfa", "#5b6470"
_numbers = count()


def ecg_svg(ecg: CompleteECG, *, start_s: float = 0.0, layout: PageLayout = THREE_BY_FOUR) -> str:
    """Ten seconds of 12 leads from `start_s` on, 25 mm/s and 10 mm/mV, in true millimetres.

    Every lead is centred by its median; gaps stay open, and a lead that was not recorded says so.
    """
    traces = [draw(ecg, strip, start_s=start_s) for strip in layout.strips]
    top_mm = _top_mm(traces)
    height_mm = top_mm + (layout.rows - 1) * layout.pitch_mm + BOTTOM_MM
    cut = list(dict.fromkeys(trace.strip.lead for trace in traces if trace.cut))
    foot = labels.scale_line() + labels.cut_line(cut, LIMIT_MV)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH_MM:g}mm" height="{height_mm:g}mm" '
        f'viewBox="{-LEFT_MM:g} 0 {WIDTH_MM:g} {height_mm:g}" role="img" '
        f'aria-label="12-lead ECG, {foot}">',
        _grid(height_mm, top_mm),
        *(_pulse(top_mm + row * layout.pitch_mm) for row in range(layout.rows)),
        *(_strip(trace, layout, top_mm) for trace in traces),
        _text(foot, 0.0, height_mm - 2.0, 3.0, QUIET),
        "</svg>",
    ]
    return "\n".join(parts)


def _top_mm(traces: list[Trace]) -> float:
    """Zero of the first row below the paper's edge, so that its tallest wave keeps off the edge."""
    first = [trace.value_mv for trace in traces if trace.strip.row == 0 and not trace.empty]
    tallest = max((float(np.nanmax(wave)) for wave in first), default=0.0)
    return max(LEAST_TOP_MM, float(np.ceil(tallest * MM_PER_MV + HEADROOM_MM)))


def _grid(height_mm: float, top_mm: float) -> str:
    """Lines at every millimetre and stronger ones at every fifth, counted from the page's zero."""
    name = f"grid{next(_numbers)}"
    return (
        f'<defs><pattern id="{name}" width="5" height="5" patternUnits="userSpaceOnUse" '
        f'y="{top_mm % 5:g}">'
        f'<path d="M1 0V5M2 0V5M3 0V5M4 0V5M0 1H5M0 2H5M0 3H5M0 4H5" stroke="{FINE}" '
        'stroke-width="0.1" fill="none"/>'
        f'<path d="M0 0V5M0 0H5" stroke="{COARSE}" stroke-width="0.2" fill="none"/>'
        "</pattern></defs>"
        f'<rect x="{-LEFT_MM:g}" width="{WIDTH_MM:g}" height="{height_mm:g}" fill="{PAPER}"/>'
        f'<rect x="{-LEFT_MM:g}" width="{WIDTH_MM:g}" height="{height_mm:g}" fill="url(#{name})"/>'
    )


def _pulse(zero_mm: float) -> str:
    """The calibration pulse of 1 mV and 0.2 s left of a row."""
    up = zero_mm - MM_PER_MV
    path = f"M-12.5 {zero_mm:g}H-12V{up:g}H-7V{zero_mm:g}H-6.5"
    return f'<path d="{path}" fill="none" stroke="{INK}" stroke-width="0.25"/>'


def _strip(trace: Trace, layout: PageLayout, top_mm: float) -> str:
    """One lead: its name, its line, and a short bar where it follows another."""
    strip = trace.strip
    zero, left = top_mm + strip.row * layout.pitch_mm, strip.start_s * MM_PER_S
    full = (strip.end_s - strip.start_s) * MM_PER_S == PAGE_MM
    at = (-5.5, zero + 3.5) if full else (left + 0.8, zero - 10.0)
    name = _text(strip.lead, *at, 3.6, INK, weight="600")
    parts = []
    if strip.start_s > 0:
        parts.append(
            f'<path d="M{left:g} {zero - 7:g}v3M{left:g} {zero + 4:g}v3" stroke="{INK}" '
            'stroke-width="0.3"/>'
        )
    if trace.empty:
        parts.append(_text(labels.NOT_RECORDED, left + 5, zero, 3.2, QUIET))
    else:
        parts.append(
            f'<path d="{_line(trace, zero)}" fill="none" stroke="{INK}" stroke-width="0.25" '
            'stroke-linejoin="round"/>'
        )
    return "".join([*parts, name])


def _line(trace: Trace, zero_mm: float) -> str:
    """Path of the signal in hundredths of a millimetre, broken where nothing was recorded."""
    x = (trace.first_s + trace.step_s * np.arange(len(trace.value_mv))) * MM_PER_S
    y = zero_mm - trace.value_mv * MM_PER_MV
    drawn, pieces = False, []
    for across, down in zip(x.tolist(), y.tolist(), strict=True):
        if down == down:  # a gap is NaN
            pieces.append(f"{'L' if drawn else 'M'}{across:.2f} {down:.2f}")
        drawn = down == down
    return "".join(pieces)


def _text(text: str, x: float, y: float, size: float, colour: str, *, weight: str = "400") -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" font-weight="{weight}" fill="{colour}" '
        f'stroke="{PAPER}" stroke-width="0.6" paint-order="stroke" '
        f'font-family="system-ui, sans-serif">{text}</text>'
    )
