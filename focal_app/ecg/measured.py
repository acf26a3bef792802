"""The result of measuring a stretch of a recording."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Protocol, runtime_checkable

from focal_app.ecg.early_beats import EarlyBeats
from focal_app.ecg.measurements import Measurements, Waves
from focal_app.ecg.pacing import p_before_spikes_percent

QUANTITIES = (
    *(one.name for one in fields(Measurements)),
    *("p_share_percent", "p_before_spikes_percent", "unrelated_p_per_min", "spikes", "beats"),
    *("early_beats", "early_qrs_ms", "early_wider_ms"),
)
"""What `Measured.value` knows."""
_OF_EARLY = {"early_beats": "count", "early_qrs_ms": "qrs_ms", "early_wider_ms": "wider_ms"}


@runtime_checkable
class Valued(Protocol):
    """Whatever knows measured quantities by their names."""

    def value(self, quantity: str) -> float | None:
        """A quantity of `QUANTITIES`, None where it could not be measured."""
        ...


@dataclass(frozen=True)
class Quantities:
    """Mere values by name, kept of something that was measured before."""

    known: Mapping[str, float]

    def value(self, quantity: str) -> float | None:
        """A quantity, None where nothing is known of it."""
        return self.known.get(quantity)


@dataclass(frozen=True)
class Measured:
    """Measurements and waves of one stretch of a recording.

    `p_share` is the share of beats that a P wave precedes; `spikes_seen` is None where the
    sampling rate is too low to hold a spike. `unrelated_p_per_min` is the rate of P waves that
    stand in no relation to QRS, None where there may be one. `early` is None where no beat could be
    told to come early, or not to.
    """

    measurements: Measurements
    waves: Waves
    p_share: float | None = None
    spikes_seen: bool | None = None
    unrelated_p_per_min: float | None = None
    early: EarlyBeats | None = None

    @property
    def beats(self) -> int:
        """How many were found."""
        return len(self.waves.qrs_s)

    @property
    def p_before_spikes_percent(self) -> float | None:
        """Of the beats with spikes, those with a P wave before them."""
        return p_before_spikes_percent(self.waves)

    def value(self, quantity: str) -> float | None:
        """A quantity by its name: a measurement, or p_share_percent, spikes, beats, and so on."""
        if quantity == "beats":
            return float(self.beats)
        if quantity == "spikes":
            return None if self.spikes_seen is None else float(self.spikes_seen)
        if quantity == "p_share_percent":
            return None if self.p_share is None else 100 * self.p_share
        if quantity in _OF_EARLY:
            return None if self.early is None else getattr(self.early, _OF_EARLY[quantity])
        if quantity in ("p_before_spikes_percent", "unrelated_p_per_min"):
            return getattr(self, quantity)
        return getattr(self.measurements, quantity).value
