"""Transfer: the classes of one set, judged on the recordings of another that share them.

    python -m train evaluate transfer --checkpoint assets/checkpoint --source ptbxl-super \
        --dataset cpsc2018 --data DIR --methods zeroshot
"""

from dataclasses import dataclass
from functools import cache
from itertools import permutations
from pathlib import Path

import numpy as np
import yaml
from jaxtyping import Shaped

from focal_app.errors import ConfigError
from focal_app.model.focal import Focal
from train.benchmark.figures import Figures, Scored, figures_of, logistic
from train.benchmark.probe import SEED, Head, features_of, fit_head
from train.benchmark.prompts import prompts_of
from train.benchmark.sets import LabelledSet, load_set
from train.benchmark.settings import Chosen, Judged
from train.benchmark.zeroshot import calibrated, choose, class_logits

MAP = Path(__file__).with_name("transfer.yaml")
METHODS = ("zeroshot", "probe")
PAIRS = tuple(permutations(("ptbxl-super", "cpsc2018", "csn"), 2))


@dataclass(frozen=True)
class Shared:
    """A class that both sets have: its name, and the classes of source and target that mean it."""

    name: str
    source: tuple[str, ...]
    target: tuple[str, ...]


@dataclass(frozen=True)
class Transfer:
    """Figures over the shared classes, on target recordings that carry at least one of them."""

    source: str
    target: str
    method: str
    split: str
    left_out: int
    figures: Figures


@cache
def shared_classes(source: str, target: str) -> tuple[Shared, ...]:
    """The class map from a source to a target set; either direction of the file."""
    for entry in yaml.safe_load(MAP.read_text(encoding="utf-8")):
        if sorted(entry["sets"]) == sorted((source, target)):
            at, to = entry["sets"].index(source), entry["sets"].index(target)
            pairs = entry["classes"].items()
            return tuple(
                Shared(str(name), _texts(sides[at]), _texts(sides[to])) for name, sides in pairs
            )
    known = ", ".join(f"{one} to {other}" for one, other in PAIRS)
    raise ConfigError(f"found no class map from {source!r} to {target!r}; there are {known}")


def transfer(
    model: Focal,
    source: str,
    target: str,
    sets: Judged,
    *,
    method: str = "zeroshot",
    seed: int = SEED,
) -> Transfer:
    """Classes of `source` judged on `target`: by the prompts, or by a probe trained on `source`.

    The folds restrict a target of PTB-XL to recordings that the checkpoint was not trained on.
    """
    if method not in METHODS:
        raise ConfigError(f"found method {method!r}; needed one of {', '.join(METHODS)}")
    shared = shared_classes(source, target)
    loaded = {
        name: load_set(name, sets.folder, splits=sets.splits, labels=sets.labels)
        for name in ((source, target) if method == "probe" else (target,))
    }
    of_folds_or_test = Chosen(data=sets.data, cache=sets.cache, folds=sets.folds)
    chosen = choose(model, loaded[target], of_folds_or_test)
    if method == "zeroshot":
        classes = tuple(label for one in shared for label in one.source)
        asked = prompts_of(source, classes, by="prompt", data=sets.folder)
        score = class_logits(model, chosen.held, asked)
        probability = calibrated(model, score)
    else:
        classes = loaded[source].classes
        score = _head(model, loaded[source], sets.cache).logits(chosen.held.pooled()).astype(float)
        probability = logistic(score)
    asked, meant = [one.source for one in shared], [one.target for one in shared]
    answers = (_highest(found, classes, asked) for found in (score, probability))
    truth = _highest(chosen.truth, loaded[target].classes, meant)
    # As the paper has it: only recordings that carry one of the shared classes.
    kept = chosen.held.readable & truth.any(1)
    figures = figures_of(
        [one.name for one in shared],
        [", ".join(one.source) for one in shared],
        Scored(truth, *answers).rows(kept),
        seed=seed,
    )
    return Transfer(source, target, method, chosen.split, int((~kept).sum()), figures)


def _highest(
    found: Shaped[np.ndarray, "R C"], classes: tuple[str, ...], meaning: list[tuple[str, ...]]
) -> Shaped[np.ndarray, "R K"]:
    """The highest score of the classes that mean a shared one, or whether any of them holds."""
    columns = [[classes.index(label) for label in labels] for labels in meaning]
    return np.stack([found[:, place].max(1) for place in columns], axis=1)


def _head(model: Focal, source: LabelledSet, cache: Path | None) -> Head:
    train = features_of(model, source, "train", cache=cache)
    return fit_head(train, features_of(model, source, "validation", cache=cache))[0]


def _texts(labels: list) -> tuple[str, ...]:
    return tuple(map(str, labels))
