"""Commands that measure a checkpoint, and the one that renders what was measured."""

import argparse
import json
import logging
import sys
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from train.benchmark.results import Result
    from train.benchmark.tasks import Ask

HELP = {
    "zeroshot": "AUC and more of one prompt a class, without any training",
    "probe": "a linear layer over the frozen encoder, and over a random one",
    "transfer": "classes of one set judged on the recordings of another",
    "localisation": "does the heatmap lie where the finding shows?",
    "retrieval": "from ECG to text and from text to ECG",
    "subgroups": "zero-shot figures by sex and age",
    "inference-time": "what a reading costs beyond the encoder",
    "similarity-matrix": "cosines between the prompts of a set",
    "activation-maps": "where findings show, as a figure",
    "enrichment-auc": "generated features against reference labels",
    "transferability": "enriched reports for a model in the manner of MERL",
    "ablation": "several checkpoints over every set and transfer pair",
    "components": "several checkpoints, by LLM or text encoder, over every set",
    "sensitivity": "one checkpoint read with other epsilons and taus",
    "all": "every task that the data allow, then the tables",
}
SETS = ("ptbxl-super", "ptbxl-sub", "ptbxl-form", "ptbxl-rhythm", "cpsc2018", "csn")
MANY = ("ablation", "components")
ONE_SET = ("zeroshot", "probe", "subgroups", "similarity-matrix", "transferability")


def add(commands: argparse._SubParsersAction) -> None:
    """Add `evaluate` with its tasks, and `tables`."""
    evaluate = commands.add_parser("evaluate", help="measure a checkpoint")
    tasks = evaluate.add_subparsers(required=True, metavar="TASK")
    for name, text in HELP.items():
        task = tasks.add_parser(name, help=text)
        _add_checkpoint(task, name)
        _add_data(task, name)
        _add_reading(task)
        _add_own(task, name)
        _add_output(task)
        task.set_defaults(command=_evaluate, task=name)
    tables = commands.add_parser("tables", help="render tables and figures from result files")
    tables.add_argument(
        "--results",
        type=Path,
        nargs="+",
        required=True,
        metavar="DIR",
        help="folders that `evaluate --results` wrote; nothing else is read",
    )
    tables.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="folder for Markdown, CSV, LaTeX, PNG and HTML (default: tables/ in the first one)",
    )
    tables.set_defaults(command=_tables)


def _add_checkpoint(task: argparse.ArgumentParser, name: str) -> None:
    task.add_argument(
        "--checkpoint",
        required=name not in MANY,
        metavar="DIR_OR_REPO",
        help="folder or org/name@revision",
    )
    task.add_argument("--name", default="", help="its name in tables (default: the folder's)")
    if name in MANY:
        task.add_argument(
            "--checkpoints",
            nargs="+",
            default=[],
            metavar="NAME=DIR",
            help="the checkpoints to compare, each under the name that its row shall have",
        )
        task.add_argument(
            "--runs", type=Path, metavar="DIR", help="compare every finished run in this folder"
        )


def _add_data(task: argparse.ArgumentParser, name: str) -> None:
    task.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="folder of the data sets in their official layouts, or of one of them",
    )
    task.add_argument(
        "--dataset",
        dest="datasets",
        nargs="+",
        default=[SETS[0]] if name in ONE_SET else list(SETS),
        metavar="NAME",
        help=", ".join(SETS),
    )
    task.add_argument(
        "--splits",
        default="official",
        metavar="DIR",
        help="official (default): PTB-XL's folds, 70/10/20 by a hash for the others; hash: "
        "70/10/20 by patient for all, for samples that lack folds; or the folder of the published "
        "split files",
    )
    task.add_argument(
        "--labels",
        default="corrected",
        metavar="HOW",
        help="corrected (default), or published: as the published code reads its split files, "
        "faults included; needs --splits DIR",
    )
    task.add_argument(
        "--split",
        default="",
        metavar="NAME",
        help="train, validation, test or all (default: test, or all where too little of it is "
        "there)",
    )
    task.add_argument(
        "--folds", type=int, nargs="*", default=[], metavar="N", help="these folds of PTB-XL only"
    )
    task.add_argument(
        "--cache",
        type=Path,
        default=Path("runs/embeddings"),
        metavar="DIR",
        help="where embeddings are kept, so that no recording is encoded twice "
        "(default runs/embeddings)",
    )


