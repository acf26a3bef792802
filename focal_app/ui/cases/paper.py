"""An ECG beside or among cases on paper, tinted where it matched."""

import numpy as np
from gradio.components.plot import PlotData
from jaxtyping import Float

from focal_app.ecg.recording import ECG, LEADS
from focal_app.explore.reading.reading import Finding, Reading
from focal_app.figures.layout import MM_PER_S, THREE_BY_FOUR, PageLayout
from focal_app.figures.outline import Marked
from focal_app.figures.paper import LEFT_MM, PX_PER_MM, WIDTH_MM
from focal_app.figures.tint import cells
from focal_app.ui.gradio_helpers import paper

PAIRED_PX_PER_MM = 2.5
"""Two sheets beside each other on a desktop; the same scale for both."""


def case_paper(
    ecg: ECG,
    weights: Float[np.ndarray, "L N_time"] | None,
    *,
    start_s: float = 0.0,
    window_s: float = 10.0,
    layout: PageLayout = THREE_BY_FOUR,
    marked: Marked | None = None,
    px_per_mm: float = PX_PER_MM,
    faint: bool = False,
    beside: tuple[ECG, float] | None = None,
) -> PlotData:
    """Ten seconds of an ECG, tinted by `weights` where there are any, with a part outlined.

    `faint` thins the tint of what is improbable in it. `beside` is the ECG on the paper beside
    it, and where its window begins.
    """
    reading = finding = None
    if weights is not None and np.isfinite(weights).any():
        reading, finding = _read(ecg, weights, start_s, window_s)
    return paper(
        ecg,
        layout=layout,
        start_s=start_s,
        reading=reading,
        finding=finding,
        marked=marked,
        px_per_mm=px_per_mm,
        faint=faint,
        beside=beside,
    )


def deepest(
    ecg: ECG,
    weights: Float[np.ndarray, "L N_time"] | None,
    *,
    layout: PageLayout = THREE_BY_FOUR,
    window_s: float = 10.0,
) -> float | None:
    """Where across the paper the deepest tint is, 0 to 1, so that a narrow screen can go there."""
    if weights is None or not np.isfinite(weights).any():
        return None
    seen = [cell for cell in cells(*_read(ecg, weights, 0.0, window_s), layout) if cell.weight > 0]
    cell = max(seen, key=lambda cell: cell.weight, default=None)
    return (LEFT_MM + (cell.left_mm + cell.right_mm) / 2) / WIDTH_MM if cell else None


def across(marked: Marked) -> float:
    """Where across the paper the middle of a marked part is, 0 to 1."""
    return (LEFT_MM + MM_PER_S * (marked.start_s + marked.end_s) / 2) / WIDTH_MM


def _read(
    ecg: ECG, weights: Float[np.ndarray, "L N_time"], start_s: float, window_s: float
) -> tuple[Reading, Finding]:
    """Weights as the paper takes them: one finding of a reading.

    A lead that took no part stays plain; hatched is what the model could not see.
    """
    apart = ~np.isfinite(weights).any(axis=1, keepdims=True)
    weights = np.where(apart, 0.0, weights)
    edges = start_s + np.linspace(0.0, window_s, weights.shape[1] + 1)
    finding = Finding("", "", 0.0, 0.0, weights)
    return Reading(ecg, start_s, LEADS, edges, np.isfinite(weights), (finding,), ()), finding
