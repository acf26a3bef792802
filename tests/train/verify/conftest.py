"""Recordings and a model between which every logit is known beforehand.

A lead swings widely where the feature of that lead is there, and a little where it is not. The
model sees exactly that: a patch of a wide lead points along the lead's axis, every other patch
along one that no feature has.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from focal_app.ecg.recording import ECG, LEADS, SourceFacts
from focal_app.ecg.signal_spec import SignalSpec
from focal_app.model.config import EncoderConfig, FocalConfig
from focal_app.model.focal import Focal
from train.data.build import build
from train.data.shards import Shards
from train.data.source import Annotated, Study

FEATURES = (
    "left axis deviation",
    "ST elevation in inferior leads (II, III, aVF)",
    "inverted T waves in V1-V4",
    "prolonged PR interval",
    "wide QRS complex",
    "low QRS voltage",
    "ST depression in V4-V6",
    "poor R wave progression",
    "tall R waves in V5-V6",
    "pathological Q waves",
    "T waves like tents",
    "irregular RR intervals",
)
"""The feature of each lead, in the order of the leads; one is no statement of the lexicon."""


class PlantedText(nn.Module):
    """Axis k for feature k, the last axis for any other text."""

    def forward(self, tags: Sequence[str]) -> torch.Tensor:
        """Unit embeddings."""
        rows = [FEATURES.index(tag) if tag in FEATURES else 13 for tag in tags]
        return torch.eye(14)[rows]


class Oracle(Focal):
    """Cosine near 1 with what is there, 0 with what is not."""

    passes = 0

    def encode_ecg(self, signal, seen, *, first_window=0):
        """Patches along the axis of their lead where it swings, else along the thirteenth."""
        self.passes += len(signal)
        wide = signal.std(dim=-1, keepdim=True).expand(*seen.shape) > 0.3
        axes = torch.arange(12)[None, :, None].expand_as(wide)
        axes = torch.where(wide, axes, torch.full_like(axes, 12))
        return F.one_hot(axes, 14).flatten(1, 2).float() * seen.flatten(1)[..., None]


@dataclass(frozen=True)
class Drawn:
    """A source of recordings: each a split, its tags, and the leads that swing."""

    records: tuple[tuple[str, tuple[str, ...], tuple[int, ...]], ...]
    name: str = "planted"
    about: dict = None  # type: ignore[assignment]
    spoken: None = None
    classes_stated: bool = True

    @property
    def total(self) -> int:
        """Number of recordings."""
        return len(self.records)

    def studies(self, counted: Counter[str]):
        """One study a record."""
        for number, (split, tags, wide) in enumerate(self.records):
            key = f"{self.name}-{number}"
            yield Study(key, key, split, partial(_read, tags, wide))


def _read(tags: tuple[str, ...], wide: tuple[int, ...], counted: Counter[str]) -> Annotated:
    time = np.arange(5000) / 500
    signal = np.stack([np.sin(2 * np.pi * (5 + 0.1 * lead) * time) for lead in range(12)])
    signal *= np.where(np.isin(np.arange(12), wide), 1.0, 0.1)[:, None]
    ecg = ECG(signal.astype(np.float32), LEADS, 500.0, SourceFacts("planted"))
    return Annotated(ecg, tags, report=f"{'. '.join(tags)}.")


@pytest.fixture
def features() -> tuple[str, ...]:
    """The feature of each lead."""
    return FEATURES


@pytest.fixture
def oracle() -> Oracle:
    """A model whose logit is 5 for what is there and -5 for what is not, within 0.1."""
    config = FocalConfig(
        signal=SignalSpec(normalisation="millivolt"),
        encoder=EncoderConfig(16, 1, 2),
        embed_dim=14,
        tau=0.1,
        temperature=10.0,
        bias=-5.0,
    )
    return Oracle(config, PlantedText()).eval()  # type: ignore[arg-type]


@pytest.fixture
def make_shards(tmp_path: Path) -> Callable[..., Shards]:
    """`make_shards([(split, tags, leads that swing), ...], name=...)`: real shards on disk."""

    def make(records: Sequence[tuple], *, name: str = "planted") -> Shards:
        source = Drawn(tuple((s, tuple(t), tuple(w)) for s, t, w in records), name, {})
        return build(source, tmp_path / "data" / name, shard_records=4, workers=1)

    return make
