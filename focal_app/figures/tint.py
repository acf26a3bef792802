"""The heatmap of a finding: an edge under each strip and a wash beneath the grid.

The edge carries the scale; the wash is so light that grid and trace stay measurable inside it.
The scale begins at 1, what every patch would have if nothing stood out: what lies below stays
paper. Its top is a round number, at least 2, so that a faint heatmap looks faint.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from focal_app.explore.reading.heatmap import Heatmap
from focal_app.figures.layout import PageLayout, Strip
from focal_app.figures.sheet import Sheet, across

COLOUR = "#00489c"
"""One blue from clear to full: apart for every kind of colour vision, and from the red grid."""
EDGE_MM, EDGE, WASH, FAINT = 2.0, 0.9, 0.2, 0.3
"""The edge's height, how opaque edge and wash are at most, and how much of it where faint."""
LEGEND_MM, LEGEND_STEPS = 40.0, 16
TICKS_APART_MM = 9.0
"""Marks of the legend are no nearer to each other, so that "16×" fits the smallest paper."""


@dataclass(frozen=True)
class Cell:
    """A patch, or the part of it that a strip shows, in seconds of the window."""

    strip: Strip
    start_s: float
    end_s: float
    weight: float


def cells(heatmap: Heatmap, layout: PageLayout) -> list[Cell]:
    """Every patch that the layout shows, cut to its strip; NaN weight where unseen."""
    return [cell for strip in layout.strips for cell in _strip_cells(heatmap, strip)]


def _strip_cells(heatmap: Heatmap, strip: Strip) -> list[Cell]:
    row = heatmap.leads.index(strip.lead)
    edges = np.asarray(heatmap.edges_s, dtype=float) - heatmap.start_s
    left, right = np.maximum(edges[:-1], strip.start_s), np.minimum(edges[1:], strip.end_s)
    return [
        Cell(strip, float(left[at]), float(right[at]), float(heatmap.weights[row, at]))
        for at in np.flatnonzero(right - left > 1e-6)
    ]


def scale_top(weights: Float[np.ndarray, "L N_time"]) -> float:
    """Where the tint of this heatmap is full: 2, 3, 4, 6, 8, 12, 16 and so on."""
    finite = weights[np.isfinite(weights)]
    greatest = max(2.0, float(finite.max())) if finite.size else 2.0
    octave = 2.0 ** np.floor(np.log2(greatest))
    return next(float(octave * step) for step in (1, 1.5, 2) if octave * step >= greatest)


def depth(weight: float, top: float) -> float:
    """How deep a weight is tinted, 0 to 1: by doublings from 1 to the top."""
    return float(np.log2(max(weight, 1.0)) / np.log2(top))


def deepest(heatmap: Heatmap, layout: PageLayout) -> float:
    """Where across the paper the deepest tint is, 0 to 1, so that a narrow screen can go there.

    0 where none of it is on the paper.
    """
    tinted = [cell for cell in cells(heatmap, layout) if cell.weight > 0]  # NaN is not
    cell = max(tinted, key=lambda cell: cell.weight, default=None)
    return across((cell.start_s + cell.end_s) / 2) if cell else 0.0


def tint(heatmap: Heatmap, sheet: Sheet, *, faint: bool = False) -> str:
    """The wash of everything that is tinted, what a pointer is told of it, and the hatch."""
    washed = "".join(
        f'<rect {across} y="{above:g}" height="{below - above:g}" opacity="{WASH * deep:.3f}"/>'
        for across, above, below, deep in _tinted(heatmap, sheet, faint=faint)
    )
    kind, step_s = ("tint faint" if faint else "tint"), np.diff(heatmap.edges_s).mean()
    return (
        f'<g class="{kind}" fill="{COLOUR}" data-step="{step_s:.4g}">'
        f"{_numbers(heatmap)}{washed}</g>{hatch(heatmap, sheet)}"
    )


