"""Shards to enrich, whose recordings do not matter."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from focal_app.ecg.recording import ECG, LEADS, SourceFacts
from train.data.build import build
from train.data.source import Annotated, Study


class Noise:
    """A source of noise with given tags."""

    name = "noise"
    spoken = None
    classes_stated = True

    def __init__(self, reports: Sequence[tuple[str, ...]]) -> None:
        self.reports, self.total = reports, len(reports)
        self.about = {"reports": [list(tags) for tags in reports]}

    def studies(self, counted: Counter[str]) -> Iterator[Study]:
        """A recording a report."""
        for i, tags in enumerate(self.reports):
            yield Study(f"{i}", f"{i}", "train", partial(_noise, tags=tags))


def _noise(_counted: Counter[str], *, tags: tuple[str, ...]) -> Annotated:
    signal = np.random.default_rng(0).normal(size=(12, 5000)).astype(np.float32)
    return Annotated(ECG(signal, LEADS, 500.0, SourceFacts("test")), tags)


def save_shards(folder: Path, reports: Sequence[tuple[str, ...]]) -> None:
    """Shards with these tags; their recordings do not matter."""
    build(Noise(reports), folder, workers=1)
