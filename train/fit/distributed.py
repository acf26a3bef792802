"""The processes of a run, seen from one of them: what they hold together, and exchange.

Tags are few and repeat: the union of all processes' tags is small and does not grow with their
number for long. So each process encodes its share of the union, embeddings are exchanged with
their gradient, and every process scores its own ECGs against all of them.
"""

from collections import Counter
from collections.abc import Iterable

import torch
import torch.distributed as dist
from jaxtyping import Float
from torch import Tensor


class World:
    """One process among `size`; alone where no process group is running."""

    def __init__(self) -> None:
        running = dist.is_available() and dist.is_initialized()
        self.size = dist.get_world_size() if running else 1
        self.rank = dist.get_rank() if running else 0
        # A group of its own: gradients are averaged over the default one at the same time.
        self.group = dist.new_group() if self.size > 1 else None

    def union(self, tags: Iterable[str]) -> dict[str, int]:
        """How often every tag occurs in all processes, in one order that all agree on."""
        mine = Counter(tags)
        if self.size > 1:
            everyone: list[Counter[str]] = [Counter()] * self.size
            dist.all_gather_object(everyone, mine, group=self.group)
            mine = sum(everyone, Counter())
        return dict(sorted(mine.items()))

    def share(self, names: list[str]) -> list[str]:
        """The names that this process encodes; at least one, so that none is idle."""
        return names[self.rank :: self.size] or names[:1]

    def gathered(self, share: Float[Tensor, "K d"], count: int) -> Float[Tensor, "U d"]:
        """The embeddings of all `count` names from every process's share, with their gradient."""
        if self.size == 1:
            return share
        most = -(-count // self.size)
        padded = torch.nn.functional.pad(share, (0, 0, 0, most - len(share)))
        everyone = _Exchange.apply(padded, self)
        return everyone.transpose(0, 1).flatten(0, 1)[:count]


class _Exchange(torch.autograd.Function):
    """All processes' rows (W, K, d); the gradient of each goes back to its owner, summed."""

    @staticmethod
    def forward(ctx, rows: Tensor, world: World) -> Tensor:
        ctx.world = world
        everyone = [torch.empty_like(rows) for _ in range(world.size)]
        dist.all_gather(everyone, rows.contiguous(), group=world.group)
        return torch.stack(everyone)

    @staticmethod
    def backward(ctx, *gradients: Tensor) -> tuple[Tensor, None]:
        world, gradient = ctx.world, gradients[0].contiguous()
        dist.all_reduce(gradient, group=world.group)
        return gradient[world.rank], None
