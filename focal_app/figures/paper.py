"""A 12-lead ECG as on paper: 25 mm/s, 10 mm/mV, a grid of 1 and 5 mm, drawn by Plotly.

The figure is a plain dictionary (`plotly.graph_objects.Figure(page)` accepts it), because one
with Plotly's template would be larger than the signal that it shows.
"""

from dataclasses import dataclass

import numpy as np

from focal_app.ecg.leads import CompleteECG
from focal_app.explore.reading.heatmap import Heatmap
from focal_app.figures import labels
from focal_app.figures.layout import MM_PER_MV, MM_PER_S, PAGE_MM, PAGE_S, PX_PER_MM, PageLayout
from focal_app.figures.tint import LEGEND_MM, cells, legend_ticks, tint_traces
from focal_app.figures.traces import LIMIT_MV, UNITS_PER_MM, Trace, draw, plotly_line

LEFT_MM, RIGHT_MM = 13.0, 4.0
WIDTH_MM = LEFT_MM + PAGE_MM + RIGHT_MM
FOOT_MM = 10.0
PAPER, FINE, COARSE, INK, QUIET = "#fffdfa", "#f8e4df", "#eebdb4", "#14181f", "#5b6470"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"

Figure = dict[str, object]


@dataclass(frozen=True)
class _Frame:
    """Edges of the paper in millimetres about the zero line of the lowest row."""

    bottom_mm: float
    top_mm: float

    @property
    def legend_mm(self) -> tuple[float, float]:
        return PAGE_MM, self.bottom_mm + 4.0


def ecg_page(
    ecg: CompleteECG,
    *,
    layout: PageLayout,
    start_s: float = 0.0,
    heatmap: Heatmap | None = None,
    px_per_mm: float = PX_PER_MM,
    faint: bool = False,
    beside: tuple[CompleteECG, float] | None = None,
) -> Figure:
    """Ten seconds of an ECG from `start_s` on, tinted by a heatmap where one is given.

    `faint` thins the tint, for a finding that is improbable everywhere.
    `beside` is another ECG, from a second of its own, whose rows shall lie at the same heights.
    Derived limb leads are drawn as the model takes them.
    """
    traces = _traces(ecg, layout, start_s)
    frame = _frame([*traces, *(_traces(beside[0], layout, beside[1]) if beside else ())], layout)
    data = [plotly_line(trace, layout) for trace in traces if not trace.empty]
    data.append(_calibration(layout))
    notes = [*_lead_labels(traces, layout), _scale_note(traces, frame)]
    if heatmap is not None:
        tint = tint_traces(heatmap, layout, legend_mm=frame.legend_mm, faint=faint)
        data = [*tint, *data]
        notes += _legend_notes(heatmap, frame)
    end_s = ecg.duration_s - start_s
    if end_s < PAGE_S - 0.05:
        notes.append(_note(labels.RECORDING_ENDS, end_s * MM_PER_S, frame.top_mm - 4, "left"))
    sheet = _sheet(frame, px_per_mm)
    return {
        "data": data,
        "layout": {**sheet, "annotations": notes, "shapes": _marks(layout, frame, end_s)},
    }


def across(at_mm: float) -> float:
    """Where across the paper so many millimetres of the window are, 0 to 1."""
    return (LEFT_MM + at_mm) / WIDTH_MM


def deepest(heatmap: Heatmap, layout: PageLayout) -> float:
    """Where across the paper the deepest tint is, 0 to 1, so that a narrow screen can go there.

    0 where none of it is on the paper.
    """
    tinted = [cell for cell in cells(heatmap, layout) if cell.weight > 0]  # NaN is not
    cell = max(tinted, key=lambda cell: cell.weight, default=None)
    return across((cell.left_mm + cell.right_mm) / 2) if cell else 0.0


def _traces(ecg: CompleteECG, layout: PageLayout, start_s: float) -> list[Trace]:
    return [draw(ecg, strip, start_s=start_s) for strip in layout.strips]


def _frame(traces: list[Trace], layout: PageLayout) -> _Frame:
    """Room above and below for the tallest wave of the outer rows, in whole large squares."""
    top = layout.baseline_mm(0) + _room(traces, row=0, sign=1.0)
    bottom = -_room(traces, row=layout.rows - 1, sign=-1.0) - FOOT_MM
    return _Frame(bottom_mm=bottom, top_mm=top)


def _room(traces: list[Trace], *, row: int, sign: float) -> float:
    waves = [sign * trace.value_mv for trace in traces if trace.strip.row == row]
    tallest = max((float(np.nanmax(w)) for w in waves if np.isfinite(w).any()), default=0.0)
    return 5.0 * np.ceil(max(13.0, tallest * MM_PER_MV + 3.0) / 5.0)


