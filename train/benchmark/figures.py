"""What a table says of a scored set: each class, the macro figures, calibration, subgroups."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import starmap

import numpy as np
from jaxtyping import Bool, Float

from focal_app.errors import ConfigError
from train.benchmark.metrics import (
    Interval,
    auc,
    best_threshold,
    bootstrap,
    weighted_auc,
    weighted_f1,
    weighted_precision,
)
from train.fit.calibration import expected_error
from train.fit.numbers import refuse_no_numbers

FEW = 5
"""Classes with fewer positives or negatives are flagged: their figures say little."""


@dataclass(frozen=True)
class ClassFigure:
    """Figures of one class, None where it lacks positives or negatives; `few`: below five."""

    label: str
    prompt: str
    positives: int
    auc: float | None
    few: bool
    auprc: float | None = None
    f1: float | None = None
    brier: float | None = None
    expected_error: float | None = None


@dataclass(frozen=True)
class Bin:
    """One bin of a calibration curve: the mean probability, the share found, the pairs in it."""

    predicted: float
    found: float
    pairs: int


@dataclass(frozen=True)
class Calibration:
    """Brier score and expected calibration error over all (recording, class) pairs, by bin."""

    brier: float
    expected_error: float
    curve: tuple[Bin, ...]


@dataclass(frozen=True)
class Figures:
    """Macro figures over the classes with positives and negatives, and each class.

    `thresholds` says where those of F1 come from: `validation`, or `halves` (each half of the
    recordings takes those of the other) where no validation recording is there.
    """

    recordings: int
    macro_auc: Interval
    macro_auprc: Interval
    macro_f1: Interval
    thresholds: str
    calibration: Calibration
    classes: tuple[ClassFigure, ...]


@dataclass(frozen=True)
class Scored:
    """Scores and probabilities of recordings for every class, and what is true."""

    truth: Bool[np.ndarray, "R C"]
    score: Float[np.ndarray, "R C"]
    probability: Float[np.ndarray, "R C"]

    def rows(self, chosen: np.ndarray) -> "Scored":
        """Some of the recordings."""
        return Scored(self.truth[chosen], self.score[chosen], self.probability[chosen])


def logistic(logit: Float[np.ndarray, "R C"]) -> Float[np.ndarray, "R C"]:
    """Probabilities of logits, without overflow."""
    return 0.5 * (1 + np.tanh(0.5 * logit))


def figures_of(
    labels: Sequence[str],
    prompts: Sequence[str],
    scored: Scored,
    validation: Scored | None = None,
    *,
    seed: int = 0,
) -> Figures:
    """Every figure of a scored set; thresholds from `validation` where it has recordings."""
    truth, score = scored.truth, scored.score
    check_scorable(truth)
    for one in (scored, validation or scored):
        refuse_no_numbers(one.score, labels)
    given = validation is not None and len(validation.truth) > 0
    aligned = _past_thresholds(scored, validation if given else None)
    columns = (labels, prompts, truth.T, score.T, aligned.T, scored.probability.T)
    return Figures(
        recordings=len(truth),
        macro_auc=bootstrap(weighted_auc, truth, score, seed=seed),
        macro_auprc=bootstrap(weighted_precision, truth, score, seed=seed),
        macro_f1=bootstrap(lambda t, s, w: weighted_f1(t, s, w, 0.0), truth, aligned, seed=seed),
        thresholds="validation" if given else "halves",
        calibration=calibration_of(scored.probability, truth),
        classes=tuple(starmap(_class_figure, zip(*columns, strict=True))),
    )


def check_scorable(truth: Bool[np.ndarray, "R C"]) -> None:
    """Refuse a set on which no class can be ranked."""
    if not len(truth):
        raise ConfigError("found no recording to score; needed some with labels of this set")
    if not (truth.any(0) & ~truth.all(0)).any():
        held = int(truth.any(0).sum())
        raise ConfigError(
            f"found {len(truth)} recordings and {held} class(es) among them, none with both "
            "positives and negatives; an AUC needs both. Evaluate more recordings or other folds"
        )


def calibration_of(
    probability: Float[np.ndarray, "R C"], truth: Bool[np.ndarray, "R C"], *, bins: int = 10
) -> Calibration:
    """Brier score, expected error and curve over all pairs, in bins of equal width."""
    p, held = probability.ravel().astype(float), truth.ravel().astype(float)
    place = np.minimum((p * bins).astype(int), bins - 1)
    curve = tuple(
        Bin(float(p[place == b].mean()), float(held[place == b].mean()), int((place == b).sum()))
        for b in range(bins)
        if (place == b).any()
    )
    error = expected_error(p, held, bins=bins)
    return Calibration(float(np.square(p - held).mean()), error, curve)


def _past_thresholds(scored: Scored, validation: Scored | None) -> np.ndarray:
    """Scores less the threshold of their class, so that a class is called from 0 on."""
    if validation is not None:
        return scored.score - _thresholds(validation)
    aligned, half = np.empty_like(scored.score), np.arange(len(scored.score)) % 2
    for one in (0, 1):
        aligned[half == one] = scored.score[half == one] - _thresholds(scored.rows(half != one))
    return aligned


def _thresholds(scored: Scored) -> np.ndarray:
    """Best threshold by class; a class that is absent here is called nowhere."""
    each = [best_threshold(t, s) for t, s in zip(scored.truth.T, scored.score.T, strict=True)]
    return np.nan_to_num(np.array(each), nan=np.inf)


def _class_figure(
    label: str,
    prompt: str,
    truth: np.ndarray,
    score: np.ndarray,
    aligned: np.ndarray,
    probability: np.ndarray,
) -> ClassFigure:
    every = np.ones((1, len(truth)))
    return ClassFigure(
        label=label,
        prompt=prompt,
        positives=int(truth.sum()),
        auc=_or_none(auc(truth, score)),
        few=bool(min(truth.sum(), (~truth).sum()) < FEW),
        auprc=_or_none(weighted_precision(truth, score, every)[0]),
        f1=_or_none(weighted_f1(truth, aligned, every, 0.0)[0]),
        brier=float(np.square(probability - truth).mean()),
        expected_error=expected_error(probability.astype(float), truth.astype(float)),
    )


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
