"""Figures of a ranking, with intervals."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float


@dataclass(frozen=True)
class Interval:
    """A figure and its 95 % bootstrap interval."""

    value: float
    low: float
    high: float


def auc(truth: Bool[np.ndarray, " R"], score: Float[np.ndarray, " R"]) -> float:
    """Area under the ROC curve: the share of (positive, negative) pairs in the right order.

    Ties count half. NaN where one of the classes is absent.
    """
    positive = int(truth.sum())
    negative = len(truth) - positive
    if not positive or not negative:
        return float("nan")
    _, index, counts = np.unique(score, return_inverse=True, return_counts=True)
    rank = (np.cumsum(counts) - (counts - 1) / 2)[index]
    return float((rank[truth].sum() - positive * (positive + 1) / 2) / (positive * negative))


def macro_auc(truth: Bool[np.ndarray, "R C"], score: Float[np.ndarray, "R C"]) -> float:
    """Mean AUC over the classes that have both positives and negatives."""
    each = [auc(truth[:, c], score[:, c]) for c in range(truth.shape[1])]
    known = [value for value in each if not np.isnan(value)]
    return float(np.mean(known)) if known else float("nan")


def macro_auc_interval(
    truth: Bool[np.ndarray, "R C"],
    score: Float[np.ndarray, "R C"],
    *,
    draws: int = 1000,
    seed: int = 0,
) -> Interval:
    """Macro AUC with a percentile bootstrap over the recordings."""
    rng = np.random.default_rng(seed)
    rows = (rng.integers(0, len(truth), len(truth)) for _ in range(draws))
    values = [macro_auc(truth[r], score[r]) for r in rows]
    low, high = np.nanpercentile(values, [2.5, 97.5])
    return Interval(macro_auc(truth, score), float(low), float(high))
