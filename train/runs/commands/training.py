"""Commands that train: coarse, fine, the whole pipeline, and an ablation."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from focal_app.errors import ConfigError
from train.recipe import load_recipe

if TYPE_CHECKING:
    from train.runs.training import Pace, Reports


def add(commands: argparse._SubParsersAction) -> None:
    """Add `coarse`, `fine`, `pipeline` and `ablation`."""
    coarse = commands.add_parser("coarse", help="train on the tags and places of shards")
    coarse.add_argument(
        "--start",
        metavar="DIR_OR_REPO",
        help="go on from this checkpoint, with its sizes and settings, in place of a new model",
    )
    fine = commands.add_parser("fine", help="go on from the coarse model with verified features")
    fine.add_argument(
        "--verified",
        type=Path,
        nargs="*",
        metavar="DIR",
        help="what `verify` wrote; none: train on with the reports as they are, as a control "
        "(default: OUT/verified)",
    )
    fine.add_argument(
        "--start",
        metavar="DIR_OR_REPO",
        help="go on from this checkpoint (default: OUT/coarse/model)",
    )
    for command in (coarse, fine):
        _add_common(command)
        _add_shards(command)
    coarse.set_defaults(command=_coarse)
    fine.set_defaults(command=_fine)
    pipeline = commands.add_parser(
        "pipeline", help="data, coarse, enrich, verify, fine and the Hub's tree, one by one"
    )
    _add_common(pipeline)
    _add_pipeline(pipeline)
    pipeline.set_defaults(command=_pipeline)
    ablation = commands.add_parser(
        "ablation", help="train a recipe and its variants, each with one choice changed"
    )
    _add_ablation(ablation)
    ablation.set_defaults(command=_ablation)


def _add_common(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--config",
        default="embedded",
        metavar="NAME",
        help="a recipe: paper, focal, embedded, or a YAML file (default embedded)",
    )
    command.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="folder of the run; the same command goes on where it was stopped (default runs/NAME)",
    )
    command.add_argument(
        "--workers",
        type=int,
        default=0,
        metavar="N",
        help="processes that read recordings ahead of the training; the result does not depend on "
        "it (default 0: none)",
    )
    command.add_argument(
        "--save-every",
        type=int,
        default=250,
        metavar="STEPS",
        help="how often the run is saved; a stopped run repeats at most so many steps "
        "(default 250)",
    )
    _add_weight(command)


def _add_weight(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--weight",
        action="append",
        default=[],
        metavar="SOURCE=SHARE",
        help="share of the draws of a source, 0 to 1, may be repeated; sources without one share "
        "the rest by their sizes",
    )


def _add_shards(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--shards",
        type=Path,
        nargs="+",
        default=[],
        metavar="DIR",
        help="folders that `data` made; their reports are what is trained on",
    )


def _add_ablation(ablation: argparse.ArgumentParser) -> None:
    ablation.add_argument(
        "--config",
        default="focal-small",
        metavar="NAME",
        help="the recipe that the variants change (default focal-small)",
    )
    ablation.add_argument(
        "--out",
        type=Path,
        default=Path("runs/ablation"),
        metavar="DIR",
        help="folder of the runs; the same command goes on where it was stopped "
        "(default runs/ablation)",
    )
    _add_shards(ablation)
    _add_weight(ablation)
    ablation.add_argument(
        "--candidates",
        type=Path,
        metavar="DIR",
        help="what `enrich` wrote for these shards; then fine training is compared too",
    )
    ablation.add_argument(
        "--only",
        nargs="+",
        default=[],
        metavar="NAME",
        help="these variants of train/runs/ablation.yaml (default: all)",
    )


def _add_pipeline(pipeline: argparse.ArgumentParser) -> None:
    pipeline.add_argument(
        "--source",
        action="append",
        required=True,
        metavar="NAME=DIR",
        help="a data set and its folder, may be repeated; simulated=COUNT draws recordings",
    )
    pipeline.add_argument(
        "--processes",
        type=int,
        default=1,
        metavar="N",
        help="processes of training on this machine, one a GPU (default 1)",
    )
    pipeline.add_argument(
        "--backend",
        metavar="NAME",
        help="where features are proposed: curated, server, vllm, ray (default: the recipe's)",
    )
    pipeline.add_argument("--base-url", metavar="URL", help="the server of --backend server")
    pipeline.add_argument(
        "--push",
        metavar="ORG/NAME",
        help="upload the fine model to this repository of the Hub; without it the exact tree is "
        "written to OUT/hub and nothing leaves the machine",
    )


def _run_folder(options: argparse.Namespace, name: str) -> Path:
    return options.out or Path("runs") / name


def _reports(options: argparse.Namespace) -> "Reports":
    from train.runs.training import Reports, weights_of

    return Reports(tuple(options.shards), weights_of(options.weight))


def _how(options: argparse.Namespace) -> "Pace":
    from train.runs.training import Pace

    return Pace(workers=options.workers, save_every=options.save_every)


def _coarse(options: argparse.Namespace) -> None:
    from train.runs.training import train_coarse

    recipe = load_recipe(options.config)
    run = _run_folder(options, recipe.name)
    if not options.shards:
        raise ConfigError("found no --shards; training needs folders that `data` made")
    train_coarse(recipe, run, _reports(options), _how(options), start=options.start)


def _fine(options: argparse.Namespace) -> None:
    from train.runs.training import train_fine

    recipe = load_recipe(options.config)
    if not options.shards:
        raise ConfigError("found no --shards; fine training needs those of the coarse training")
    run = _run_folder(options, recipe.name)
    verified = [run / "verified"] if options.verified is None else options.verified
    train_fine(recipe, run, _reports(options), verified, _how(options), start=options.start)


def _pipeline(options: argparse.Namespace) -> None:
    from train.runs.pipeline import Plan, commands, run_in_turn

    recipe = load_recipe(options.config)
    plan = Plan(
        config=options.config,
        out=_run_folder(options, recipe.name),
        sources=tuple(options.source),
        weights=tuple(options.weight),
        backend=options.backend or recipe.enrichment.backend,
        base_url=options.base_url,
        llm=recipe.enrichment.model,
        threshold=recipe.enrichment.threshold,
        processes=options.processes,
        workers=options.workers,
        push=options.push,
    )
    run_in_turn(commands(plan))


def _ablation(options: argparse.Namespace) -> None:
    from train.runs.ablation import Plan, commands
    from train.runs.pipeline import run_in_turn

    plan = Plan(
        config=options.config,
        out=options.out,
        shards=tuple(options.shards),
        weights=tuple(options.weight),
        candidates=options.candidates,
        names=tuple(options.only),
    )
    run_in_turn(commands(plan))
