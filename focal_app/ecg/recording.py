"""The recording as every other room sees it: `ECG`, its leads by name and where it came from."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

LEADS = ("I", "II", "III", "aVR", "aVL", "aVF", "V1", "V2", "V3", "V4", "V5", "V6")
"""The twelve standard leads, in the order in which the model holds them."""


@dataclass(frozen=True)
class SourceFacts:
    """What a file says about itself, without identity: never a name, an id, a date or a path."""

    format: str
    age_years: int | None = None
    sex: str | None = None
    codes: tuple[str, ...] = ()
    """Diagnostic codes that the file carries (SNOMED CT in challenge headers)."""
    device: str | None = None
    """Maker and model of the cardiograph."""
    filters: tuple[str, ...] = ()
    """What the cardiograph had filtered already, in its words ("0.05-150 Hz", "50 Hz notch")."""
    statements: tuple[str, ...] = ()
    """What the cardiograph's own program said of the ECG, without names and dates."""
    device_values: Mapping[str, float] = field(default_factory=dict, hash=False)
    """What the cardiograph measured, by the fields of `Measurements` ("qrs_ms": 96)."""


@dataclass(frozen=True)
class ECG:
    """A recording: `signal_mv` (L, T) in millivolts, float32, NaN where nothing was recorded.

    `leads` names the rows; `notes` says, in sentences for a user, what reading had to repair
    or leave out.
    """

    signal_mv: Float[np.ndarray, "L T"]
    leads: tuple[str, ...]
    sampling_rate_hz: float
    source: SourceFacts
    notes: tuple[str, ...] = field(default=())

    @property
    def duration_s(self) -> float:
        """Length of the recording in seconds."""
        return self.signal_mv.shape[1] / self.sampling_rate_hz
