"""What training sees: recordings of shards by position, prepared, with their tags and places.

A position gives the same recording, cut and noise in every process and after every restart, so
that a run of two processes, or one that was killed, sees what one unbroken process would see.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float, Int
from torch.utils.data import DataLoader, Dataset

from focal_app.ecg.preprocess import prepare
from focal_app.ecg.signal_spec import SignalSpec
from focal_app.errors import ConfigError
from focal_app.model.device import best_device
from train.data.augment import Augmentation, Augmented, augment, section, shifted
from train.data.batch import Batch
from train.data.mixture import Mixture
from train.data.places import LeadPlaces, on_patches
from train.data.prepared import PreparedStore
from train.data.shards import Shards
from train.data.verified_files import read_verified
from train.data.worker_processes import clean_processes


@dataclass(frozen=True)
class Sections:
    """Which micro-batches see only a section of so many windows: the first `until` of them."""

    windows: int
    until: int
    seed: int = 0

    def first_window(self, number: int, spec: SignalSpec) -> int | None:
        """Where the section of a micro-batch begins, the same for all of it; None: it sees all."""
        if number >= self.until:
            return None
        rng = np.random.default_rng([self.seed, 3, number])
        return int(rng.integers(0, spec.windows - self.windows + 1))


@dataclass(frozen=True)
class Drawing:
    """How records are drawn: sources by `weights`, those with rare tags up to `rarity` as often."""

    weights: Mapping[str, float] = field(default_factory=dict)
    rarity: float = 1.0
    seed: int = 0


class TagNumbers:
    """The tags of a source's records by their numbers in the vocabulary of a run.

    `more` adds tags by key of the record: the features that were verified.
    """

    def __init__(
        self,
        shards: Shards,
        numbers: Callable[[Sequence[str]], Int[np.ndarray, " K"]],
        more: Mapping[str, tuple[str, ...]],
    ) -> None:
        self.shards, self.of_run = shards, numbers(shards.vocabulary)
        rows = [more.get(key, ()) for key in shards.keys] if more else []
        self.more = numbers([tag for row in rows for tag in row])
        self.starts = np.cumsum([0, *map(len, rows)])

    def __getitem__(self, row: int) -> tuple[int, ...]:
        """The tags of a record and the features verified for it, each once."""
        own = self.of_run[self.shards.tag_ids(row)]
        more = self.more[self.starts[row] : self.starts[row + 1]] if len(self.more) else ()
        return tuple(dict.fromkeys([*own.tolist(), *map(int, more)]))

    def hedged(self, row: int) -> tuple[bool, ...]:
        """Which of them the report only suspects; what was verified is no longer suspected."""
        more = self.more[self.starts[row] : self.starts[row + 1]] if len(self.more) else ()
        suspected = {*self.of_run[self.shards.hedged_ids(row)].tolist()} - {*map(int, more)}
        return tuple(tag in suspected for tag in self[row])


class Corpus(Dataset[Batch]):
    """The tagged records of one split of several sources, drawn by weight.

    `numbers` gives tags their numbers in the run's vocabulary. `prepared` are signals that were
    made ready before. `by_leads`: where findings show in recordings of which nobody drew places.
    """

    def __init__(
        self,
        shards: Sequence[Shards],
        spec: SignalSpec,
        *,
        numbers: Callable[[Sequence[str]], Int[np.ndarray, " K"]],
        drawing: Drawing | None = None,
        more: Mapping[str, tuple[str, ...]] | None = None,
        augmentation: Augmentation | None = None,
        prepared: Mapping[str, PreparedStore] | None = None,
        by_leads: LeadPlaces | None = None,
    ) -> None:
        drawing = drawing or Drawing()
        refuse_shared(shards, keys=bool(more))
        self.shards = {one.name: one for one in shards}
        self.spec, self.seed, self.augmentation = spec, drawing.seed, augmentation
        self.prepared = prepared or {}
        self.sources = {name: number for number, name in enumerate(self.shards)}
        self.by_leads = by_leads
        self.tags = {one.name: TagNumbers(one, numbers, more or {}) for one in shards}
        self.mixture = Mixture.of(
            self.shards, weights=drawing.weights, rarity=drawing.rarity, seed=drawing.seed
        )

    def __len__(self) -> int:
        return self.mixture.cycle_length

    def batch(self, number: int, positions: Sequence[int], sections: Sections | None) -> Batch:
        """A micro-batch: the records of these positions, or one section of all of them."""
        first = sections.first_window(number, self.spec) if sections else None
        drawn = [self.mixture.draw(position) for position in positions]
        made, shown, tags, hedged = [], [], [], []
        for i, (position, one) in enumerate(zip(positions, drawn, strict=True)):
            tags.append(self.tags[one.source][one.row])
            hedged.append(self.tags[one.source].hedged(one.row))
            stated = [tag for tag, doubt in zip(tags[-1], hedged[-1], strict=True) if not doubt]
            places = self._places(one.source, one.row, stated)
            changed = self._changed(one.source, one.row, position, first, sections)
            made.append(changed)
            for tag, patches in on_patches(places, changed, self.spec):
                shown.append((i, tag, torch.from_numpy(patches)))
        return Batch.of(
            torch.from_numpy(np.stack([one.signal for one in made])),
            torch.from_numpy(np.stack([one.seen for one in made])),
            tags,
            source=[self.sources[one.source] for one in drawn],
            shown=shown,
            number=number,
            first_window=first or 0,
        ).suspecting(hedged)

    def _places(self, source: str, row: int, stated: Sequence[int]) -> np.ndarray | None:
        """Rows of `shard_index.PLACE`, tags by the run's numbers: drawn, or of what is stated."""
        drawn = self.shards[source].place_rows(row)
        if drawn is None:
            return self.by_leads.rows(np.array(stated, int)) if self.by_leads else None
        placed = np.array(drawn)
        placed["tag"] = self.tags[source].of_run[drawn["tag"]]
        return placed

    def _changed(
        self, source: str, row: int, position: int, first: int | None, sections: Sections | None
    ) -> Augmented:
        """A record, later, cut and with noise, as its position says."""
        signal, seen = self._signal(source, row)
        rng = np.random.default_rng([self.seed, 1, position])
        settings = self.augmentation
        # What nothing changes goes on in the precision of its store, from process to process.
        record = Augmented(_in_float32(signal) if settings else signal, seen)
        if settings:
            names = self.shards[source].tags[row] if settings.stretch else ()
            record = shifted(record, settings, rng, spec=self.spec, tags=names)
        if first is not None and sections is not None:
            record = section(record, first, sections.windows, spec=self.spec)
        return augment(record, settings, rng, spec=self.spec) if settings else record

    def _signal(self, source: str, row: int) -> tuple[np.ndarray, np.ndarray]:
        if source in self.prepared:
            return self.prepared[source][row]
        return prepared_signal(self.shards[source], row, self.spec)

    def batches(
        self,
        size: int,
        *,
        first: int = 0,
        rank: int = 0,
        processes: int = 1,
        workers: int = 0,
        sections: Sections | None = None,
    ) -> Iterator[Batch]:
        """This process's micro-batches of `size` records from the `first` on, without end."""
        return iter(
            DataLoader(
                _Batches(self, size, rank, processes, sections),
                sampler=count(first),
                batch_size=None,
                num_workers=workers,
                prefetch_factor=4 if workers else None,
                multiprocessing_context=clean_processes(__name__) if workers else None,
                pin_memory=best_device().type == "cuda",
                # Its own, or starting to read would draw from the numbers of the training.
                generator=torch.Generator(),
            )
        )


