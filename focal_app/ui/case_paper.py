"""A case of the gallery on paper, tinted where it matched."""

import numpy as np
from gradio.components.plot import PlotData
from jaxtyping import Float

from focal_app.ecg.recording import ECG, LEADS
from focal_app.explore.reading import Finding, Reading
from focal_app.figures.layout import THREE_BY_FOUR
from focal_app.figures.paper import PX_PER_MM
from focal_app.ui.parts import paper

PAIRED_PX_PER_MM = 2.5
"""Two sheets beside each other on a desktop; the same scale for both."""


def case_paper(
    ecg: ECG,
    weights: Float[np.ndarray, "L N_time"] | None,
    *,
    start_s: float = 0.0,
    window_s: float = 10.0,
    px_per_mm: float = PX_PER_MM,
) -> PlotData:
    """Ten seconds of an ECG, tinted by `weights` where there are any."""
    reading = finding = None
    if weights is not None and np.isfinite(weights).any():
        edges = start_s + np.linspace(0.0, window_s, weights.shape[1] + 1)
        finding = Finding("", "", 0.0, 0.0, weights)
        reading = Reading(ecg, start_s, LEADS, edges, np.isfinite(weights), (finding,), ())
    return paper(
        ecg,
        layout=THREE_BY_FOUR,
        start_s=start_s,
        reading=reading,
        finding=finding,
        px_per_mm=px_per_mm,
    )
