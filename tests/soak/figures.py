"""What a soak found, as a document and as a table."""

from collections import Counter
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import numpy as np

from tests.benchmarks.timing import Row
from tests.soak.plan import FAULTS, GRACE_S, LAST, SETTLED
from tests.soak.visitors import Try

FLAT = 1.05


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
    memory: list[tuple[float, float]] = field(default_factory=list)
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
    def growth(self) -> float:
        """Memory in the last quiet stretch against the first one of the same process."""
        rest = self.seconds - self.started
        bounds = [[self.started + share * rest for share in pair] for pair in (SETTLED, LAST)]
        held = [[mb for at, mb in self.memory if a <= at <= b and mb] for a, b in bounds]
        return median(held[1]) / median(held[0]) if all(held) else float("nan")


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
        Row(
            "tries that failed: in faults, busy, otherwise",
            f"{len([one for one in wrong if soaked.fault_of(one)])}, "
            f"{len([one for one in wrong if _busy(one)])}, {len(outside)}",
            "0 otherwise",
            not outside,
        ),
        Row("errors without a sentence", f"{len(unforeseen)}", "0", not unforeseen),
        Row("files left right after kill -9 and start", *_none(soaked.left_after_kill)),
        Row("files left when all have gone", *_none(soaked.left_at_end)),
        Row("files left after exit", *_none(soaked.left_after_exit)),
        Row("deaths of the app, the kill aside", f"{len(soaked.died)}", "0", not soaked.died),
        Row(
            "memory at the end, against the time after the start",
            f"{soaked.growth:.3f} times",
            f"within {FLAT:.2f}",
            1 / FLAT <= soaked.growth <= FLAT,
        ),
        Row("seconds of a reading outside faults", f"p50 {usual:.2f}, p95 {slow:.2f}"),
        Row("language model asked", _kinds(soaked.asked)),
        Row("largest recordings under memory pressure", _counted(soaked.largest)),
    ]


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
        "memory_mb": [[round(at, 1), round(mb)] for at, mb in soaked.memory],
        "readings_s": [round(one.ended - one.begun, 2) for one in soaked.tries],
    }