def _calibration(layout: PageLayout) -> dict[str, object]:
    """A pulse of 1 mV and 0.2 s left of every row."""
    x: list[float | None] = []
    y: list[float | None] = []
    for row in range(layout.rows):
        zero = layout.baseline_mm(row) * UNITS_PER_MM
        full = zero + MM_PER_MV * UNITS_PER_MM
        x += [-12.5, -12.0, -12.0, -7.0, -7.0, -6.5, None]
        y += [zero, zero, full, full, zero, zero, None]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "calibration",
        "x": x,
        "y": y,
        "line": {"color": INK, "width": 1.25},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _lead_labels(traces: list[Trace], layout: PageLayout) -> list[dict[str, object]]:
    """The name of each lead: below the pulse of a full strip, above the start of a shorter one."""
    notes = []
    for trace in traces:
        strip, up = trace.strip, layout.baseline_mm(trace.strip.row)
        left, right = strip.start_s * MM_PER_S, strip.end_s * MM_PER_S
        bold = f"<b>{strip.lead}</b>"
        if right - left == PAGE_MM:
            notes.append(_note(bold, -0.8, up - 2.8, "right"))
        else:
            name = _note(bold, left + 0.5, up + 11.0, "left")
            notes.append({**name, "bgcolor": "rgba(255,253,250,0.75)", "borderpad": 0})
        if trace.empty:
            notes.append(_note(labels.NOT_RECORDED, (left + right) / 2, up, "center", QUIET))
    return notes


def _scale_note(traces: list[Trace], frame: _Frame) -> dict[str, object]:
    cut = list(dict.fromkeys(trace.strip.lead for trace in traces if trace.cut))
    text = labels.scale_line() + labels.cut_line(cut, LIMIT_MV)
    return _note(text.replace("   ", "&nbsp;&nbsp;&nbsp;"), 0.0, frame.bottom_mm + 5.0, "left")


def _legend_notes(heatmap: Heatmap, frame: _Frame) -> list[dict[str, object]]:
    right, foot = frame.legend_mm
    said = _note(labels.EVEN_SHARE, right - LEGEND_MM - 4, foot + 1.5, "right")
    ticks = legend_ticks(heatmap, legend_mm=frame.legend_mm)
    return [said, *(_note(text, at, foot - 1.8, "center") for at, text in ticks)]


def _note(text: str, x_mm: float, y_mm: float, anchor: str, colour: str = INK) -> dict[str, object]:
    return {
        "text": text,
        "x": x_mm,
        "y": y_mm * UNITS_PER_MM,
        "xanchor": anchor,
        "yanchor": "middle",
        "showarrow": False,
        "font": {"size": 13 if text.startswith("<b>") else 12, "color": colour},
    }


def _marks(layout: PageLayout, frame: _Frame, end_s: float) -> list[dict[str, object]]:
    """Short bars where one lead follows another, and a dashed one where the recording ends."""
    bars = []
    for strip in layout.strips:
        if strip.start_s > 0:
            at, up = strip.start_s * MM_PER_S, layout.baseline_mm(strip.row)
            bars += [_bar(at, up + low, up + low + 3.0, "solid") for low in (-6.0, 4.0)]
    if end_s < PAGE_S - 0.05:
        foot = frame.bottom_mm + FOOT_MM
        bars.append(_bar(end_s * MM_PER_S, foot, frame.top_mm, "dot"))
    return bars


def _bar(x_mm: float, low_mm: float, high_mm: float, dash: str) -> dict[str, object]:
    return {
        "type": "line",
        "x0": x_mm,
        "x1": x_mm,
        "y0": low_mm * UNITS_PER_MM,
        "y1": high_mm * UNITS_PER_MM,
        "line": {"color": INK if dash == "solid" else QUIET, "width": 1, "dash": dash},
    }


def _sheet(frame: _Frame, px_per_mm: float) -> dict[str, object]:
    """The paper itself; no margin, so that a millimetre is the same number of pixels always."""
    across = (-LEFT_MM, PAGE_MM + RIGHT_MM)
    up = (frame.bottom_mm * UNITS_PER_MM, frame.top_mm * UNITS_PER_MM)
    return {
        "width": round(WIDTH_MM * px_per_mm),
        "height": round((frame.top_mm - frame.bottom_mm) * px_per_mm),
        "margin": {"l": 0, "r": 0, "t": 0, "b": 0},
        "paper_bgcolor": PAPER,
        "plot_bgcolor": PAPER,
        "font": {"family": FONT, "size": 12, "color": INK},
        "showlegend": False,
        "dragmode": False,
        "hovermode": "closest",
        "hoverlabel": {"bgcolor": "#ffffff", "font": {"color": INK, "family": FONT, "size": 13}},
        "xaxis": _axis(across, millimetre=1),
        "yaxis": _axis(up, millimetre=UNITS_PER_MM),
    }


def _axis(limits: tuple[float, float], *, millimetre: int) -> dict[str, object]:
    return {
        "range": list(limits),
        "fixedrange": True,
        "zeroline": False,
        "showticklabels": False,
        "ticks": "",
        "showgrid": True,
        "tick0": 0,
        "dtick": 5 * millimetre,
        "gridcolor": COARSE,
        "gridwidth": 1,
        "minor": {
            "tick0": 0,
            "dtick": millimetre,
            "showgrid": True,
            "gridcolor": FINE,
            "gridwidth": 1,
        },
    }
