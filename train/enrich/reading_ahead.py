"""Records read by other processes, ahead of the model that scores them.

    for part, records in zip(parts, read_ahead(parts, spec, workers=8), strict=True): ...

Reading and filtering a recording costs more than scoring its candidates: without readers beside it
an accelerator waits most of the time.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from torch.utils.data import DataLoader, Dataset

from focal_app.ecg.preprocess import Prepared
from focal_app.ecg.signal_spec import SignalSpec
from train.data.prepared import PreparedStore
from train.data.shards import Shards
from train.data.worker_processes import clean_processes
from train.enrich.scoring import read_records

AHEAD = 4
"""Batches that each reader holds ready."""

Records = list[Prepared | None]


@dataclass(frozen=True)
class Part:
    """Records to be read together; of those that are not `wanted` nothing is asked."""

    shard: Shards
    rows: range
    wanted: tuple[bool, ...]
    store: PreparedStore | None = None


def read_ahead(parts: Sequence[Part], spec: SignalSpec, *, workers: int) -> Iterator[Records]:
    """The records of every part, in order, read by so many processes (0: by this one)."""
    return iter(
        DataLoader(
            _Parts(parts, spec),
            batch_size=None,
            collate_fn=list,
            num_workers=workers,
            prefetch_factor=AHEAD if workers else None,
            multiprocessing_context=clean_processes(__name__) if workers else None,
        )
    )


class _Parts(Dataset[Records]):
    """Part n, read when it is asked for."""

    def __init__(self, parts: Sequence[Part], spec: SignalSpec) -> None:
        self.parts, self.spec = parts, spec

    def __len__(self) -> int:
        return len(self.parts)

    def __getitem__(self, index: int) -> Records:
        part = self.parts[index]
        return read_records(part.shard, part.rows, part.wanted, self.spec, part.store)
