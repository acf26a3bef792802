"""Commands around the embedded checkpoint: its tag encoder, its cases, its place in assets/."""

import argparse
import dataclasses
import json
from pathlib import Path

from train.recipe import load_recipe


def add(commands: argparse._SubParsersAction) -> None:
    """Add `text`, `embedded` and `cases`."""
    text = commands.add_parser("text", help="tune the tag encoder on the lexicon")
    embedded = commands.add_parser(
        "embedded", help="make the checkpoint of the app: data, training, figures, card"
    )
    for command in (text, embedded):
        command.add_argument(
            "--config", default="embedded", metavar="NAME", help="a recipe's name or YAML file"
        )
        command.add_argument(
            "--out", type=Path, metavar="DIR", help="folder of the run (default runs/NAME)"
        )
    embedded.add_argument(
        "--real",
        type=Path,
        metavar="DIR",
        help="holds any of ptb-xl/, challenge/ and ludb/ (default: simulation alone)",
    )
    embedded.add_argument(
        "--simulated",
        type=int,
        default=24_500,
        metavar="N",
        help="simulated recordings, a fiftieth of them held out (default 24500)",
    )
    embedded.add_argument(
        "--target",
        type=Path,
        metavar="DIR",
        help="where the finished checkpoint goes (default assets/checkpoint)",
    )
    text.set_defaults(command=_text)
    embedded.set_defaults(command=_embedded)
    cases = commands.add_parser("cases", help="draw the bundled cases of the app again")
    cases.set_defaults(command=_cases)


def _run_folder(options: argparse.Namespace, name: str) -> Path:
    return options.out or Path("runs") / name


def _text(options: argparse.Namespace) -> None:
    from train.fit.tag_encoder import text_figures, tuned_text

    recipe = load_recipe(options.config)
    run = _run_folder(options, recipe.name)
    tuned_text(recipe, run)
    print(json.dumps(dataclasses.asdict(text_figures(run)), indent=2))


def _embedded(options: argparse.Namespace) -> None:
    from train.publish.embedded_checkpoint import ASSETS
    from train.runs.embedded import train_embedded
    from train.runs.training import Pace

    recipe = load_recipe(options.config)
    train_embedded(
        recipe,
        _run_folder(options, recipe.name),
        options.real,
        Pace(),
        simulated=options.simulated,
        target=options.target or ASSETS,
    )


def _cases(options: argparse.Namespace) -> None:
    from train.publish.bundled_cases import write_cases

    write_cases()
