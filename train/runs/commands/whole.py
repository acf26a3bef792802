"""Commands that run several others: the pipeline, comparisons, an experiment."""

import logging
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

from focal_app.errors import ConfigError
from train.checked import Checked, Range
from train.runs.commands.common import RecipeChoice, ShardChoice, Start, Workers
from train.runs.commands.training import FineInput
from train.runs.pipeline import Command, run_in_turn, run_pipeline
from train.runs.plan import (
    ENRICH_PYTHON,
    DataOptions,
    EnrichOptions,
    Pace,
    Plan,
    VerifyOptions,
    Whole,
)
from train.settings import Flag, Prefix


def pipeline(
    recipe: RecipeChoice,
    whole: Whole,
    pace: Pace,
    data: Annotated[DataOptions, Prefix("data")],
    coarse: Annotated[Start, Prefix("coarse")],
    enrich: Annotated[EnrichOptions, Prefix("enrich")],
    verify: Annotated[VerifyOptions, Prefix("verify")],
    fine: Annotated[FineInput, Prefix("fine")],
) -> None:
    """Data, text, coarse, enrich, verify, fine and the Hub's tree, one by one."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stderr)
    asked = {"whole": whole, "pace": pace, "data": data, "coarse": coarse}
    plan = partial(Plan, **asked, enrich=enrich, verify=verify, fine=fine)
    run_pipeline(plan(recipe=recipe.load("pipeline", lambda chosen: plan(recipe=chosen).reads)))


@dataclass(frozen=True, kw_only=True)
class Compared(Checked):
    """Which variants are trained, and where they go."""

    out: Annotated[
        Path,
        Flag(
            "folder of the runs; the same command goes on where it was stopped "
            "(default runs/ablation)",
            "DIR",
        ),
    ] = Path("runs/ablation")
    candidates: Annotated[
        Path | None,
        Flag("what `enrich` wrote for these shards; then fine training is compared too", "DIR"),
    ] = None
    right: Annotated[
        Path | None,
        Flag(
            "features that are known to be true, in a folder as `verify` writes it: the upper "
            "bound that no verification can pass",
            "DIR",
        ),
    ] = None
    seeds: Annotated[
        tuple[int, ...],
        Flag("train every variant once for each of these (default: once, the recipe's)", "N"),
    ] = ()
    text: Annotated[
        Path | None,
        Flag("take the tag encoder of this checkpoint, in place of tuning one a seed", "DIR"),
    ] = None
    only: Annotated[
        tuple[str, ...],
        Flag("these variants of train/runs/ablation.yaml (default: all)", "NAME"),
    ] = ()


def ablation(
    shards: ShardChoice,
    compared: Compared,
    reading: Workers,
    config: Annotated[
        str, Flag("the recipe that the variants change (default focal-small)", "NAME")
    ] = "focal-small",
) -> None:
    """Train a recipe and its variants, each with one choice changed."""
    from train.runs.ablation import Variants, check, commands

    if not shards.shards:
        raise ConfigError("found no --shards; an ablation needs the data that its variants share")
    plan = Variants(
        config=config,
        out=compared.out,
        shards=shards.shards,
        weights=shards.weight,
        candidates=compared.candidates,
        right=compared.right,
        seeds=compared.seeds,
        text=compared.text,
        workers=reading.workers,
        names=compared.only,
    )
    check(plan)
    run_in_turn(map(Command, commands(plan)))


@dataclass(frozen=True, kw_only=True)
class Replacing(Checked):
    """Which text encoders and language models are tried, and where their runs go."""

    encoders: Annotated[
        tuple[str, ...],
        Flag(
            "text encoders, as text.name of a recipe: a coarse training each; its run is named "
            "by the last part of that name",
            "NAME",
        ),
    ] = ()
    models: Annotated[
        tuple[str, ...],
        Flag(
            "language models: an enrichment each, verified by and trained on from the coarse model "
            "of the recipe's text encoder; curated is the lexicon",
            "NAME",
        ),
    ] = ()
    candidates: Annotated[
        Path | None,
        Flag(
            "what `enrich` wrote for these shards; then text encoders verify it and have a fine "
            "training too",
            "DIR",
        ),
    ] = None
    seeds: Annotated[
        tuple[int, ...],
        Flag("train everything once for each of these (default: once, the recipe's)", "N"),
    ] = ()
    enrich_python: Annotated[Path | None, ENRICH_PYTHON] = None
    out: Annotated[
        Path,
        Flag(
            "folder of the runs; the same command goes on where it was stopped, and one with other "
            "names adds to it (default runs/components)",
            "DIR",
        ),
    ] = Path("runs/components")


def components(
    shards: ShardChoice,
    replacing: Replacing,
    reading: Workers,
    enrich: Annotated[EnrichOptions, Prefix("enrich")],
    config: Annotated[
        str, Flag("the recipe whose components are replaced (default focal-small)", "NAME")
    ] = "focal-small",
) -> None:
    """Train a recipe with other text encoders, and with the features of other language models."""
    from train.runs.components import Components, check, commands

    if not shards.shards:
        raise ConfigError("found no --shards; a comparison needs the data that its runs share")
    plan = Components(
        config=config,
        out=replacing.out,
        shards=shards.shards,
        weights=shards.weight,
        seeds=replacing.seeds,
        workers=reading.workers,
        encoders=replacing.encoders,
        models=replacing.models,
        candidates=replacing.candidates,
        enrich=enrich,
        enrich_python=replacing.enrich_python,
    )
    check(plan)
    run_in_turn(commands(plan))


def experiment(
    out: Annotated[
        Path, Flag("folder of the experiment; the same command goes on where it was stopped", "DIR")
    ] = Path("runs/experiment"),
    config: Annotated[
        str, Flag("the recipe that every arm trains (default experiment)", "NAME")
    ] = "experiment",
    text: Annotated[
        Path | None,
        Flag("take the tag encoder of this checkpoint, in place of tuning one a seed", "DIR"),
    ] = None,
    studies: Annotated[
        int, Flag("studies of the archive that is drawn (default 2600)", "N"), Range(4)
    ] = 2600,
    judged: Annotated[
        int, Flag("other simulated ECGs on which arms are judged (default 1000)", "N"), Range(1)
    ] = 1000,
    seeds: Annotated[tuple[int, ...], Flag("of the trainings (default 7 8 9)", "N")] = (7, 8, 9),
) -> None:
    """Does verification pay? Reports that leave out half of the features, and what helps."""
    from train.runs.experiment import Experiment, commands

    plan = Experiment(config, out, studies, judged, seeds, text)
    run_in_turn(map(Command, commands(plan)))
