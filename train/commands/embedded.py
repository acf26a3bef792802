"""Commands around the embedded checkpoint: its tag encoder, its training, its place in assets/."""

import argparse
import dataclasses
import json
from pathlib import Path

from train.config import load_recipe


def add(commands: argparse._SubParsersAction) -> None:
    """Add `text`, `coarse`, `embed` and `cases`."""
    text = commands.add_parser("text", help="tune the tag encoder on the lexicon")
    coarse = commands.add_parser("coarse", help="tune, simulate, train and calibrate a model")
    embed = commands.add_parser("embed", help="put a finished run into assets/, with its card")
    for command in (text, coarse, embed):
        command.add_argument(
            "--config", default="embedded", metavar="NAME", help="a recipe's name or YAML file"
        )
        command.add_argument(
            "--out", type=Path, metavar="DIR", help="folder of the run (default runs/NAME)"
        )
    for command in (coarse, embed):
        command.add_argument(
            "--real",
            type=Path,
            metavar="DIR",
            help="folder with ptb-xl/, challenge/ or ludb/; without it, simulation alone",
        )
    text.set_defaults(command=_text)
    coarse.set_defaults(command=_coarse)
    embed.set_defaults(command=_embed)
    cases = commands.add_parser("cases", help="draw the bundled cases of the app again")
    cases.set_defaults(command=_cases)


def _run_folder(options: argparse.Namespace, name: str) -> Path:
    return options.out or Path("runs") / name


def _text(options: argparse.Namespace) -> None:
    from train.stages import text_figures, tuned_text

    recipe = load_recipe(options.config)
    run = _run_folder(options, recipe.name)
    tuned_text(recipe, run)
    print(json.dumps(dataclasses.asdict(text_figures(run)), indent=2))


def _coarse(options: argparse.Namespace) -> None:
    from train.stages import train_coarse

    recipe = load_recipe(options.config)
    train_coarse(recipe, _run_folder(options, recipe.name), options.real)


def _embed(options: argparse.Namespace) -> None:
    from train.embed import embed

    recipe = load_recipe(options.config)
    embed(recipe, _run_folder(options, recipe.name), options.real)


def _cases(options: argparse.Namespace) -> None:
    from train.cases import write_cases

    write_cases()
