"""Claims about the figures, with scikit-learn as the oracle."""

import math

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from train.evaluate.metrics import auc, macro_auc, macro_auc_interval


def drawn(seed: int, rows: int = 60, classes: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Truth and a score that knows something of it."""
    rng = np.random.default_rng(seed)
    truth = rng.random((rows, classes)) < 0.3
    return truth, truth + rng.standard_normal((rows, classes))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("steps", (None, 3))
def test_auc_is_that_of_scikit_learn_with_and_without_ties(seed, steps):
    truth, score = (column[:, 0] for column in drawn(seed))
    score = np.round(score * steps) if steps else score
    assert auc(truth, score) == pytest.approx(roc_auc_score(truth, score), abs=1e-12)


def test_macro_auc_is_the_mean_over_classes():
    truth, score = drawn(0)
    assert macro_auc(truth, score) == pytest.approx(roc_auc_score(truth, score, average="macro"))


def test_perfect_reversed_and_constant_scores():
    truth = np.array([True, False, True, False])
    assert auc(truth, truth.astype(float)) == 1
    assert auc(truth, -truth.astype(float)) == 0
    assert auc(truth, np.zeros(4)) == 0.5


@pytest.mark.parametrize("change", (np.exp, np.cbrt, lambda x: 3 * x - 7))
def test_only_the_order_of_the_scores_counts(change):
    truth, score = drawn(1)
    assert macro_auc(truth, change(score)) == pytest.approx(macro_auc(truth, score))


@pytest.mark.parametrize("value", (True, False))
def test_a_class_of_one_kind_has_no_auc_and_is_left_out_of_the_mean(value):
    truth, score = drawn(2)
    assert math.isnan(auc(np.full(60, value), score[:, 0]))
    with_one_more = np.column_stack([truth, np.full(60, value)])
    scores = np.column_stack([score, score[:, 0]])
    assert macro_auc(with_one_more, scores) == pytest.approx(macro_auc(truth, score))


def test_no_class_at_all_has_no_macro_auc():
    assert math.isnan(macro_auc(np.ones((5, 2), bool), np.zeros((5, 2))))


def test_the_interval_holds_the_value_repeats_with_the_seed_and_shrinks_with_recordings():
    few, many = drawn(3, rows=50), drawn(3, rows=800)
    one, same = (macro_auc_interval(*few, draws=100, seed=1) for _ in range(2))
    other = macro_auc_interval(*many, draws=100, seed=1)
    assert one == same
    assert one.low < one.value < one.high and one.value == macro_auc(*few)
    assert other.high - other.low < 0.5 * (one.high - one.low)
