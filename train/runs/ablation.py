"""An ablation: a recipe and its variants, each with one choice changed, all on the same data.

    python -m train ablation --config focal-small --shards DIR ... --out runs/ablation
    python -m train evaluate ablation --runs runs/ablation --data DIR --results runs/results

`train/runs/ablation.yaml` names the variants, `train.runs.shared_runs` says where they lie; beside
them are

OUT/text-SEED/           the tuned tag encoder that all variants of a seed start from
OUT/scored-NAME/         every candidate, scored once by that coarse model for all thresholds
"""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from focal_app.model.focal import Focal
from train.data.verified_files import read_verified
from train.enrich.thresholds import accept_at
from train.fit.tag_encoder import keep_tuned, tuned_text
from train.recipe import Recipe, load_recipe
from train.runs.ablation_plan import Variants
from train.runs.pipeline import Command
from train.runs.preflight import refuse_missing, said
from train.runs.shared_runs import RunsOfASeed

VARIANTS = Path(__file__).with_suffix(".yaml")

_GIVEN = {
    "threshold": ("--candidates", "what `python -m train enrich` wrote"),
    "right": ("--right", "a folder of features that are known to be true"),
}


def check(plan: Variants) -> None:
    """A `ConfigError` that lists all that is wrong or missing; nothing is written."""
    missing = [*plan.missing(), *_unfit(plan)]
    if plan.right:
        missing += said(partial(read_verified, plan.right))
    refuse_missing(missing)


def commands(plan: Variants) -> Iterator[Command]:
    """The commands of a plan, one by one; what a command needs is written before it is yielded."""
    plan.note()
    for runs in plan.each_seed():
        yield from _OneSeed(plan, runs).commands()


@dataclass(frozen=True)
class _OneSeed:
    """The variants of a plan among the runs of a seed."""

    plan: Variants
    runs: RunsOfASeed

    def commands(self) -> Iterator[Command]:
        coarse, fine = _variants(self.plan)
        for name, changes in coarse.items():
            file = self.runs.written(name, changes)
            yield Command.of("coarse", *self._given(name, file))
        scored = [how for how in fine.values() if "threshold" in how]
        for name, score in dict.fromkeys((how["from"], how.get("score", "auto")) for how in scored):
            yield self._score(name, score)
        for name, how in fine.items():
            yield self._fine(name, how)

    def _fine(self, name: str, how: Mapping[str, Any]) -> Command:
        file = self.runs.written(
            name, whole_length(load_recipe(self.plan.config)) if how.get("scratch") else {}
        )
        features = self._features(name, how)
        verified = ["--verified", str(features)] if features else []
        given = self._given(name, file, scratch=bool(how.get("scratch")))
        if how.get("scratch"):
            return Command.of("coarse", *given, *verified)
        given += verified or ["--without-verified"]
        return Command.of("fine", *given, "--start", self.runs.model(how["from"]))

    def _features(self, name: str, how: Mapping[str, Any]) -> Path | None:
        """The folder of the features that enter the reports."""
        if how.get("right"):
            return self.plan.right
        if "threshold" not in how:
            return None
        verified = self.runs.out / name / "verified"
        scored = self._scored(how["from"], how.get("score", "auto"))
        accept_at(scored, how["threshold"], verified)
        return verified

    def _scored(self, name: str, score: str) -> Path:
        return self.runs.out / f"scored-{name}{'' if score == 'auto' else f'-{score}'}"

    def _score(self, name: str, score: str) -> Command:
        """The command that scores every candidate by a coarse model."""
        return Command.of(
            *("verify", "--checkpoint", self.runs.model(name), "--shards", *self.plan.shards),
            *("--candidates", self.plan.candidates),
            *("--score", score, "--out", self._scored(name, score)),
        )

    def _given(self, name: str, file: Path, *, scratch: bool = True) -> list[str]:
        """Recipe, data and folder of a run; what runs share is laid there."""
        if scratch:
            self._share_text(load_recipe(file), self.runs.out / name)
        return self.runs.given(name, file)

    def _share_text(self, recipe: Recipe, run: Path) -> None:
        """The tag encoder is tuned once for a seed, then every run of that seed has a copy."""
        if not recipe.tuning.steps or (run / "text" / "figures.json").is_file():
            return
        shared = self.runs.out / f"text-{recipe.seed}"
        if self.plan.text:
            keep_tuned(Focal.load(self.plan.text).text, recipe, shared)
        else:
            tuned_text(recipe, shared)
        shutil.copytree(shared / "text", run / "text", dirs_exist_ok=True)


def whole_length(recipe: Recipe) -> dict[str, Any]:
    """The change of a recipe that makes coarse training as long as coarse and fine together."""
    length = "steps" if recipe.coarse.steps else "epochs"
    both = getattr(recipe.coarse, length) + getattr(recipe.fine, length)
    return {f"coarse.{length}": both}


def _unfit(plan: Variants) -> Iterator[str]:
    """Variants that cannot be trained as asked for, and options that none of them reads."""
    coarse, fine = _known()
    known = coarse | fine
    if unknown := sorted(set(plan.names) - set(known)):
        yield f"found no variant {', '.join(unknown)}; known are {', '.join(known)}"
        return
    asked = {name: known[name] for name in plan.names or known}
    for needed, given in (("threshold", plan.candidates), ("right", plan.right)):
        (flag, by), users = _GIVEN[needed], [name for name, how in asked.items() if needed in how]
        if given and not users:
            yield f"found {flag}, without effect on {', '.join(asked)}; leave it out"
        elif plan.names and users and not given:
            yield f"found no {flag}, which {', '.join(users)} needs; give {by}"
    if plan.text and not any(name in coarse or "scratch" in how for name, how in asked.items()):
        yield f"found --text, without effect on {', '.join(asked)}; leave it out"
    for name, changes in _of(coarse, list(asked)).items():
        unfit = said(partial(load_recipe, plan.config, changes=changes))
        yield from (f"variant {name}: {one}" for one in unfit)
    for start in dict.fromkeys(how["from"] for how in asked.values() if "from" in how):
        if start not in asked and not all(runs.finished(start) for runs in plan.each_seed()):
            users = ", ".join(name for name, how in asked.items() if how.get("from") == start)
            yield (
                f"found {users} without {start}, whose coarse model it needs; name {start} in "
                "--only too, or give the --out where it is finished"
            )


def _variants(plan: Variants) -> tuple[dict[str, Any], dict[str, Any]]:
    """Coarse and fine variants that the plan asks for, and allows."""
    coarse, fine = _known()
    for needed, given in (("threshold", plan.candidates), ("right", plan.right)):
        fine = {name: how for name, how in fine.items() if given or needed not in how}
    if not (plan.candidates or plan.right or plan.names):
        fine = {}  # the control alone says nothing
    wanted = plan.names or (*coarse, *fine)
    return _of(coarse, wanted), _of(fine, wanted)


def _known() -> tuple[dict[str, Any], dict[str, Any]]:
    """All coarse and all fine variants, and what each changes."""
    known = yaml.safe_load(VARIANTS.read_text(encoding="utf-8"))
    return known["coarse"], known["fine"]


def _of(variants: Mapping[str, Any], wanted: Sequence[str]) -> dict[str, Any]:
    return {name: variant for name, variant in variants.items() if name in wanted}
