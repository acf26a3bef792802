"""The losses of FOCAL: the soft sigmoid loss over ECG-tag pairs, and the place of a finding."""

import torch
from jaxtyping import Float, Int
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
    plan: Float[Tensor, "B U N"],
    pairs: Int[Tensor, "P 2"],
    places: Float[Tensor, "P N"],
) -> Float[Tensor, ""]:
    """Mean of -log of the plan's mass on the patches where a finding is known to show.

    `pairs` names (ECG, tag) and `places` is 1 on the true patches. Only simulated recordings
    know them.
    """
    if len(pairs) == 0:
        return plan.new_zeros(())
    rows = plan[pairs[:, 0], pairs[:, 1]]
    return -(rows * places).sum(-1).clamp_min(1e-6).log().mean()
