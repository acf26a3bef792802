"""Measurements that rivals share: the same process, turn by turn, the best of several."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Row:
    """One line of the table: what was measured, what came out, what was wanted."""

    what: str
    found: str
    aim: str = ""
    met: bool | None = None


def best_ms(
    runs: dict[str, Callable[[], Any]], *, rounds: int = 5, repeats: dict[str, int] | None = None
) -> dict[str, float]:
    """The shortest time of each run, in milliseconds.

    The runs take turns, so that a busy machine is busy for all of them; `repeats` lets a short
    one run more often in its turn.
    """
    times = dict.fromkeys(runs, float("inf"))
    for round_ in range(rounds + 1):
        for name, run in runs.items():
            for _ in range((repeats or {}).get(name, 1)):
                start = time.perf_counter()
                run()
                if round_:  # the first round warms up
                    times[name] = min(times[name], 1e3 * (time.perf_counter() - start))
    return times
