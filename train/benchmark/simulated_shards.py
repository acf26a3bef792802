"""Simulated recordings to measure on, drawn there and then, with every place known."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from train.data.build import build
from train.data.shards import Shards
from train.data.simulation import Simulation
from train.data.source import Shares


@contextmanager
def simulated_shards(count: int, *, seed: int) -> Iterator[Shards]:
    """So many simulated recordings, all of the split "test", which are deleted at the end."""
    with tempfile.TemporaryDirectory() as folder:
        yield build(Simulation(count, seed, Shares(0, 0, 1)), Path(folder) / "simulated")
