"""What no surface ECG can be: refused on reading, before anything is drawn or scored."""

import math

import numpy as np
from jaxtyping import Float

from focal_app.ecg.gaps import FLAT_MV, flat_rows
from focal_app.ecg.recording import ECG
from focal_app.errors import RecordingError

LARGEST_SPREAD_MV = 50.0
"""Above every surface ECG (a few mV) and below any ECG whose µV were taken for mV (100 up)."""


SHORTEST_S = 1.0
"""Less holds no whole beat, and nothing can be said of it."""


_IMPOSSIBLE_MV = 1e6


def possible_mv(signal_mv: Float[np.ndarray, "*any"]) -> Float[np.ndarray, "*any"]:
    """The same with NaN for numbers that no converter gives, such as infinity."""
    return np.where(np.abs(signal_mv) < _IMPOSSIBLE_MV, signal_mv, np.nan)


def check_plausible(ecg: ECG, *, told_unit: str | None = None) -> None:
    """Refuse a recording without any signal, too short a one, and one whose unit must be wrong.

    `told_unit` is that of numbers whose file has no header that could be wrong.
    """
    if ecg.duration_s < SHORTEST_S:
        leads = "1 lead" if len(ecg.leads) == 1 else f"{len(ecg.leads)} leads"
        found_s = math.floor(1000 * ecg.duration_s + 1e-6) / 1000
        raise RecordingError(
            f"found {found_s:g} s of {leads}; at least {SHORTEST_S:g} s is needed, 10 s of 12 "
            "leads are best. Export a longer part of the recording."
        )
    seen = np.isfinite(ecg.signal_mv).any(axis=1)
    if not seen.any():
        raise RecordingError(
            "found a recording without one valid sample (all NaN or marked as missing); "
            "a recorded signal is needed. Export it again from the device."
        )
    moving = ecg.signal_mv[~flat_rows(ecg.signal_mv)]
    if moving.size == 0:
        check = f"whether one step is 1 {told_unit}" if told_unit else "gain and unit in the header"
        raise RecordingError(
            f"found {len(ecg.leads)} leads, all of them flat (below {FLAT_MV:g} mV); a recorded "
            f"signal is needed. Check the electrodes, and {check}."
        )
    if np.median(np.nanmax(moving, axis=1) - np.nanmin(moving, axis=1)) <= LARGEST_SPREAD_MV:
        return  # as nearly all do; what follows takes a quarter of the time of reading
    low, high = np.nanpercentile(moving, [1, 99], axis=1)
    spread = float(np.median(high - low))
    if spread > LARGEST_SPREAD_MV:
        mend = (
            f"One step of the numbers is probably less than 1 {told_unit}, as was told: tell a "
            "smaller unit, or convert them to mV."
            if told_unit
            else "The file probably holds microvolts and calls them millivolts: correct gain or "
            "unit in its header (for example 1000/mV instead of 1/mV)."
        )
        raise RecordingError(f"found waves of {spread:,.0f} mV; an ECG spans a few mV. {mend}")
