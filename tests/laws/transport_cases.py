"""What the laws of the transport are tried on."""

import torch
from torch import Tensor

from focal_app.model.transport import semi_unbalanced_transport


def cosine_costs(
    seed: int, records: int, m: int, n: int, *, dtype: torch.dtype = torch.float64
) -> Tensor:
    """Cosine distances (B, M, N) of random unit vectors, a quarter of the patches near a tag."""
    dim = 8
    generator = torch.Generator().manual_seed(seed)
    tags = torch.randn(records, m, dim, generator=generator, dtype=torch.float64)
    patches = torch.randn(records, n, dim, generator=generator, dtype=torch.float64)
    patches[:, : n // 4] += 3 * tags[:, :1]
    unit = torch.nn.functional.normalize
    return (1 - unit(tags, dim=-1) @ unit(patches, dim=-1).mT).to(dtype)


def some_masks(seed: int, records: int, m: int, n: int) -> tuple[Tensor, Tensor]:
    """Masks that keep at least one tag and three patches of every record."""
    generator = torch.Generator().manual_seed(seed)
    tags = torch.rand(records, m, generator=generator) < 0.6
    patches = torch.rand(records, n, generator=generator) < 0.7
    tags[:, 0], patches[:, :3] = True, True
    return tags, patches


def solved(cost: Tensor, epsilon: float = 0.1, tau: float = 1.0, **options) -> Tensor:
    """The plan to the last digits of float64."""
    options.setdefault("tolerance", 1e-13)
    return semi_unbalanced_transport(cost, epsilon=epsilon, tau=tau, **options).plan
