"""Other text encoders and other language models, each in the place of a recipe's own.

    python -m train components --config focal --shards DIR ... --candidates DIR \
        --encoders NAME ... --models NAME ... --seeds 7 8 9 --out runs/components
    python -m train evaluate components --runs runs/components --data DIR --results runs/results

A text encoder is a coarse training and, where there are `--candidates`, their verification by it
and fine training. A language model is an enrichment of its own, verified by the coarse model of the
recipe's text encoder, and fine training from that. Runs lie as `train.runs.shared_runs` says, under
the last part of the name (`Qwen3-8B` of `Qwen/Qwen3-8B`); beside them are

OUT/candidates/NAME      what a language model proposes, asked once for all seeds
"""

import dataclasses
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar

from train.enrich.candidates import REPORT
from train.recipe import Recipe, load_recipe
from train.runs.commands.enrich import Asking
from train.runs.pipeline import Command
from train.runs.plan import ENRICH_PYTHON, EnrichOptions
from train.runs.preflight import enrichment, refuse_missing, said, text_model
from train.runs.shared_runs import RunsOfASeed, SharedRuns
from train.settings import Flag, Prefix, arguments, part, refuse

CURATED = "curated"
"""The name under which the lexicon stands among the language models."""
PREPARED, CANDIDATES = "prepared", "candidates"
"""Folders beside the runs."""


@dataclass(frozen=True, kw_only=True)
class Components(SharedRuns):
    """Which text encoders and language models are tried, and how the latter are asked.

    `candidates` are what the text encoders verify.
    """

    command: ClassVar[str] = "components"
    config: Annotated[
        str, Flag("the recipe whose components are replaced (default focal-small)", "NAME")
    ] = "focal-small"
    out: Annotated[
        Path,
        Flag(
            "folder of the runs; the same command goes on where it was stopped, and one with other "
            "names adds to it (default runs/components)",
            "DIR",
        ),
    ] = Path("runs/components")
    candidates: Annotated[
        Path | None,
        Flag(
            "what `enrich` wrote for these shards; then text encoders verify it and have a fine "
            "training too",
            "DIR",
        ),
    ] = None
    seeds: Annotated[
        tuple[int, ...],
        Flag("train everything once for each of these (default: once, the recipe's)", "N"),
    ] = ()
    encoders: Annotated[
        tuple[str, ...],
        Flag(
            "text encoders, as text.name of a recipe: a coarse training each; its run is named "
            "by the last part of that name",
            "NAME",
        ),
    ] = ()
    models: Annotated[
        tuple[str, ...],
        Flag(
            "language models: an enrichment each, verified by and trained on from the coarse model "
            "of the recipe's text encoder; curated is the lexicon",
            "NAME",
        ),
    ] = ()
    enrich: Annotated[EnrichOptions, Prefix("enrich")] = field(default_factory=EnrichOptions)
    enrich_python: Annotated[Path | None, ENRICH_PYTHON] = None

    @cached_property
    def recipe(self) -> Recipe:
        """The recipe whose components are replaced."""
        return load_recipe(self.config)

    @property
    def trained(self) -> tuple[str, ...]:
        """The text encoders of coarse trainings: those asked for, and the one that models need."""
        own = self.recipe.text.name
        lacking = self.models and own not in self.encoders
        return (*self.encoders, own) if lacking else self.encoders

    @property
    def asked(self) -> tuple[str, ...]:
        """The language models that are more than the lexicon."""
        return tuple(name for name in self.models if name != CURATED)

    def tried(self) -> dict[str, str]:
        """The component of every run: runs are named by the last part of its name."""
        kinds = {"the text encoder": self.trained, "the language model": self.models}
        return {
            folder_of(name): f"{kind} {Path(name)}"
            for kind, names in kinds.items()
            for name in names
        }

    def backend(self, model: str) -> str:
        """By what a language model is asked."""
        return (
            CURATED if model == CURATED else self.enrich.backend or self.recipe.enrichment.backend
        )

    def asking(self, model: str) -> Asking:
        """How a language model is asked."""
        if model == CURATED:
            return Asking()
        return dataclasses.replace(part(Asking, self.enrich), model=model)

    def proposed(self, model: str) -> Path:
        """Where the candidates of a language model lie."""
        return self.out / CANDIDATES / folder_of(model)


