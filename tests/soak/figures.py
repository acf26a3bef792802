"""What a soak found, as a document and as a table."""

from collections import Counter
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import numpy as np
from scipy.stats import theilslopes

from focal_app.ui.server.serve import VISITS
from tests.benchmarks.timing import Row
from tests.soak.plan import FAULTS, GRACE_S
from tests.soak.visitors import Try

FLAT = 0.05
LEAST_STEADY_S = 120.0


@dataclass
class Soaked:
    """Everything that was seen; `hurts` are the stretches in which a reading may fail."""

    seconds: float
    wanted: int
    visitors: int
    answered: int = 0
    tries: list[Try] = field(default_factory=list)
    asked: list[Try] = field(default_factory=list)
    hurts: dict[str, tuple[float, float]] = field(default_factory=dict)
    memory: list[tuple[float, float, float]] = field(default_factory=list)
    started: float = 0.0
    left_after_kill: int = -1
    left_at_end: int = -1
    left_after_exit: int = -1
    died: list[str] = field(default_factory=list)
    largest: list[str] = field(default_factory=list)

    def fault_of(self, one: Try) -> str | None:
        """The fault during which a try went on, if any."""
        for name, (first, last) in self.hurts.items():
            if one.begun <= last + GRACE_S and one.ended >= first:
                return name
        return None

    @property
    def steady(self) -> list[tuple[float, float]]:
        """Memory of all processes by second, outside faults, once the app is as full as it gets.

        It holds the recordings of so many visits: until as many pages were opened, it has to grow.
        """
        opened = sorted(one.ended for one in self.asked if one.begun > self.started)
        full = opened[VISITS - 1] if len(opened) >= VISITS else float("inf")
        hurts = [(first, last + GRACE_S) for first, last in self.hurts.values()]
        return [
            (at, own + readers)
            for at, own, readers in self.memory
            if full <= at <= self.seconds and own and not any(a <= at <= b for a, b in hurts)
        ]

    @property
    def drift(self) -> float | None:
        """By which share memory changes from the first to the last steady second, by its trend.

        The trend is the median slope of all pairs of seconds, which no single peak can tilt.
        """
        if not self.steady or self.steady[-1][0] - self.steady[0][0] < LEAST_STEADY_S:
            return None
        at, held = np.array(self.steady).T
        return float(theilslopes(held, at).slope * np.ptp(at) / median(held))


def rows(soaked: Soaked) -> list[Row]:
    """The table."""
    tries = soaked.tries
    mixed = sum(one.came == "mixed" for one in tries)
    wrong = [one for one in tries if one.came not in ("right", "mixed")]
    outside = [one for one in wrong if not soaked.fault_of(one) and not _busy(one)]
    unforeseen = [one for one in [*wrong, *soaked.asked] if one.unforeseen]
    quiet = [one.ended - one.begun for one in tries if not soaked.fault_of(one)]
    usual, slow = np.percentile(quiet or [np.nan], [50, 95])
    return [
        Row(
            f"readings answered, of {soaked.wanted} by {soaked.visitors} visitors",
            f"{soaked.answered}",
            "all",
            soaked.answered == soaked.wanted,
        ),
        Row("mixed answers", f"{mixed}", "0", mixed == 0),
        Row("tries refused or cut off, and made again", *_refused(soaked, wrong, outside)),
        Row("errors without a sentence", f"{len(unforeseen)}", "0", not unforeseen),
        Row("files left right after kill -9 and start", *_none(soaked.left_after_kill)),
        Row("files left when all have gone", *_none(soaked.left_at_end)),
        Row("files left after exit", *_none(soaked.left_after_exit)),
        Row("deaths of the app, the kill aside", f"{len(soaked.died)}", "0", not soaked.died),
        Row("trend of memory, once as many visits are held as may be", *_memory(soaked)),
        Row("seconds of a reading outside faults", f"p50 {usual:.2f}, p95 {slow:.2f}"),
        Row("language model asked", _kinds(soaked.asked)),
        Row("largest recordings under memory pressure", _counted(soaked.largest)),
    ]


def _refused(soaked: Soaked, wrong: list[Try], outside: list[Try]) -> tuple[str, str, bool]:
    """How many, and in which fault; one that is cut off by the kill has no sentence."""
    during = Counter("busy" if _busy(one) else soaked.fault_of(one) or "no fault" for one in wrong)
    named = ", ".join(f"{times} in {name}" for name, times in during.most_common())
    return f"{len(wrong)}{': ' if named else ''}{named}", "none in no fault", not outside


def _memory(soaked: Soaked) -> tuple[str, str, bool | None]:
    if soaked.drift is None:
        return "not measured: too short a time", f"within {FLAT:.0%}", None
    held = [mb for _, mb in soaked.steady]
    length = (soaked.steady[-1][0] - soaked.steady[0][0]) / 60
    said = f"{soaked.drift:+.1%} in {length:.1f} min, of {median(held):.0f} MB"
    return said, f"within {FLAT:.0%}", abs(soaked.drift) <= FLAT


def _none(left: int) -> tuple[str, str, bool]:
    return f"{left}", "0", left == 0


def _busy(one: Try) -> bool:
    return "in line" in one.came or "busy" in one.came.lower() or "Queue is full" in one.came


def _kinds(tries: list[Try]) -> str:
    return _counted([one.came for one in tries])


def _counted(said: list[str]) -> str:
    return (
        "; ".join(f"{times} x {what[:90]}" for what, times in Counter(said).most_common(4)) or "-"
    )


def document(soaked: Soaked) -> dict[str, Any]:
    """The figures as plain values, for JSON."""
    failed = Counter(
        (soaked.fault_of(one) or "no fault", one.came)
        for one in soaked.tries
        if one.came not in ("right", "mixed")
    )
    return {
        "table": [vars(row) for row in rows(soaked)],
        "seconds": soaked.seconds,
        "failed": [{"during": d, "said": s, "times": n} for (d, s), n in failed.most_common()],
        "language_model": dict(Counter(one.came for one in soaked.asked)),
        "faults": {**soaked.hurts, "planned": [vars(fault) for fault in FAULTS]},
        "largest": soaked.largest,
        "died": soaked.died,
        "drift": soaked.drift,
        "memory_mb": [[round(at, 1), round(own), round(rd)] for at, own, rd in soaked.memory],
        "readings_s": [round(one.ended - one.begun, 2) for one in soaked.tries],
    }
