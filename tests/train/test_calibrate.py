"""Claims about Platt scaling, with scikit-learn as the oracle."""

import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from train.fit.calibration import fit


def drawn(scale: float, shift: float, *, spread: float = 4.0, mean: float = 0.0, seed: int = 0):
    """Logits, and truths drawn with the probabilities sigmoid(scale * logit + shift)."""
    rng = np.random.default_rng(seed)
    logit = mean + spread * rng.standard_normal(4000)
    probability = 1 / (1 + np.exp(-(scale * logit + shift)))
    return logit.astype(np.float32), (rng.random(4000) < probability).astype(np.float32)


CASES = [(1.0, 0.0), (0.4, -1.0), (2.0, 3.0), (0.3, 0.0)]


@pytest.mark.parametrize(("scale", "shift"), CASES)
def test_fit_is_that_of_scikit_learn(scale, shift):
    logit, present = drawn(scale, shift)
    ours = fit(logit, present)
    theirs = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(logit[:, None], present)
    assert ours.scale == pytest.approx(theirs.coef_[0, 0], rel=1e-3)
    assert ours.shift == pytest.approx(theirs.intercept_[0], abs=2e-3)


@pytest.mark.parametrize(("scale", "shift"), CASES)
def test_fit_finds_the_law_that_made_the_truths(scale, shift):
    found = fit(*drawn(scale, shift))
    assert found.scale == pytest.approx(scale, rel=0.15)
    assert found.shift == pytest.approx(shift, abs=0.4)


def test_mean_probability_is_the_share_of_positives():
    logit, present = drawn(0.5, -2.0)
    found = fit(logit, present)
    probability = 1 / (1 + np.exp(-(found.scale * logit.astype(float) + found.shift)))
    assert probability.mean() == pytest.approx(present.mean(), abs=1e-5)


@pytest.mark.parametrize(("spread", "mean"), [(30.0, 0.0), (0.1, 8.0), (4.0, -30.0), (4.0, 60.0)])
def test_logits_far_from_their_truths_are_brought_back(spread, mean):
    rng = np.random.default_rng(1)
    logit = mean + spread * rng.standard_normal(4000)
    present = (rng.random(4000) < 1 / (1 + np.exp(-(logit - mean) / spread))).astype(float)
    found = fit(logit, present)
    assert found.scale == pytest.approx(1 / spread, rel=0.2)
    assert found.shift == pytest.approx(-mean / spread, rel=0.2, abs=0.2)


@pytest.mark.parametrize("share", (0.0, 0.5, 1.0))
def test_truths_that_the_logits_split_perfectly_give_finite_numbers(share):
    logit = np.linspace(-3, 3, 200)
    found = fit(logit, (logit > np.quantile(logit, 1 - share)).astype(float))
    assert math.isfinite(found.scale) and math.isfinite(found.shift)
