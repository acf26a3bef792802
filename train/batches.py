"""Batches for coarse training: simulated and real recordings mixed, augmented, with targets.

Drawing is a function of (seed, step): a resumed run draws what the killed one would have drawn.
"""

import copy
import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from focal_app.ecg.signal_spec import SignalSpec
from train.data.records import Records
from train.targets import TargetMaker, Targets


@dataclass(frozen=True)
class Batch:
    """Prepared signals, seen patches, targets over statements, and known places.

    `pairs` (P, 2) names (ECG, statement) and `places` (P, N) is 1 on the patches where it shows.
    The signals of a section begin with `first_window`.
    """

    signal: Float[Tensor, "B L T"]
    seen: Bool[Tensor, "B L N_time"]
    present: Float[Tensor, "B S"]
    known: Float[Tensor, "B S"]
    pairs: Int[Tensor, "P 2"]
    places: Float[Tensor, "P N"]
    first_window: int = 0


class Pool:
    """Records of one source with their targets; `rows` restricts them to a split."""

    def __init__(
        self,
        records: Records,
        maker: TargetMaker,
        *,
        rows: Sequence[int] | None = None,
        classes_stated: bool = True,
    ) -> None:
        self.records, self.maker = records, maker
        self.rows = np.arange(len(records)) if rows is None else np.asarray(rows, dtype=int)
        self.targets: Targets = maker.make(
            records.tags, records.vocabulary, classes_stated=classes_stated
        )
        self.weights = self._rarity()

    def part(self, rows: np.ndarray) -> "Pool":
        """The same pool restricted to these rows."""
        restricted = copy.copy(self)
        restricted.rows = rows
        restricted.weights = restricted._rarity()
        return restricted

    def draw(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """Rows at random; those with rare statements come up to 8 times more often."""
        return rng.choice(self.rows, count, p=self.weights)

    def _rarity(self) -> np.ndarray:
        present = self.targets.present[self.rows]
        if not len(present):
            return np.zeros(0)
        share = present.mean(0).clip(1 / len(present))
        weight = (present / np.sqrt(share)).max(1).clip(1, 8)
        return weight / weight.sum()


def gather(pool: Pool, rows: np.ndarray) -> Batch:
    """The batch of these rows of one pool, without augmentation."""
    records = pool.records
    count = records.seen.shape[1] * records.seen.shape[2]
    pairs, places = [], []
    for place_in_batch, row in enumerate(rows):
        for tag, patches in records.places[row].items():
            pairs.append((place_in_batch, pool.maker.index[tag]))
            where = np.zeros(count, np.float32)
            where[patches] = 1
            places.append(where)
    return Batch(
        signal=torch.from_numpy(records.signals[rows].astype(np.float32)),
        seen=torch.from_numpy(records.seen[rows]),
        present=torch.from_numpy(pool.targets.present[rows]),
        known=torch.from_numpy(pool.targets.known[rows]),
        pairs=torch.tensor(pairs, dtype=torch.long).reshape(-1, 2),
        places=torch.from_numpy(np.stack(places)) if places else torch.zeros(0, count),
    )


def joined(parts: Sequence[Batch]) -> Batch:
    """Batches of several pools as one."""
    starts = np.cumsum([0, *(len(part.signal) for part in parts[:-1])])
    shifted = [
        part.pairs + torch.tensor([int(start), 0])
        for part, start in zip(parts, starts, strict=True)
    ]
    return Batch(
        signal=torch.cat([part.signal for part in parts]),
        seen=torch.cat([part.seen for part in parts]),
        present=torch.cat([part.present for part in parts]),
        known=torch.cat([part.known for part in parts]),
        pairs=torch.cat(shifted),
        places=torch.cat([part.places for part in parts]),
    )


def augmented(batch: Batch, spec: SignalSpec, rng: np.random.Generator) -> Batch:
    """The batch with changes that keep every tag true, and the patches that they hide masked.

    Gain, electrode gain of the chest leads, noise, wander, and
    scattered patches, whole leads or windows hidden. Gain stays within 17 %: voltages are findings.
    """
    size, leads, _ = batch.signal.shape
    gain = rng.uniform(0.92, 1.09, (size, 1, 1)) * rng.uniform(0.93, 1.07, (size, leads, 1))
    gain[:, :6] = gain[:, :1]  # the limb leads are bound by Einthoven
    noise = _noise(batch.signal.shape, spec, rng)
    signal = batch.signal * torch.from_numpy(gain.astype(np.float32)) + torch.from_numpy(noise)
    seen = batch.seen & torch.from_numpy(_kept(rng, *batch.seen.shape))
    hidden = seen.repeat_interleave(spec.window_samples, dim=2)
    return dataclasses.replace(batch, signal=signal * hidden, seen=seen)


def section(batch: Batch, spec: SignalSpec, windows: int, rng: np.random.Generator) -> Batch:
    """A section of so many windows, the same of every recording of the batch."""
    first = int(rng.integers(0, spec.windows - windows + 1))
    inside = slice(first, first + windows)
    samples = slice(first * spec.window_samples, (first + windows) * spec.window_samples)
    places = batch.places.unflatten(1, (-1, spec.windows))[:, :, inside].flatten(1)
    return dataclasses.replace(
        batch,
        signal=batch.signal[:, :, samples],
        seen=batch.seen[:, :, inside],
        places=places,
        first_window=first,
    )


def forget_hidden(batch: Batch) -> Batch:
    """A finding none of whose patches is seen becomes unknown: nothing there could show it."""
    places = batch.places * batch.seen.flatten(1)[batch.pairs[:, 0]]
    shown = places.sum(1) > 0
    known = batch.known.clone()
    known[tuple(batch.pairs[~shown].T)] = 0
    return dataclasses.replace(batch, known=known, pairs=batch.pairs[shown], places=places[shown])


def _noise(shape: Sequence[int], spec: SignalSpec, rng: np.random.Generator) -> np.ndarray:
    """White noise of 2 to 25 microvolts and a slow wander of each lead's own size, in mV."""
    size, leads, samples = shape
    time = np.arange(samples, dtype=np.float32) / spec.sampling_rate_hz
    turns = rng.uniform(0.5, 0.9, (size, 1)) * time + rng.uniform(0, 1, (size, 1))
    wander = np.sin(2 * np.pi * turns).astype(np.float32)
    noise = rng.standard_normal((size, leads, samples), dtype=np.float32)
    noise *= (10 ** rng.uniform(-2.7, -1.6, (size, 1, 1))).astype(np.float32)
    noise += wander[:, None] * rng.uniform(-0.04, 0.04, (size, leads, 1)).astype(np.float32)
    return noise


def shifted(batch: Batch, spec: SignalSpec, rng: np.random.Generator) -> Batch:
    """Records that start up to one window later; their last window is lost. For real records.

    Places are kept by window, so that a batch with places must not be shifted.
    """
    late = rng.integers(0, spec.window_samples, len(batch.signal))
    signal, seen = torch.zeros_like(batch.signal), batch.seen.clone()
    for record, samples in enumerate(late):
        signal[record, :, : signal.shape[2] - samples] = batch.signal[record, :, samples:]
        seen[record, :, :-1] &= batch.seen[record, :, 1:]
        seen[record, :, -1] = False
    hidden = seen.repeat_interleave(spec.window_samples, dim=2)
    return dataclasses.replace(batch, signal=signal * hidden, seen=seen)


def _kept(rng: np.random.Generator, size: int, leads: int, windows: int) -> np.ndarray:
    """True but for scattered patches in half of the records, whole leads or an end in a fifth."""
    kept = np.ones((size, leads, windows), bool)
    for record in range(size):
        if rng.random() < 0.5:
            kept[record] = rng.random((leads, windows)) > rng.uniform(0.1, 0.4)
        if rng.random() < 0.2:
            kept[record, rng.choice(leads, rng.integers(1, 3), replace=False)] = False
        if rng.random() < 0.2:
            kept[record, :, windows - rng.integers(1, 4) :] = False
    return kept
