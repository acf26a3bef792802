"""A measured statement of a report against what is measured on the ECG: "PR 210 ms", "axis -45".

    held(Value("pr_ms", 210, 210), found)    # Held(measured=198.0, spread=4.0, off=-12.0, ...)

The two may lie as far apart as two readers do, or as the measurement itself varies.
"""

from dataclasses import dataclass, replace

from focal_app.ecg.axis import shorter_way
from focal_app.ecg.measured import Measured
from focal_app.words.numbers import Value
from focal_app.words.statements import ReportTag

READERS_DIFFER = {
    "rate_per_min": 5.0,
    "pr_ms": 20.0,
    "qrs_ms": 15.0,
    "qt_ms": 30.0,
    "qtc_bazett_ms": 30.0,
    "qtc_fridericia_ms": 30.0,
    "axis_degrees": 20.0,
}
"""About what two readers, or two cardiographs, differ by."""
FRIDERICIA = "qtc_fridericia_ms"


@dataclass(frozen=True)
class Held:
    """A stated value beside the measured one, None where nothing could be measured.

    `off` is how far the measured value lies outside the stated one, 0 within its bounds; up to
    `tolerance` it fits. `device` is what the cardiograph itself wrote into the file.
    `turned` says that the value is a bound that the report denies, the other way round.
    """

    value: Value
    measured: float | None = None
    off: float | None = None
    tolerance: float = 0.0
    device: float | None = None
    turned: bool = False


def held_of(tag: ReportTag, value: Value, found: Measured) -> Held:
    """The value of a statement; of a denied bound what is left: "no PR over 200 ms"."""
    other = value.turned if tag.denied else None
    return replace(held(other or value, found, said=tag.text), turned=other is not None)


def held(value: Value, found: Measured, *, said: str = "") -> Held:
    """The value beside its measurement; `said` are the words in which the report states it.

    A "QTc" of no named formula may be either: it is held against Bazett's, and where that does
    not fit and Fridericia's does, against that.
    """
    first = _held(value, found)
    if value.name != "qtc_bazett_ms" or "baz" in said.casefold() or _fits(first):
        return first
    other = _held(Value(FRIDERICIA, value.low, value.high), found)
    return other if _fits(other) else first


def _fits(one: Held) -> bool:
    return one.off is not None and abs(one.off) <= one.tolerance


def _held(value: Value, found: Measured) -> Held:
    if value.name not in READERS_DIFFER:
        return Held(value)
    one = getattr(found.measurements, value.name)
    if one.value is None:
        return Held(value, device=one.device)
    tolerance = max(READERS_DIFFER[value.name], one.spread or 0.0)
    return Held(value, one.value, _off(value, one.value), tolerance, one.device)


def _off(value: Value, measured: float) -> float:
    """How far a measured value lies below (negative) or above the stated bounds."""
    if value.low <= measured <= value.high:
        return 0.0
    below, above = measured - value.low, measured - value.high
    nearest = below if abs(below) < abs(above) else above
    return shorter_way(nearest) if value.name == "axis_degrees" else nearest
