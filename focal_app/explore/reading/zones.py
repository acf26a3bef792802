"""Three zones of a probability: not supported, undecided, supported; what they mean is measured.

zones = read_zones(Path("assets/checkpoint"), model.fingerprint)
zones.of(0.62)                       # "supported"
zones.measured[0].above(0.62)        # Kept(threshold=0.62, true=0.81, false=0.02)

`python -m train verify-zones` chooses the borders on development data, and measures them on other
data, of a checkpoint; both lie in `zones.json` beside its weights. Another checkpoint has borders
of which nothing is known.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from focal_app.model.config import ZONES
from focal_app.untrusted import read_json

LARGEST = 200_000
NOT_SUPPORTED, UNDECIDED, SUPPORTED = "not supported", "undecided", "supported"


@dataclass(frozen=True)
class Kept:
    """Shares of the true and of the false statements that reach a threshold."""

    threshold: float
    true: float
    false: float

    @property
    def precision(self) -> float | None:
        """The share of true ones among those that reach it, were half of all true."""
        kept = self.true + self.false
        return self.true / kept if kept else None

    @property
    def rightly_left_out(self) -> float | None:
        """The share of false ones among those that do not reach it, were half of all false."""
        left_out = 2 - self.true - self.false
        return (1 - self.false) / left_out if left_out else None


@dataclass(frozen=True)
class MeasuredZones:
    """Statements of recordings of which it is known which are true, by the threshold they reach."""

    what: str
    source: str
    recordings: int
    true: int
    false: int
    curve: tuple[Kept, ...]

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """What one entry of the file says; refuses what is no curve."""
        curve = tuple(Kept(*map(float, row)) for row in values["curve"])
        if not curve or [one.threshold for one in curve] != sorted(one.threshold for one in curve):
            raise ValueError("curve")
        recordings, true, false = (int(values[name]) for name in ("recordings", "true", "false"))
        what, source = str(values["what"]), str(values["source"])
        return cls(what, source, recordings, true, false, curve)

    def above(self, threshold: float) -> Kept:
        """What reaches the highest measured threshold that is not above this one."""
        at = bisect_right([one.threshold for one in self.curve], threshold)
        return self.curve[max(at - 1, 0)]


@dataclass(frozen=True)
class Zones:
    """Below `low` a statement is not supported, from `high` on it is supported."""

    low: float = 0.05
    high: float = 0.5
    chosen_on: tuple[MeasuredZones, ...] = ()
    measured: tuple[MeasuredZones, ...] = ()

    def of(self, probability: float) -> str:
        """The zone of a probability."""
        if probability >= self.high:
            return SUPPORTED
        return NOT_SUPPORTED if probability < self.low else UNDECIDED

    def moved(self, high: float | None) -> "Zones":
        """The same with another upper border; the lower one never lies above it."""
        if high is None:
            return self
        return Zones(min(self.low, high), high, self.chosen_on, self.measured)


def read_zones(folder: Path, fingerprint: Callable[[], str]) -> Zones:
    """The zones of a checkpoint's folder; the usual ones where it says nothing that can be read.

    What was measured of another checkpoint than that of the `fingerprint` says nothing of this one.
    """
    try:
        values = read_json(folder / ZONES, most_bytes=LARGEST)
        return _zones(values) if values["checkpoint"] == fingerprint() else Zones()
    except (OSError, ValueError, TypeError, KeyError):
        return Zones()


def _zones(values: Mapping[str, Any]) -> Zones:
    low, high = float(values["low"]), float(values["high"])
    if not 0 < low <= high < 1:
        raise ValueError("borders")
    chosen, measured = (
        tuple(map(MeasuredZones.of, values[name])) for name in ("chosen_on", "measured")
    )
    return Zones(low, high, chosen, measured)
