"""One recording as a shard holds it: 10 s at 500 Hz, leads by name, int16, gaps bridged.

Short gaps are interpolated lead by lead and counted; what is longer stays missing, so that
`prepare` masks it. Nothing is filtered or normalised: that belongs to the model's `SignalSpec`.
"""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float, Int16

from focal_app.ecg.gaps import fill_gaps
from focal_app.ecg.leads import ordered_by_name
from focal_app.ecg.preprocess import prepare
from focal_app.ecg.recording import ECG, LEADS
from focal_app.ecg.resampling import resampled
from focal_app.ecg.signal_spec import SignalSpec
from train.data.shards import MISSING

SPEC = SignalSpec(normalisation="millivolt", highpass_hz=None)
"""What is stored; a recording that these settings refuse is of no use to training."""

_LARGEST = 32767
_MARGIN_S = 1.0
"""Signal beyond the last second that is resampled with it, so that the cut lies inside."""


@dataclass(frozen=True)
class Stored:
    """`steps` (12, T) int16 in the order of `LEADS`, `MISSING` where nothing was recorded.

    `missing` leads hold no sample at all. `repaired`, `lost` (in long gaps) and `clipped` count
    samples; `cut` says that the recording was longer than what is stored, `short` shorter.
    """

    steps: Int16[np.ndarray, "12 T"]
    missing: tuple[str, ...]
    repaired: int
    lost: int
    clipped: int
    cut: bool
    short: bool


def store(ecg: ECG, *, microvolts_per_step: float) -> Stored:
    """The first 10 s of a recording; a `RecordingError` where training could not use it."""
    ordered = ordered_by_name(ecg)
    rate = ordered.sampling_rate_hz
    first = ordered.signal_mv[:, : round((SPEC.duration_s + _MARGIN_S) * rate)]
    prepare(replace(ordered, signal_mv=first), SPEC)  # refuses what training would
    gaps = fill_gaps(first, rate, maximum_gap_s=SPEC.maximum_gap_s)
    signal_mv, real = _at_the_stored_rate(gaps.signal_mv, gaps.real, rate)
    exact = np.rint(signal_mv * (1000 / microvolts_per_step))
    steps = np.full((len(LEADS), SPEC.samples), MISSING, dtype=np.int16)
    rows = [LEADS.index(lead) for lead in ordered.leads]
    limited = np.clip(exact, -_LARGEST, _LARGEST).astype(np.int16)
    steps[rows, : exact.shape[1]] = np.where(real, limited, MISSING)
    kept = round(SPEC.duration_s * rate)
    rest = ordered.duration_s - SPEC.duration_s
    return Stored(
        steps=steps,
        missing=tuple(LEADS[row] for row in np.flatnonzero((steps == MISSING).all(axis=1))),
        repaired=int(gaps.repaired[:, :kept].sum()),
        lost=int(gaps.lost[:, :kept].sum()),
        clipped=int((real & (np.abs(exact) > _LARGEST)).sum()),
        cut=rest > 1 / rate,
        short=rest < -1 / rate,
    )


def _at_the_stored_rate(
    signal_mv: Float[np.ndarray, "L S"], real: Bool[np.ndarray, "L S"], rate: float
) -> tuple[Float[np.ndarray, "L T"], Bool[np.ndarray, "L T"]]:
    """Both at 500 Hz and cut to 10 s; a sample is real where the nearest one of the file is."""
    stored = resampled(signal_mv, rate, SPEC.sampling_rate_hz)[:, : SPEC.samples]
    nearest = np.rint(np.arange(stored.shape[1]) * rate / SPEC.sampling_rate_hz).astype(int)
    return stored, real[:, np.minimum(nearest, real.shape[1] - 1)]
