"""Commands that make data sets into shards, and draw data to try the pipeline on."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from focal_app.errors import ConfigError
from train.checked import Checked, Range
from train.data.catalogue import DESCRIBED, open_source
from train.data.source import Shares, Source, Tagging
from train.data.stated_shares import stated_shares
from train.settings import (
    Flag,
    Parameter,
    Place,
    add,
    add_call,
    new_app,
    parameters_of,
    refuse,
)

if TYPE_CHECKING:
    from train.data.shards import Shards

SHARES, TEST_FOLDS = (0.9, 0.05, 0.05), (10,)
SPLIT_FLAG = Flag(
    "shares of the subjects; a subject is never in two splits (default 0.9 0.05 0.05)",
    "TRAIN VALIDATION TEST",
)
Split = Annotated[tuple[float, float, float], SPLIT_FLAG]
Workers = Annotated[
    int | None,
    Flag(
        "processes that read or draw at once; the result does not depend on it (default: the cores "
        "that it may use, or one for fewer than 100 recordings)",
        "N",
    ),
    Range(1),
]
Out = Annotated[
    Path,
    Flag("folder for the shards; run again with the same one to go on after a stop", "DIR"),
]


@dataclass(frozen=True, kw_only=True)
class Storing(Checked):
    """How a source is stored."""

    limit: Annotated[int | None, Flag("stop after N studies, for a first look", "N"), Range(1)] = (
        None
    )
    shard_records: Annotated[
        int,
        Flag("studies a shard; a stop loses at most so many (default 2000, 240 MB)", "N"),
        Range(1),
    ] = 2000
    workers: Workers = None


@dataclass(frozen=True, kw_only=True)
class Folds(Checked):
    """Which folds of PTB-XL are for what."""

    test_folds: Annotated[
        tuple[int, ...],
        Flag(
            "folds kept for testing; of a sample with few recordings more than one (default 10)",
            "N",
        ),
    ] = TEST_FOLDS
    validation_folds: Annotated[
        tuple[int, ...],
        Flag(
            "folds kept for validation (default 9, unless it is for testing); the others are "
            "for training",
            "N",
        ),
    ] = ()
    without_validation: Annotated[
        bool, Flag("no fold is kept for validation: probabilities are then not calibrated on it")
    ] = False

    def validation(self) -> tuple[int, ...] | None:
        """Folds for validation; None for the usual one."""
        if self.without_validation and self.validation_folds:
            raise ConfigError(
                "found --validation-folds and --without-validation; needed one of them"
            )
        return () if self.without_validation else self.validation_folds or None


@dataclass(frozen=True, kw_only=True)
class Drawing(Checked):
    """How many simulated studies, and which."""

    count: Annotated[int, Flag("studies to draw", "N"), Range(1)]
    seed: Annotated[int, Flag("other seeds draw other patients", "N"), Range(0)] = 0


@dataclass(frozen=True, kw_only=True)
class Reports(Checked):
    """What the reports of a drawn archive say."""

    left_out: Annotated[
        tuple[str, ...],
        Flag(
            "findings that the reports keep silent about, with all that imply them "
            "(default: inverted T waves, ST depression); truth.jsonl names them",
            "TAG",
        ),
    ] = ()
    features: Annotated[
        Path | None,
        Flag(
            "waveform features that the reports say in the lexicon's words, in so large a share "
            "of the ECGs that show them; a YAML file with lines FEATURE: SHARE",
            "FILE",
        ),
    ] = None
    nothing_left_out: Annotated[bool, Flag("the reports keep silent about nothing")] = False
    states: Annotated[
        tuple[str, ...],
        Flag(
            "each study shows one of these states of the simulator (default: any patient)", "STATE"
        ),
    ] = ()


def data_commands() -> typer.Typer:
    """`data`: a sub-command a source, `simulated`, `mimic-fixture` and `check`."""
    app = new_app("Make a data set into shards, or draw one.")
    for name, expects in DESCRIBED.items():
        call = {"ptb-xl": _folds_of, "mimic-iv-ecg": _tags_of}.get(name) or _splits_of(name)
        folder = Parameter(Annotated[Path, Place(f"holds {expects}", "DIR")])
        parameters = {**parameters_of(call), "folder": folder}
        add_call(app, name, f"Shards from {expects}.", parameters, call)
    add(app, "simulated", simulated)
    add(app, "mimic-fixture", mimic_fixture)
    add(app, "check", check)
    return app


def _folds_of(folder: Path, out: Out, storing: Storing, folds: Folds) -> None:
    test, validation = folds.test_folds, folds.validation()
    source = open_source("ptb-xl", folder, Shares(), test_folds=test, validation_folds=validation)
    _build(source, out, storing)


def _tags_of(
    folder: Path,
    out: Out,
    storing: Storing,
    tagging: Annotated[
        Tagging,
        Flag(
            "curated: a tag a statement, hedges apart; commas: reports cut at every comma, as "
            "published, for the recipe paper (default curated)",
            "NAME",
        ),
    ] = "curated",
    split: Split = SHARES,
) -> None:
    _build(open_source("mimic-iv-ecg", folder, Shares(*split), tagging=tagging), out, storing)


def _splits_of(name: str):
    def shards_of(folder: Path, out: Out, storing: Storing, split: Split = SHARES) -> None:
        _build(open_source(name, folder, Shares(*split)), out, storing)

    return shards_of


def simulated(drawing: Drawing, out: Out, storing: Storing, split: Split = SHARES) -> None:
    """Recordings with known findings and places."""
    from train.data.simulation import Simulation

    _build(Simulation(drawing.count, drawing.seed, Shares(*split)), out, storing)


def mimic_fixture(
    drawing: Drawing,
    out: Annotated[Path, Flag("folder for the archive", "DIR")],
    reports: Reports,
    workers: Workers = None,
) -> None:
    """A small archive in MIMIC-IV-ECG's shape."""
    from train.data.mimic_fixture import LEFT_OUT, Fixture, write_fixture
    from train.data.worker_processes import default_workers

    if reports.nothing_left_out:
        refuse(reports, "with --nothing-left-out", ("left_out",))
    left_out = () if reports.nothing_left_out else reports.left_out or LEFT_OUT
    features = stated_shares(reports.features) if reports.features else {}
    fixture = Fixture(drawing.count, drawing.seed, left_out, reports.states, features)
    write_fixture(out, fixture, workers=workers or default_workers(drawing.count))
    silent = ", ".join(left_out) or "nothing"
    print(f"{drawing.count} studies drawn; the reports keep silent about {silent}")


def check(folder: Annotated[Path, Place("folder of shards", "DIR")]) -> None:
    """Read every byte of a finished folder of shards."""
    from train.data.shards import Shards

    print(summary(Shards.open(folder, checksums=True)))


def _build(source: Source, out: Path, storing: Storing) -> None:
    from train.data.build import build

    shards = build(
        source,
        out,
        limit=storing.limit,
        shard_records=storing.shard_records,
        workers=storing.workers,
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
