"""The whole way from raw data to a model for the Hub, as commands that run one after the other.

    python -m train pipeline --config focal --source mimic-iv-ecg=DIR --source ptb-xl=DIR

Stages talk through files alone, so each can be run, stopped, resumed and inspected by itself: the
pipeline prints every command before it runs it. A stage that is finished is only read. Before the
first one it checks what every stage will need (`train.runs.preflight`).

OUT/recipe.yaml          the whole recipe, with what --set changed, as every stage reads it
OUT/data/NAME            shards
OUT/text, coarse, fine   training; OUT/candidates, OUT/verified  features; OUT/hub  the Hub's tree
"""

import dataclasses
import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from focal_app.errors import ConfigError
from train.checked import Checked, Range
from train.recipe import Backend, Recipe, save_recipe
from train.runs.commands.common import Out, Speed, Start, Weights
from train.runs.commands.data import SHARES, SPLIT_FLAG, Folds, Storing
from train.runs.commands.enrich import BACKEND, Asking
from train.runs.commands.training import FineInput
from train.runs.commands.verify import THRESHOLD_FLAG, Probability, Scoring
from train.settings import Flag, arguments, part

FOLDED, DRAWN = "ptb-xl", "simulated"
"""The source that has its own splits, and the one that is drawn."""


@dataclass(frozen=True, kw_only=True)
class Whole(Checked):
    """What the pipeline itself is asked for."""

    source: Annotated[
        tuple[str, ...],
        Flag(
            "a data set and its folder, may be repeated; simulated=COUNT draws recordings",
            "NAME=DIR",
        ),
    ]
    out: Out = None
    processes: Annotated[
        int, Flag("processes of training on this machine, one a GPU (default 1)", "N"), Range(1)
    ] = 1
    enrich_python: Annotated[
        Path | None,
        Flag(
            "the Python that runs enrichment, where vLLM or Ray has an environment of its own, as "
            ".venv-enrich/bin/python (default: this one)",
            "FILE",
        ),
    ] = None
    push: Annotated[
        str | None,
        Flag(
            "upload the fine model to this repository of the Hub; without it the exact tree is "
            "written to OUT/hub and nothing leaves the machine",
            "ORG/NAME",
        ),
    ] = None
    private: Annotated[bool, Flag("make a new repository private (default public)")] = False


@dataclass(frozen=True, kw_only=True)
class Pace(Weights, Speed):
    """How both trainings draw and read."""


@dataclass(frozen=True, kw_only=True)
class DataOptions(Storing, Folds):
    """Every source's own options: splits of all but PTB-XL, whose folds are its splits."""

    split: Annotated[tuple[float, float, float], SPLIT_FLAG] = SHARES
    seed: Annotated[int, Flag("other seeds draw other simulated patients", "N"), Range(0)] = 0


@dataclass(frozen=True, kw_only=True)
class EnrichOptions(Asking):
    """Enrichment's own options; where and by what the recipe says, unless it is said here."""

    backend: Annotated[Backend | None, BACKEND] = None


