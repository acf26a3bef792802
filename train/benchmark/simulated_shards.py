"""Simulated recordings to measure on, drawn there and then, with every place known."""

import atexit
import tempfile
from functools import cache
from pathlib import Path

from train.data.build import build
from train.data.shards import Shards
from train.data.simulation import Simulation
from train.data.source import Shares


@cache
def simulated_shards(count: int, *, seed: int) -> Shards:
    """So many simulated recordings, all of the split "test".

    They are drawn once for all checkpoints that a command compares, and deleted when it ends.
    """
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    return build(Simulation(count, seed, Shares(0, 0, 1)), Path(folder.name) / "simulated")
