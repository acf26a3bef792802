"""Commands that measure a checkpoint, and the one that renders what was measured."""

import json
import logging
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from focal_app.errors import ConfigError
from train.benchmark.results import Result, command_line, plain, write_result
from train.benchmark.settings import OfFolds
from train.benchmark.tasks import TASKS, Asked, Task
from train.checked import Checked
from train.settings import Flag, Parameter, add_call, new_app, parameters_of

if TYPE_CHECKING:
    Sources = dict[str, str | Path]

log = logging.getLogger(__name__)

CHECKPOINT = Flag("folder or org/name@revision", "DIR_OR_REPO")
NAME = Annotated[str, Flag("its name in tables (default: the folder's)")]


@dataclass(frozen=True, kw_only=True)
class One(Checked):
    """The checkpoint that is measured."""

    checkpoint: Annotated[str, CHECKPOINT]
    name: NAME = ""

    def sources(self) -> "Sources":
        """Folders or repositories by the name of their row."""
        return {self.name or Path(self.checkpoint).name: self.checkpoint}


@dataclass(frozen=True, kw_only=True)
class Several(Checked):
    """The checkpoints that are compared."""

    checkpoint: Annotated[str | None, CHECKPOINT] = None
    name: NAME = ""
    checkpoints: Annotated[
        tuple[str, ...],
        Flag("the checkpoints to compare, each under the name that its row shall have", "NAME=DIR"),
    ] = ()
    runs: Annotated[Path | None, Flag("compare every finished run in this folder", "DIR")] = None

    def sources(self) -> "Sources":
        """Folders or repositories by the name of their row."""
        from train.benchmark.comparison import checkpoints_of, named_checkpoints

        if self.name and not self.checkpoint:
            raise ConfigError("found --name without --checkpoint, whose name it would be")
        one = self.checkpoint
        found: Sources = One(checkpoint=one, name=self.name).sources() if one else {}
        found |= named_checkpoints(self.checkpoints)
        found |= checkpoints_of(self.runs) if self.runs else {}
        if not found:
            raise ConfigError("found no checkpoint; give --checkpoints NAME=DIR ..., or --runs DIR")
        return found


@dataclass(frozen=True, kw_only=True)
class Output(Checked):
    """Where figures go."""

    as_json: Annotated[bool, Flag("print the figures as JSON", name="json")] = False
    results: Annotated[Path | None, Flag("also write each measurement there as a file", "DIR")] = (
        None
    )


def evaluate_commands() -> typer.Typer:
    """`evaluate`: a sub-command for every entry of the benchmark."""
    app = new_app("Measure a checkpoint.")
    for task in TASKS.values():
        add_call(app, task.name, f"{task.help[0].upper()}{task.help[1:]}.", *_command(task))
    return app


def _command(task: Task) -> tuple[dict[str, Parameter], Any]:
    """The flags of a task (the checkpoint's, its own, the output's), and what it then does."""
    _, *own = parameters_of(task.measure).items()
    checkpoint = Parameter(Several if task.several else One)
    parameters = {"measured": checkpoint, **dict(own), "output": Parameter(Output)}

    def measure(measured: One | Several, output: Output, **given: Any) -> None:  # noqa: ANN401
        logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stderr)
        for one in given.values():
            if isinstance(one, OfFolds) and task.name != "all":  # which asks folds of PTB-XL itself
                one.check(given["datasets"])
        found: list[Result] = []
        for asked in _asked(measured.sources()):
            for result in task.measure(asked, **given):
                found.append(result)
                if output.results:
                    write_result(output.results, result)
        _show(found, output)

    return parameters, measure


def _asked(sources: "Sources") -> Iterator[Asked]:
    """One question a checkpoint; each is loaded when its turn comes."""
    from focal_app.model.device import best_device
    from focal_app.model.focal import Focal

    for name, source in sources.items():
        line = command_line(sys.argv[1:])
        model = Focal.load(source).to(best_device())
        if model.seen is None:
            log.warning(
                "%s does not say whom it was trained on, so that none of them is left out: on such "
                "recordings its figures say nothing",
                Path(source).name,
            )
        yield Asked(model, str(source), name, line)


def _show(found: list[Result], output: Output) -> None:
    from train.benchmark.render import tables_of
    from train.benchmark.table import markdown

    # Tables see results as their files would hold them.
    found = [replace(one, figures=plain(one.figures)) for one in found]
    tables = [] if output.as_json else tables_of(found)
    if tables:
        print("\n".join(map(markdown, tables)))
    else:
        figures = [one.figures for one in found]
        alone = output.as_json and len(figures) == 1
        print(json.dumps(figures[0] if alone else figures, indent=2))


def tables(
    results: Annotated[
        tuple[Path, ...],
        Flag("folders that `evaluate --results` wrote; nothing else is read", "DIR"),
    ],
    out: Annotated[
        Path | None,
        Flag(
            "folder for Markdown, CSV, LaTeX, PNG and HTML (default: tables/ in the first one)",
            "DIR",
        ),
    ] = None,
) -> None:
    """Render tables and figures from result files."""
    from train.benchmark.render import render

    for path in render(results, out or results[0] / "tables"):
        print(path)
