"""Platt scaling: probabilities that mean what they say, fitted on recordings held out of training.

One scale and one shift for all statements, by guarded Newton steps on the logistic loss over the
pairs (recording, statement) that the sources know.
"""

import numpy as np
from jaxtyping import Float

from focal_app.model.config import Calibration

RIDGE = 1e-3
"""Weight of a prior on the standardised parameters: finite even if the logits split the truths."""


def fit(
    logit: Float[np.ndarray, " P"],
    present: Float[np.ndarray, " P"],
    weight: Float[np.ndarray, " P"] | None = None,
    *,
    rounds: int = 50,
) -> Calibration:
    """The calibration of logits against what is true of them; pairs count by `weight`.

    `rounds` are a net: of 600 drawn sets, one-sided and split ones too, none took more than 19.
    """
    weight = np.ones(len(logit)) if weight is None else weight
    mean, spread = float(np.mean(logit, dtype=float)), max(float(np.std(logit, dtype=float)), 1e-6)
    x = np.stack([(logit.astype(float) - mean) / spread, np.ones(len(logit))], axis=1)
    theta = np.zeros(2)
    for _ in range(rounds):
        step = _newton_step(theta, x, present, weight)
        before = _loss(theta, x, present, weight)
        # Far from the optimum a full step overshoots and would run away.
        while _loss(theta - step, x, present, weight) > before and np.abs(step).max() > 1e-12:
            step = step / 2
        theta = theta - step
        if np.abs(step).max() < 1e-9:
            break
    scale = theta[0] / spread
    return Calibration(float(scale), float(theta[1] - scale * mean))


def _newton_step(
    theta: np.ndarray, x: np.ndarray, present: np.ndarray, weight: np.ndarray
) -> np.ndarray:
    p = 0.5 * (1 + np.tanh(0.5 * (x @ theta)))
    gradient = x.T @ (weight * (p - present)) + RIDGE * theta
    hessian = (x * (weight * p * (1 - p))[:, None]).T @ x + RIDGE * np.eye(2)
    return np.linalg.solve(hessian, gradient)


def _loss(theta: np.ndarray, x: np.ndarray, present: np.ndarray, weight: np.ndarray) -> float:
    score = x @ theta
    return float(
        (weight * (np.logaddexp(0, score) - present * score)).sum() + RIDGE / 2 * theta @ theta
    )


def expected_error(
    probability: Float[np.ndarray, " P"], present: Float[np.ndarray, " P"], *, bins: int = 10
) -> float:
    """Expected calibration error: mean distance of the predicted from the found share, by bin.

    Ten `bins` hold some forty pairs each where 425 are judged (docs/measurements.md): true
    probabilities have an error of 0.04 there, by chance alone; by fifty bins it would be 0.1.
    """
    place = np.minimum((probability * bins).astype(int), bins - 1)
    total = 0.0
    for one in range(bins):
        inside = place == one
        if inside.any():
            total += abs(probability[inside].mean() - present[inside].mean()) * inside.mean()
    return float(total)
