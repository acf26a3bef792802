"""A labelled set: its classes, its recordings with their splits, and what is there of it."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Bool

SPLITS = ("train", "validation", "test")


@dataclass(frozen=True)
class Item:
    """One recording: its key, its header (None where the file is absent), its split, its labels.

    `patient` names the source and the patient as training does (`focal_app.model.seen`). `age` in
    years and `sex` ("male", "female") are None where nothing says them.
    """

    key: str
    header: Path | None
    split: str
    labels: frozenset[str]
    patient: str
    fold: int | None = None
    age: float | None = None
    sex: str | None = None


@dataclass(frozen=True)
class LabelledSet:
    """A set of the benchmark; `items` also holds the recordings whose files are absent.

    `source` names where labels and splits come from, in words for a result.
    """

    name: str
    classes: tuple[str, ...]
    items: tuple[Item, ...]
    source: str

    def present(self, splits: Sequence[str] = SPLITS, folds: Sequence[int] = ()) -> list[Item]:
        """The items of these splits (of these folds, where some are named) whose file is there."""
        return [item for item in self.wanted(splits, folds) if item.header is not None]

    def wanted(self, splits: Sequence[str] = SPLITS, folds: Sequence[int] = ()) -> list[Item]:
        """The items of these splits (of these folds, where some are named), absent ones too."""
        chosen = [item for item in self.items if item.fold in folds] if folds else self.items
        return [item for item in chosen if folds or item.split in splits]

    def truth(self, items: Sequence[Item]) -> Bool[np.ndarray, "R C"]:
        """Which class holds for which item."""
        rows = [[label in item.labels for label in self.classes] for item in items]
        return np.array(rows, dtype=bool).reshape(len(items), len(self.classes))


def hashed_split(name: str) -> str:
    """70/10/20 by a hash of the patient's or the recording's name: the same for any subset."""
    place = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") / 2**64
    return SPLITS[0] if place < 0.7 else SPLITS[1] if place < 0.8 else SPLITS[2]