@dataclass(frozen=True, kw_only=True)
class VerifyOptions(Scoring):
    """Verification's own options; the threshold is the recipe's unless it is said here."""

    threshold: Annotated[float | None, THRESHOLD_FLAG, Probability] = None


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A run of the pipeline: a recipe, and what every stage is asked for."""

    recipe: Recipe
    whole: Whole
    pace: Pace = field(default_factory=Pace)
    data: DataOptions = field(default_factory=DataOptions)
    coarse: Start = field(default_factory=Start)
    enrich: EnrichOptions = field(default_factory=EnrichOptions)
    verify: VerifyOptions = field(default_factory=VerifyOptions)
    fine: FineInput = field(default_factory=FineInput)

    @property
    def out(self) -> Path:
        """The folder of the run."""
        return self.whole.out or Path("runs") / self.recipe.name

    @property
    def backend(self) -> Backend:
        """Where features are proposed."""
        return self.enrich.backend or self.recipe.enrichment.backend

    @property
    def asking(self) -> Asking:
        """Enrichment's options, the recipe's model among them where a model is asked."""
        asking = part(Asking, self.enrich)
        if self.backend == "curated" or asking.model:
            return asking
        return dataclasses.replace(asking, model=self.recipe.enrichment.model)

    def sources(self) -> list[tuple[str, str]]:
        """Name and folder (or count) of every source."""
        found = []
        for source in self.whole.source:
            name, separator, where = source.partition("=")
            if not (name and separator and where):
                raise ConfigError(f"found --source {source!r}; needed NAME=DIR or simulated=COUNT")
            found.append((name, where))
        return found


@dataclass(frozen=True)
class Command:
    """What a Python runs."""

    arguments: list[str]
    python: str = sys.executable


def commands(plan: Plan) -> Iterator[Command]:
    """The commands of a plan, one a stage."""
    out, shards = plan.out, []
    for name, where in plan.sources():
        shards.append(str(out / "data" / name))
        asked = ["--count", where] if name == DRAWN else [where]
        yield _train("data", name, *asked, "--out", shards[-1], *_data_options(plan, name))
    recipe = ["--config", str(out / "recipe.yaml")]
    train = [*recipe, "--out", str(out), *arguments(plan.pace), "--shards", *shards]
    candidates, verified = str(out / "candidates"), str(out / "verified")
    if plan.recipe.tuning.steps and not plan.coarse.start:
        yield _train("text", *recipe, "--out", str(out))
    yield _train("coarse", *train, *arguments(plan.coarse), processes=plan.whole.processes)
    asked = ["--backend", plan.backend, *arguments(plan.asking)]
    enrich = _train("enrich", "--shards", *shards, "--out", candidates, *asked)
    python = plan.whole.enrich_python
    yield dataclasses.replace(enrich, python=str(python)) if python else enrich
    yield _train(
        *("verify", "--checkpoint", str(out / "coarse" / "model"), "--shards", *shards),
        *("--candidates", candidates, "--out", verified),
        *("--threshold", str(plan.verify.threshold or plan.recipe.enrichment.threshold)),
        *arguments(part(Scoring, plan.verify)),
    )
    yield _train("fine", *train, *arguments(plan.fine), processes=plan.whole.processes)
    if plan.whole.push or not (out / "hub").is_dir():
        card = [*recipe, "--shards", *shards]
        yield _train("push", "model", str(out / "fine" / "model"), *_hub(plan), *card)


def run_pipeline(plan: Plan) -> None:
    """Check what every stage will need, note the recipe, and run the stages."""
    from train.runs.preflight import check

    check(plan)
    save_recipe(plan.recipe, plan.out / "recipe.yaml")
    run_in_turn(commands(plan))


def run_in_turn(planned: Iterable[Command]) -> None:
    """Run the commands in turn; the first that fails ends it, and what is done stays."""
    for command in planned:
        print(f"$ {Path(command.python).name} {shlex.join(command.arguments)}", flush=True)
        done = subprocess.run([command.python, *command.arguments], check=False)
        if done.returncode:
            raise ConfigError(
                f"the stage above ended with exit code {done.returncode}; mend what it says and "
                "run the same command again: finished stages are kept"
            )


def _train(*words: str, processes: int = 1) -> Command:
    several = ["-m", "torch.distributed.run", "--nproc_per_node", str(processes)]
    return Command([*(several if processes > 1 else []), "-m", "train", *words])


def _data_options(plan: Plan, name: str) -> list[str]:
    """What a source is asked for: PTB-XL has folds, the others shares, the simulator a seed."""
    made = arguments(part(Storing, plan.data))
    if name == FOLDED:
        return made + arguments(part(Folds, plan.data))
    if plan.data.split != SHARES:
        made += ["--split", *map(str, plan.data.split)]
    if name == DRAWN and plan.data.seed:
        made += ["--seed", str(plan.data.seed)]
    return made


def _hub(plan: Plan) -> list[str]:
    if not plan.whole.push:
        return ["--dry-run", str(plan.out / "hub")]
    return ["--repo", plan.whole.push, *(["--private"] if plan.whole.private else [])]
