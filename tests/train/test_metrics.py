"""Claims about the figures, with scikit-learn as the oracle."""

import math

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, f1_score, roc_auc_score

from train.benchmark.metrics import (
    auc,
    best_threshold,
    bootstrap,
    macro_auc,
    mean_interval,
    weighted_auc,
    weighted_f1,
    weighted_precision,
)


def average_precision(truth, score) -> float:
    return weighted_precision(truth, score, np.ones((1, len(truth))))[0]


def f1(truth, score, threshold) -> float:
    return weighted_f1(truth, score, np.ones((1, len(truth))), threshold)[0]


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
    assert math.isnan(bootstrap(weighted_auc, np.ones((5, 0), bool), np.zeros((5, 0))).value)


def test_the_interval_holds_the_value_repeats_with_the_seed_and_shrinks_with_recordings():
    few, many = drawn(3, rows=50), drawn(3, rows=800)
    one, same = (bootstrap(weighted_auc, *few, draws=100, seed=1) for _ in range(2))
    other = bootstrap(weighted_auc, *many, draws=100, seed=1)
    assert one == same
    assert one.low < one.value < one.high and one.value == macro_auc(*few)
    assert other.high - other.low < 0.5 * (one.high - one.low)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("steps", (None, 3))
def test_average_precision_and_f1_are_those_of_scikit_learn(seed, steps):
    truth, score = (column[:, 0] for column in drawn(seed))
    score = np.round(score * steps) if steps else score
    wanted = average_precision_score(truth, score)
    assert average_precision(truth, score) == pytest.approx(wanted, abs=1e-12)
    for threshold in (-0.5, 0.0, 1.0):
        wanted = f1_score(truth, score >= threshold, zero_division=0)
        assert f1(truth, score, threshold) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_no_threshold_has_a_higher_f1_than_the_best_one(seed):
    truth, score = (column[:, 0] for column in drawn(seed))
    found = f1(truth, score, best_threshold(truth, score))
    assert found == pytest.approx(max(f1_score(truth, score >= t) for t in score), abs=1e-12)


def test_without_a_positive_there_is_neither_precision_nor_f1_nor_threshold():
    truth, score = np.zeros(10, bool), np.arange(10.0)
    assert math.isnan(average_precision(truth, score)) and math.isnan(f1(truth, score, 0.0))
    assert math.isnan(best_threshold(truth, score))


@pytest.mark.parametrize("figure", (weighted_auc, weighted_precision))
def test_a_weight_of_two_is_the_recording_twice(figure):
    truth, score = (column[:, 0] for column in drawn(4))
    weights = np.random.default_rng(0).integers(0, 4, (3, len(truth)))
    twice = [np.repeat(np.arange(len(truth)), row) for row in weights]
    one = figure(truth, score, weights.astype(float))
    other = [figure(truth[r], score[r], np.ones((1, len(r))))[0] for r in twice]
    np.testing.assert_allclose(one, other, atol=1e-12)


def test_a_weight_of_two_counts_twice_in_f1():
    truth, score = (column[:, 0] for column in drawn(4))
    weights = np.random.default_rng(0).integers(0, 4, (3, len(truth)))
    twice = [np.repeat(np.arange(len(truth)), row) for row in weights]
    one = weighted_f1(truth, score, weights.astype(float), 0.5)
    other = [f1_score(truth[r], score[r] >= 0.5) for r in twice]
    np.testing.assert_allclose(one, other, atol=1e-12)


def test_a_pair_that_is_not_known_does_not_count():
    rng = np.random.default_rng(0)
    truth, score = rng.random((80, 2)) < 0.4, rng.standard_normal((80, 2))
    known = rng.random((80, 2)) < 0.7
    wanted = [roc_auc_score(truth[known[:, c], c], score[known[:, c], c]) for c in range(2)]
    found = bootstrap(weighted_auc, truth, score, known=known, draws=20)
    assert found.value == pytest.approx(np.mean(wanted))
    changed = bootstrap(weighted_auc, truth ^ ~known, score, known=known, draws=20)
    assert changed == found


def test_the_interval_of_a_macro_figure_covers_what_it_estimates():
    """Coverage over 100 studies of 120 recordings; its standard error is two points."""
    rng, held = np.random.default_rng(0), 0
    truth = rng.random((200_000, 2)) < [0.3, 0.5]
    score = truth * [0.8, 1.5] + rng.standard_normal(truth.shape)
    wanted = macro_auc(truth, score)
    for study in range(100):
        rows = slice(1000 * study, 1000 * study + 120)
        found = bootstrap(weighted_auc, truth[rows], score[rows], draws=100, seed=study)
        held += found.low <= wanted <= found.high
    assert 0.88 <= held / 100 <= 0.99


def test_the_interval_of_a_mean_covers_it_and_of_nothing_is_unknown():
    rng = np.random.default_rng(1)
    held = 0
    for study in range(150):
        found = mean_interval(rng.exponential(size=80), draws=150, seed=study)
        held += found.low <= 1 <= found.high
    assert 0.88 <= held / 150 <= 0.99
    assert math.isnan(mean_interval(np.zeros(0)).value)
