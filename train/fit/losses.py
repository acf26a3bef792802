"""The losses of FOCAL: the soft sigmoid loss over ECG-tag pairs, and the place of a finding."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn import functional as F


def soft_sigmoid_loss(
    logits: Float[Tensor, "B U"],
    targets: Float[Tensor, "B U"],
    known: Float[Tensor, "B U"] | None = None,
) -> Float[Tensor, ""]:
    """Cross-entropy against soft targets in [0, 1] (Eq. 8), summed over tags, mean over ECGs.

    `known` in [0, 1] weighs each pair: 0 where the source of the ECG is silent about the tag.
    """
    pairs = F.binary_cross_entropy_with_logits(logits, targets, reduction="none")
    weight = torch.ones_like(pairs) if known is None else known
    return (pairs * weight).sum() / len(logits)


def place_loss(
    plan: Float[Tensor, "P N"], places: Float[Tensor, "P N"], counts: Bool[Tensor, " P"]
) -> Float[Tensor, ""]:
    """Sum of -log of the plan's mass on the patches where a finding is known to show.

    A row a finding: its `plan`, and `places`, 1 on the true patches; rows that do not count add
    nothing. Places are drawn, or the lexicon's leads (`objective.places`).
    """
    mass = (plan * places).sum(-1).clamp_min(1e-6)
    return -(mass.log() * counts).sum()


@torch.no_grad()
def plan_entropy(plan: Float[Tensor, "B M N"], kept: Bool[Tensor, "B N"]) -> Float[Tensor, "B M"]:
    """Entropy of every row of a plan as a share of the highest: 1 where all patches weigh alike."""
    highest = kept.sum(-1, keepdim=True).clamp_min(2).log()
    return torch.special.entr(plan.float()).sum(-1) / highest
