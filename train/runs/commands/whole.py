"""Commands that run several others: the pipeline, comparisons, an experiment."""

import logging
import sys
from functools import partial
from typing import Annotated

from focal_app.errors import ConfigError
from train.runs.ablation_plan import Variants
from train.runs.commands.common import RecipeChoice, Start
from train.runs.commands.training import FineInput
from train.runs.components import Components
from train.runs.experiment_plan import Experiment
from train.runs.pipeline import run_in_turn, run_pipeline
from train.runs.plan import DataOptions, EnrichOptions, Pace, Plan, VerifyOptions, Whole
from train.settings import Prefix


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
    chosen = recipe.load(
        "pipeline",
        lambda one: plan(recipe=one).reads,
        decided=("enrichment.backend",) if enrich.backend else (),
    )
    run_pipeline(plan(recipe=chosen))


def ablation(plan: Variants) -> None:
    """Train a recipe and its variants, each with one choice changed."""
    from train.runs.ablation import check, commands

    if not plan.shards:
        raise ConfigError("found no --shards; an ablation needs the data that its variants share")
    check(plan)
    run_in_turn(commands(plan))


def components(plan: Components) -> None:
    """Train a recipe with other text encoders, and with the features of other language models."""
    from train.runs.components import check, commands

    if not plan.shards:
        raise ConfigError("found no --shards; a comparison needs the data that its runs share")
    check(plan)
    run_in_turn(commands(plan))


def experiment(plan: Experiment) -> None:
    """Does verification pay? Reports that leave out half of the features, and what helps."""
    from train.runs.experiment import commands

    run_in_turn(commands(plan))
