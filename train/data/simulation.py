"""The simulator as a source of shards: every finding is known, and where it shows.

    build(Simulation(count=10_000, seed=0), Path("runs/NAME/data/simulated"))

Every number draws a patient of its own, so that the key is the subject.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from train.data.fingerprint import fingerprint, simulator_files
from train.data.source import Annotated, Shares, Study
from train.simulate import VOCABULARY, simulate


@dataclass(frozen=True)
class Simulation:
    """`count` recordings, their seeds counted up from `seed` times a million."""

    count: int
    seed: int = 0
    shares: Shares = field(default_factory=Shares)
    name: str = "simulated"
    spoken: frozenset[str] = VOCABULARY
    classes_stated: bool = False

    @property
    def about(self) -> dict[str, Any]:
        """Seed, shares and the simulator itself."""
        drawn_by = fingerprint(files=simulator_files())
        return {"seed": self.seed, "shares": vars(self.shares), "simulator": drawn_by}

    @property
    def total(self) -> int:
        """As many as asked for."""
        return self.count

    def studies(self, counted: Counter[str]) -> Iterator[Study]:
        """One study a number; nothing is left out beforehand."""
        counted["studies listed"] += self.count
        for offset in range(self.count):
            number = self.seed * 1_000_000 + offset
            key = f"simulated-{number}"
            split = self.shares.split_of(self.name, key)
            yield Study(key, key, split, partial(_drawn, number))


def _drawn(number: int, counted: Counter[str]) -> Annotated:
    made = simulate(number)
    return Annotated(made.ecg, made.tags, report="; ".join(made.tags), places=made.places)
