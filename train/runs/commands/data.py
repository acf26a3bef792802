"""Commands that make data sets into shards, and draw data to try the pipeline on."""

import argparse
import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from train.data.catalogue import DESCRIBED

if TYPE_CHECKING:
    from train.data.shards import Shards
    from train.data.source import Shares, Source


def add(commands: argparse._SubParsersAction) -> None:
    """Add `data`: a sub-command a source, `simulated`, `mimic-fixture` and `check`."""
    data = commands.add_parser("data", help="make a data set into shards, or draw one")
    sources = data.add_subparsers(required=True, metavar="SOURCE")
    for name, expects in DESCRIBED.items():
        source = sources.add_parser(name, help=expects)
        source.add_argument("folder", type=Path, metavar="DIR", help=f"holds {expects}")
        _add_choices(source, split=name != "ptb-xl")
        if name == "ptb-xl":
            _add_folds(source)
        source.set_defaults(command=_source, source=name)
    simulated = sources.add_parser("simulated", help="recordings with known findings and places")
    _add_drawing(simulated)
    _add_choices(simulated)
    simulated.set_defaults(command=_simulated)
    fixture = sources.add_parser("mimic-fixture", help="a small archive in MIMIC-IV-ECG's shape")
    _add_drawing(fixture)
    _add_out(fixture, "folder for the archive")
    fixture.add_argument(
        "--left-out",
        nargs="*",
        metavar="TAG",
        help="findings that the reports keep silent about, with all that imply them "
        "(default: inverted T waves, ST depression); truth.jsonl names them",
    )
    fixture.add_argument(
        "--states",
        nargs="*",
        default=[],
        metavar="STATE",
        help="each study shows one of these states of the simulator (default: any patient)",
    )
    fixture.set_defaults(command=_fixture)
    check = sources.add_parser("check", help="read every byte of a finished folder of shards")
    check.add_argument("folder", type=Path, metavar="DIR", help="folder of shards")
    check.set_defaults(command=_check)


def _add_out(command: argparse.ArgumentParser, what: str) -> None:
    command.add_argument("--out", type=Path, required=True, metavar="DIR", help=what)
    command.add_argument(
        "--workers",
        type=int,
        default=os.cpu_count() or 1,
        metavar="N",
        help="processes that read at once; the result does not depend on it (default: all cores)",
    )


def _add_drawing(command: argparse.ArgumentParser) -> None:
    command.add_argument("--count", type=int, required=True, metavar="N", help="studies to draw")
    command.add_argument(
        "--seed", type=int, default=0, metavar="N", help="other seeds draw other patients"
    )


def _add_choices(command: argparse.ArgumentParser, *, split: bool = True) -> None:
    _add_out(command, "folder for the shards; run again with the same one to go on after a stop")
    if split:
        command.add_argument(
            "--split",
            type=float,
            nargs=3,
            default=(0.9, 0.05, 0.05),
            metavar=("TRAIN", "VALIDATION", "TEST"),
            help="shares of the subjects; a subject is never in two splits (default 0.9 0.05 0.05)",
        )
    command.add_argument(
        "--limit", type=int, metavar="N", help="stop after N studies, for a first look"
    )
    command.add_argument(
        "--shard-records",
        type=int,
        default=2000,
        metavar="N",
        help="studies a shard; a stop loses at most so many (default 2000, 240 MB)",
    )


def _add_folds(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--test-folds",
        type=int,
        nargs="+",
        default=[10],
        metavar="N",
        help="folds kept for testing; of a sample with few recordings more than one (default 10)",
    )
    command.add_argument(
        "--validation-folds",
        type=int,
        nargs="*",
        metavar="N",
        help="folds kept for validation (default 9, unless it is for testing); the others are "
        "for training",
    )


def _source(options: argparse.Namespace) -> None:
    from train.data.catalogue import open_source

    given = {name: getattr(options, name, None) for name in ("test_folds", "validation_folds")}
    folds = {name: tuple(numbers) for name, numbers in given.items() if numbers is not None}
    _build(open_source(options.source, options.folder, _shares(options), **folds), options)


def _simulated(options: argparse.Namespace) -> None:
    from train.data.simulation import Simulation

    _build(Simulation(options.count, options.seed, _shares(options)), options)


def _fixture(options: argparse.Namespace) -> None:
    from train.data.mimic_fixture import LEFT_OUT, Fixture, write_fixture

    left_out = LEFT_OUT if options.left_out is None else tuple(options.left_out)
    fixture = Fixture(options.count, options.seed, left_out, tuple(options.states))
    write_fixture(options.out, fixture, workers=options.workers)
    print(f"{options.count} studies drawn; the reports keep silent about {', '.join(left_out)}")


def _check(options: argparse.Namespace) -> None:
    from train.data.shards import Shards

    print(summary(Shards.open(options.folder, checksums=True)))


def _shares(options: argparse.Namespace) -> "Shares":
    from train.data.source import Shares

    return Shares(*getattr(options, "split", (0.9, 0.05, 0.05)))


def _build(source: "Source", options: argparse.Namespace) -> None:
    from train.data.build import build

    shards = build(
        source,
        options.out,
        limit=options.limit,
        shard_records=options.shard_records,
        workers=options.workers,
    )
    print(summary(shards))


def summary(shards: "Shards") -> str:
    """Records by split, then every filter of the manifest with its count."""
    splits = Counter(shards.splits)
    tags = len({tag for tags in shards.tags for tag in tags})
    counted = {f"in {split}": count for split, count in splits.items()}
    counted |= {"different tags": tags, **shards.manifest["counted"]}
    width = max(map(len, counted))
    lines = [f"{what:<{width}}  {count:>9,}" for what, count in counted.items()]
    return "\n".join([f"{shards.name}: {len(shards):,} records", *lines])
