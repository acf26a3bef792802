"""A task of the benchmark: one entry says its name, its help, its settings, its table.

    @task("similarity-matrix", "cosines between the prompts of a set", tables=..., pictures=...)
    def similarity_matrix(asked: Asked, *, datasets: Datasets = SETS[:1]) -> Iterator[Result]: ...

Every parameter but the first becomes a flag of `python -m train evaluate NAME`.
"""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from focal_app.errors import ConfigError
from train.benchmark.results import Result, data_hash
from train.benchmark.sets import load_set
from train.benchmark.settings import Labelled
from train.benchmark.table import Table

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from matplotlib.figure import Figure

    from focal_app.model.focal import Focal

Draw = Callable[[Sequence[Result]], "Figure"]


@dataclass(frozen=True)
class Picture:
    """A figure of results: one a result, or one a row of the table (`together`)."""

    title: str
    draw: Draw
    together: bool = False


@dataclass(frozen=True)
class Task:
    """What is measured, and how it is shown; `several`: checkpoints are compared, a row each."""

    name: str
    help: str
    measure: Callable[..., Iterator[Result]]
    tables: Callable[[Sequence[Result]], Iterable[Table]] | None = None
    pictures: tuple[Picture, ...] = ()
    several: bool = False


TASKS: dict[str, Task] = {}
"""Every task by its name, in the order of `evaluate --help`."""


def task(
    name: str,
    help: str,
    *,
    tables: Callable[[Sequence[Result]], Iterable[Table]] | None = None,
    pictures: tuple[Picture, ...] = (),
    several: bool = False,
) -> Callable[[Callable[..., Iterator[Result]]], Callable[..., Iterator[Result]]]:
    """Enter a function into `TASKS`."""

    def enter(measure: Callable[..., Iterator[Result]]) -> Callable[..., Iterator[Result]]:
        TASKS[name] = Task(name, help, measure, tables, pictures, several)
        return measure

    return enter


@dataclass(frozen=True)
class Asked:
    """The checkpoint that a task measures, its name in tables, and the command that asks."""

    model: "Focal"
    checkpoint: str
    name: str = ""
    command: str = ""

    def result(
        self,
        task: str,
        dataset: str,
        figures: "DataclassInstance | Mapping[str, Any]",
        config: Mapping[str, Any],
        *,
        data: str = "",
        seed: int = 0,
    ) -> Result:
        """A result of this checkpoint."""
        return Result(
            task=task,
            dataset=dataset,
            name=self.name or Path(self.checkpoint).name,
            checkpoint=self.model.fingerprint()[:16],
            data=data,
            config={k: v.name if isinstance(v, Path) else v for k, v in config.items()},
            command=self.command,
            seed=seed,
            figures=dict(figures) if isinstance(figures, Mapping) else dataclasses.asdict(figures),
        )


def revision(sets: Labelled, *datasets: str) -> str:
    """Hashes of what was measured on; sets that are not there have none."""
    made = []
    for name in datasets:
        try:
            chosen = load_set(name, sets.folder, splits=sets.splits, labels=sets.labels)
        except ConfigError:
            continue
        made.append(data_hash(chosen.items))
    return " ".join(made)