def edges(heatmap: Heatmap, sheet: Sheet, *, faint: bool = False) -> str:
    """A full band along the foot of each strip; it lies over the grid, where nothing is read."""
    drawn = "".join(
        f'<rect class="edge" {across} y="{below - EDGE_MM:g}" height="{EDGE_MM:g}" '
        f'opacity="{EDGE * deep:.3f}"/>'
        for across, _, below, deep in _tinted(heatmap, sheet, faint=faint)
    )
    return f'<g fill="{COLOUR}">{drawn}</g>'


def _tinted(
    heatmap: Heatmap, sheet: Sheet, *, faint: bool
) -> Iterator[tuple[str, float, float, float]]:
    """Every patch above the average: where across, top and bottom of its strip, how deep."""
    top, thin = scale_top(heatmap.weights), FAINT if faint else 1.0
    for cell in cells(heatmap, sheet.layout):
        deep = depth(cell.weight, top) * thin
        if deep > 0.004:  # what is NaN is hatched
            left, wide = sheet.x_mm(cell.start_s), sheet.x_mm(cell.end_s - cell.start_s)
            yield f'x="{left:g}" width="{wide:.3g}"', *sheet.band(cell.strip), deep


def _numbers(heatmap: Heatmap) -> str:
    """Every weight of every lead, for whoever points at it; a dash where it did not look."""
    return "".join(
        f'<g data-lead="{lead}" data-looked="{_said(row)}"/>'
        for lead, row in zip(heatmap.leads, heatmap.weights, strict=True)
    )


def _said(row: Float[np.ndarray, " N_time"]) -> str:
    return " ".join("-" if np.isnan(weight) else f"{weight:.1f}" for weight in row)


def hatch(heatmap: Heatmap, sheet: Sheet) -> str:
    """Slanted lines wherever the model did not look: no signal, or a lead of noise."""
    masked = [cell for cell in cells(heatmap, sheet.layout) if np.isnan(cell.weight)]
    return "".join(_hatch(cell, sheet) for cell in masked)


def _hatch(cell: Cell, sheet: Sheet) -> str:
    """No pattern but lines, so that it prints everywhere."""
    above, below = sheet.band(cell.strip)
    left, right = sheet.x_mm(cell.start_s), sheet.x_mm(cell.end_s)
    tall, lines = below - above, []
    for foot in np.arange(left - tall, right, 3.0):
        first, last = max(foot, left), min(foot + tall, right)
        if first < last:
            lines.append(
                f"M{first:.2f} {below - (first - foot):.2f}L{last:.2f} {below - (last - foot):.2f}"
            )
    return f'<path class="unseen" d="{"".join(lines)}" stroke="#6b7280" stroke-width="0.15"/>'


def legend(heatmap: Heatmap, *, right_mm: float, at_mm: float, faint: bool = False) -> str:
    """The bar of the scale, of edges as deep as those of the strips."""
    top, wide = scale_top(heatmap.weights), LEGEND_MM / LEGEND_STEPS
    thin = EDGE * (FAINT if faint else 1.0)
    bars = (
        f'<rect x="{right_mm - LEGEND_MM + step * wide:g}" y="{at_mm:g}" width="{wide:g}" '
        f'height="2.5" opacity="{thin * (step + 0.5) / LEGEND_STEPS:.3f}"/>'
        for step in range(LEGEND_STEPS)
    )
    return f'<g class="legend" fill="{COLOUR}" data-top="{top:g}">{"".join(bars)}</g>'


def legend_ticks(heatmap: Heatmap, *, right_mm: float) -> list[tuple[float, str]]:
    """Where along the paper the legend's marks stand (mm), and what they say.

    The ends and every doubling between them, or every second or third where they would touch.
    """
    octaves = float(np.log2(scale_top(heatmap.weights)))
    step = int(np.ceil(TICKS_APART_MM * octaves / LEGEND_MM))
    doublings = range(0, int(octaves) + 1, step)
    apart = TICKS_APART_MM / LEGEND_MM * octaves
    left = right_mm - LEGEND_MM
    return [
        (left + LEGEND_MM * mark / octaves, f"{2.0**mark:g}×")
        for mark in [*(n for n in doublings if n <= octaves - apart), octaves]
    ]
