"""A strip of signal as few numbers as the eye needs, in the units of the paper.

The paper counts in hundredths of a millimetre, which at 10 mm/mV are microvolts: a whole trace,
with the height of its row added, fits 16-bit integers.
"""

import base64
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from focal_app.ecg.leads import CompleteECG
from focal_app.figures.layout import MM_PER_S, PageLayout, Strip

UNITS_PER_MM = 100
UNITS_PER_MV = 1000
LIMIT_MV = 3.5
"""A trace that leaves its zero line further than this is cut there, and the page says so."""
ENOUGH_HZ = 300.0
"""At 4 px/mm a second is 100 px wide: more samples than three a pixel cannot be seen."""


@dataclass(frozen=True)
class Trace:
    """What is drawn of one strip: `value_mv` (n,) about its zero line, NaN in gaps.

    Sample i stands at `first_s + i * step_s` of the window. `cut` says that the limit was met.
    """

    strip: Strip
    value_mv: Float[np.ndarray, "n"]
    first_s: float
    step_s: float
    cut: bool

    @property
    def empty(self) -> bool:
        """Whether nothing at all was recorded here."""
        return not bool(np.isfinite(self.value_mv).any())


def draw(ecg: CompleteECG, strip: Strip, *, start_s: float) -> Trace:
    """Cuts a strip out of the window that begins at `start_s`, thins it and centres it."""
    if strip.lead not in ecg.leads:
        return Trace(strip, np.full(1, np.nan), strip.start_s, 1.0, cut=False)
    rate = ecg.sampling_rate_hz
    lead = ecg.signal_mv[ecg.leads.index(strip.lead)]
    window = lead[_index(start_s, rate) : _index(start_s + 10.0, rate)]
    part = window[_index(strip.start_s, rate) : _index(strip.end_s, rate)] - _centre(window)
    cut = bool((np.abs(part[np.isfinite(part)]) > LIMIT_MV).any())
    thin = thinned(np.clip(part, -LIMIT_MV, LIMIT_MV), every=_bucket(rate))
    step_s = (_bucket(rate) // 2 or 1) / rate
    first_s = strip.start_s + (step_s - 1 / rate) / 2
    return Trace(strip, thin, first_s, step_s, cut)


def thinned(values: Float[np.ndarray, "n"], *, every: int) -> Float[np.ndarray, "m"]:
    """The least and the greatest of every `every` samples, in the order in which they came.

    Peaks and pacing spikes keep their height; `every` below 3 changes nothing.
    """
    if every < 3 or len(values) < every:
        return values
    buckets = values[: len(values) // every * every].reshape(-1, every)
    low = np.argmin(np.where(np.isnan(buckets), np.inf, buckets), axis=1)
    high = np.argmax(np.where(np.isnan(buckets), -np.inf, buckets), axis=1)
    rows = np.arange(len(buckets))
    first, last = np.minimum(low, high), np.maximum(low, high)
    return np.stack([buckets[rows, first], buckets[rows, last]], axis=1).reshape(-1)


def plotly_line(trace: Trace, layout: PageLayout) -> dict[str, object]:
    """The trace as a Plotly line, in millimetres across and hundredths of them up."""
    height = layout.baseline_mm(trace.strip.row) * UNITS_PER_MM
    return {
        "type": "scatter",
        "mode": "lines",
        "name": trace.strip.lead,
        "x0": round(trace.first_s * MM_PER_S, 4),
        "dx": round(trace.step_s * MM_PER_S, 6),
        "y": packed(trace.value_mv * UNITS_PER_MV + height),
        "line": {"color": "#14181f", "width": 1.25},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def packed(values: Float[np.ndarray, "n"]) -> dict[str, str]:
    """A typed array as Plotly reads it: 16-bit integers, or 32-bit floats where there are gaps."""
    whole = bool(np.isfinite(values).all())
    data = np.rint(values).astype("<i2") if whole else values.astype("<f4")
    return {"dtype": "i2" if whole else "f4", "bdata": base64.b64encode(data.tobytes()).decode()}


def _index(seconds: float, rate: float) -> int:
    return round(seconds * rate)


def _bucket(rate: float) -> int:
    """Samples that two drawn points stand for; 1 where the recording is coarse enough as it is."""
    return 1 if rate <= ENOUGH_HZ else 2 * int(np.ceil(rate / ENOUGH_HZ))


def _centre(window: Float[np.ndarray, "n"]) -> float:
    finite = window[np.isfinite(window)]
    return float(np.median(finite)) if finite.size else 0.0
