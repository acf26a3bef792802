"""The electrical axis of QRS in the frontal plane, from its net area in I and aVF."""

from typing import TypeVar

import numpy as np
from jaxtyping import Float

from focal_app.ecg.measurements import Measurement, half_middle

_SMALLEST_MV_MS = 4.0
"""Where I and aVF are both nearly even, up and down, the axis points nowhere."""
_BEFORE_S = 0.02
_WIDEST_DEGREES = 30.0
Turn = TypeVar("Turn", float, np.ndarray)


def axis_degrees(
    lead_i_mv: Float[np.ndarray, " T"],
    avf_mv: Float[np.ndarray, " T"],
    rate_hz: float,
    qrs_s: Float[np.ndarray, "B 2"],
) -> Measurement:
    """0 points to the left, 90 to the feet; the spread is over beats.

    aVF is an augmented lead: 2/√3 of it are as long as I (Goldberger).
    """
    areas = [_areas(np.stack([lead_i_mv, avf_mv]), rate_hz, *span) for span in qrs_s]
    known = np.array([area for area in areas if np.isfinite(area).all()]).reshape(-1, 2)
    if not len(known) or np.hypot(*np.median(known, axis=0)) < _SMALLEST_MV_MS:
        return Measurement()
    across, down = np.median(known, axis=0) * (1, 2 / np.sqrt(3))
    axis = float(np.degrees(np.arctan2(down, across)))
    own = np.degrees(np.arctan2(2 / np.sqrt(3) * known[:, 1], known[:, 0]))
    spread = half_middle(shorter_way(own - axis))
    return Measurement(axis, spread) if spread <= _WIDEST_DEGREES else Measurement()


def shorter_way(degrees: Turn) -> Turn:
    """A difference of two axes, from -180 to 180: -170 and 175 degrees lie 15 apart."""
    return (degrees + 180) % 360 - 180


def _areas(rows: np.ndarray, rate_hz: float, onset_s: float, offset_s: float) -> np.ndarray:
    """Net areas in mV ms over the level just before the complex; NaN where it is cut."""
    before, first, last = (
        round(at * rate_hz) for at in (onset_s - _BEFORE_S, onset_s, offset_s + 1 / rate_hz)
    )
    if before < 0 or last > rows.shape[1] or first >= last:
        return np.full(2, np.nan)
    level = rows[:, before : max(first, before + 1)].mean(axis=1, keepdims=True)
    return 1000 / rate_hz * (rows[:, first:last] - level).sum(axis=1)
