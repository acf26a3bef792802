"""What is measured on a recording: rate, intervals and axis, and the waves that they come from.

Nothing here is read by the model: measurements stand beside its findings, and may contradict them.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float


@dataclass(frozen=True)
class Measurement:
    """One value, in the unit of its name; None where there is nothing to measure or leads disagree.

    `spread` is half the range that holds the middle half of the leads' (or beats') own values.
    `device` is the cardiograph's own value, where the file has one.
    """

    value: float | None = None
    spread: float | None = None
    device: float | None = None


def half_middle(values: np.ndarray) -> float:
    """Half the range that holds the middle half."""
    low, high = np.percentile(values, [25, 75])
    return float(high - low) / 2


@dataclass(frozen=True, kw_only=True)
class Measurements:
    """The first line of a printout, then amplitudes (`focal_app.ecg.amplitudes`).

    `rr_variation_percent` is the spread of RR over its mean.
    """

    rate_per_min: Measurement = Measurement()
    rr_variation_percent: Measurement = Measurement()
    pr_ms: Measurement = Measurement()
    qrs_ms: Measurement = Measurement()
    qt_ms: Measurement = Measurement()
    qtc_bazett_ms: Measurement = Measurement()
    qtc_fridericia_ms: Measurement = Measurement()
    axis_degrees: Measurement = Measurement()
    lowest_st_mv: Measurement = Measurement()
    lateral_t_mv: Measurement = Measurement()
    lowest_t_percent: Measurement = Measurement()
    sokolow_lyon_mv: Measurement = Measurement()
    cornell_mv: Measurement = Measurement()
    limb_qrs_mv: Measurement = Measurement()
    anterior_r_mv: Measurement = Measurement()
    inferior_q_percent: Measurement = Measurement()
    inferior_qs_percent: Measurement = Measurement()
    anterior_q_ms: Measurement = Measurement()
    v6_s_mv: Measurement = Measurement()
    v1_late_r_mv: Measurement = Measurement()


@dataclass(frozen=True)
class Waves:
    """The waves of every beat, medians over leads, in seconds from the start of the recording.

    Rows of `p_s`, `qrs_s` and `t_s` (B, 2) are onset and offset of one beat, NaN where the beat has
    no such wave; `spikes_s` (S,) are the spikes of a pacemaker.
    """

    p_s: Float[np.ndarray, "B 2"]
    qrs_s: Float[np.ndarray, "B 2"]
    t_s: Float[np.ndarray, "B 2"]
    spikes_s: Float[np.ndarray, " S"]