class _Batches(Dataset[Batch]):
    """Micro-batch n of process r of W holds the positions from (n W + r) size on."""

    def __init__(
        self, corpus: Corpus, size: int, rank: int, processes: int, sections: Sections | None
    ) -> None:
        self.corpus, self.size, self.rank, self.processes = corpus, size, rank, processes
        self.sections = sections

    def __getitem__(self, index: int) -> Batch:
        start = (index * self.processes + self.rank) * self.size
        return self.corpus.batch(index, range(start, start + self.size), self.sections)


def prepared_signal(
    shards: Shards, row: int, spec: SignalSpec
) -> tuple[Float[np.ndarray, "L T"], np.ndarray]:
    """Signal (L, T) and seen patches (L, N_time) of a record."""
    found = prepare(shards.ecg(row), spec)
    return found.signal, found.seen


def _in_float32(signal: Float[np.ndarray, "L T"]) -> Float[np.ndarray, "L T"]:
    """By torch: numpy takes 15 times as long to widen float16."""
    return torch.from_numpy(signal).float().numpy()


def refuse_shared(shards: Sequence[Shards], *, keys: bool) -> None:
    """Refuse a source that is given twice, and `keys` that two sources share.

    Verified features are known by key: two sources that share one would mix them up.
    """
    if len({one.name for one in shards}) < len(shards):
        raise ConfigError("found a source twice; give each source's shards once")
    seen: set[str] = set()
    for one in shards if keys else ():
        shared = seen & set(one.keys)
        if shared:
            raise ConfigError(
                f"found key {min(shared)!r} in {one.name} and in another source; fine training "
                "needs keys of its own for every source. Make one of them again under another name"
            )
        seen |= set(one.keys)


def verified_tags(folders: Sequence[Path]) -> dict[str, tuple[str, ...]]:
    """The accepted features of every record of these folders, by key."""
    found: dict[str, tuple[str, ...]] = {}
    for folder in folders:
        found |= read_verified(folder)
    return found
