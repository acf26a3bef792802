"""Tasks that compare: several checkpoints, or one under several settings."""

import dataclasses
from collections.abc import Iterator

from train.benchmark import tables
from train.benchmark.results import Result
from train.benchmark.sets import SETS
from train.benchmark.settings import Datasets, Judged, Mode, Seed, Simulated
from train.benchmark.task import Asked, revision, task


@task(
    "ablation",
    "several checkpoints over every set and transfer pair",
    tables=tables.ablation,
    several=True,
)
def ablation(
    asked: Asked,
    *,
    sets: Judged,
    datasets: Datasets = SETS,
    mode: Mode = "routed",
    simulated: Simulated = 200,
    seed: Seed = 0,
) -> Iterator[Result]:
    """One checkpoint over every set, every transfer pair and simulated recordings."""
    from train.benchmark.comparison import compare

    found = compare(asked.model, datasets, sets, mode=mode, simulated=simulated, seed=seed)
    config = {**sets.noted(), "mode": mode, "datasets": datasets, "simulated": simulated}
    data = revision(sets, *datasets)
    yield asked.result("ablation", "", found, config, data=data, seed=seed)


@task(
    "components",
    "several checkpoints, by LLM or text encoder, over every set",
    tables=tables.components,
    several=True,
)
def components(
    asked: Asked,
    *,
    sets: Judged,
    datasets: Datasets = SETS,
    mode: Mode = "routed",
    seed: Seed = 0,
) -> Iterator[Result]:
    """One checkpoint over every set."""
    from train.benchmark.comparison import compare

    found = compare(asked.model, datasets, sets, mode=mode, with_transfer=False, seed=seed)
    config = {**sets.noted(), "mode": mode, "datasets": datasets}
    data = revision(sets, *datasets)
    yield asked.result("components", "", found, config, data=data, seed=seed)


@task(
    "sensitivity",
    "one checkpoint read with other epsilons and taus",
    tables=tables.sensitivity,
)
def sensitivity(
    asked: Asked,
    *,
    sets: Judged,
    datasets: Datasets = SETS,
    mode: Mode = "routed",
    seed: Seed = 0,
) -> Iterator[Result]:
    """One checkpoint read with other epsilons and taus; its encodings serve for all of them."""
    from train.benchmark.comparison import EPSILONS, TAUS, compare, with_transport

    settings = {f"epsilon {e:g}": {"epsilon": e} for e in EPSILONS}
    settings |= {f"tau {t:g}": {"tau": t} for t in TAUS}
    found = {}
    for name, changed in settings.items():
        model = with_transport(asked.model, **changed)
        one = compare(model, datasets, sets, mode=mode, with_transfer=False, seed=seed)
        found[name] = dataclasses.asdict(one)
    config = {**sets.noted(), "mode": mode, "datasets": datasets}
    data = revision(sets, *datasets)
    yield asked.result("sensitivity", "", {"settings": found}, config, data=data, seed=seed)