def _add_reading(task: argparse.ArgumentParser) -> None:
    task.add_argument(
        "--mode",
        default="routed",
        metavar="HOW",
        help="routed (default): patches as Semi-UOT routes them to the prompt; global: their mean",
    )
    task.add_argument(
        "--classes",
        default="prompt",
        metavar="HOW",
        help="prompt: one prompt a class (default); statements: those filed under it; phrases or "
        "list: each phrase of the prompt file averaged, or its whole text",
    )
    task.add_argument(
        "--prompts", type=Path, metavar="FILE", help="a published prompt file (JSON, class: text)"
    )
    task.add_argument(
        "--seed", type=int, metavar="N", help="seed (default: 42 where rows are drawn, else 0)"
    )


def _add_own(task: argparse.ArgumentParser, name: str) -> None:
    if name == "probe":
        task.add_argument(
            "--shares",
            type=float,
            nargs="+",
            default=[0.01, 0.1, 1.0],
            metavar="X",
            help="shares of the training rows (default 0.01 0.1 1)",
        )
    if name == "transfer":
        task.add_argument("--source", default="", metavar="NAME", help="only from this set")
        task.add_argument(
            "--methods",
            nargs="+",
            default=["zeroshot", "probe"],
            metavar="HOW",
            help="zeroshot, probe (default both)",
        )
    if name in ("localisation", "ablation", "all"):
        task.add_argument(
            "--simulated",
            type=int,
            default=200,
            metavar="N",
            help="simulated recordings to measure findings and places on; 0 for none (default 200)",
        )
    if name in ("activation-maps", "all"):
        task.add_argument("--count", type=int, default=6, metavar="N", help="maps (default 6)")
    if name in ("enrichment-auc", "transferability", "all"):
        task.add_argument(
            "--verified", type=Path, metavar="DIR", help="what `python -m train verify` wrote"
        )
    if name in ("enrichment-auc", "all"):
        task.add_argument(
            "--truth",
            type=Path,
            metavar="PATH",
            help="labels of the verified records: csv with `key` and a column a feature, or shards",
        )
    if name in ("transferability", "all"):
        task.add_argument("--steps", type=int, default=300, metavar="N", help="steps (default 300)")


def _add_output(task: argparse.ArgumentParser) -> None:
    task.add_argument("--json", action="store_true", help="print the figures as JSON")
    task.add_argument(
        "--results", type=Path, metavar="DIR", help="also write each measurement there as a file"
    )


def _evaluate(options: argparse.Namespace) -> None:
    from train.benchmark.results import plain, write_result
    from train.benchmark.table import markdown
    from train.benchmark.tables import tables_of
    from train.benchmark.tasks import TASKS

    logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stderr)
    found: list[Result] = []
    for ask in _asks(options):
        for result in TASKS[options.task](ask):
            found.append(result)
            if options.results:
                write_result(options.results, result)
    if options.json:
        figures = [plain(one.figures) for one in found]
        print(json.dumps(figures[0] if len(figures) == 1 else figures, indent=2))
    elif tables := tables_of([_as_read(one) for one in found]):
        print("\n".join(map(markdown, tables)))
    else:
        print(json.dumps([plain(one.figures) for one in found], indent=2))


def _as_read(result: "Result") -> "Result":
    """The result as its file would hold it: tables see no other kind."""
    from train.benchmark.results import plain

    return replace(result, figures=plain(result.figures))


def _asks(options: argparse.Namespace) -> "Iterator[Ask]":
    """One question a checkpoint; each is loaded when its turn comes."""
    from focal_app.model.focal import Focal
    from train.benchmark.results import command_line
    from train.benchmark.tasks import Ask

    names = {one.name for one in fields(Ask)} - {"command", "model", "name", "checkpoint"}
    asked: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in vars(options).items()
        if key in names and value is not None
    }
    for name, source in _checkpoints(options).items():
        model, line = Focal.load(source), command_line(sys.argv[1:])
        yield Ask(model=model, checkpoint=str(source), name=name, command=line, **asked)


def _checkpoints(options: argparse.Namespace) -> dict[str, str | Path]:
    """Folders or repositories by the name of their row."""
    from focal_app.errors import ConfigError
    from train.benchmark.comparison import checkpoints_of, named_checkpoints

    found: dict[str, str | Path] = {}
    if options.checkpoint:
        found[options.name or Path(options.checkpoint).name] = options.checkpoint
    if options.task in MANY:
        found |= named_checkpoints(options.checkpoints)
        found |= checkpoints_of(options.runs) if options.runs else {}
    if not found:
        raise ConfigError("found no checkpoint; give --checkpoints NAME=DIR ..., or --runs DIR")
    return found


def _tables(options: argparse.Namespace) -> None:
    from train.benchmark.render import render

    out = options.out or options.results[0] / "tables"
    for path in render(options.results, out):
        print(path)
