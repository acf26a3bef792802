"""Which leads show none of the beats that the others show: noise, or an electrode that is loose.

A flat lead is easily told from an ECG, a noisy one is not. But a beat reaches all leads at once,
and noise one of them: what is compared is when each lead moves much and when little.
"""

from functools import lru_cache

import numpy as np
from jaxtyping import Bool, Float
from scipy.ndimage import uniform_filter1d
from scipy.signal import butter, sosfiltfilt

from focal_app.ecg.gaps import fill_gaps, recorded

SHORTEST_S, FEWEST_LEADS = 5.0, 4
"""Two leads are compared over at least so long, and a lead with all others of at least so many."""
LOWEST_AGREEMENT = 0.35
"""The median correlation with the others. Of 6,432 leads of 536 recordings of PTB-XL, LUDB, the
Challenge and CODE-15 none lies below it, the lowest at 0.36 (0.1 mV of QRS under noise) and 0.44;
of leads replaced by white noise, hum, muscle, wander or a random walk all but one of 500 do."""
_BAND_HZ = (5.0, 30.0)
_SMOOTHED_S, _STEP_S, _SHIFTS = 0.1, 0.02, 6
"""Leads may move up to 0.1 s apart: in a ventricular tachycardia they do."""
_SLOW_S = 2.5
"""What is slower is taken off, so that an artefact of seconds does not outweigh all beats."""
_WAVES_HZ, _WAVE_S = (2.0, 15.0), (0.15, 0.5)
LOWEST_RECURRENCE = 0.5
"""Waves that recur so regularly within 0.15 to 0.5 s are flutter or a tachycardia, and no noise,
even where QRS hardly shows."""


def beatless_rows(
    signal_mv: Float[np.ndarray, "L T"], sampling_rate_hz: float, *, flat: Bool[np.ndarray, " L"]
) -> Bool[np.ndarray, " L"]:
    """Which leads, of those that are not flat, move, but not when the others do; none where most do
    not agree with each other, for then nothing says which of them the ECG is in."""
    judged = ~flat
    found = np.zeros(len(signal_mv), dtype=bool)
    if judged.sum() < FEWEST_LEADS or signal_mv.shape[1] < SHORTEST_S * sampling_rate_hz:
        return found
    agreement = _agreement(signal_mv[judged], sampling_rate_hz)
    known = np.isfinite(agreement).sum(axis=1) >= FEWEST_LEADS - 1
    agreement[~known] = 1.0
    low = _medians(agreement) < LOWEST_AGREEMENT
    if not 0 < low.sum() < known.sum() / 2:
        return found
    rows = np.flatnonzero(judged)[low]
    found[rows] = _recurrence(signal_mv[rows], sampling_rate_hz) < LOWEST_RECURRENCE
    return found


def _medians(rows: Float[np.ndarray, "L L"]) -> Float[np.ndarray, " L"]:
    """The median of each row, NaN left out: `np.nanmedian` takes nine times as long for a few."""
    ordered, last = np.sort(rows, axis=1), np.isfinite(rows).sum(axis=1)
    both = [ordered[np.arange(len(rows)), middle] for middle in ((last - 1) // 2, last // 2)]
    return np.mean(both, axis=0)


def _agreement(rows: Float[np.ndarray, "L T"], rate_hz: float) -> Float[np.ndarray, "L L"]:
    """The highest correlation over shifts of how much every two leads move; NaN with itself, and
    where the two are hardly recorded together."""
    here = recorded(rows, rate_hz)
    moves = np.abs(_between(_BAND_HZ, np.where(here, rows, np.nan), rate_hz))
    moves = uniform_filter1d(moves, max(1, round(_SMOOTHED_S * rate_hz)), axis=1)
    every = max(1, round(_STEP_S * rate_hz))
    here = here[:, ::every].astype(float)
    moves = moves[:, ::every].clip(0)
    moves = np.log(moves + np.median(moves, axis=1, keepdims=True) + 1e-9)
    moves -= uniform_filter1d(moves, round(_SLOW_S / _STEP_S), axis=1)
    moves = (moves - np.average(moves, axis=1, weights=here + 1e-9)[:, None]) * here
    best = np.full((len(rows), len(rows)), -1.0)
    for shift in range(_SHIFTS):
        before, after = moves[:, : moves.shape[1] - shift], moves[:, shift:]
        seen, seen_after = here[:, : here.shape[1] - shift], here[:, shift:]
        scale = (before**2 @ seen_after.T) * (seen @ (after**2).T)
        one = before @ after.T / np.sqrt(scale + 1e-12)
        best = np.maximum(best, np.maximum(one, one.T))
    best[here @ here.T < SHORTEST_S * rate_hz / every] = np.nan
    np.fill_diagonal(best, np.nan)
    return best


def _recurrence(rows: Float[np.ndarray, "L T"], rate_hz: float) -> Float[np.ndarray, " L"]:
    """The highest correlation of each lead with itself, `_WAVE_S` later."""
    waves = _between(_WAVES_HZ, rows, rate_hz)
    waves = waves[:, :: max(1, round(_STEP_S * rate_hz))]
    first, last = (round(at / _STEP_S) for at in _WAVE_S)
    own = np.square(waves).sum(axis=1) + 1e-12
    found = [(waves[:, later:] * waves[:, :-later]).sum(1) / own for later in range(first, last)]
    return np.max(found, axis=0)


def _between(
    band_hz: tuple[float, float], rows: Float[np.ndarray, "L T"], rate_hz: float
) -> Float[np.ndarray, "L T"]:
    """What of leads, gaps bridged, lies between two frequencies, in so far as the rate holds it."""
    bridged = fill_gaps(rows, rate_hz, maximum_gap_s=0.0).signal_mv
    return sosfiltfilt(_bandpass(*band_hz, rate_hz), bridged, axis=1)


@lru_cache(maxsize=8)
def _bandpass(low_hz: float, high_hz: float, rate_hz: float) -> np.ndarray:
    band_hz = (low_hz, min(high_hz, 0.45 * rate_hz))
    return np.asarray(butter(2, band_hz, "bandpass", fs=rate_hz, output="sos"))
