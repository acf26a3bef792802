"""What changed between two readings, and what is as before.

A measurement changed where it moved by more than both spreads together, and by more than the
measuring itself can be off. A finding is new where it was improbable and became likely, clearly.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from focal_app.ecg.axis import shorter_way
from focal_app.ecg.measurement_names import Name, named
from focal_app.ecg.measurements import Measurement, Measurements
from focal_app.explore.reading.reading import Finding, Reading

Verdict = Literal[
    "new",
    "gone",
    "higher",
    "lower",
    "more to the right",
    "more to the left",
    "as before",
    "not measured",
]

CLEARLY = 0.2
"""By so much its probability has to move; less is as before, on whichever side it lies."""
OFF_BY = {
    "rate_per_min": 3.0,
    "rr_variation_percent": 5.0,
    "pr_ms": 12.0,
    "qrs_ms": 12.0,
    "qt_ms": 20.0,
    "qtc_bazett_ms": 20.0,
    "qtc_fridericia_ms": 20.0,
    "axis_degrees": 15.0,
    "lowest_st_mv": 0.06,
    "lateral_t_mv": 0.1,
    "lowest_t_percent": 10.0,
    "sokolow_lyon_mv": 0.6,
    "cornell_mv": 0.5,
    "limb_qrs_mv": 0.3,
    "anterior_r_mv": 0.2,
    "inferior_q_percent": 20.0,
    "inferior_qs_percent": 20.0,
    "anterior_q_ms": 12.0,
    "v6_s_mv": 0.2,
    "v1_late_r_mv": 0.1,
}
"""How far a value may be off by the measuring alone, in nine recordings of ten or more."""


@dataclass(frozen=True)
class Change:
    """One measurement, then and now; `by` is how much it grew, None where one is missing."""

    field: str
    name: Name
    earlier: Measurement
    later: Measurement
    by: float | None
    verdict: Verdict


@dataclass(frozen=True)
class FindingChange:
    """One finding, then and now."""

    earlier: Finding
    later: Finding
    verdict: Verdict

    @property
    def prompt(self) -> str:
        """What was asked of both."""
        return self.later.prompt

    @property
    def by(self) -> float:
        """How much its probability grew."""
        return self.later.probability - self.earlier.probability

    @property
    def likely(self) -> bool:
        """Whether it was or is there."""
        return self.earlier.likely or self.later.likely


def measured_changes(earlier: Measurements, later: Measurements) -> Iterator[Change]:
    """Every measurement of a printout, whether it changed or not."""
    for then, now in zip(named(earlier), named(later), strict=True):
        by = _growth(then.field, then.measurement, now.measurement)
        verdict = _verdict(then.field, then.measurement, now.measurement, by)
        pair = (then.measurement, now.measurement)
        yield Change(then.field, then.name, *pair, by=by, verdict=verdict)


def finding_changes(earlier: Reading, later: Reading) -> list[FindingChange]:
    """The findings that both were asked for: new and gone ones first, then the likely ones."""
    before = {finding.prompt: finding for finding in earlier.findings}
    found = [
        FindingChange(before[now.prompt], now, _found(before[now.prompt], now))
        for now in later.findings
        if now.prompt in before
    ]
    order = {"new": 0, "gone": 1}
    return sorted(found, key=lambda one: (order.get(one.verdict, 2), not one.likely, -abs(one.by)))


def _growth(field: str, then: Measurement, now: Measurement) -> float | None:
    """How much a value grew; an axis turns the shorter way, clockwise being growth."""
    if then.value is None or now.value is None:
        return None
    by = now.value - then.value
    return shorter_way(by) if field == "axis_degrees" else by


def _verdict(field: str, then: Measurement, now: Measurement, by: float | None) -> Verdict:
    if by is None:
        return "not measured"
    spreads = (then.spread or 0.0) + (now.spread or 0.0)
    if abs(by) <= max(spreads, OFF_BY[field]):
        return "as before"
    if field == "axis_degrees":
        return "more to the right" if by > 0 else "more to the left"
    return "higher" if by > 0 else "lower"


def _found(then: Finding, now: Finding) -> Verdict:
    crossed = then.likely != now.likely
    if not crossed or abs(now.probability - then.probability) < CLEARLY:
        return "as before"
    return "new" if now.likely else "gone"
