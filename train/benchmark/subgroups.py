"""The same figures for women and men, and by age: does a checkpoint read all patients alike?

    python -m train evaluate subgroups --checkpoint assets/checkpoint --dataset ptbxl-super \
        --data DIR
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from focal_app.errors import ConfigError
from train.benchmark.figures import FEW, Scored
from train.benchmark.metrics import Interval, bootstrap, weighted_auc
from train.benchmark.sets import Item
from train.fit.numbers import refuse_no_numbers

AGES = ((0, 40), (40, 65), (65, 200))
"""Ages in years, from the first up to but not the second."""


@dataclass(frozen=True)
class Subgroup:
    """Macro AUC of some patients over `classes` classes with five positives and negatives."""

    name: str
    recordings: int
    classes: int
    macro_auc: Interval


@dataclass(frozen=True)
class Subgroups:
    """All recordings and each group, over the classes that every group can be judged on.

    `unknown` counts recordings whose sex or age nothing says.
    """

    dataset: str
    classes: tuple[str, ...]
    groups: tuple[Subgroup, ...]
    unknown_sex: int
    unknown_age: int


def subgroups(
    dataset: str,
    labels: Sequence[str],
    items: Sequence[Item],
    scored: Scored,
    *,
    seed: int = 0,
) -> Subgroups:
    """Figures by sex and by age, on the same classes for all, so that they can be compared."""
    refuse_no_numbers(scored.score, labels)
    masks = group_masks(items)
    named = {"all": np.ones(len(items), bool), **{n: m for n, m in masks.items() if m.any()}}
    enough = np.all([_scorable(scored.truth[mask]) for mask in named.values()], axis=0)
    if not enough.any():
        raise ConfigError(
            f"found no class of {dataset} with {FEW} positives and negatives in every group of "
            f"{', '.join(named)}; needed one. Evaluate more recordings"
        )
    truth, score = scored.truth[:, enough], scored.score[:, enough]
    groups = tuple(
        Subgroup(
            name,
            int(mask.sum()),
            int(enough.sum()),
            bootstrap(weighted_auc, truth[mask], score[mask], seed=seed),
        )
        for name, mask in named.items()
    )
    return Subgroups(
        dataset,
        tuple(label for label, held in zip(labels, enough, strict=True) if held),
        groups,
        sum(item.sex is None for item in items),
        sum(item.age is None for item in items),
    )


def group_masks(items: Sequence[Item]) -> dict[str, np.ndarray]:
    """Which recordings belong to each group."""
    sex = np.array([item.sex or "" for item in items])
    age = np.array([np.nan if item.age is None else item.age for item in items], float)
    masks = {name: sex == name for name in ("female", "male")}
    for low, high in AGES:
        name = f"{low} to {high - 1} years" if high < 200 else f"{low} years and older"
        masks[name] = (age >= low) & (age < high)
    return masks


def _scorable(truth: np.ndarray) -> np.ndarray:
    return np.minimum(truth.sum(0), (~truth).sum(0)) >= FEW
