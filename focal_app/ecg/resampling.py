"""Another sampling rate for rows of samples."""

from fractions import Fraction

import numpy as np
from jaxtyping import Float
from scipy.signal import resample_poly


def resampled(
    signal_mv: Float[np.ndarray, "L T"], rate_hz: float, new_rate_hz: float
) -> Float[np.ndarray, "L S"]:
    """Polyphase resampling; the ratio is rounded to a fraction, an error below 1e-6."""
    ratio = Fraction(new_rate_hz) / Fraction(rate_hz).limit_denominator(1000)
    if ratio == 1:
        return signal_mv
    ratio = ratio.limit_denominator(10_000)
    # The straight line through both ends is taken off first: no step, no ringing at the ends.
    new = resample_poly(signal_mv, ratio.numerator, ratio.denominator, axis=1, padtype="line")
    return np.asarray(new)
