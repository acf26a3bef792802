"""A whole long recording as one narrow strip: the envelope of one lead."""

import numpy as np
from jaxtyping import Float

from focal_app.ecg.complete import CompleteECG
from focal_app.figures.traces import path

COLUMNS, HALF = 800, 20.0
LEAD = "II"


def overview_svg(ecg: CompleteECG) -> str:
    """Least and greatest of lead II, or of the first lead there is, in each of `COLUMNS`."""
    lead = LEAD if LEAD in ecg.leads else ecg.leads[0]
    low, high = _envelope(ecg.signal_mv[ecg.leads.index(lead)].astype(float))
    line = np.empty(2 * len(low))
    line[0::2], line[1::2] = low, high
    height_mm = np.clip(line / max(1.1 * _usual_peak(line), 0.1), -1.0, 1.0) * HALF / 50
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" class="whole" aria-hidden="true" '
        f'viewBox="0 {-HALF:g} {len(line):g} {2 * HALF:g}" preserveAspectRatio="none">'
        f'<path d="{path(height_mm)}" fill="none" stroke="#14181f" stroke-width="1" '
        'vector-effect="non-scaling-stroke"/></svg>'
    )


def _usual_peak(line: Float[np.ndarray, " n"]) -> float:
    """The height that the tallest wave of most tenths keeps to: no artefact makes beats small."""
    tenths = np.array_split(np.nan_to_num(np.abs(line)), 10)
    return float(np.percentile([part.max(initial=0.0) for part in tenths], 75))


def _envelope(
    signal: Float[np.ndarray, " n"],
) -> tuple[Float[np.ndarray, " columns"], Float[np.ndarray, " columns"]]:
    """Least and greatest about the median, in columns of equal length."""
    finite = signal[np.isfinite(signal)]
    centred = signal - (np.median(finite) if finite.size else 0.0)
    edges = np.linspace(0, len(centred), COLUMNS + 1).astype(int)[:-1]
    edges = np.unique(np.minimum(edges, len(centred) - 1))
    low = np.fmin.reduceat(centred, edges)
    return low, np.fmax.reduceat(centred, edges)
