"""The part of a verification that falls to one process, where torchrun started several.

    torchrun --nproc_per_node 8 -m train verify --checkpoint runs/NAME/coarse/model \
        --shards runs/NAME/data/SOURCE --candidates runs/NAME/candidates --out runs/NAME/verified

Processes talk through the files alone: the first fits the score and writes it, each verifies its
blocks of records, the first reads them all and writes the manifest. A process that dies is ended
with the others by torchrun; the same command goes on where they were.
"""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import torch

T = TypeVar("T")
PAUSE_S = 0.2


@dataclass(frozen=True)
class Share:
    """Process `rank` of `size`."""

    rank: int = 0
    size: int = 1

    @classmethod
    def of_this_process(cls) -> "Share":
        """As torchrun says it; alone where it did not start this process."""
        return cls(int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1")))

    @property
    def first(self) -> bool:
        """Whether this process writes what there is once."""
        return self.rank == 0

    def device(self, best: torch.device) -> torch.device:
        """The accelerator of this process on its machine, one each; the CPU is shared."""
        own = os.environ.get("LOCAL_RANK")
        return best if best.type == "cpu" or own is None else torch.device(best.type, int(own))

    def has(self, number: int) -> bool:
        """Whether a block falls to this process."""
        return number % self.size == self.rank

    def wait_for(self, path: Path) -> None:
        """Until the first process has written a file."""
        self.until(lambda: path.is_file() or None)

    def until(self, look: Callable[[], T | None]) -> T:
        """What another process makes, as soon as it is there."""
        while (found := look()) is None:
            time.sleep(PAUSE_S)
        return found
