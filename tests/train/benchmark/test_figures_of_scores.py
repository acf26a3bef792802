"""Figures of a scored set: calibration as scikit-learn has it, flags, subgroups."""

import dataclasses

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss

from focal_app.errors import ConfigError
from train.benchmark.figures import Scored, calibration_of, figures_of, logistic
from train.benchmark.sets import Item
from train.benchmark.subgroups import subgroups
from train.fit.numbers import refuse_no_numbers


def scored(rows: int = 300, *, seed: int = 0) -> Scored:
    rng = np.random.default_rng(seed)
    truth = rng.random((rows, 3)) < [0.5, 0.3, 0.01]
    logit = 2.0 * truth - 1 + rng.standard_normal(truth.shape)
    return Scored(truth, logit, logistic(logit))


def test_calibration_is_that_of_scikit_learn():
    one = scored()
    found = calibration_of(one.probability, one.truth)
    truth, p = one.truth.ravel(), one.probability.ravel()
    assert found.brier == pytest.approx(brier_score_loss(truth, p), abs=1e-12)
    share, predicted = calibration_curve(truth, p, n_bins=10, strategy="uniform")
    np.testing.assert_allclose([b.found for b in found.curve], share, atol=1e-12)
    np.testing.assert_allclose([b.predicted for b in found.curve], predicted, atol=1e-12)
    assert sum(b.pairs for b in found.curve) == truth.size


def test_probabilities_that_hold_have_no_error_and_sure_wrong_ones_all_of_it():
    rng = np.random.default_rng(0)
    p = rng.random((20_000, 1))
    assert calibration_of(p, rng.random(p.shape) < p).expected_error < 0.02
    truth = np.array([[True], [False]])
    assert calibration_of(1.0 - truth, truth).expected_error == 1


def test_rare_classes_are_flagged_and_absent_ones_have_no_figure():
    one = scored()
    truth = one.truth.copy()
    truth[:, 2] = False
    found = figures_of(["a", "b", "c"], ["a", "b", "c"], dataclasses.replace(one, truth=truth))
    assert [c.few for c in found.classes] == [False, False, True]
    assert found.classes[2].auc is None and found.classes[2].auprc is None
    kept = [c.auc for c in found.classes if c.auc is not None]
    assert found.macro_auc.value == pytest.approx(np.mean(kept))


def test_macro_f1_uses_no_label_of_the_recordings_it_judges():
    """With scores that know nothing, a threshold fitted on the same rows would look better."""
    rng, values = np.random.default_rng(0), []
    for seed in range(20):
        truth = rng.random((60, 2)) < 0.3
        noise = rng.standard_normal(truth.shape)
        found = figures_of(["a", "b"], ["a", "b"], Scored(truth, noise, logistic(noise)), seed=seed)
        values.append(found.macro_f1.value)
        assert found.thresholds == "halves"
    assert np.mean(values) < 2 * 0.3 / 1.3  # what calling every recording reaches


def test_nothing_to_rank_is_refused():
    one = scored(20)
    for truth in (np.zeros((20, 3), bool), np.ones((20, 3), bool)):
        with pytest.raises(ConfigError, match="none with both"):
            figures_of(["a"] * 3, ["a"] * 3, dataclasses.replace(one, truth=truth))
    with pytest.raises(ConfigError, match="no recording"):
        figures_of(["a"] * 3, ["a"] * 3, one.rows(np.zeros(20, bool)))


def test_a_weakness_in_one_group_shows_and_classes_are_the_same_in_all():
    one = scored(400)
    sexes = np.arange(400) % 2
    score = np.where((sexes == 1)[:, None], np.random.default_rng(5).random((400, 3)), one.score)
    items = [
        Item(str(n), None, "test", frozenset(), str(n), None, 20.0 + n % 60, ["female", "male"][s])
        for n, s in enumerate(sexes)
    ]
    found = subgroups("set", ["a", "b", "c"], items, dataclasses.replace(one, score=score))
    groups = {group.name: group for group in found.groups}
    assert found.classes == ("a", "b") and {g.classes for g in found.groups} == {2}
    assert groups["female"].recordings == groups["male"].recordings == 200
    assert groups["female"].macro_auc.low > groups["male"].macro_auc.high
    assert groups["all"].recordings == 400 and "40 to 64 years" in groups


def test_patients_of_unknown_age_and_sex_are_counted_and_left_out_of_groups():
    one = scored(200)
    items = [Item(str(n), None, "test", frozenset(), str(n)) for n in range(200)]
    found = subgroups("set", ["a", "b", "c"], items, one)
    assert [group.name for group in found.groups] == ["all"]
    assert (found.unknown_sex, found.unknown_age) == (200, 200)


def spoilt() -> Scored:
    """Scores of which three of the second class are no numbers."""
    one = scored()
    score = one.score.copy()
    score[:3, 1] = np.nan
    return dataclasses.replace(one, score=score)


SAID = r"no numbers: b \(3 of 300\); its training went astray"


def test_scores_that_are_no_numbers_are_refused_by_their_class():
    labels = ["a", "b", "c"]
    with pytest.raises(ConfigError, match=SAID):
        figures_of(labels, labels, spoilt())
    with pytest.raises(ConfigError, match=SAID):
        figures_of(labels, labels, scored(), spoilt())
    items = [Item(str(n), None, "test", frozenset(), "p") for n in range(300)]
    with pytest.raises(ConfigError, match=SAID):
        subgroups("set", labels, items, spoilt())


def test_an_error_names_some_findings_and_counts_the_others():
    with pytest.raises(ConfigError, match=r"e \(2 of 2\) and 3 more"):
        refuse_no_numbers(np.full((2, 8), np.inf), list("abcdefgh"))
    refuse_no_numbers(np.zeros((2, 1)), ["a"])
