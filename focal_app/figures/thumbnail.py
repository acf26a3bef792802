"""An ECG as a small picture: the shape of its twelve leads, without paper, names or words.

picture = thumbnail_svg(ecg)       # some 4 kB, for a card in a list
"""

import numpy as np
from jaxtyping import Float

from focal_app.ecg.complete import CompleteECG
from focal_app.ecg.gaps import runs
from focal_app.figures.layout import PAGE_S, THREE_BY_FOUR
from focal_app.figures.traces import Trace, draw, thinned

WIDE, ROW = 200, 24
"""Units of the picture; a row of leads is so tall."""
PER_MV, LIMIT = 8.0, 11.0
"""Units a millivolt, and how far a trace may leave its zero line before it is cut."""
POINTS = 60
"""Of each strip: more could not be seen at the size of a card."""
_STRIPS = tuple(strip for strip in THREE_BY_FOUR.strips if not strip.full)
_ROWS = 1 + max(strip.row for strip in _STRIPS)


def thumbnail_svg(ecg: CompleteECG) -> str:
    """Twelve leads in three rows; hidden from a screen reader, to which it could say nothing."""
    line = "".join(_path(draw(ecg, strip, start_s=0.0)) for strip in _STRIPS)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="thumbnail" aria-hidden="true" '
        f'viewBox="0 0 {WIDE} {_ROWS * ROW}"><path d="{line}" fill="none" stroke="currentColor" '
        'stroke-width="0.8" stroke-linejoin="round"/></svg>'
    )


def _path(trace: Trace) -> str:
    """A strip as a line; gaps are left open."""
    every = 2 * max(1, len(trace.value_mv) // POINTS)
    value = thinned(trace.value_mv, every=every)
    strip = trace.strip
    at = np.linspace(strip.start_s, strip.end_s, len(value), endpoint=False) * WIDE / PAGE_S
    down = (strip.row + 0.5) * ROW - np.clip(PER_MV * value, -LIMIT, LIMIT)
    return "".join(
        _run(at[first:last], down[first:last]) for first, last in runs(np.isfinite(down))
    )


def _run(at: Float[np.ndarray, " n"], down: Float[np.ndarray, " n"]) -> str:
    points = (f"{x:.1f} {y:.1f}" for x, y in zip(at, down, strict=True))
    return f"M{'L'.join(points)}"
