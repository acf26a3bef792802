"""ZeroGPU: a Space that lends a GPU for the length of one call.

There the package `spaces` exists, has to be imported before torch, and wants to see which function
uses the GPU. Everywhere else nothing of this happens.
"""

import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from focal_app.explore.reading.explorer import Explorer

SECONDS = 30


def available() -> bool:
    """Whether the app runs in a Space with ZeroGPU."""
    return os.environ.get("SPACES_ZERO_GPU", "").lower() in {"1", "true"}


def prepare() -> None:
    """Imports `spaces` before anything imports torch, where a GPU is lent."""
    if available():
        import_module("spaces")


def load(source: str | Path | None) -> "Explorer":
    """The explorer of a checkpoint, its encoder on the lent GPU."""
    from focal_app.explore.reading.explorer import EMBEDDED
    from focal_app.explore.reading.on_gpu import GpuExplorer
    from focal_app.model.checkpoint_folder import local_folder
    from focal_app.model.focal import Focal

    lend = import_module("spaces").GPU(duration=SECONDS)
    folder = local_folder(EMBEDDED if source is None else source)
    return GpuExplorer(Focal.load(folder), lend=lend).with_facts(folder)
