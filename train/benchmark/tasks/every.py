"""Every task that the data allow, one after the other."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from focal_app.errors import ConfigError
from train.benchmark.results import Result
from train.benchmark.sets import SETS
from train.benchmark.settings import (
    Chosen,
    Count,
    Datasets,
    Encoded,
    Judged,
    Labelled,
    Pair,
    Reading,
    ReadOnce,
    Rounds,
    Simulated,
    Statements,
    Truth,
    Verified,
)
from train.benchmark.task import TASKS, Asked, task
from train.benchmark.tasks.classes import METHODS
from train.checked import Checked

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Sizes(Checked):
    """How much some tasks draw, and how often times are taken."""

    simulated: Simulated = 200
    count: Count = 6
    rounds: Rounds = 15


@dataclass(frozen=True, kw_only=True)
class Verification(Checked):
    """A verification, and what its features are held against."""

    verified: Verified = None
    truth: Truth = None


@task("all", "every task that the data allow, then the tables")
def every(
    asked: Asked,
    *,
    sets: Chosen,
    datasets: Datasets = SETS,
    reading: Reading,
    sizes: Sizes,
    verification: Verification,
    pair: Pair,
) -> Iterator[Result]:
    """What cannot be run is logged with its reason."""
    readings = [reading, replace(reading, classes="statements"), replace(reading, mode="global")]
    for one in readings:
        for name in datasets:
            yield from _possible("zeroshot", asked, sets=sets, datasets=(name,), reading=one)
    encoded, judged = _part(Encoded, sets), _part(Judged, sets)
    for name in datasets:
        yield from _possible("probe", asked, sets=encoded, datasets=(name,))
        yield from _possible("subgroups", asked, sets=sets, datasets=(name,), reading=reading)
        yield from _possible("similarity-matrix", asked, datasets=(name,))
        for method in METHODS:
            given = {"sets": judged, "datasets": (name,), "methods": (method,)}
            yield from _possible("transfer", asked, **given)
    statements = Statements(data=sets.data, cache=sets.cache, folds=sets.folds)
    given = {"statements": statements, "simulated": sizes.simulated}
    yield from _possible("localisation", asked, **given)
    yield from _possible("retrieval", asked, statements=statements)
    yield from _possible("activation-maps", asked, statements=statements, count=sizes.count)
    yield from _possible("inference-time", asked, rounds=sizes.rounds)
    yield from _possible("sensitivity", asked, sets=judged, datasets=datasets, mode=reading.mode)
    if verification.verified or verification.truth:
        given = {"verified": verification.verified, "truth": verification.truth}
        yield from _possible("enrichment-auc", asked, **given)
    for name in datasets if pair.original or pair.enriched else ():
        given = {"pair": pair, "sets": _part(ReadOnce, sets), "datasets": (name,)}
        yield from _possible("transferability", asked, **given)


def _possible(name: str, asked: Asked, **given: Any) -> Iterator[Result]:  # noqa: ANN401
    try:
        yield from TASKS[name].measure(asked, **given)
    except ConfigError as error:
        log.warning("left out: %s %s: %s", name, " ".join(given.get("datasets", ())), error)


def _part(kind: type[Labelled], sets: Chosen) -> Any:  # noqa: ANN401
    """The same sets without the choice that a task has no use for."""
    return kind(**{name: getattr(sets, name) for name in kind.__dataclass_fields__})
