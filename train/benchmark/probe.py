"""Linear probe: the encoder frozen, one linear layer, its strength chosen on validation.

python -m train evaluate probe --checkpoint assets/checkpoint --dataset ptbxl-super --data DIR
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch.nn import functional as F

from focal_app.errors import ConfigError
from focal_app.model.focal import Focal
from train.benchmark.embeddings import embed
from train.benchmark.figures import Figures, Scored, figures_of, logistic
from train.benchmark.metrics import macro_auc
from train.benchmark.sets import SPLITS, LabelledSet, load_set
from train.benchmark.settings import Encoded
from train.benchmark.unseen import new_to, unseen
from train.fit.numbers import refuse_no_numbers

STRENGTHS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)
"""Weight decays that are tried, from strong to weak."""
SEED = 42


@dataclass(frozen=True)
class Head:
    """One linear layer over standardised features."""

    mean: Float[np.ndarray, " width"]
    spread: Float[np.ndarray, " width"]
    weight: Float[np.ndarray, "C width"]
    bias: Float[np.ndarray, " C"]

    def logits(self, features: Float[np.ndarray, "R width"]) -> Float[np.ndarray, "R C"]:
        """Logit of every class."""
        return ((features - self.mean) / self.spread) @ self.weight.T + self.bias


@dataclass(frozen=True)
class Probe:
    """Figures on the test split of a probe that was trained on a share of the training split."""

    dataset: str
    source: str
    encoder: str
    share: float
    trained: int
    validated: int
    strength: float
    figures: Figures


@dataclass(frozen=True)
class Split:
    """Features and truth of the readable recordings of a split."""

    features: Float[np.ndarray, "R width"]
    truth: Bool[np.ndarray, "R C"]


def probe(
    model: Focal,
    dataset: str,
    sets: Encoded,
    *,
    shares: Sequence[float],
    encoder: str = "checkpoint",
    seed: int = SEED,
) -> list[Probe]:
    """A probe for each share of the training rows, drawn with a seed; the test set is seen once.

    encoder: `checkpoint`, or `random` for untrained weights of the same shape, the baseline.
    """
    chosen = load_set(dataset, sets.folder, splits=sets.splits, labels=sets.labels)
    used = untrained(model, seed) if encoder == "random" else model
    parts = {split: features_of(used, chosen, split, cache=sets.cache) for split in SPLITS}
    return [_probe(chosen, parts, share, encoder=encoder, seed=seed) for share in shares]


def untrained(model: Focal, seed: int) -> Focal:
    """A model of the same shape with the encoder's weights drawn anew, judged on the same rows."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        drawn = Focal(model.config, model.text).to(model.device).eval()
    drawn.seen = model.seen
    return drawn


def features_of(
    model: Focal, chosen: LabelledSet, split: str, *, cache: Path | None = None
) -> Split:
    """Pooled encoder outputs of a split; a `ConfigError` for a joined model, or none of it.

    The probe may train on what the checkpoint was trained on, and is judged on the rest alone; its
    strength is chosen on the rest of the validation split too, where there is any.
    """
    if model.others:
        raise ConfigError(
            "found a joined checkpoint; a probe reads what one encoder gives. Probe those of which "
            "it was made, one by one"
        )
    items = chosen.present((split,))
    if not items:
        raise ConfigError(
            f"found no {split} recording of {chosen.name} under the data folder; a probe needs "
            "all three splits. Add the files, or split what is there with --splits hash"
        )
    if split == "test":
        items = unseen(model, items)
    if split == "validation":
        items = new_to(model, items) or items
    held = embed(model, [item.header for item in items if item.header], cache=cache)
    features = held.pooled()[held.readable]
    refuse_no_numbers(features.sum(1, keepdims=True), ["the mean over all patches"])
    return Split(features, chosen.truth(items)[held.readable])


def _probe(
    chosen: LabelledSet, parts: dict[str, Split], share: float, *, encoder: str, seed: int
) -> Probe:
    rows = drawn_rows(len(parts["train"].truth), share, seed)
    train = Split(parts["train"].features[rows], parts["train"].truth[rows])
    head, strength = fit_head(train, parts["validation"])
    figures = figures_of(
        chosen.classes,
        ["probe"] * len(chosen.classes),
        scored_by_head(head, parts["test"]),
        scored_by_head(head, parts["validation"]),
        seed=seed,
    )
    return Probe(
        chosen.name,
        chosen.source,
        encoder,
        share,
        len(rows),
        len(parts["validation"].truth),
        strength,
        figures,
    )


def drawn_rows(count: int, share: float, seed: int = SEED) -> np.ndarray:
    """At least one row of `count`; a smaller share is part of a larger one."""
    if not 0 < share <= 1:
        raise ConfigError(f"found share {share:g} of the training rows; needed above 0, at most 1")
    return np.random.RandomState(seed).permutation(count)[: max(1, round(share * count))]


def scored_by_head(head: Head, split: Split) -> Scored:
    """Logits and their sigmoid."""
    logits = head.logits(split.features).astype(float)
    return Scored(split.truth, logits, logistic(logits))


def fit_head(train: Split, validation: Split) -> tuple[Head, float]:
    """The layer whose weight decay gives the highest macro AUC on validation."""
    mean, spread = train.features.mean(0), train.features.std(0) + 1e-6
    x = torch.from_numpy((train.features - mean) / spread)
    y = torch.from_numpy(train.truth.astype(np.float32))
    weight = torch.zeros(y.shape[1], x.shape[1])
    bias = torch.zeros(y.shape[1])
    found: list[tuple[float, Head, float]] = []
    for strength in STRENGTHS:
        weight, bias = _descend(x, y, weight, bias, strength)
        head = Head(mean, spread, weight.numpy().copy(), bias.numpy().copy())
        value = macro_auc(validation.truth, head.logits(validation.features).astype(float))
        found.append((-1.0 if np.isnan(value) else value, head, strength))
    _, head, strength = max(found, key=lambda one: one[0])
    return head, strength


def _descend(
    x: torch.Tensor, y: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, strength: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Binary cross-entropy with weight decay, to its minimum: the problem is convex."""
    weight, bias = weight.clone().requires_grad_(), bias.clone().requires_grad_()
    solver = torch.optim.LBFGS([weight, bias], max_iter=100, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        solver.zero_grad()
        value = F.binary_cross_entropy_with_logits(x @ weight.T + bias, y)
        value = value + strength * weight.square().sum() / len(weight)
        value.backward()
        return value

    solver.step(loss)
    return weight.detach(), bias.detach()
