"""The heatmap of a finding as a tint behind the traces, against the even share.

The scale begins at 1, the share that every patch would have if nothing stood out: what lies
below stays paper. Its top is a round number, at least 2, so that a faint heatmap looks faint.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from focal_app.explore.reading.heatmap import Heatmap
from focal_app.figures import labels
from focal_app.figures.layout import MM_PER_S, PageLayout, Strip
from focal_app.figures.traces import UNITS_PER_MM

COLOUR_SCALE = [
    [0.0, "rgba(0,92,175,0)"],
    [0.5, "rgba(0,92,175,0.36)"],
    [1.0, "rgba(0,72,150,0.68)"],
]
"""One blue from clear to full: apart for every kind of colour vision, and from the red grid."""
FAINT_SCALE = [
    [0.0, "rgba(0,92,175,0)"],
    [0.5, "rgba(0,92,175,0.1)"],
    [1.0, "rgba(0,72,150,0.2)"],
]
"""The same, thinned: for a finding that is improbable wherever it is looked for."""
LEGEND_MM = 40.0
TICKS_APART_MM = 9.0
"""Marks of the legend are no nearer to each other, so that "16×" fits the smallest paper."""


@dataclass(frozen=True)
class Cell:
    """A patch, or the part of it that a strip shows; millimetres on the paper."""

    lead: str
    start_s: float
    end_s: float
    left_mm: float
    right_mm: float
    bottom_mm: float
    top_mm: float
    weight: float


def cells(heatmap: Heatmap, layout: PageLayout) -> list[Cell]:
    """Every patch that the layout shows, cut to its strip; NaN weight where unseen."""
    return [cell for strip in layout.strips for cell in _strip_cells(heatmap, layout, strip)]


def _strip_cells(heatmap: Heatmap, layout: PageLayout, strip: Strip) -> list[Cell]:
    row = heatmap.leads.index(strip.lead)
    edges = np.asarray(heatmap.edges_s, dtype=float) - heatmap.start_s
    middle, half = layout.baseline_mm(strip.row), layout.pitch_mm / 2
    found = []
    for column in range(len(edges) - 1):
        left, right = max(edges[column], strip.start_s), min(edges[column + 1], strip.end_s)
        if right - left < 1e-6:
            continue
        found.append(
            Cell(
                lead=strip.lead,
                start_s=float(heatmap.edges_s[column]),
                end_s=float(heatmap.edges_s[column + 1]),
                left_mm=float(left * MM_PER_S),
                right_mm=float(right * MM_PER_S),
                bottom_mm=middle - half,
                top_mm=middle + half,
                weight=float(heatmap.weights[row, column]),
            )
        )
    return found


def scale_top(weights: Float[np.ndarray, "L N_time"]) -> float:
    """Where the tint of this heatmap is full: 2, 3, 4, 6, 8, 12, 16 and so on."""
    finite = weights[np.isfinite(weights)]
    greatest = max(2.0, float(finite.max())) if finite.size else 2.0
    octave = 2.0 ** np.floor(np.log2(greatest))
    return next(float(octave * step) for step in (1, 1.5, 2) if octave * step >= greatest)


def tint_traces(
    heatmap: Heatmap,
    layout: PageLayout,
    *,
    legend_mm: tuple[float, float],
    faint: bool = False,
) -> list[dict[str, object]]:
    """Plotly traces: the tint, the hatch over unseen patches, the bar of the legend.

    `legend_mm` is the right end and the foot of the legend's bar on the paper; `faint` thins the
    colour, and says nothing else.
    """
    shown = cells(heatmap, layout)
    top = scale_top(heatmap.weights)
    unseen = [cell for cell in shown if np.isnan(cell.weight)]
    scale = _scale(top, faint=faint)
    traces = [{**_heat(shown), **scale}, {**_legend_bar(legend_mm, top), **scale}]
    return [*traces, _hatch(unseen)] if unseen else traces


def legend_ticks(heatmap: Heatmap, *, legend_mm: tuple[float, float]) -> list[tuple[float, str]]:
    """Where along the paper the legend's marks stand (mm), and what they say.

    The ends and every doubling between them, or every second or third where they would touch.
    """
    octaves = float(np.log2(scale_top(heatmap.weights)))
    step = int(np.ceil(TICKS_APART_MM * octaves / LEGEND_MM))
    doublings = range(0, int(octaves) + 1, step)
    apart = TICKS_APART_MM / LEGEND_MM * octaves
    left = legend_mm[0] - LEGEND_MM
    return [
        (left + LEGEND_MM * mark / octaves, f"{2.0**mark:g}×")
        for mark in [*(n for n in doublings if n <= octaves - apart), octaves]
    ]


def _heat(shown: list[Cell]) -> dict[str, object]:
    """One Plotly heatmap whose edges are those of every cell on the paper."""
    across = sorted({round(edge, 3) for cell in shown for edge in (cell.left_mm, cell.right_mm)})
    up = sorted({edge for cell in shown for edge in (cell.bottom_mm, cell.top_mm)})
    depth: list[list[float | None]] = [[None] * (len(across) - 1) for _ in up[1:]]
    text = [[""] * (len(across) - 1) for _ in up[1:]]
    for cell in shown:
        row = up.index(cell.bottom_mm)
        first, last = across.index(round(cell.left_mm, 3)), across.index(round(cell.right_mm, 3))
        for column in range(first, last):
            if np.isnan(cell.weight):
                text[row][column] = f"{cell.lead}: {labels.NOT_SEEN}"
                continue
            depth[row][column] = round(float(np.log2(max(cell.weight, 1.0))), 2)
            text[row][column] = labels.patch_line(cell.lead, cell.start_s, cell.end_s, cell.weight)
    return {
        "type": "heatmap",
        "name": "tint",
        "x": across,
        "y": [round(edge * UNITS_PER_MM) for edge in up],
        "z": depth,
        "text": text,
        "hovertemplate": "%{text}<extra></extra>",
    }


def _legend_bar(legend_mm: tuple[float, float], top: float) -> dict[str, object]:
    right, foot = legend_mm
    steps = 32
    return {
        "type": "heatmap",
        "name": "legend",
        "x0": right - LEGEND_MM + LEGEND_MM / steps / 2,
        "dx": LEGEND_MM / steps,
        "y": [round(foot * UNITS_PER_MM), round((foot + 3) * UNITS_PER_MM)],
        "z": [[round(float(np.log2(top)) * (step + 0.5) / steps, 3) for step in range(steps)]],
        "hoverinfo": "skip",
    }


def _scale(top: float, *, faint: bool) -> dict[str, object]:
    return {
        "colorscale": FAINT_SCALE if faint else COLOUR_SCALE,
        "zmin": 0,
        "zmax": float(np.log2(top)),
        "showscale": False,
    }


def _hatch(unseen: list[Cell]) -> dict[str, object]:
    """All unseen patches as one hatched shape; a gap parts them."""
    x: list[float | None] = []
    y: list[float | None] = []
    for cell in unseen:
        low, high = cell.bottom_mm * UNITS_PER_MM, cell.top_mm * UNITS_PER_MM
        x += [cell.left_mm, cell.right_mm, cell.right_mm, cell.left_mm, None]
        y += [low, low, high, high, None]
    return {
        "type": "scatter",
        "name": "unseen",
        "x": x,
        "y": y,
        "mode": "lines",
        "line": {"width": 0},
        "fill": "toself",
        "fillcolor": "rgba(120,125,133,0.10)",
        "fillpattern": {"shape": "/", "size": 7, "solidity": 0.18, "fgcolor": "#6b7280"},
        "hoverinfo": "skip",
        "showlegend": False,
    }
