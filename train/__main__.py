"""Commands of the training package.

python -m train text --config embedded
python -m train coarse --config embedded --real ../shared/ecg
python -m train evaluate zeroshot --checkpoint assets/checkpoint --data PTB-XL --folds 7 8
python -m train embed --config embedded
"""

import argparse
import dataclasses
import json
import sys
from pathlib import Path

from focal_app.errors import ConfigError, FocalError
from train.config import load_recipe
from train.datasets.ptbxl_labels import COLUMNS


def main(arguments: list[str] | None = None) -> int:
    """Run one command; an error that a user can mend is one line and exit code 2."""
    options = _parser().parse_args(arguments)
    try:
        options.command(options)
    except FocalError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m train", description="Train and measure FOCAL models."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
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
    _add_evaluate(commands)
    return parser


def _add_evaluate(commands: argparse._SubParsersAction) -> None:
    evaluate = commands.add_parser("evaluate", help="measure a checkpoint")
    tasks = evaluate.add_subparsers(required=True, metavar="TASK")
    task = tasks.add_parser("zeroshot", help="AUC of one prompt a class, without any training")
    task.add_argument(
        "--checkpoint", required=True, metavar="DIR_OR_REPO", help="folder or org/name@revision"
    )
    task.add_argument("--dataset", default="ptbxl-super", metavar="NAME", help=", ".join(COLUMNS))
    task.add_argument("--data", type=Path, required=True, metavar="DIR", help="PTB-XL's folder")
    task.add_argument(
        "--folds", type=int, nargs="*", default=[], metavar="N", help="folds (default: all)"
    )
    task.add_argument(
        "--classes",
        default="prompt",
        metavar="HOW",
        help="prompt: one prompt a class (default); statements: the statements filed under it",
    )
    task.add_argument("--json", action="store_true", help="print the figures as JSON")
    task.set_defaults(command=_zeroshot)


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


def _zeroshot(options: argparse.Namespace) -> None:
    from focal_app.model.focal import Focal
    from train.evaluate.zeroshot import evaluate, table

    if options.dataset not in COLUMNS:
        raise ConfigError(f"found data set {options.dataset!r}; needed one of {', '.join(COLUMNS)}")
    figures = evaluate(
        Focal.load(options.checkpoint),
        options.dataset,
        options.data,
        folds=options.folds,
        classes=options.classes,
    )
    print(json.dumps(dataclasses.asdict(figures), indent=2) if options.json else table(figures))


if __name__ == "__main__":
    sys.exit(main())
