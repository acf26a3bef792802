"""Embeddings routed over patches."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float
from torch import Tensor


@dataclass(frozen=True)
class Routed:
    """`cosine` (B, U) of every embedding with every case, and where each shows.

    `weights` (B, U, L, N_time): 1 is the even share, NaN took no part; `routed` (B, U, d) are the
    unit embeddings that the plans gather.
    """

    cosine: Float[np.ndarray, "B U"]
    weights: Float[np.ndarray, "B U L N_time"]
    routed: Float[Tensor, "B U d"]


def seen(patches: Float[Tensor, "B N d"]) -> Bool[Tensor, "B N"]:
    """Patches that were seen: those that were not are zero."""
    return patches.abs().amax(-1) > 0
