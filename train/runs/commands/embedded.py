"""Commands around the embedded checkpoint: its tag encoder, its cases, its place in assets/."""

import argparse
import dataclasses
import json
from pathlib import Path

from train.recipe import load_recipe


def add(commands: argparse._SubParsersAction) -> None:
    """Add `text`, `embed` and `cases`."""
    text = commands.add_parser("text", help="tune the tag encoder on the lexicon")
    embed = commands.add_parser("embed", help="put a finished run into assets/, with its card")
    for command in (text, embed):
        command.add_argument(
            "--config", default="embedded", metavar="NAME", help="a recipe's name or YAML file"
        )
        command.add_argument(
            "--out", type=Path, metavar="DIR", help="folder of the run (default runs/NAME)"
        )
    embed.add_argument("--real", type=Path, metavar="DIR", help="the same folder as in training")
    text.set_defaults(command=_text)
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


def _embed(options: argparse.Namespace) -> None:
    from train.publish.embedded_checkpoint import embed

    recipe = load_recipe(options.config)
    embed(recipe, _run_folder(options, recipe.name), options.real)


def _cases(options: argparse.Namespace) -> None:
    from train.publish.bundled_cases import write_cases

    write_cases()
