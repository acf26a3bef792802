"""Commands that measure a checkpoint."""

import argparse
import dataclasses
import json
from pathlib import Path

from focal_app.errors import ConfigError
from train.datasets.ptbxl_labels import COLUMNS


def add(commands: argparse._SubParsersAction) -> None:
    """Add `evaluate` and its tasks."""
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
