"""What a run of the pipeline is asked for: a recipe, and the options of every stage."""

import dataclasses
from collections.abc import Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from focal_app.errors import ConfigError
from train.checked import Checked, Range
from train.recipe import Backend, FreeText, Recipe, Score
from train.runs import recipe_lines
from train.runs.commands.common import Out, Speed, Start, Weights
from train.runs.commands.data import SHARES, SPLIT_FLAG, Folds, Storing
from train.runs.commands.enrich import BACKEND, Asking
from train.runs.commands.push import FIGURES
from train.runs.commands.training import FineInput
from train.runs.commands.verify import (
    FREE_TEXT_FLAG,
    SCORE_FLAG,
    THRESHOLD_FLAG,
    Probability,
    Scoring,
)
from train.settings import Flag, part

FOLDED, DRAWN, TAGGED = "ptb-xl", "simulated", "mimic-iv-ecg"
"""The source that has its own splits, the one that is drawn, and the one whose reports are cut."""

ENRICH_PYTHON = Flag(
    "the Python that runs enrichment, where vLLM or Ray has an environment of its own, as "
    ".venv-enrich/bin/python (default: this one)",
    "FILE",
)


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
    enrich_python: Annotated[Path | None, ENRICH_PYTHON] = None
    push: Annotated[
        str | None,
        Flag(
            "upload the fine model to this repository of the Hub; without it the exact tree is "
            "written to OUT/hub and nothing leaves the machine",
            "ORG/NAME",
        ),
    ] = None
    private: Annotated[bool, Flag("make a new repository private (default public)")] = False
    figures: Annotated[tuple[Path, ...], FIGURES] = ()


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
    """Verification's own options; threshold and score are the recipe's unless said here."""

    threshold: Annotated[float | None, THRESHOLD_FLAG, Probability] = None
    score: Annotated[Score | None, SCORE_FLAG] = None
    free_text: Annotated[FreeText | None, FREE_TEXT_FLAG] = None


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
    def score(self) -> Score:
        """How candidates are scored."""
        return self.verify.score or self.recipe.enrichment.score

    @property
    def free_text(self) -> FreeText:
        """What becomes of candidates that name no statement."""
        return self.verify.free_text or self.recipe.enrichment.free_text

    @property
    def asking(self) -> Asking:
        """Enrichment's options, the recipe's model among them where a model is asked."""
        asking = part(Asking, self.enrich)
        if self.backend == "curated" or asking.model:
            return asking
        return dataclasses.replace(asking, model=self.recipe.enrichment.model)

    @property
    def prepares(self) -> bool:
        """Whether signals are made ready in a stage of their own."""
        return self.recipe.data.keep_prepared and self.whole.processes > 1

    @property
    def pushes(self) -> bool:
        """Whether the Hub's tree is sent, or written for the first time."""
        return bool(self.whole.push) or not (self.out / "hub").is_dir()

    @property
    def reads(self) -> Set[str]:
        """The lines of the recipe that a stage of this run reads: no option stands for them."""
        started, weighted = bool(self.coarse.start), bool(self.pace.weight)
        found = recipe_lines.coarse(self.recipe, start=started, weighted=weighted)
        found |= recipe_lines.fine(self.recipe, weighted=weighted)
        if self.prepares:
            found |= recipe_lines.prepare(self.recipe)
        stand = {name: getattr(self.verify, name) for name in ("threshold", "score", "free_text")}
        stand["backend"] = self.enrich.backend
        stand["model"] = self.enrich.model or self.backend == "curated"
        return found | {f"enrichment.{name}" for name, given in stand.items() if not given}

    def sources(self) -> list[tuple[str, str]]:
        """Name and folder (or count) of every source."""
        found = []
        for source in self.whole.source:
            name, separator, where = source.partition("=")
            if not (name and separator and where):
                raise ConfigError(f"found --source {source!r}; needed NAME=DIR or simulated=COUNT")
            found.append((name, where))
        return found
