"""Statements that a measurement defines: AUC of the model alone, and as they are told.

    python -m tests.benchmarks.defined --real DIR

Of recordings under DIR (`ptb-xl`, `ludb`, `challenge`) those labels count which two have and two
lack; drawn ECGs are of random patients, whose every statement is known.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from focal_app.ecg.recording import ECG
from focal_app.errors import FocalError
from focal_app.explore.reading.explorer import Explorer
from tests.benchmarks.options import real_and_drawn, run
from train.benchmark.metrics import auc
from train.data.source import Source
from train.fit.combination import BY_DEFINITION
from train.runs.embedded import real_sources
from train.simulate import simulate

FIRST_SEED, FEWEST = 40_000, 2
NAMES = tuple(BY_DEFINITION)


@dataclass(frozen=True)
class Looked:
    """Which of `NAMES` a recording has, and their probabilities, the model's own and as told."""

    has: tuple[bool, ...]
    own: tuple[float, ...]
    told: tuple[float, ...]


def looked(explorer: Explorer, ecg: ECG, tags: Iterable[str]) -> Looked | None:
    """A recording as it is read; None where it cannot be."""
    try:
        found = explorer.read(ecg, NAMES).findings
    except FocalError:
        return None
    if not found:
        return None
    known = frozenset(tags)
    return Looked(
        tuple(name in known for name in NAMES),
        tuple(one.own_probability for one in found),
        tuple(one.probability for one in found),
    )


def recorded(explorer: Explorer, sources: Iterable[Source]) -> Iterator[Looked]:
    """Every real recording that can be read."""
    for source in sources:
        for study in source.studies(Counter()):
            try:
                found = study.read(Counter())
            except FocalError:
                continue
            if found and (one := looked(explorer, found.ecg, found.tags)):
                yield one


def drawn(explorer: Explorer, count: int) -> Iterator[Looked]:
    """So many random patients."""
    for number in range(count):
        made = simulate(seed=FIRST_SEED + number)
        if one := looked(explorer, made.ecg, made.tags):
            yield one


def table(found: Sequence[Looked]) -> str:
    """A line a statement that enough recordings have and lack."""
    lines = ["| statement | with it | model alone | as told |", "|---|---|---|---|"]
    for column, name in enumerate(NAMES):
        truth = np.array([one.has[column] for one in found])
        if FEWEST <= truth.sum() <= len(truth) - FEWEST:
            own, told = (
                auc(truth, np.array([getattr(one, way)[column] for one in found]))
                for way in ("own", "told")
            )
            lines.append(f"| {name} | {truth.sum()} of {len(truth)} | {own:.3f} | {told:.3f} |")
    return "\n".join(lines)


def main() -> None:
    """Both tables."""
    options = real_and_drawn("defined", __doc__, drawn=200)
    explorer = Explorer.load()
    real = list(recorded(explorer, real_sources(options.real)))
    print("Real recordings\n\n" + table(real), flush=True)
    print("\nDrawn ECGs\n\n" + table(list(drawn(explorer, options.drawn))))


if __name__ == "__main__":
    run(main)
