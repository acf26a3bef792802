"""An ablation: a recipe and its variants, each with one choice changed, all on the same data.

    python -m train ablation --config focal-small --shards DIR ... --out runs/ablation
    python -m train evaluate ablation --runs runs/ablation --data DIR --results runs/results

OUT/NAME.yaml            the whole recipe of a variant (`train/runs/ablation.yaml` names them)
OUT/NAME/                its run: coarse/model, or fine/model
OUT/text-SEED/           the tuned tag encoder that all variants of a seed start from
"""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from focal_app.errors import ConfigError
from train.fit.tag_encoder import tuned_text
from train.recipe import Recipe, load_recipe, save_recipe

VARIANTS = Path(__file__).with_suffix(".yaml")


@dataclass(frozen=True)
class Variants:
    """What to compare: the variants by name (none: all that the rest allows), on which shards.

    Fine training is compared where there are `candidates`, as `enrich` wrote them.
    """

    config: str
    out: Path
    shards: tuple[Path, ...]
    weights: tuple[str, ...] = ()
    candidates: Path | None = None
    names: tuple[str, ...] = ()


def commands(plan: Variants) -> Iterator[list[str]]:
    """The commands of a plan, one by one; what a command needs is written before it is yielded."""
    coarse, fine = _variants(plan)
    shards = ["--shards", *map(str, plan.shards)]
    common = [*shards, *(part for weight in plan.weights for part in ("--weight", weight))]
    for name, changes in coarse.items():
        file, run = _written(plan, name, changes), plan.out / name
        _share_text(load_recipe(file), plan.out, run)
        yield ["-m", "train", "coarse", "--config", str(file), *common, "--out", str(run)]
    for name, how in fine.items():
        file, model = _written(plan, name, {}), plan.out / how["from"] / "coarse/model"
        verified: list[str] = []
        if how["threshold"] is not None:
            verified = [str(plan.out / name / "verified")]
            yield [
                *("-m", "train", "verify", "--checkpoint", str(model), *shards),
                *("--candidates", str(plan.candidates), "--out", *verified),
                *("--threshold", str(how["threshold"])),
            ]
        features = ["--verified", *verified] if verified else ["--without-verified"]
        out = ["--config", str(file), *common, "--out", str(plan.out / name), *features]
        if how.get("scratch"):
            _share_text(load_recipe(file), plan.out, plan.out / name)
            yield ["-m", "train", "coarse", *out]
        else:
            yield ["-m", "train", "fine", *out, "--start", str(model)]


def _variants(plan: Variants) -> tuple[dict[str, Any], dict[str, Any]]:
    """Coarse and fine variants that the plan asks for."""
    known = yaml.safe_load(VARIANTS.read_text(encoding="utf-8"))
    coarse, fine = known["coarse"], known["fine"]
    if unknown := sorted(set(plan.names) - {*coarse, *fine}):
        every = ", ".join((*coarse, *fine))
        raise ConfigError(f"found no variant {', '.join(unknown)}; known are {every}")
    if plan.candidates is None:
        if asked := sorted(set(plan.names) & set(fine)):
            raise ConfigError(
                f"found no --candidates, which {', '.join(asked)} needs; give what "
                "`python -m train enrich` wrote"
            )
        fine = {}
    wanted = plan.names or (*coarse, *fine)
    return _of(coarse, wanted), _of(fine, wanted)


def _of(variants: Mapping[str, Any], wanted: Sequence[str]) -> dict[str, Any]:
    return {name: variant for name, variant in variants.items() if name in wanted}


def _written(plan: Variants, name: str, changes: Mapping[str, Any]) -> Path:
    """The file of the recipe with the changes."""
    file = plan.out / f"{name}.yaml"
    save_recipe(load_recipe(plan.config, changes={**changes, "name": name}), file)
    return file


def _share_text(recipe: Recipe, out: Path, run: Path) -> None:
    """The tag encoder is tuned once for a seed, then every run of that seed has a copy."""
    if recipe.tuning.steps and not (run / "text" / "figures.json").is_file():
        shared = out / f"text-{recipe.seed}"
        tuned_text(recipe, shared)
        shutil.copytree(shared / "text", run / "text", dirs_exist_ok=True)
