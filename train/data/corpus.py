"""What training on reports sees: recordings of shards by position, prepared, with their tags.

A position gives the same recording, cut and noise in every process and after every restart, so
that a run of two processes, or one that was killed, sees what one unbroken process would see.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from focal_app.ecg.preprocess import prepare
from focal_app.ecg.signal_spec import SignalSpec
from focal_app.errors import ConfigError
from train.data.augment import Augmentation, augment
from train.data.mixture import Mixture
from train.data.shards import Shards
from train.fit.objective import TagBatch

Example = tuple[Tensor, Tensor, tuple[str, ...]]


class Corpus(Dataset[Example]):
    """The tagged records of one split of several sources, drawn by weight.

    `more` adds tags by key of the record: the features that were verified.
    """

    def __init__(
        self,
        shards: Sequence[Shards],
        spec: SignalSpec,
        *,
        split: str = "train",
        weights: Mapping[str, float] | None = None,
        more: Mapping[str, tuple[str, ...]] | None = None,
        augmentation: Augmentation | None = None,
        seed: int = 0,
    ) -> None:
        self.shards = {one.name: one for one in shards}
        if len(self.shards) < len(shards):
            raise ConfigError("found a source twice; give each source's shards once")
        self.spec, self.more, self.seed = spec, more or {}, seed
        self.augmentation = augmentation
        if more:
            _refuse_shared_keys(shards)
        self.mixture = Mixture.of(self.shards, split=split, weights=weights, seed=seed)

    def __len__(self) -> int:
        return self.mixture.cycle_length

    def __getitem__(self, position: int) -> Example:
        drawn = self.mixture.draw(position)
        shards, row = self.shards[drawn.source], drawn.row
        tags = self.tags(shards, row)
        signal, seen = prepared(shards, row, self.spec)
        if self.augmentation is not None:
            rng = np.random.default_rng([self.seed, 1, position])
            changed = augment(signal, seen, self.augmentation, rng, spec=self.spec, tags=tags)
            signal, seen = changed.signal, changed.seen
        return torch.from_numpy(signal), torch.from_numpy(seen), tags

    def tags(self, shards: Shards, row: int) -> tuple[str, ...]:
        """The tags of a record and the features verified for it, each once."""
        more = self.more.get(shards.keys[row], ())
        return tuple(dict.fromkeys((*shards.tags[row], *more)))

    def batches(
        self, size: int, *, first: int = 0, rank: int = 0, processes: int = 1, workers: int = 0
    ) -> Iterator[tuple[TagBatch]]:
        """This process's micro-batches of `size` records from the `first` on, without end."""
        loader = DataLoader(
            self,
            batch_sampler=_Positions(size, first, rank, processes),
            collate_fn=together,
            num_workers=workers,
            prefetch_factor=4 if workers else None,
            multiprocessing_context="spawn" if workers else None,
            # Its own, or starting to read would draw from the numbers of the training.
            generator=torch.Generator(),
        )
        for batch in loader:
            yield (batch,)


class _Positions:
    """Micro-batch n of process r of W holds the positions from (n W + r) size on."""

    def __init__(self, size: int, first: int, rank: int, processes: int) -> None:
        self.size, self.first, self.rank, self.processes = size, first, rank, processes

    def __iter__(self) -> Iterator[list[int]]:
        number = self.first
        while True:
            start = (number * self.processes + self.rank) * self.size
            yield list(range(start, start + self.size))
            number += 1


def prepared(shards: Shards, row: int, spec: SignalSpec) -> tuple[np.ndarray, np.ndarray]:
    """Signal (L, T) and seen patches (L, N_time) of a record."""
    found = prepare(shards.ecg(row), spec)
    return found.signal, found.seen


def _refuse_shared_keys(shards: Sequence[Shards]) -> None:
    """Verified features are known by key: two sources that share one would mix them up."""
    seen: set[str] = set()
    for one in shards:
        shared = seen & set(one.keys)
        if shared:
            raise ConfigError(
                f"found key {min(shared)!r} in {one.name} and in another source; fine training "
                "needs keys of its own for every source. Make one of them again under another name"
            )
        seen |= set(one.keys)


def together(examples: Sequence[Example]) -> TagBatch:
    """Examples as one batch."""
    signals, seen, tags = zip(*examples, strict=True)
    return TagBatch(torch.stack(signals), torch.stack(seen), tags)


def verified_tags(folders: Sequence[Path]) -> dict[str, tuple[str, ...]]:
    """The accepted features of every record of these folders, by key."""
    from train.enrich.verified_files import read_verified

    found: dict[str, tuple[str, ...]] = {}
    for folder in folders:
        found |= read_verified(folder)
    return found