def folder_of(name: str) -> str:
    """The name of a component's run: the last part of a Hub name or a path, safe for a folder."""
    return re.sub(r"[^\w.-]+", "-", Path(name).name).strip(".-")


def check(plan: Components) -> None:
    """A `ConfigError` that lists all that is wrong or missing; nothing is written."""
    missing = [*plan.missing(), *_without_effect(plan), *_names(plan)]
    for encoder in plan.trained:
        missing += text_model(plan.recipe, encoder)
    for model in plan.asked:
        missing += _model(plan, model)
    refuse_missing(missing)


def commands(plan: Components) -> Iterator[Command]:
    """The commands of a plan, one by one; what a command needs is written before it is yielded."""
    plan.note()
    for model in plan.models:
        yield _enrich(plan, model)
    for runs in plan.each_seed():
        for encoder in plan.trained:
            yield from _encoder(plan, runs, encoder)
        for model in plan.models:
            yield from _fine(plan, runs, model, plan.recipe.text.name, plan.proposed(model))


def _enrich(plan: Components, model: str) -> Command:
    shards = ["--shards", *plan.shards, "--out", plan.proposed(model)]
    asked = ["--backend", plan.backend(model), *arguments(plan.asking(model))]
    made = Command.of("enrich", *shards, *asked)
    python = plan.enrich_python if model != CURATED else None
    return dataclasses.replace(made, python=str(python)) if python else made


def _encoder(plan: Components, runs: RunsOfASeed, encoder: str) -> Iterator[Command]:
    name = folder_of(encoder)
    file = runs.written(name, _changes(plan, encoder))
    yield Command.of("coarse", *runs.given(name, file))
    if plan.candidates and encoder in plan.encoders:
        yield from _fine(plan, runs, encoder, encoder, plan.candidates)


def _fine(
    plan: Components, runs: RunsOfASeed, component: str, encoder: str, candidates: Path
) -> Iterator[Command]:
    """Candidates verified by the coarse model of that encoder, and fine training from it."""
    name, coarse = folder_of(component), runs.model(folder_of(encoder))
    file, how = runs.written(name, _changes(plan, component)), plan.recipe.enrichment
    yield Command.of(
        *("verify", "--checkpoint", coarse, "--shards", *plan.shards),
        *("--candidates", candidates, "--out", runs.out / name / "verified"),
        *("--threshold", how.threshold, "--score", how.score, "--free-text", how.free_text),
    )
    yield Command.of("fine", *runs.given(name, file), "--start", coarse)


def _changes(plan: Components, component: str) -> dict[str, Any]:
    """What a component changes in the recipe."""
    if component not in plan.models:
        return {"text": {"name": component}}
    named = {} if component == CURATED else {"model": component}
    return {"enrichment": {"backend": plan.backend(component), **named}}


def _without_effect(plan: Components) -> Iterator[str]:
    """Options that nothing would read."""
    if not (plan.encoders or plan.models):
        yield "found no --encoders and no --models; needed what to compare"
    if plan.candidates and not plan.encoders:
        yield (
            "found --candidates, without effect without --encoders: every model proposes its own; "
            "leave it out"
        )
    if plan.asked:
        if plan.enrich.model:
            yield f"found --enrich.model {plan.enrich.model}; give it with --models"
        return
    why = f"without --models other than {CURATED}"
    yield from said(lambda: refuse(plan.enrich, why, prefix="enrich"))
    if plan.enrich_python:
        yield f"found --enrich-python, without effect {why}; leave it out"


def _names(plan: Components) -> Iterator[str]:
    """Components whose runs would have no folder, or share one."""
    taken = {PREPARED: "what all runs share", CANDIDATES: "what is proposed"}
    for name in (*plan.trained, *plan.models):
        folder = folder_of(name)
        if not folder:
            yield f"found {name!r}; needed a name or a folder with a name"
        elif folder in taken:
            yield f"found {name}, whose folder {folder} is that of {taken[folder]}; rename one"
        taken.setdefault(folder, name)


def _model(plan: Components, model: str) -> Iterator[str]:
    """Whether a language model can be asked, unless it was."""
    backend = plan.backend(model)
    if backend == CURATED:
        yield (
            f"found --models {model}, and the backend {CURATED}, which asks none; give "
            "--enrich.backend server, vllm or ray"
        )
    elif not (plan.proposed(model) / REPORT).is_file():
        yield from enrichment(backend, plan.asking(model), plan.enrich_python)
