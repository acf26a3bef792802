"""Many embeddings routed over the patches of many cases, with their heatmaps."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn import functional as F

from focal_app.ecg.recording import LEADS
from focal_app.explore.reading.explorer import Explorer
from focal_app.model.focal import similarities
from focal_app.model.transport import relative_weights


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


def route(
    explorer: Explorer,
    patches: Float[Tensor, "B N d"],
    embeddings: Float[Tensor, "U d"],
    kept: Bool[Tensor, "B N"],
) -> Routed:
    """Every embedding routed on its own, as a prompt is (Eq. 7)."""
    config = explorer.model.config
    cosine, plan = similarities(patches, embeddings, kept, epsilon=config.epsilon, tau=config.tau)
    weights = relative_weights(plan, kept).masked_fill(~kept[:, None], torch.nan)
    return Routed(
        cosine.numpy(),
        weights.unflatten(-1, (len(LEADS), -1)).numpy(),
        F.normalize(plan @ patches, dim=-1),
    )
