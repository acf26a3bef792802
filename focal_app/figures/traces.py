"""A strip of signal as few numbers as the eye needs, and as the path of an SVG."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from focal_app.ecg.complete import CompleteECG
from focal_app.ecg.gaps import runs
from focal_app.figures.layout import PAGE_S, Strip

UNITS_PER_MM = 50
"""Paths count in fiftieths of a millimetre: 2 microvolts at 10 mm/mV."""
ENOUGH_HZ = 300.0
"""At 4 px/mm a second is 100 px wide: more samples than three a pixel cannot be seen."""


@dataclass(frozen=True)
class Trace:
    """What is drawn of one strip: `value_mv` (n,) about its zero line, NaN in gaps.

    Sample i stands at `first_s + i * step_s` of the window. `elsewhere`: whether the lead is
    recorded in other seconds of the window.
    """

    strip: Strip
    value_mv: Float[np.ndarray, " n"]
    first_s: float
    step_s: float
    elsewhere: bool = False

    @property
    def empty(self) -> bool:
        """Whether nothing at all was recorded here."""
        return not bool(np.isfinite(self.value_mv).any())

    @property
    def second(self) -> Float[np.ndarray, " n"]:
        """When each sample was, in seconds of the window."""
        return self.first_s + self.step_s * np.arange(len(self.value_mv))


def draw(ecg: CompleteECG, strip: Strip, *, start_s: float) -> Trace:
    """Cuts a strip out of the window that begins at `start_s`, thins it and centres it."""
    if strip.lead not in ecg.leads:
        return Trace(strip, np.full(1, np.nan), strip.start_s, 1.0)
    rate = ecg.sampling_rate_hz
    lead = ecg.signal_mv[ecg.leads.index(strip.lead)]
    window = lead[_index(start_s, rate) : _index(start_s + PAGE_S, rate)]
    part = window[_index(strip.start_s, rate) : _index(strip.end_s, rate)] - _centre(window)
    thin = thinned(-part if strip.inverted else part, every=_bucket(rate))
    step_s = (_bucket(rate) // 2 or 1) / rate
    elsewhere = bool(np.isfinite(window).any())
    return Trace(strip, thin, strip.start_s + (step_s - 1 / rate) / 2, step_s, elsewhere)


def thinned(values: Float[np.ndarray, " n"], *, every: int) -> Float[np.ndarray, " m"]:
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


def path(height_mm: Float[np.ndarray, " n"]) -> str:
    """A line through heights (up is positive), one unit across from each to the next.

    Heights become whole `UNITS_PER_MM`; only the first of a run is absolute, and a gap (NaN)
    breaks the line.
    """
    here = np.isfinite(height_mm)
    units = np.rint(-UNITS_PER_MM * np.where(here, height_mm, 0.0)).astype(int)
    return "".join(
        f"M{first} {units[first]}l{_steps(units[first:last])}" for first, last in runs(here)
    )


def _steps(units: np.ndarray) -> str:
    """Steps of one unit across: `1 12 1-3`; a level run is one longer step."""
    moves = np.diff(units).tolist() or [0]
    pieces: list[str] = []
    level = 0
    for move in [*moves, None]:
        if move == 0:
            level += 1
            continue
        if level:
            pieces.append(f"{level} 0")
            level = 0
        if move is not None:
            pieces.append(f"1{move}" if move < 0 else f"1 {move}")
    return " ".join(pieces)


def _index(seconds: float, rate: float) -> int:
    return round(seconds * rate)


def _bucket(rate: float) -> int:
    """Samples that two drawn points stand for; 1 where the recording is coarse enough as it is."""
    return 1 if rate <= ENOUGH_HZ else 2 * int(np.ceil(rate / ENOUGH_HZ))


def _centre(window: Float[np.ndarray, " n"]) -> float:
    finite = window[np.isfinite(window)]
    return float(np.median(finite)) if finite.size else 0.0
