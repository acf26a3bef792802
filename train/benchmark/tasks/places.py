"""Tasks over places, texts and time: where findings show, retrieval, prompts, cost."""

import dataclasses
from collections.abc import Iterator
from typing import Any

from train.benchmark import pictures, tables
from train.benchmark.results import Result
from train.benchmark.sets import SETS
from train.benchmark.settings import Count, Datasets, Labelled, Rounds, Seed, Simulated, Statements
from train.benchmark.task import Asked, Picture, revision, task
from train.settings import refuse

PTBXL = "ptbxl-super"


@task(
    "localisation",
    "does the heatmap lie where the finding shows?",
    tables=tables.localisation,
)
def localisation(
    asked: Asked, *, statements: Statements, simulated: Simulated = 200, seed: Seed = 0
) -> Iterator[Result]:
    """Places on simulated recordings, and the lift on the territory on PTB-XL where it is there."""
    from train.benchmark.localisation import localise_simulated
    from train.benchmark.ptbxl_statements import reported
    from train.benchmark.territory import territory
    from train.benchmark.unseen import unseen

    if statements.data is None:
        refuse(statements, "without --data", ("folds", "cache"))
    figures: dict[str, Any] = {}
    if simulated:
        drawn = localise_simulated(asked.model, simulated, seed=seed)
        figures["simulated"] = dataclasses.asdict(drawn)
    data = ""
    if statements.data is not None:
        found = unseen(asked.model, reported(statements.data, folds=statements.folds))
        lifted = territory(asked.model, found, cache=statements.cache, seed=seed)
        figures["territory"], data = dataclasses.asdict(lifted), _revision(statements)
    config = {**statements.noted(), "simulated": simulated}
    yield asked.result("localisation", "", figures, config, data=data, seed=seed)


@task("retrieval", "from ECG to text and from text to ECG", tables=tables.retrieval)
def retrieval(asked: Asked, *, statements: Statements, seed: Seed = 0) -> Iterator[Result]:
    """Both directions on PTB-XL."""
    from train.benchmark.ptbxl_statements import reported
    from train.benchmark.retrieval import retrieval
    from train.benchmark.unseen import unseen

    rows = unseen(asked.model, reported(statements.folder, folds=statements.folds))
    found = retrieval(asked.model, rows, cache=statements.cache, seed=seed)
    data, config = _revision(statements), statements.noted()
    yield asked.result("retrieval", "ptb-xl", found, config, data=data, seed=seed)


@task(
    "inference-time",
    "what a reading costs beyond the encoder, and beside MERL's size",
    tables=tables.inference_time,
)
def inference_time(
    asked: Asked,
    *,
    rounds: Rounds = 15,
) -> Iterator[Result]:
    """Relative times of the ways to read."""
    from train.benchmark.inference_time import inference_time

    found = inference_time(asked.model, rounds=rounds)
    yield asked.result("inference-time", "", found, {"rounds": rounds})


@task(
    "similarity-matrix",
    "cosines between the prompts of a set",
    pictures=(Picture("Similarity of prompts", pictures.matrix),),
)
def similarity_matrix(asked: Asked, *, datasets: Datasets = SETS[:1]) -> Iterator[Result]:
    """Cosines between the prompts of every set asked for."""
    from train.benchmark.maps import similarity_matrix

    for name in datasets:
        yield asked.result("similarity-matrix", name, similarity_matrix(asked.model, name), {})


@task(
    "activation-maps",
    "where findings show, as a figure",
    pictures=(Picture("Activation maps", pictures.maps),),
)
def activation_maps(asked: Asked, *, statements: Statements, count: Count = 6) -> Iterator[Result]:
    """Activation maps on PTB-XL."""
    from train.benchmark.maps import activation_maps
    from train.benchmark.ptbxl_statements import reported
    from train.benchmark.unseen import unseen

    rows = unseen(asked.model, reported(statements.folder, folds=statements.folds))
    found = activation_maps(asked.model, rows, count=count, cache=statements.cache)
    config = {**statements.noted(), "count": count}
    yield asked.result("activation-maps", "ptb-xl", found, config, data=_revision(statements))


def _revision(statements: Statements) -> str:
    return revision(Labelled(data=statements.data), PTBXL)
