"""Embeddings routed over patches, and which patches take part."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from focal_app.ecg.recording import LEADS


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


def within(
    kept: Bool[Tensor, "B N"], leads: Collection[str], windows: slice = slice(None)
) -> Bool[Tensor, "B N"]:
    """The kept patches of some leads and windows; of all leads where none of these was seen."""
    inside = torch.zeros(len(LEADS), kept.shape[1] // len(LEADS), dtype=torch.bool)
    inside[[LEADS.index(lead) for lead in leads], windows] = True
    chosen = kept & inside.flatten()
    return torch.where(chosen.any(-1, keepdim=True), chosen, kept)
