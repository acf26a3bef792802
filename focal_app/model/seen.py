"""Whom a checkpoint has seen: the patients of its training and of its calibration, as hashes.

Figures on recordings that a model was trained on say nothing, so evaluation leaves them out. A hash
stands for a patient of a source; one source's numbers say nothing of another's.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Self

import numpy as np
from jaxtyping import Int64
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from focal_app.errors import CheckpointError

SEEN = "seen.safetensors"


def patient(source: str, subject: str) -> str:
    """A patient by the name of the source (`ptb-xl`) and the source's own name of the patient."""
    return f"{source}\0{subject}"


@dataclass(frozen=True)
class Seen:
    """Sorted hashes of patients: `trained` moved the weights, `calibrated` the probabilities."""

    trained: Int64[np.ndarray, " some"]
    calibrated: Int64[np.ndarray, " others"]

    @classmethod
    def of(cls, trained: Iterable[str], calibrated: Iterable[str]) -> Self:
        """The hashes of patients (see `patient`)."""
        return cls(_hashed(trained), _hashed(calibrated))

    def __or__(self, other: "Seen | None") -> "Seen":
        """Whom either has seen."""
        if other is None:
            return self
        names = [field.name for field in fields(self)]
        return Seen(*(np.union1d(getattr(self, name), getattr(other, name)) for name in names))

    def trained_on(self, patients: Iterable[str]) -> list[bool]:
        """Of each patient whether training has seen it."""
        known = frozenset(self.trained.tolist())
        return [_hash(one) in known for one in patients]

    def save(self, folder: Path) -> None:
        """Write it beside the weights."""
        save_file({field.name: getattr(self, field.name) for field in fields(self)}, folder / SEEN)

    @classmethod
    def load(cls, folder: Path) -> Self | None:
        """What lies beside the weights, None where nothing does."""
        if not (folder / SEEN).is_file():
            return None
        try:
            found = load_file(folder / SEEN)
            return cls(*(found[field.name].astype(np.int64) for field in fields(cls)))
        except (OSError, SafetensorError, KeyError) as error:
            raise CheckpointError(
                f"{SEEN} of the checkpoint cannot be read; fetch or save the checkpoint again"
            ) from error


def _hash(name: str) -> int:
    digest = hashlib.sha256(name.encode()).digest()
    return int.from_bytes(digest[:8], "big", signed=True)


def _hashed(names: Iterable[str]) -> np.ndarray:
    return np.unique(np.fromiter(map(_hash, names), np.int64))
