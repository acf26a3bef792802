"""A reading: what the model finds in one window of one ECG, and where."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from focal_app.ecg.recording import ECG

IMPROBABLE = 0.1
"""Below this probability a heatmap shows only the least unlikely place."""


def percent(probability: float) -> str:
    """A probability as a whole percentage that never claims certainty."""
    if probability < 0.01:
        return "<1 %"
    return ">99 %" if probability > 0.99 else f"{100 * probability:.0f} %"


@dataclass(frozen=True)
class Finding:
    """One prompt against one ECG.

    `similarity` is the cosine of the prompt and its routed ECG embedding, in [-1, 1];
    `probability` the calibrated probability in [0, 1]; `weights` (L, N_time) the transport plan
    times the number of patches: 1 is the even share, NaN a patch without signal.
    """

    prompt: str
    group: str
    similarity: float
    probability: float
    weights: Float[np.ndarray, "L N_time"]

    @property
    def improbable(self) -> bool:
        """Whether its heatmap must not look like that of something found."""
        return self.probability < IMPROBABLE


@dataclass(frozen=True)
class Reading:
    """All prompts against one window of an ECG, in the order in which they were asked.

    `leads` names the rows and `edges_s` (N_time + 1) bounds the columns of every heatmap, in
    seconds from the start of the recording; `seen` (L, N_time) is false where the model saw no
    signal.
    """

    ecg: ECG
    start_s: float
    leads: tuple[str, ...]
    edges_s: Float[np.ndarray, "edges"]
    seen: Bool[np.ndarray, "L N_time"]
    findings: tuple[Finding, ...]
    warnings: tuple[str, ...]
