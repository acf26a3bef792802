"""How a tag is routed to the patches that show it: Semi-UOT, and what it is compared with.

Every function returns plans whose rows sum to 1 over the kept patches.

`semi-uot`          tags grounded exactly, patches softly near an even use (the method)
`balanced-ot`       the tags of a report use all patches evenly; one tag alone gets an even plan
`cross-attention`   softmax of learned queries of tags and keys of patches
`global`            the mean of all patches
"""

import math

from jaxtyping import Bool, Float
from torch import Tensor, nn

from focal_app.model.transport import ABSENT, semi_unbalanced_transport

BALANCED_TAU = 1e3
"""Weight of the patch prior beyond which Semi-UOT is balanced transport, to float32."""


class Attention(nn.Module):
    """Scaled dot products of queries made from tags and keys made from patches."""

    def __init__(self, dimensions: int) -> None:
        super().__init__()
        self.query, self.key = nn.Linear(dimensions, dimensions), nn.Linear(dimensions, dimensions)

    def forward(
        self,
        tags: Float[Tensor, "*B M d"],
        patches: Float[Tensor, "B N d"],
        kept: Bool[Tensor, "B N"],
    ) -> Float[Tensor, "B M N"]:
        """Attention of every tag over the kept patches."""
        logits = self.query(tags) @ self.key(patches).mT / math.sqrt(patches.shape[-1])
        return logits.float().masked_fill(~kept[:, None], ABSENT).softmax(-1)


def even(kept: Bool[Tensor, "B N"], tags: int) -> Float[Tensor, "B M N"]:
    """The even share of every kept patch, for each of so many tags."""
    share = kept.float() / kept.sum(-1, keepdim=True).clamp_min(1)
    return share[:, None].expand(-1, tags, -1)


def plan_together(
    alignment: str,
    cosine: Float[Tensor, "B M N"],
    tag_mask: Bool[Tensor, "B M"],
    kept: Bool[Tensor, "B N"],
    *,
    epsilon: float,
    tau: float,
) -> Float[Tensor, "B M N"]:
    """The tags of a report share its patches."""
    if alignment == "global":
        return even(kept, cosine.shape[1])
    plan = semi_unbalanced_transport(
        1 - cosine,
        epsilon=epsilon,
        tau=BALANCED_TAU if alignment == "balanced-ot" else tau,
        tag_mask=tag_mask,
        patch_mask=kept,
    ).plan
    return plan * tag_mask.sum(-1)[:, None, None]
