"""A source of recordings in memory, and a small archive in MIMIC's shape."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from focal_app.ecg.recording import ECG, LEADS, SourceFacts
from train.data.build import build
from train.data.mimic import MimicIvEcg
from train.data.mimic_fixture import Fixture, write_fixture
from train.data.shards import Shards
from train.data.source import Annotated, Shares, Study

ARCHIVE = Fixture(48, seed=3)


@dataclass(frozen=True)
class Listed:
    """Recordings in memory as a source; `split_of` decides the split of a key."""

    ecgs: tuple[ECG, ...]
    name: str = "listed"
    choice: str = ""
    splits: tuple[str, ...] = ()
    subject: str = ""
    spoken: frozenset[str] | None = None
    classes_stated: bool = True

    @property
    def about(self) -> dict[str, Any]:
        return {"choice": self.choice}

    @property
    def total(self) -> int:
        return len(self.ecgs)

    def studies(self, counted: Counter[str]) -> Iterator[Study]:
        for number, ecg in enumerate(self.ecgs):
            counted["studies listed"] += 1
            split = self.splits[number] if self.splits else "train"
            subject = self.subject or f"subject {number}"
            yield Study(f"key {number}", subject, split, partial(_give, ecg))


def _give(ecg: ECG, counted: Counter[str]) -> Annotated:
    return Annotated(ecg, ("sinus rhythm",), "Sinus rhythm", ())


def _waves(
    *, rate: float = 500.0, seconds: float = 10.0, leads: tuple[str, ...] = LEADS, seed: int = 0
) -> ECG:
    """Leads of slow waves, each with its own frequency, in whole microvolts."""
    time = np.arange(round(rate * seconds)) / rate
    rng = np.random.default_rng(seed)
    rows = [np.sin(2 * np.pi * (1 + 0.1 * n) * time + rng.uniform(0, 6)) for n in range(len(leads))]
    signal_mv = (np.rint(np.stack(rows) * 1000) / 1000).astype(np.float32)
    return ECG(signal_mv, leads, rate, SourceFacts("test", 61, "female"))


@pytest.fixture(scope="session")
def waves() -> Callable[..., ECG]:
    """`waves(rate=..., seconds=..., leads=..., seed=...)`: a recording of slow waves."""
    return _waves


@pytest.fixture(scope="session")
def listed() -> type[Listed]:
    """`listed((ecg, ...))`: a source of recordings in memory."""
    return Listed


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """48 studies as PhysioNet would serve them."""
    folder = tmp_path_factory.mktemp("mimic")
    write_fixture(folder, ARCHIVE)
    return folder


@pytest.fixture(scope="session")
def archive_shards(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Shards:
    """The archive in three shards, half of its subjects for training."""
    source = MimicIvEcg(archive, Shares(0.5, 0.25, 0.25))
    return build(source, tmp_path_factory.mktemp("shards"), shard_records=16, workers=1)
