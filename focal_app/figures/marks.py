"""What is printed on the paper besides the tint: grid, pulse, traces, names, waves and frames."""

from dataclasses import dataclass

import numpy as np
from markupsafe import escape

from focal_app.ecg.gaps import runs
from focal_app.ecg.measurements import Waves
from focal_app.figures import labels
from focal_app.figures.layout import PAGE_S, PageLayout, Strip
from focal_app.figures.sheet import LEFT_MM, Sheet, across
from focal_app.figures.traces import UNITS_PER_MM, Trace, path

INK, FINE, COARSE, PAPER, QUIET = "#14181f", "#f6dcd5", "#e8ab9f", "#fffdfa", "#5b6470"
FRAME = "#005caf"
WAVE_COLOURS = ("#0f766e", "#7c2d12", "#6d28d9")
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
PEAK_MM = 12.0
"""So far right of a broken wave its height reaches; at the edge it is left of it, a line nearer."""
SHARP = 'fill="none" vector-effect="non-scaling-stroke" shape-rendering="crispEdges"'


@dataclass(frozen=True)
class Marked:
    """A part of one lead, in seconds of the window; `filled` where no tint lies there."""

    lead: str
    start_s: float
    end_s: float
    filled: bool = True

    @property
    def middle(self) -> float:
        """Where across the paper its middle is, 0 to 1."""
        return across((self.start_s + self.end_s) / 2)


def text(
    said: str,
    x_mm: float,
    y_mm: float,
    size_mm: float,
    *,
    colour: str = INK,
    anchor: str = "start",
    bold: bool = False,
    kind: str = "",
) -> str:
    """Words on the paper, with a rim of paper that keeps them readable over traces."""
    weight, named = (' font-weight="600"' if bold else ""), (f' class="{kind}"' if kind else "")
    return (
        f'<text{named} x="{x_mm:g}" y="{y_mm:g}" font-size="{size_mm:g}" fill="{colour}" '
        f'text-anchor="{anchor}"{weight} '
        f'stroke="{PAPER}" stroke-width="0.6" paint-order="stroke">{escape(said)}</text>'
    )


def grid(sheet: Sheet) -> str:
    """Lines at every millimetre and stronger ones at every fifth, counted from the page's zero."""
    return _lines(sheet, 1.0, FINE) + _lines(sheet, 5.0, COARSE)


