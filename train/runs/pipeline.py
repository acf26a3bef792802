"""The whole way from raw data to a model for the Hub, as commands that run one after the other.

    python -m train pipeline --config focal --source mimic-iv-ecg=DIR --source ptb-xl=DIR

Stages talk through files alone, so each can be run, stopped, resumed and inspected by itself: the
pipeline prints every command before it runs it. A stage that is finished is only read.
"""

import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from focal_app.errors import ConfigError


@dataclass(frozen=True)
class Plan:
    """What to run: a recipe, sources as NAME=DIR (or simulated=COUNT), and where results go."""

    config: str
    out: Path
    sources: tuple[str, ...]
    weights: tuple[str, ...] = ()
    backend: str = "curated"
    base_url: str | None = None
    llm: str = ""
    threshold: float = 0.95
    processes: int = 1
    workers: int = 0
    push: str | None = None


def commands(plan: Plan) -> Iterator[list[str]]:
    """The commands of a plan, each without the Python that runs it."""
    shards = []
    for source in plan.sources:
        name, found, where = source.partition("=")
        if not (name and found and where):
            raise ConfigError(f"found --source {source!r}; needed NAME=DIR or simulated=COUNT")
        shards.append(str(plan.out / "data" / name))
        asked = ["--count", where] if name == "simulated" else [where]
        yield ["-m", "train", "data", name, *asked, "--out", shards[-1]]
    train = ["--config", plan.config, "--out", str(plan.out), "--workers", str(plan.workers)]
    train += [part for weight in plan.weights for part in ("--weight", weight)]
    yield [*_launcher(plan), "-m", "train", "coarse", *train, "--shards", *shards]
    candidates, verified = str(plan.out / "candidates"), str(plan.out / "verified")
    yield ["-m", "train", "enrich", "--shards", *shards, "--out", candidates, *_backend(plan)]
    yield [
        *("-m", "train", "verify", "--checkpoint", str(plan.out / "coarse" / "model")),
        *("--shards", *shards, "--candidates", candidates, "--out", verified),
        *("--threshold", str(plan.threshold)),
    ]
    yield [*_launcher(plan), "-m", "train", "fine", *train, "--shards", *shards]
    yield [
        *("-m", "train", "push", "model", str(plan.out / "fine" / "model"), *_hub(plan)),
        *("--config", plan.config, "--shards", *shards),
    ]


def run_in_turn(planned: Iterable[list[str]]) -> None:
    """Run the commands in turn; the first that fails ends it, and what is done stays."""
    for command in planned:
        print(f"$ python {shlex.join(command)}", flush=True)
        done = subprocess.run([sys.executable, *command], check=False)
        if done.returncode:
            raise ConfigError(
                f"the stage above ended with exit code {done.returncode}; mend what it says and "
                "run the same command again: finished stages are kept"
            )


def _launcher(plan: Plan) -> list[str]:
    if plan.processes == 1:
        return []
    return ["-m", "torch.distributed.run", "--nproc_per_node", str(plan.processes)]


def _backend(plan: Plan) -> list[str]:
    model = [] if plan.backend == "curated" else ["--model", plan.llm]
    url = ["--base-url", plan.base_url] if plan.base_url else []
    return ["--backend", plan.backend, *model, *url]


def _hub(plan: Plan) -> list[str]:
    return ["--repo", plan.push] if plan.push else ["--dry-run", str(plan.out / "hub")]
