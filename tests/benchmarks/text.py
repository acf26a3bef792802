"""Time of everything that reads texts, on texts made to take long: no more than their length.

python -m tests.benchmarks text
"""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress

from focal_app.errors import FocalError
from tests.benchmarks.timing import Row
from tests.hostile import HOSTILE, READERS, hostile

SHORT, MIDDLE, LONG = LENGTHS = (1_000, 4_000, 10_000)
MOST_GROWTH = 2.0
"""Time a character at 10,000 characters against 1,000: 10 would be the square of the length."""
COUNTS_MS = 2.0
"""What takes less at 10,000 characters is noise, and holds nobody up."""


def rows() -> Iterator[Row]:
    """For each reader the slowest text, and the one whose time a character grows most."""
    for name, read in READERS.items():
        times = {how: [_best_ms(read, hostile(how, n)) for n in LENGTHS] for how in HOSTILE}
        slowest = max(times, key=lambda how: times[how][-1])
        said = " / ".join(f"{ms:.1f}" for ms in times[slowest])
        yield Row(f"Reading {name}: 1,000 / 4,000 / 10,000 characters of {slowest}", f"{said} ms")
        growth = {how: _growth(ms) for how, ms in times.items() if ms[-1] >= COUNTS_MS}
        if growth:
            worst = max(growth, key=lambda how: growth[how])
            yield Row(
                f"... time a character, 10,000 against 1,000, of {worst}",
                f"{growth[worst]:.2f}",
                f"{MOST_GROWTH:g}",
                growth[worst] <= MOST_GROWTH,
            )


def _growth(ms: list[float]) -> float:
    return (ms[-1] / LONG) / (ms[0] / SHORT)


def _best_ms(read: Callable[[str], object], text: str, *, rounds: int = 2) -> float:
    """The shortest of a few times that the process itself took; the first round fills caches."""
    found = []
    for _ in range(rounds):
        start = time.process_time()
        with suppress(FocalError):
            read(text)
        found.append(1e3 * (time.process_time() - start))
    return min(found)
