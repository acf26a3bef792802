"""Figures of a ranking: AUC, average precision, F1, each with an interval.

Every figure takes weights of the recordings, (D, R): one row of ones gives the figure itself, rows
of bootstrap counts give its distribution in one pass.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

DRAWS = 1000
CHUNK = 4_000_000
"""Numbers in memory at once while a bootstrap runs."""


@dataclass(frozen=True)
class Interval:
    """A figure and its 95 % bootstrap interval."""

    value: float
    low: float
    high: float

    def said(self, form: str) -> str:
        """The three in a format: "0.912 (0.901 to 0.923)"."""
        return f"{self.value:{form}} ({self.low:{form}} to {self.high:{form}})"


def auc(truth: Bool[np.ndarray, " R"], score: Float[np.ndarray, " R"]) -> float:
    """Area under the ROC curve: the share of (positive, negative) pairs in the right order.

    Ties count half. NaN where one of the classes is absent.
    """
    return float(weighted_auc(truth, score, np.ones((1, len(truth))))[0])


def best_threshold(truth: Bool[np.ndarray, " R"], score: Float[np.ndarray, " R"]) -> float:
    """The score from which to call a class so that F1 is highest; NaN without a positive."""
    if not truth.any():
        return float("nan")
    order = np.argsort(-score, kind="stable")
    found, called = np.cumsum(truth[order]), np.arange(1, len(score) + 1)
    value = 2 * found / (called + truth.sum())
    last_of_tie = np.append(np.diff(score[order]) != 0, True)
    return float(score[order][np.argmax(np.where(last_of_tie, value, -1))])


def macro_auc(truth: Bool[np.ndarray, "R C"], score: Float[np.ndarray, "R C"]) -> float:
    """Mean AUC over the classes that have both positives and negatives."""
    return float(_mean([auc(truth[:, c], score[:, c]) for c in range(truth.shape[1])]))


def bootstrap(
    figure: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray],
    truth: Bool[np.ndarray, "R C"],
    score: Float[np.ndarray, "R C"],
    *,
    known: Bool[np.ndarray, "R C"] | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> Interval:
    """Mean over classes of a weighted figure, drawn again and again over the recordings."""
    return interval_of(*bootstrap_draws(figure, truth, score, known=known, draws=draws, seed=seed))


def bootstrap_draws(
    figure: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray],
    truth: Bool[np.ndarray, "R C"],
    score: Float[np.ndarray, "R C"],
    *,
    known: Bool[np.ndarray, "R C"] | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> tuple[float, Float[np.ndarray, " D"]]:
    """The figure, and what was drawn for it; equal seeds draw equal recordings.

    A class that a draw leaves without positives is not in that draw's mean; a pair that is not
    `known` does not count. NaN where there is no class.
    """
    counted = np.ones(truth.shape) if known is None else known.astype(float)

    def of_classes(weights: np.ndarray) -> np.ndarray:
        if not (columns := range(truth.shape[1])):
            return np.full(len(weights), np.nan)
        return _mean([figure(truth[:, c], score[:, c], weights * counted[:, c]) for c in columns])

    rng = np.random.default_rng(seed)
    count, each = len(truth), []
    for size in _chunks(draws, count):
        rows = rng.integers(0, count, (size, count))
        weights = np.stack([np.bincount(r, minlength=count) for r in rows]).astype(float)
        each.append(of_classes(weights))
    return float(of_classes(np.ones((1, count)))[0]), np.concatenate(each)


def interval_of(value: float, drawn: Float[np.ndarray, " D"]) -> Interval:
    """A value and the middle 95 % of what was drawn for it; NaN where nothing was."""
    known = drawn[~np.isnan(drawn)]
    if not len(known):
        return Interval(value, float("nan"), float("nan"))
    low, high = np.percentile(known, [2.5, 97.5])
    return Interval(value, float(low), float(high))


def mean_interval(
    values: Float[np.ndarray, " R"], *, draws: int = DRAWS, seed: int = 0
) -> Interval:
    """The mean of some values with a percentile bootstrap."""
    if not len(values):
        return Interval(float("nan"), float("nan"), float("nan"))
    rng = np.random.default_rng(seed)
    parts = [values[rng.integers(0, len(values), len(values))].mean() for _ in range(draws)]
    return interval_of(float(values.mean()), np.array(parts))


def share_interval(part: np.ndarray, whole: np.ndarray, *, seed: int = 0) -> Interval:
    """A sum over all records (R,) as a share of another; the interval draws records again."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, len(part), (DRAWS, len(part)))
    with np.errstate(invalid="ignore"):
        drawn = part[rows].sum(1) / whole[rows].sum(1)
    return interval_of(float(part.sum() / whole.sum()), drawn)


def weighted_auc(
    truth: Bool[np.ndarray, " R"], score: Float[np.ndarray, " R"], weights: Float[np.ndarray, "D R"]
) -> Float[np.ndarray, " D"]:
    """AUC under every row of weights; NaN where a row has one class only."""
    positive, negative = _by_tie(truth, score, weights)
    below = np.cumsum(negative, axis=1) - negative / 2
    pairs = positive.sum(1) * negative.sum(1)
    return _divide((positive * below).sum(1), pairs)


def weighted_precision(
    truth: Bool[np.ndarray, " R"], score: Float[np.ndarray, " R"], weights: Float[np.ndarray, "D R"]
) -> Float[np.ndarray, " D"]:
    """Average precision (by steps) under every row of weights; NaN where it has no positive."""
    positive, negative = (part[:, ::-1] for part in _by_tie(truth, score, weights))
    found, called = np.cumsum(positive, axis=1), np.cumsum(positive + negative, axis=1)
    precision = found / np.maximum(called, 1e-12)
    return _divide((positive * precision).sum(1), positive.sum(1))


def weighted_f1(
    truth: Bool[np.ndarray, " R"],
    score: Float[np.ndarray, " R"],
    weights: Float[np.ndarray, "D R"],
    threshold: float,
) -> Float[np.ndarray, " D"]:
    """F1 of calling scores from a threshold on, by row of weights; NaN where it has no positive."""
    called = score >= threshold
    found, positive = weights @ (called & truth), weights @ truth
    value = _divide(2 * found, weights @ called + positive)
    return np.where(positive > 0, value, np.nan)


def _by_tie(
    truth: np.ndarray, score: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Weight of positives and of negatives at every distinct score, from the lowest up."""
    order = np.argsort(score, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(score[order]) != 0))
    sorted_weights, held = weights[:, order], truth[order]
    positive = np.add.reduceat(sorted_weights * held, starts, axis=1)
    return positive, np.add.reduceat(sorted_weights * ~held, starts, axis=1)


def _divide(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    return np.divide(above, below, out=np.full(len(above), np.nan), where=below > 0)


def _mean(each: list) -> np.ndarray:
    """Mean over classes of what is known; NaN where nothing is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a mean of nothing is NaN, as said
        return np.nanmean(np.array(each, dtype=float), axis=0)


def _chunks(draws: int, count: int) -> list[int]:
    size = max(1, min(draws, CHUNK // max(count, 1)))
    return [min(size, draws - start) for start in range(0, draws, size)]
