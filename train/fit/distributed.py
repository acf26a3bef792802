"""The processes of a run, seen from one of them: what they hold together, and exchange.

Tags are few and repeat: the union of all processes' tags is small and does not grow with their
number for long. So each process encodes its share of the union, embeddings are exchanged with
their gradient, and every process scores its own ECGs against all of them.

A step exchanges one vector of counts; where the tag encoder is trained, the embeddings too, and
their gradient; then the gradients of the weights, and for the log the losses. What a run asks is
numbered before it begins, so that no words travel.
"""

import gc

import torch
import torch.distributed as dist
from accelerate import Accelerator
from jaxtyping import Float, Int
from torch import Tensor

from focal_app.model.device import best_device


def own_accelerator() -> Accelerator:
    """The device of this process, and its group where torchrun started several.

    Accelerate has to be told of the CPU: on a machine without an accelerator it begins no group by
    itself, and each process would train alone and write over the others.
    """
    return Accelerator(cpu=best_device().type == "cpu")


class Processes:
    """One process among `size`; alone where no process group is running."""

    def __init__(self) -> None:
        running = dist.is_available() and dist.is_initialized()
        self.size = dist.get_world_size() if running else 1
        self.rank = dist.get_rank() if running else 0
        # A group of its own: gradients are averaged over the default one at the same time.
        self.group = dist.new_group() if self.size > 1 else None

    def sum(self, counts: Int[Tensor, "..."]) -> Int[Tensor, "..."]:
        """The counts of all processes together."""
        if self.size > 1:
            dist.all_reduce(counts, group=self.group)
        return counts

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
    def forward(ctx, rows: Tensor, processes: Processes) -> Tensor:
        ctx.processes = processes
        everyone = [torch.empty_like(rows) for _ in range(processes.size)]
        dist.all_gather(everyone, rows.contiguous(), group=processes.group)
        return torch.stack(everyone)

    @staticmethod
    def backward(ctx, *gradients: Tensor) -> tuple[Tensor, None]:
        processes, gradient = ctx.processes, gradients[0].contiguous()
        dist.all_reduce(gradient, group=processes.group)
        return gradient[processes.rank], None


def leave() -> None:
    """End this process's part when all are done; what held the training has to be gone by then.

    Threads of a group that is never ended go on while Python closes, and may abort the process
    after its work is done: torchrun would then report a run that succeeded as failed.
    """
    if dist.is_available() and dist.is_initialized():
        gc.collect()
        dist.barrier()
        dist.destroy_process_group()
