"""Runs that are compared: a recipe each, everything else the same, once for every seed.

OUT/NAME.yaml            the whole recipe of a run
OUT/NAME/                the run: coarse/model, or fine/model
OUT/prepared/            signals made ready once for all, where the recipe keeps them
OUT/comparison.json      which command's runs these are, and what each of them tries

With `--seeds 7 8 9` every run is trained once a seed, and OUT/seed-7 stands for OUT.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from focal_app.errors import ConfigError
from train.benchmark.seeds import folder_of_seed, refuse_seeds
from train.data.mixture import refuse_weights
from train.data.prepared import share_folder
from train.data.shards import Shards
from train.data.verified_files import write_whole
from train.enrich.candidates import read_candidates
from train.extra import lacking
from train.recipe import load_recipe, save_recipe
from train.runs.commands.common import ShardChoice, Workers
from train.runs.preflight import said

NOTE = "comparison.json"


@dataclass(frozen=True, kw_only=True)
class SharedRuns(Workers, ShardChoice):
    """What the runs share: the recipe that each changes, their folder, shards and shares of them.

    `seeds`: every run once for each of them (none: once, with the recipe's). `workers` read ahead
    in every training; `candidates` are as `enrich` wrote them. What a command says of its flags
    stands in the class that it takes.
    """

    command: ClassVar[str]
    config: str
    out: Path
    candidates: Path | None = None
    seeds: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Refuse seeds that cannot be, or would be counted twice."""
        super().__post_init__()
        refuse_seeds(self.seeds)

    def each_seed(self) -> "Iterator[RunsOfASeed]":
        """The runs of every seed."""
        if not self.seeds:
            yield RunsOfASeed(self, self.out, {})
        for seed in self.seeds:
            yield RunsOfASeed(self, folder_of_seed(self.out, seed), {"seed": seed})

    def drawn(self) -> list[str]:
        """The flags that give every training its data."""
        weights = [part for one in self.weight for part in ("--weight", one)]
        workers = [] if self.workers is None else ["--workers", str(self.workers)]
        return ["--shards", *map(str, self.shards), *weights, *workers]

    def tried(self) -> dict[str, str]:
        """What the folder of a run is for, where its name does not say it all."""
        return {}

    def missing(self) -> Iterator[str]:
        """What every run needs and cannot have; nothing is written."""
        yield from lacking()
        for folder in self.shards:
            yield from said(partial(Shards.open, folder))
        yield from said(lambda: refuse_weights(self.shares(), self._names()))
        if self.candidates:
            yield from said(partial(read_candidates, self.candidates))
        yield from said(self._noted)

    def _names(self) -> list[str]:
        return [Shards.open(folder).name for folder in self.shards]

    def note(self) -> None:
        """Keep the folder for runs of this command, each for what it tries."""
        noted = {"command": self.command, "runs": self._noted()}
        self.out.mkdir(parents=True, exist_ok=True)
        write_whole(self.out / NOTE, json.dumps(noted, indent=2) + "\n")

    def _noted(self) -> dict[str, str]:
        """What the runs of the folder try, these among them; a folder of others is refused."""
        if not (self.out / NOTE).is_file():
            if self.out.is_dir() and any(self.out.iterdir()):
                raise ConfigError(
                    f"found files in {self.out.name!r}, and no {NOTE} that says they are runs of "
                    f"`{self.command}`; give another --out"
                )
            return self.tried()
        command, runs = self._read()
        if command != self.command:
            raise ConfigError(
                f"found runs of `{command}` in {self.out.name!r}; give `{self.command}` "
                "another --out"
            )
        for folder, tried in self.tried().items():
            if (before := runs.get(folder, tried)) != tried:
                raise ConfigError(
                    f"found {before} in {folder} of {self.out.name!r}, where {tried} would lie; "
                    "give another --out"
                )
        return runs | self.tried()

    def _read(self) -> tuple[str, dict[str, str]]:
        """The command and the runs that are noted."""
        try:
            noted = json.loads((self.out / NOTE).read_text(encoding="utf-8"))
            return str(noted["command"]), {str(run): str(of) for run, of in noted["runs"].items()}
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ConfigError(
                f"{NOTE} of {self.out.name!r} cannot be read; give another --out"
            ) from error


@dataclass(frozen=True)
class RunsOfASeed:
    """The runs with the recipe's seed or another, below `out`."""

    shared: SharedRuns
    out: Path
    seed: Mapping[str, int]

    def written(self, name: str, changes: Mapping[str, Any]) -> Path:
        """The file of the recipe with the changes."""
        file = self.out / f"{name}.yaml"
        changed = {**changes, **self.seed, "name": name}
        save_recipe(load_recipe(self.shared.config, changes=changed), file)
        return file

    def given(self, name: str, file: Path) -> list[str]:
        """Recipe, data and folder of a run; the signals that runs share are laid there."""
        run, shared = self.out / name, self.shared
        if load_recipe(file).data.keep_prepared:
            share_folder(shared.out / "prepared", run / "prepared")
        return ["--config", str(file), *shared.drawn(), "--out", str(run)]

    def model(self, name: str) -> Path:
        """Where the coarse model of a run lies."""
        return self.out / name / "coarse/model"

    def finished(self, name: str) -> bool:
        """Whether that coarse model is there."""
        return (self.model(name) / "config.json").is_file()
