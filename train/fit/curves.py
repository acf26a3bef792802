"""What a researcher looks at while a stage trains, as TensorBoard curves in its folder `log`.

    tensorboard --logdir runs

`loss/...` and the learning rate of every step; every `WATCHED` steps the norm of the gradient
before it is clipped, temperature, bias, and the entropy of the plans (1 where a tag is routed to
all patches alike, 0 where to one); `validation/auc` whenever the stage is judged.
"""

from collections.abc import Mapping
from pathlib import Path

WATCHED = 10
"""Steps from one look at the plans to the next: each costs as much as an exponential of all."""


class Curves:
    """Numbers by step, written to a folder; without one nothing is written."""

    def __init__(self, folder: Path | None) -> None:
        self._writer = None
        if folder is not None:
            from torch.utils.tensorboard import SummaryWriter

            self._writer = SummaryWriter(str(folder))

    @property
    def shown(self) -> bool:
        """Whether anything is written."""
        return self._writer is not None

    def add(self, step: int, figures: Mapping[str, float]) -> None:
        """Numbers of a step by the name of their curve."""
        if self._writer is not None:
            for name, value in figures.items():
                self._writer.add_scalar(name, value, step)

    def close(self) -> None:
        """Write what is still held back."""
        if self._writer is not None:
            self._writer.close()
