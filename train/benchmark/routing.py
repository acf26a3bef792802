"""Stored patches scored against tags where the model lies, with the answers on the CPU."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from focal_app.model.focal import Focal


@torch.inference_mode()
def routed(
    model: Focal,
    patches: Float[Tensor, "B N d"],
    z: Float[Tensor, "U d"],
    kept: Bool[Tensor, "B N"],
) -> tuple[Float[Tensor, "B U"], Float[Tensor, "B U N"]]:
    """Cosine of every tag with every recording, and the plans that route them (Eq. 7)."""
    here = model.device
    cosine, plan = model.route(patches.to(here), z.to(here), kept.to(here))
    return cosine.cpu(), plan.cpu()
