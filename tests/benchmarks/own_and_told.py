"""Probabilities of recordings by the model alone, and as the app tells them."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Float

from focal_app.ecg.files import read_recording
from focal_app.explore.reading.explorer import Explorer


def own_and_told(
    explorer: Explorer, headers: Iterable[Path], prompts: Sequence[str]
) -> tuple[Float[np.ndarray, "R C"], Float[np.ndarray, "R C"]]:
    """Of each prompt in each recording: by the model alone, and as it is told."""
    read = [explorer.read(read_recording([header]), prompts).findings for header in headers]
    own = np.array([[one.own_probability for one in row] for row in read], float)
    return own, np.array([[one.probability for one in row] for row in read], float)
