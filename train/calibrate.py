"""Platt scaling: probabilities that mean what they say, fitted on recordings held out of training.

One scale and one shift for all statements, by Newton's method on the logistic loss over the pairs
(recording, statement) that the sources know.
"""

import numpy as np
from jaxtyping import Float

from focal_app.model.config import Calibration


def fit(
    logit: Float[np.ndarray, " P"], present: Float[np.ndarray, " P"], *, rounds: int = 50
) -> Calibration:
    """The calibration of logits against what is true of them."""
    x = np.stack([logit, np.ones_like(logit)], axis=1).astype(float)
    theta = np.array([1.0, 0.0])
    for _ in range(rounds):
        p = 1 / (1 + np.exp(-x @ theta))
        gradient = x.T @ (p - present)
        hessian = (x * (p * (1 - p))[:, None]).T @ x + 1e-6 * np.eye(2)
        step = np.linalg.solve(hessian, gradient)
        theta = theta - step
        if np.abs(step).max() < 1e-9:
            break
    return Calibration(float(theta[0]), float(theta[1]))
