"""A lead as the delineator takes it: one rate, no baseline, one size; for app and training alike.

settings = DelineationSignal()
rows = settings.prepared(signal_mv, rate_hz)       # (L, S) at settings.sampling_rate_hz
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.signal import butter, sosfiltfilt

from focal_app.ecg.gaps import fill_gaps
from focal_app.ecg.resampling import resampled
from focal_app.errors import ConfigError

_MAXIMUM_GAP_S = 0.2


@dataclass(frozen=True)
class DelineationSignal:
    """How signals are prepared; saved beside the weights that were trained so.

    Each lead is divided by the `size_percentile` of its own size, so that gain does not matter;
    no lead is made larger than one of `smallest_mv` would be.
    """

    sampling_rate_hz: int = 250
    high_pass_hz: float = 0.5
    size_percentile: float = 98.0
    smallest_mv: float = 0.05

    def __post_init__(self) -> None:
        """Refuse numbers that no signal can be prepared with."""
        sane = (
            50 <= self.sampling_rate_hz <= 2000
            and 0 < self.high_pass_hz < 0.25 * self.sampling_rate_hz
            and 0 < self.size_percentile <= 100
            and self.smallest_mv > 0
        )
        if not sane:
            raise ConfigError(
                "found settings of the delineator's signal that no ECG can be prepared with; "
                "use the config.json that was saved with the weights"
            )

    def prepared(
        self, signal_mv: Float[np.ndarray, "L T"], rate_hz: float
    ) -> Float[np.ndarray, "L S"]:
        """Rows without gaps and baseline, of about unit size, in float32."""
        filled = fill_gaps(signal_mv, rate_hz, maximum_gap_s=_MAXIMUM_GAP_S).signal_mv
        rows = resampled(filled, rate_hz, float(self.sampling_rate_hz))
        sos = butter(2, self.high_pass_hz, "highpass", fs=self.sampling_rate_hz, output="sos")
        reach = min(rows.shape[1] - 1, 3 * self.sampling_rate_hz)
        rows = sosfiltfilt(sos, rows, axis=1, padlen=max(0, reach))
        size = np.percentile(np.abs(rows), self.size_percentile, axis=1, keepdims=True)
        return (rows / np.maximum(size, self.smallest_mv)).astype(np.float32)