def _lines(sheet: Sheet, step_mm: float, colour: str) -> str:
    wide, high = sheet.width_mm, sheet.height_mm
    left, top = -LEFT_MM + LEFT_MM % step_mm, sheet.top_mm % step_mm
    upright = f"M{left:g} 0" + f"v{high:g}m{step_mm:g} -{high:g}" * int(
        (wide - 1e-9) // step_mm + 1
    )
    level = f"M{-LEFT_MM:g} {top:g}" + f"h{wide:g}m-{wide:g} {step_mm:g}" * int(high // step_mm + 1)
    return f'<path class="grid" d="{upright}{level}" stroke="{colour}" {SHARP} stroke-width="0.9"/>'


def pulse(sheet: Sheet, row: int) -> str:
    """The calibration pulse of 1 mV and 0.2 s left of a row, stepped where the chest is halved."""
    zero, limb = sheet.zero_mm(row), sheet.mm_per_mv
    chest, wide = sheet.chest_mm_per_mv, min(10.0, 0.2 * sheet.mm_per_s)
    drop = "" if chest == limb else f"h{wide / 2:g}v{limb - chest:g}"
    rest, down = (wide / 2 if drop else wide), (chest if drop else limb)
    line = f"M-12.5 {zero:g}h0.5v{-limb:g}{drop}h{rest:g}v{down:g}h0.5"
    return f'<path class="pulse" d="{line}" {_ink()}/>'


def strip(trace: Trace, sheet: Sheet, size_mm: float) -> str:
    """One lead: its name, its line, and a short bar where it follows another."""
    one, zero = trace.strip, sheet.zero_mm(trace.strip.row)
    left, gain = sheet.x_mm(one.start_s), sheet.gain(one.lead)
    above, below = sheet.band(one)
    parts = [
        f'<g class="strip" data-lead="{one.name}" data-from="{one.start_s:g}" '
        f'data-to="{one.end_s:g}" data-gain="{gain:g}" data-top="{above:g}" '
        f'data-bottom="{below:g}" data-zero="{zero:g}">'
    ]
    if one.start_s > 0:
        parts.append(f'<path d="M{left:g} {zero - 7:g}v3M{left:g} {zero + 4:g}v3" {_ink()}/>')
    if trace.empty:
        middle = (left + sheet.x_mm(one.end_s)) / 2
        said = labels.ELSEWHERE if trace.elsewhere else labels.NOT_RECORDED
        parts.append(text(said, middle, zero, size_mm, colour=QUIET, anchor="middle"))
    else:
        parts.append(_line(trace, sheet))
    parts.append(_name(one, sheet, size_mm))
    return "".join([*parts, "</g>"])


def _name(one: Strip, sheet: Sheet, size_mm: float) -> str:
    """Above the start of its trace, and again where a sheet of paper begins within it."""
    at = sheet.zero_mm(one.row) - sheet.pitch_mm / 3
    left, right = sheet.x_mm(one.start_s), sheet.x_mm(one.end_s)
    begins = [left, *(cut for cut in sheet.cuts_mm if left < cut < right)]
    said = (text(one.name, x + 0.8, at, size_mm, bold=True, kind="lead") for x in begins)
    return "".join(said)


def _line(trace: Trace, sheet: Sheet) -> str:
    """The path of the signal, and a mark at each wave that is too tall for the paper."""
    zero, gain = sheet.zero_mm(trace.strip.row), sheet.gain(trace.strip.lead)
    height = trace.value_mv * gain
    high = np.abs(height) > sheet.limit_mm
    place = (
        f"translate({sheet.x_mm(trace.first_s):g} {zero:g}) "
        f"scale({trace.step_s * sheet.mm_per_s:.8g} {1 / UNITS_PER_MM:g})"
    )
    drawn = path(np.where(high, np.nan, height))
    line = f'<path class="trace" transform="{place}" d="{drawn}" {_ink()}/>'
    return line + "".join(_break(trace, sheet, first, last) for first, last in runs(high))


def _break(trace: Trace, sheet: Sheet, first: int, last: int) -> str:
    """Bars where a wave leaves the paper, its flanks up to there, and how tall it is."""
    wave = trace.value_mv[first:last]
    tallest = float(wave[np.argmax(np.abs(wave))])
    zero, up = sheet.zero_mm(trace.strip.row), np.sign(tallest)
    middle = sheet.x_mm(trace.first_s + trace.step_s * (first + last - 1) / 2)
    at = zero - up * (sheet.limit_mm + 0.6)
    bars = f"M{middle - 1.6:.2f} {at + 0.5:.2f}l3.2 -1M{middle - 1.6:.2f} {at - 0.5:.2f}l3.2 -1"
    flanks = _flank(trace, sheet, first - 1, first) + _flank(trace, sheet, last, last - 1)
    at_edge = middle + PEAK_MM > sheet.x_mm(PAGE_S)
    away, nearer, anchor = (-2.0, 3.2, "end") if at_edge else (2.0, 0.0, "start")
    said, foot = labels.peak(tallest), at + 1.0 + up * nearer
    told = text(said, middle + away, foot, 2.6, anchor=anchor, kind="peak")
    return f'<path class="break" d="{bars}{flanks}" {_ink()}/>{told}'


def _flank(trace: Trace, sheet: Sheet, inside: int, outside: int) -> str:
    """From the last sample that is drawn straight towards the first that is not, to the limit."""
    if not 0 <= inside < len(trace.value_mv) or np.isnan(trace.value_mv[inside]):
        return ""
    gain, zero = sheet.gain(trace.strip.lead), sheet.zero_mm(trace.strip.row)
    here, there = (float(gain * trace.value_mv[index]) for index in (inside, outside))
    edge = float(np.copysign(sheet.limit_mm, there))
    part = (edge - here) / (there - here)
    left, right = (
        sheet.x_mm(trace.first_s + trace.step_s * index)
        for index in (inside, inside + part * (outside - inside))
    )
    return f"M{left:.2f} {zero - here:.2f}L{right:.2f} {zero - edge:.2f}"


def fiducials(waves: Waves, sheet: Sheet, *, start_s: float, size_mm: float) -> str:
    """A bar over every measured wave of every strip, hairlines at its ends, ticks for spikes."""
    kinds = zip(labels.WAVES, WAVE_COLOURS, (waves.p_s, waves.qrs_s, waves.t_s), strict=True)
    parts = []
    for name, colour, spans in kinds:
        held = np.asarray(spans, dtype=float).reshape(-1, 2) - start_s
        pieces = [
            _wave(name, one, sheet, max(first, one.start_s), min(last, one.end_s), size_mm)
            for one in sheet.layout.strips
            for first, last in held[np.isfinite(held).all(axis=1)].tolist()
            if first < one.end_s and last > one.start_s
        ]
        parts.append(f'<g stroke="{colour}" fill="{colour}">{"".join(pieces)}</g>')
    return f'<g class="waves">{"".join(parts)}{_spikes(waves, sheet, start_s)}</g>'


def _wave(
    name: str, one: Strip, sheet: Sheet, first_s: float, last_s: float, size_mm: float
) -> str:
    above, below = sheet.band(one)
    left, right, bar = sheet.x_mm(first_s), sheet.x_mm(last_s), above + 1.2
    drawn = (
        f'<path data-wave="{name}" d="M{left:.2f} {bar:g}H{right:.2f}" stroke-width="0.8"/>'
        f'<path d="M{left:.2f} {bar:g}V{below - 3:g}M{right:.2f} {bar:g}V{below - 3:g}" '
        'stroke-width="0.15" stroke-opacity="0.55"/>'
    )
    if not one.full:
        return drawn
    at = (left + right) / 2
    return drawn + (
        f'<text x="{at:.2f}" y="{bar - 1:g}" font-size="{0.8 * size_mm:g}" text-anchor="middle" '
        f'stroke="none">{name}</text>'
    )


def _spikes(waves: Waves, sheet: Sheet, start_s: float) -> str:
    return "".join(
        f'<path class="spike" fill="{INK}" d="M{sheet.x_mm(at):.2f} {sheet.band(one)[0] + 3:g}'
        f'l-0.9 -1.8h1.8z"/>'
        for one in sheet.layout.strips
        for at in (np.asarray(waves.spikes_s, dtype=float) - start_s).tolist()
        if one.start_s <= at < one.end_s
    )


def frames(marked: Marked, layout: PageLayout, sheet: Sheet) -> str:
    """A frame around every piece of a marked part that the layout shows."""
    pieces = []
    for one in layout.strips:
        first, last = max(one.start_s, marked.start_s), min(one.end_s, marked.end_s)
        if one.lead != marked.lead or first >= last:
            continue
        above, below = sheet.band(one)
        pieces.append(
            f'<rect class="marked" x="{sheet.x_mm(first):g}" width="{sheet.x_mm(last - first):g}" '
            f'y="{above:g}" height="{below - above:g}" fill="{FRAME}" '
            f'fill-opacity="{0.12 if marked.filled else 0}" stroke="{FRAME}" stroke-width="0.5"/>'
        )
    return "".join(pieces)


def end(sheet: Sheet, end_s: float, size_mm: float) -> str:
    """A dashed line where the recording ends before the page does."""
    at, foot = sheet.x_mm(end_s), sheet.height_mm - 8.0
    said = text(labels.RECORDING_ENDS, at + 1, size_mm + 1, size_mm, kind="ends")
    return (
        f'<path d="M{at:g} 0V{foot:g}" stroke="{QUIET}" stroke-width="0.25" '
        f'stroke-dasharray="1 1"/>{said}'
    )


def _ink() -> str:
    return (
        f'fill="none" stroke="{INK}" stroke-width="1.2" stroke-linejoin="round" '
        'vector-effect="non-scaling-stroke"'
    )
