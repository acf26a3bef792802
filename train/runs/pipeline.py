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
from dataclasses import dataclass
from pathlib import Path

from focal_app.errors import ConfigError
from train.data.verified_files import begun_without_signals
from train.recipe import save_recipe
from train.runs.commands.common import Workers
from train.runs.commands.data import SHARES, Folds, Storing
from train.runs.commands.verify import Scoring
from train.runs.plan import DRAWN, FOLDED, TAGGED, Plan
from train.runs.preflight import check
from train.settings import arguments, part


@dataclass(frozen=True)
class Command:
    """What a Python runs."""

    arguments: list[str]
    python: str = sys.executable

    @classmethod
    def of(cls, *words: object, processes: int = 1) -> "Command":
        """`python -m train` with these words, by so many processes of this machine."""
        several = ["-m", "torch.distributed.run", "--nproc_per_node", str(processes)]
        return cls([*(several if processes > 1 else []), "-m", "train", *map(str, words)])


def commands(plan: Plan) -> Iterator[Command]:
    """The commands of a plan, one a stage."""
    out, shards = plan.out, []
    for name, where in plan.sources():
        shards.append(out / "data" / name)
        asked = ["--count", where] if name == DRAWN else [where]
        yield Command.of("data", name, *asked, "--out", shards[-1], *_data_options(plan, name))
    recipe = ["--config", out / "recipe.yaml"]
    train = [*recipe, "--out", out, *arguments(plan.pace), "--shards", *shards]
    candidates, verified = out / "candidates", out / "verified"
    if plan.recipe.tuning.steps and not plan.coarse.start:
        yield Command.of("text", *recipe, "--out", out)
    if plan.prepares:
        read = arguments(part(Workers, plan.pace))
        yield Command.of("prepare", *recipe, "--out", out, *read, "--shards", *shards)
    yield Command.of("coarse", *train, *arguments(plan.coarse), processes=plan.whole.processes)
    asked = ["--backend", plan.backend, *arguments(plan.asking)]
    enrich = Command.of("enrich", "--shards", *shards, "--out", candidates, *asked)
    python = plan.whole.enrich_python
    yield dataclasses.replace(enrich, python=str(python)) if python else enrich
    kept = plan.recipe.data.keep_prepared and not plan.verify.prepared
    kept = kept and not begun_without_signals(verified)
    yield Command.of(
        *("verify", "--checkpoint", out / "coarse" / "model", "--shards", *shards),
        *("--candidates", candidates, "--out", verified),
        *("--threshold", plan.verify.threshold or plan.recipe.enrichment.threshold),
        *("--score", plan.score, "--free-text", plan.free_text),
        *arguments(part(Scoring, plan.verify)),
        *(("--prepared", out / "prepared") if kept else ()),
        processes=plan.whole.processes,
    )
    yield Command.of("fine", *train, *arguments(plan.fine), processes=plan.whole.processes)
    if plan.pushes:
        card = [*recipe, "--shards", *shards]
        yield Command.of("push", "model", out / "fine" / "model", *_hub(plan), *card)


def run_pipeline(plan: Plan) -> None:
    """Check what every stage will need, note the recipe, and run the stages."""
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


def _data_options(plan: Plan, name: str) -> list[str]:
    """What a source is asked for: folds, shares, a seed, how reports become tags."""
    made = arguments(part(Storing, plan.data))
    if name == FOLDED:
        return made + arguments(part(Folds, plan.data))
    if name == TAGGED and plan.recipe.data.tagging != "curated":
        made += ["--tagging", plan.recipe.data.tagging]
    if plan.data.split != SHARES:
        made += ["--split", *map(str, plan.data.split)]
    if name == DRAWN and plan.data.seed:
        made += ["--seed", str(plan.data.seed)]
    return made


def _hub(plan: Plan) -> list[str]:
    figures = ["--figures", *map(str, plan.whole.figures)] if plan.whole.figures else []
    if not plan.whole.push:
        return ["--dry-run", str(plan.out / "hub"), *figures]
    private = ["--private"] if plan.whole.private else []
    return ["--repo", plan.whole.push, *private, *figures]
