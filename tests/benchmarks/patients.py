"""Intervals over patients: all recordings of one are drawn together."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Int

from train.benchmark.ruler import drawn_again


def rows_drawn_again(patients: Sequence[str], draws: int) -> list[Int[np.ndarray, " _"]]:
    """Every recording once, then the recordings of patients who are drawn again, so many times."""
    whose = np.unique(patients, return_inverse=True)[1]
    weights = drawn_again(int(whose.max()) + 1, draws)[:, whose].astype(int)
    return [np.repeat(np.arange(len(whose)), row) for row in weights]
