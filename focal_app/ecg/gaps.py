"""What of a lead is signal: gaps (NaN), stretches that hold still, leads flat or clipped."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

FLAT_MV = 0.01
"""A lead that spans less than this (10 µV, two steps of a usual converter) holds no ECG."""

STILL_S = 1.0
"""Exactly one value for this long is no signal (see `still`)."""


CLIP_PLATEAUS = 3
"""Plateaus at the extreme value of a lead that make it clipped: a lone one may be a slow wave."""


@dataclass(frozen=True)
class Filled:
    """A signal without NaN: `real` is false where a gap was too long to be interpolated.

    `repaired` marks the samples that were interpolated, `lost` those left as unseen in leads
    that hold some signal.
    """

    signal_mv: Float[np.ndarray, "L T"]
    real: Bool[np.ndarray, "L T"]
    repaired: Bool[np.ndarray, "L T"]
    lost: Bool[np.ndarray, "L T"]


def flat_rows(signal_mv: Float[np.ndarray, "L T"]) -> Bool[np.ndarray, " L"]:
    """Which leads never move by more than `FLAT_MV`, or hold no sample at all."""
    if signal_mv.shape[1] == 0:
        return np.ones(signal_mv.shape[0], dtype=bool)
    recorded = np.isfinite(signal_mv)
    high = np.max(signal_mv, axis=1, where=recorded, initial=-np.inf)
    low = np.min(signal_mv, axis=1, where=recorded, initial=np.inf)
    return high - low < FLAT_MV


def clipped_rows(
    signal_mv: Float[np.ndarray, "L T"], sampling_rate_hz: float
) -> Bool[np.ndarray, " L"]:
    """Which leads, gaps bridged, are cut off at one value: plateaus of 12 ms at an extreme far
    from the rest."""
    shortest = max(4, round(0.012 * sampling_rate_hz))
    clipped = np.zeros(len(signal_mv), dtype=bool)
    for row, lead in enumerate(signal_mv - np.median(signal_mv, axis=1, keepdims=True)):
        spread = float(np.ptp(lead))
        for side in (lead, -lead):
            far = float(side.max()) >= 0.4 * spread
            top = side >= side.max() - 0.003 * spread
            clipped[row] |= far and len(runs(top, shortest=shortest)) >= CLIP_PLATEAUS
    return clipped


def runs(mask: Bool[np.ndarray, " T"], *, shortest: int = 1) -> list[tuple[int, int]]:
    """The stretches where `mask` holds, as (first, one past the last) samples."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], mask.astype(np.int8), [0]))))
    stretches = edges.reshape(-1, 2)
    long = stretches[stretches[:, 1] - stretches[:, 0] >= shortest]
    return [(int(first), int(last)) for first, last in long]


def fill_gaps(
    signal_mv: Float[np.ndarray, "L T"], sampling_rate_hz: float, *, maximum_gap_s: float
) -> Filled:
    """Interpolate every gap lead by lead; only gaps up to `maximum_gap_s` count as signal.

    Longer gaps, and gaps at either end, are bridged as well, so that filters meet no step, but
    are not `real`.
    """
    filled = np.array(signal_mv, dtype=np.float64)
    missing = ~np.isfinite(filled)
    real = ~missing
    for row in np.flatnonzero(missing.any(axis=1)):
        if missing[row].all():
            filled[row] = 0.0
            continue
        where = np.arange(filled.shape[1])
        filled[row, missing[row]] = np.interp(
            where[missing[row]], where[real[row]], filled[row, real[row]]
        )
        for first, last in runs(missing[row]):
            inside = first > 0 and last < filled.shape[1]
            short = (last - first) <= maximum_gap_s * sampling_rate_hz
            real[row, first:last] = inside and short
    held = ~missing.all(axis=1, keepdims=True)
    return Filled(filled, real, repaired=missing & real, lost=missing & ~real & held)


def recorded(
    signal_mv: Float[np.ndarray, "L T"], sampling_rate_hz: float, *, still_s: float = STILL_S
) -> Bool[np.ndarray, "L T"]:
    """Which samples are an ECG's: neither missing nor part of a stretch that holds still."""
    return np.isfinite(signal_mv) & ~still(signal_mv, max(2, round(still_s * sampling_rate_hz)))


def interruptions_s(
    signal_mv: Float[np.ndarray, "L T"], sampling_rate_hz: float, *, longest_s: float
) -> Float[np.ndarray, "G 2"]:
    """From when to when less than half of the leads are recorded, for more than `longest_s`.

    In all of 576 real recordings leads hold still at once for less, but for one without a jump
    before or after it, as the line between beats of a simulator stands still too: that is none.
    """
    lost = recorded(signal_mv, sampling_rate_hz, still_s=longest_s).mean(axis=0) < 0.5
    spans = runs(lost, shortest=int(longest_s * sampling_rate_hz) + 1)
    found = [span for span in spans if not _without_jump(signal_mv, *span)]
    return np.array(found).reshape(-1, 2) / sampling_rate_hz


def _without_jump(signal_mv: Float[np.ndarray, "L T"], first: int, last: int) -> bool:
    """Whether most leads go into a stretch and out of it by less than `FLAT_MV`.

    They jump by 0.017 mV at least where 1.6 s of recordings of PTB-XL are replaced by zeros.
    """
    if first == 0 or last == signal_mv.shape[1]:
        return False
    edges = np.abs(signal_mv[:, [first, last]] - signal_mv[:, [first - 1, last - 1]])
    return bool((edges.max(axis=1) < FLAT_MV).mean() > 0.5)


def still(signal_mv: Float[np.ndarray, "L T"], samples: int) -> Bool[np.ndarray, "L T"]:
    """Where a lead repeats exactly one value for at least `samples` in a row.

    Padding, an electrode that fell off and a converter at its rail look like this; a recorded
    ECG, with its noise, does not.
    """
    result = np.zeros(signal_mv.shape, dtype=bool)
    same, shortest = signal_mv[:, 1:] == signal_mv[:, :-1], samples - 1
    # A stretch that is long enough holds so many of every so many samples: most leads hold none.
    every = max(1, shortest // 8)
    held = same[:, ::every]
    for _ in range(1, shortest // every):
        held = held[:, 1:] & held[:, :-1]
    for row in np.flatnonzero(held.any(axis=1)):
        for first, last in runs(same[row], shortest=shortest):
            result[row, first : last + 1] = True
    return result
