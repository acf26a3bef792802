"""Where what is measured lies far from what the cardiograph measured: somebody has to look.

    differences(found)    # ("QRS: 106 ms here, the device gives 135 ms. Look at the strip.",)
    impossible_rate(found)    # None, or why the time axis of the file is not that of a heart

Neither is right by rank. Carts and we differ by 3 to 8 ms in the median; `WIDELY` is beyond what
two careful readers differ by.
"""

import numpy as np

from focal_app.ecg.axis import shorter_way
from focal_app.ecg.measured import Measured
from focal_app.ecg.measurement_names import Named, named
from focal_app.ecg.numerals import numeral

WIDELY = {
    "rate_per_min": 8.0,
    "pr_ms": 25.0,
    "qrs_ms": 20.0,
    "qt_ms": 35.0,
    "qtc_bazett_ms": 40.0,
    "qtc_fridericia_ms": 40.0,
    "axis_degrees": 30.0,
}


def differs(one: Named) -> bool:
    """Whether both values are there and far from each other."""
    value, device = one.measurement.value, one.measurement.device
    if value is None or device is None:
        return False
    apart = device - value
    if one.field == "axis_degrees":
        apart = shorter_way(apart)
    return abs(apart) > WIDELY[one.field]


def differences(found: Measured) -> tuple[str, ...]:
    """A sentence for each measurement that differs widely."""
    return tuple(map(_sentence, filter(differs, named(found.measurements))))


def _sentence(one: Named) -> str:
    return (
        f"{one.name.heading}: {one.value} here, the device gives {one.device}. Look at the strip."
    )


def impossible_rate(found: Measured) -> str | None:
    """Beats too far apart or too close, so that neither a measurement nor the model can tell."""
    rate = found.measurements.rate_per_min
    if rate.value is not None or rate.device is None or found.beats < 2:
        return None
    as_drawn = 60 / float(np.diff(found.waves.qrs_s[:, 0]).mean())
    return (
        f"As the file is written, {numeral(as_drawn)} beats come in a minute, and the device "
        f"gives {numeral(rate.device)}: its sampling rate or its signal is wrong."
    )
