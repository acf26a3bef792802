"""What evaluation tasks are asked with: typed settings, each a flag of the tasks that read it."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from focal_app.errors import ConfigError
from train.benchmark.sets import SETS
from train.checked import Checked, Range
from train.settings import Flag

CACHE = Path("runs/embeddings")

Datasets = Annotated[tuple[str, ...], Flag(", ".join(SETS), "NAME", name="dataset")]
Folds = Annotated[tuple[int, ...], Flag("these folds of PTB-XL only", "N")]
Mode = Annotated[
    Literal["routed", "global"],
    Flag("routed (default): patches as Semi-UOT routes them to the prompt; global: their mean"),
]
Seed = Annotated[int, Flag("seed (default: 42 where rows are drawn, else 0)", "N"), Range(0)]
Simulated = Annotated[
    int,
    Flag("simulated recordings to measure findings and places on; 0 for none (default 200)", "N"),
    Range(0),
]
Count = Annotated[int, Flag("maps (default 6)", "N"), Range(1)]
Rounds = Annotated[
    int,
    Flag("rounds in which the ways take turns whose times are compared (default 15)", "N"),
    Range(1),
]
Verified = Annotated[Path | None, Flag("what `python -m train verify` wrote", "DIR")]
Truth = Annotated[
    Path | None,
    Flag(
        "labels of the verified records: csv with `key` and a column a feature (blank: not "
        "judged), shards, or an archive that `data mimic-fixture` drew",
        "PATH",
    ),
]
WIDTHS, BLOCKS = Range(1, 1024), Range(1, 64)
"""Sizes of a MERL-style model; beyond them no memory would do."""


@dataclass(frozen=True, kw_only=True)
class Pair(Checked):
    """Two models that learnt from the same recordings, and from reports that differ."""

    original: Annotated[
        Path | None, Flag("what `python -m train merl` wrote of reports as they are", "DIR")
    ] = None
    enriched: Annotated[
        Path | None, Flag("the same with --verified: of enriched reports", "DIR")
    ] = None


@dataclass(frozen=True, kw_only=True)
class Recordings(Checked):
    """Where recordings lie."""

    data: Annotated[
        Path | None,
        Flag("folder of the data sets in their official layouts, or of one of them", "DIR"),
    ] = None

    @property
    def folder(self) -> Path:
        """The data folder, needed."""
        if self.data is None:
            raise ConfigError("found no --data; this task needs the folder of the recordings")
        return self.data

    def noted(self) -> dict[str, Any]:
        """What a result says of them: no place on this machine."""
        places = ("data", "cache")
        return {k: v for k, v in dataclasses.asdict(self).items() if k not in places}


@dataclass(frozen=True, kw_only=True)
class Cached(Checked):
    """Where embeddings are kept."""

    cache: Annotated[
        Path | None,
        Flag(
            "where embeddings are kept, so that no recording is encoded twice "
            "(default runs/embeddings)",
            "DIR",
        ),
    ] = CACHE


@dataclass(frozen=True, kw_only=True)
class Statements(Recordings, Cached):
    """Recordings of PTB-XL with their statements."""

    folds: Folds = ()


@dataclass(frozen=True, kw_only=True)
class Labelled(Recordings):
    """Labelled sets, their splits and their labels."""

    splits: Annotated[
        str,
        Flag(
            "official (default): PTB-XL's folds, 70/10/20 by a hash for the others; development: "
            "the same, but folds 1 to 5, 6, and 7 and 8 of PTB-XL, so that 9 and 10 stay unseen; "
            "hash: 70/10/20 by patient for all, for samples that lack folds; or the folder of the "
            "published split files",
            "DIR",
        ),
    ] = "official"
    labels: Annotated[
        Literal["corrected", "published"],
        Flag(
            "corrected (default), or published: as the published code reads its split files, "
            "faults included; needs --splits DIR"
        ),
    ] = "corrected"


@dataclass(frozen=True, kw_only=True)
class Encoded(Labelled, Cached):
    """Labelled sets whose recordings are encoded."""


@dataclass(frozen=True, kw_only=True)
class OfFolds(Checked):
    """The folds of PTB-XL that are judged."""

    folds: Folds = ()

    def check(self, datasets: Sequence[str]) -> None:
        """Refuse folds where no set of PTB-XL is judged."""
        if self.folds and not any(map(self.folds_of, datasets)):
            raise ConfigError(
                f"found --folds, without effect on {', '.join(datasets)}: PTB-XL alone has folds; "
                "leave it out"
            )

    def folds_of(self, dataset: str) -> tuple[int, ...]:
        """The folds of a set of PTB-XL; others have none."""
        return self.folds if dataset.startswith("ptbxl") else ()


@dataclass(frozen=True, kw_only=True)
class OfSplit(OfFolds):
    """The split or the folds that are judged."""

    split: Annotated[
        str,
        Flag(
            "train, validation, test or all (default: test, or all where too little of it is "
            "there)",
            "NAME",
        ),
    ] = ""

    def check(self, datasets: Sequence[str]) -> None:
        """Refuse a split too where folds stand in its place."""
        super().check(datasets)
        if self.split and self.folds and all(map(self.folds_of, datasets)):
            raise ConfigError("found --split, without effect beside --folds; leave one of them out")


@dataclass(frozen=True, kw_only=True)
class Judged(Encoded, OfFolds):
    """Labelled sets, and the folds of PTB-XL that are judged."""


@dataclass(frozen=True, kw_only=True)
class Chosen(Judged, OfSplit):
    """Labelled sets, and the split or the folds that are judged."""


@dataclass(frozen=True, kw_only=True)
class ReadOnce(Labelled, OfSplit):
    """The same where no embedding is kept."""


@dataclass(frozen=True, kw_only=True)
class Reading(Checked):
    """How a class is read."""

    mode: Mode = "routed"
    classes: Annotated[
        str,
        Flag(
            "prompt: one prompt a class (default); statements: those filed under it; phrases or "
            "list: each phrase of the prompt file averaged, or its whole text",
            "HOW",
        ),
    ] = "prompt"
    prompts: Annotated[Path | None, Flag("a published prompt file (JSON, class: text)", "FILE")] = (
        None
    )

    def noted(self) -> dict[str, Any]:
        """What a result says of it."""
        return dataclasses.asdict(self)
