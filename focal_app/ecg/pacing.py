"""Spikes of a pacemaker, in the signal as recorded, before any filter of ours.

Converters and filters of cardiographs leave of a 1 ms impulse a small, narrow peak. A spike is
known by its edge, not by its height: nothing moves before it, it jumps within 4 ms in several
leads at once, and what follows is slower. The upstroke of a QRS gathers speed over 10 ms and more.
"""

import numpy as np
from jaxtyping import Float
from scipy.ndimage import maximum_filter1d

from focal_app.ecg.gaps import fill_gaps
from focal_app.ecg.measurements import Waves

LOWEST_RATE_HZ = 400
"""Below, a spike of 2 ms lies between two samples."""
_JUMP_S = 0.004
_BEFORE_S, _AFTER_S = (0.008, 0.036), (0.008, 0.018)
_TIMES_BEFORE, _TIMES_AFTER = 4.0, 1.7
_SMALLEST_MV = 0.06
_ON_QRS_S = 0.03
_DISTANCES_S = ((-_ON_QRS_S, 0.09), (0.09, 0.35))
_SWING_S = 0.016
_SPIKE_S = (-0.008, 0.024)
"""From before the edge, which filters spread, to the end of what they leave behind."""
_LEAD_S = 0.03
"""A P that begins less before a spike may be its answer, marked early; no AV delay is as short."""
_LEAST_SPIKES = 3
"""Of a pacemaker that is at work there are several in a window; one or two are an artefact."""


def spike_times_s(signal_mv: Float[np.ndarray, "L T"], rate_hz: float) -> Float[np.ndarray, " S"]:
    """When spikes stand, from the first sample on; none at rates that cannot hold one."""
    if rate_hz < LOWEST_RATE_HZ or signal_mv.shape[1] < rate_hz or not len(signal_mv):
        return np.zeros(0)
    filled = fill_gaps(signal_mv, rate_hz, maximum_gap_s=0.2).signal_mv
    step = max(1, round(_JUMP_S * rate_hz / 2))
    jump = np.zeros(filled.shape[1])
    jump[step:-step] = np.abs(filled[:, 2 * step :] - filled[:, : -2 * step]).mean(axis=0)
    before, after = (_highest(jump, [side * s * rate_hz for s in span]) for side, span in _SIDES)
    edge = (jump > _TIMES_BEFORE * before) & (jump > _TIMES_AFTER * after) & (jump > _SMALLEST_MV)
    near = 2 * round(_BEFORE_S[0] * rate_hz) + 1
    edge &= jump == maximum_filter1d(jump, near)
    edge[: round(_BEFORE_S[1] * rate_hz)] = edge[-round(_BEFORE_S[1] * rate_hz) :] = False
    found = np.flatnonzero(edge) / rate_hz
    return found if len(found) >= _LEAST_SPIKES else np.zeros(0)


def without_spikes(
    signal_mv: Float[np.ndarray, "L T"], rate_hz: float, spikes_s: Float[np.ndarray, " S"]
) -> Float[np.ndarray, "L T"]:
    """The signal with a straight line in place of every spike: none is the onset of a QRS."""
    rows = np.array(signal_mv, dtype=np.float64)
    for at_s in spikes_s:
        first, last = (round((at_s + edge) * rate_hz) for edge in _SPIKE_S)
        first, last = max(first, 0), min(last, rows.shape[1] - 1)
        rows[:, first : last + 1] = np.linspace(
            rows[:, first], rows[:, last], last - first + 1, axis=1
        )
    return rows


def paced_beats(
    spikes_s: Float[np.ndarray, " S"], onsets_s: Float[np.ndarray, " B"]
) -> Float[np.ndarray, " K"]:
    """The spikes that keep their distance to the QRS that follows, as a pacemaker's do.

    Those of the ventricle stand right before it, those of the atrium some 200 ms; what stands
    anywhere is an artefact.
    """
    if not len(spikes_s) or not len(onsets_s):
        return np.zeros(0)
    next_s = np.append(onsets_s, np.inf)[np.searchsorted(onsets_s, spikes_s - _ON_QRS_S)]
    before_s = next_s - spikes_s
    kept = np.zeros(len(spikes_s), dtype=bool)
    for low, high in _DISTANCES_S:
        near = (before_s >= low) & (before_s < high)
        if near.any():
            kept |= near & (np.abs(before_s - np.median(before_s[near])) <= _SWING_S)
    return spikes_s[kept] if kept.sum() >= _LEAST_SPIKES else np.zeros(0)


def p_before_spikes_percent(waves: Waves) -> float | None:
    """Of the beats with spikes those that a P wave precedes: the atria lead, and are tracked.

    A P that follows the first spike of its beat is the answer to a stimulus of the atria. None
    without spikes.
    """
    before_s, seen = -np.inf, []
    for (p_s, _), (onset_s, _) in zip(waves.p_s, waves.qrs_s, strict=True):
        first_s = max(before_s, onset_s - _DISTANCES_S[-1][1])
        own = waves.spikes_s[(waves.spikes_s > first_s) & (waves.spikes_s < onset_s + _ON_QRS_S)]
        if len(own):
            seen.append(p_s < own[0] - _LEAD_S)
        before_s = onset_s + _ON_QRS_S
    return 100 * float(np.mean(seen)) if seen else None


_SIDES = ((-1, _BEFORE_S), (1, _AFTER_S))


def _highest(values: np.ndarray, span: list[float]) -> np.ndarray:
    """The highest value between two distances from each sample; 0 beyond the ends."""
    first, last = sorted(round(edge) for edge in span)
    width = 2 * ((last - first) // 2) + 1
    high = maximum_filter1d(values, width, mode="constant")
    shift = first + width // 2
    moved = np.zeros_like(values)
    if shift >= 0:
        moved[: len(values) - shift] = high[shift:]
    else:
        moved[-shift:] = high[:shift]
    return moved
