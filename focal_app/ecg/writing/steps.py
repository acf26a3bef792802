"""A signal as 16-bit steps, the form in which WFDB and DICOM hold it alike."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int16

MISSING = -32768
"""The lowest number of 16 bits, in place of a sample that was not recorded."""
FINEST_UV = 1.0
"""A step where the signal leaves room for it; no cardiograph resolves less."""
_MOST_STEPS = 32767


@dataclass(frozen=True)
class Steps:
    """`values` (L, T), of which one step is `step_uv` microvolts; `MISSING` in gaps."""

    values: Int16[np.ndarray, "L T"]
    step_uv: float


def in_steps(signal_mv: Float[np.ndarray, "L T"]) -> Steps:
    """A signal in steps of 1 µV, or of as few whole microvolts as its tallest sample needs."""
    signal_uv = signal_mv.astype(np.float64) * 1000.0
    tallest = float(np.nanmax(np.abs(signal_uv), initial=0.0))
    step_uv = max(FINEST_UV, float(np.ceil(tallest / _MOST_STEPS)))
    rounded = np.rint(signal_uv / step_uv)
    return Steps(np.where(np.isnan(rounded), MISSING, rounded).astype(np.int16), step_uv)
