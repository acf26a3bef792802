"""Tasks over the classes of labelled sets: zero-shot, probes, transfer, subgroups."""

import dataclasses
from collections.abc import Iterator
from typing import Annotated

from focal_app.errors import ConfigError
from train.benchmark import pictures, tables
from train.benchmark.results import Result
from train.benchmark.sets import SETS
from train.benchmark.settings import Chosen, Datasets, Encoded, Judged, Reading, Seed
from train.benchmark.task import Asked, Picture, revision, task
from train.settings import Flag

SHARES, METHODS = (0.01, 0.1, 1.0), ("zeroshot", "probe")


@task(
    "zeroshot",
    "AUC and more of one prompt a class, without any training",
    tables=tables.zeroshot,
    pictures=(
        Picture("Zero-shot", pictures.bars, together=True),
        Picture("Calibration", pictures.calibration, together=True),
    ),
)
def zeroshot(
    asked: Asked,
    *,
    sets: Chosen,
    datasets: Datasets = SETS[:1],
    reading: Reading,
    seed: Seed = 0,
) -> Iterator[Result]:
    """Macro AUC and more of every set asked for."""
    from train.benchmark.zeroshot import evaluate

    for name in datasets:
        found = evaluate(asked.model, name, sets, reading, seed=seed)
        config = {**sets.noted(), **reading.noted(), "folds": sets.folds_of(name)}
        yield asked.result("zeroshot", name, found, config, data=revision(sets, name), seed=seed)


@task("probe", "a linear layer over the frozen encoder, and over a random one", tables=tables.probe)
def probe(
    asked: Asked,
    *,
    sets: Encoded,
    datasets: Datasets = SETS[:1],
    shares: Annotated[
        tuple[float, ...], Flag("shares of the training rows (default 0.01 0.1 1)", "X")
    ] = SHARES,
    seed: Seed = 42,
) -> Iterator[Result]:
    """Probes of every set asked for, of the checkpoint's encoder and of a random one."""
    from train.benchmark.probe import probe

    for name in datasets:
        found = [
            dataclasses.asdict(one)
            for encoder in ("checkpoint", "random")
            for one in probe(asked.model, name, sets, shares=shares, encoder=encoder, seed=seed)
        ]
        config = {**sets.noted(), "shares": shares}
        data = revision(sets, name)
        yield asked.result("probe", name, {"probes": found}, config, data=data, seed=seed)


@task(
    "transfer",
    "classes of one set judged on the recordings of another",
    tables=tables.transfer,
)
def transfer(
    asked: Asked,
    *,
    sets: Judged,
    datasets: Datasets = SETS,
    source: Annotated[str, Flag("only from this set", "NAME")] = "",
    methods: Annotated[tuple[str, ...], Flag("zeroshot, probe (default both)", "HOW")] = METHODS,
    seed: Seed = 42,
) -> Iterator[Result]:
    """Every pair that starts at `source` and ends in one of the sets asked for."""
    from train.benchmark.transfer import PAIRS, transfer

    pairs = [pair for pair in PAIRS if pair[1] in datasets and source in ("", pair[0])]
    if not pairs:
        known = ", ".join(f"{one} to {other}" for one, other in PAIRS)
        raise ConfigError(
            f"found no pair from --source {source or 'of any name'} to {', '.join(datasets)}; "
            f"there are {known}"
        )
    for start, target in pairs:
        for method in methods:
            found = transfer(asked.model, start, target, sets, method=method, seed=seed)
            config = {"source": start, "method": method, **sets.noted()}
            data = revision(sets, target)
            yield asked.result("transfer", target, found, config, data=data, seed=seed)


@task("subgroups", "zero-shot figures by sex and age", tables=tables.subgroups)
def subgroups(
    asked: Asked,
    *,
    sets: Chosen,
    datasets: Datasets = SETS[:1],
    reading: Reading,
    seed: Seed = 0,
) -> Iterator[Result]:
    """Zero-shot figures by sex and age of every set asked for."""
    from train.benchmark.prompts import prompts_of
    from train.benchmark.sets import load_set
    from train.benchmark.subgroups import subgroups
    from train.benchmark.zeroshot import choose, scored_by_prompts

    for name in datasets:
        chosen = load_set(name, sets.folder, splits=sets.splits, labels=sets.labels)
        test = choose(asked.model, chosen, sets)
        by, file = reading.classes, reading.prompts
        prompts = prompts_of(name, chosen.classes, by=by, data=sets.folder, file=file)
        scored = scored_by_prompts(asked.model, test, prompts, mode=reading.mode)
        items = [i for i, ok in zip(test.items, test.held.readable, strict=True) if ok]
        found = subgroups(name, chosen.classes, items, scored, seed=seed)
        config = {**sets.noted(), **reading.noted()}
        yield asked.result("subgroups", name, found, config, data=revision(sets, name), seed=seed)
