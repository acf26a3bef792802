"""A gallery on disk, opened with the model that made it.

gallery = Gallery.open("galleries/ptb-xl", explorer.model)
"""

import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Self

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from focal_app.ecg.complete import CompleteECG
from focal_app.ecg.measured import Quantities
from focal_app.ecg.recording import LEADS, SourceFacts
from focal_app.errors import GalleryError
from focal_app.explore.cases.gallery import patches, signals, table
from focal_app.explore.cases.gallery.case import Case
from focal_app.explore.cases.gallery.index import Nearest
from focal_app.explore.cases.gallery.manifest import MANIFEST, VIEWS, Manifest
from focal_app.explore.cases.gallery.table import Filters
from focal_app.explore.report.values import READERS_DIFFER
from focal_app.model import hub
from focal_app.model.focal import Focal
from focal_app.words.numbers import Value

EMBEDDED = Path(__file__).parents[4] / "assets" / "gallery"
VARIABLE = "FOCAL_GALLERY"
_WANTED = hub.Wanted(
    patterns=(MANIFEST, "cases.jsonl", "*.bin", "index-*.faiss"),
    needed=f"a folder with {MANIFEST}, or a Hub data set",
    error=GalleryError,
    repo_type="dataset",
)


class Gallery:
    """Cases in a fixed order, memory-mapped. Safe to share between threads.

    Every method raises a `GalleryError` when the folder is gone or has changed meanwhile. `note`
    says what the gallery is and how it was stored; where `simulated` holds, no case is a person's,
    and a page has to say so.
    """

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self._folder, self._manifest = folder, manifest
        self.title, self.note, self.simulated = manifest.title, manifest.note, manifest.simulated
        self.check()
        arrays = {name: self._mapped(name) for name in manifest.shapes}
        self._table, self._patches = arrays["table.bin"], arrays["patches.bin"]
        self._tags = arrays["tags.bin"]
        self._findings, self._basis = arrays["findings.bin"], arrays.get("basis.bin")
        self._measured = arrays.get("measured.bin")
        compressed = manifest.index == "ivfpq"
        self._vectors = {view: arrays[f"vectors-{view}.bin"] for view in VIEWS}
        self._nearest = {
            view: Nearest(
                arrays[f"vectors-{view}.bin"],
                folder / f"index-{view}.faiss" if compressed else None,
            )
            for view in VIEWS
        }

    @classmethod
    def open(cls, source: str | Path, model: Focal) -> Self:
        """The gallery of a folder or of a Hub data set `org/name@revision`.

        Refused with another checkpoint than the one that made it.
        """
        folder = hub.local_folder(source, _WANTED)
        manifest = Manifest.read(folder)
        if manifest.checkpoint != model.fingerprint():
            raise GalleryError(
                f"found the gallery {manifest.title!r}, made by another checkpoint "
                f"({manifest.checkpoint[:12]}); its embeddings mean nothing to this one. Build it "
                "again with this checkpoint, or load the checkpoint that made it"
            )
        return cls(folder, manifest)

    @classmethod
    def configured(cls, model: Focal, source: str | None = None) -> Self:
        """The gallery of `source`, else of what `FOCAL_GALLERY` names, else the embedded one."""
        usual = os.environ.get(VARIABLE) or EMBEDDED
        return cls.open(usual if source is None else source, model)

    def __len__(self) -> int:
        return self._manifest.count

    def __getitem__(self, number: int) -> Case:
        """The case of that number, counted from 0."""
        row = self._row(number)
        line = self._read("cases.jsonl", int(row["line"]), int(row["line_bytes"]))
        return Case(number, table.facts_of(line))

    def __iter__(self) -> Iterator[Case]:
        return (self[number] for number in range(len(self)))

    def case(self, key: str) -> Case:
        """The case of that key."""
        number = self.number(key)
        if number is None:
            raise GalleryError(f"found no case {key[:64]!r} in the gallery {self.title!r}")
        return self[number]

    def number(self, key: str) -> int | None:
        """The number of the case of that key, None where the gallery holds none."""
        self.check()
        found = np.flatnonzero(self._table["key"] == key.encode("ascii", "replace"))
        return int(found[0]) if len(found) else None

    def labels(self) -> dict[str, int]:
        """Every label with the number of cases that carry or imply it, the most frequent first."""
        held = {tag: count for tag, count in self._counts.items() if count}
        return dict(sorted(held.items(), key=lambda pair: (-pair[1], pair[0])))

    def sources(self) -> tuple[str, ...]:
        """Where the cases come from."""
        return self._manifest.sources

    def statements(self) -> tuple[str, ...]:
        """The tags that are scored for every case, in the order of `findings`."""
        return self._manifest.statements

    def tags(self) -> Float[Tensor, "K d"]:
        """The statements' embeddings: all at once and long before anybody asks for one."""
        return torch.from_numpy(np.array(self._tags))

    def ecg(self, number: int) -> CompleteECG:
        """The signal of a case, its first ten seconds as they were stored."""
        row = self._row(number)
        block = self._read("signals.bin", int(row["signal"]), int(row["signal_bytes"]))
        steps = signals.unpack(block, rate_hz=self._manifest.rate_hz)
        facts = self[number].facts
        return CompleteECG(
            signal_mv=signals.millivolts(steps, step_uv=self._manifest.step_uv),
            leads=LEADS,
            sampling_rate_hz=float(self._manifest.rate_hz),
            source=SourceFacts(facts.source, age_years=facts.age_years, sex=facts.sex),
        )

    def allowed(self, filters: Filters) -> Bool[np.ndarray, " N"]:
        """Which cases pass the filters."""
        self.check()
        passed = table.passing(self._table, filters, self._manifest)
        for value in filters.values:
            passed &= table.within(self.measured(value.name), value, tolerance=_tolerance(value))
        return passed

    def nearest(self, view: str) -> Nearest:
        """The embeddings of all cases by a view of `VIEWS`."""
        self.check()
        return self._nearest[view]

    def vectors(self, view: str, numbers: Sequence[int] | np.ndarray) -> Float[np.ndarray, "B d"]:
        """Unit embeddings of some cases by a view of `VIEWS`."""
        self.check()
        return self._vectors[view][np.asarray(numbers, int)].astype(np.float32)

    def patches(self, numbers: Sequence[int] | np.ndarray) -> Float[Tensor, "B N d"]:
        """Unit patch embeddings of some cases; zero where nothing was seen."""
        self.check()
        return patches.decoded(self._patches[np.asarray(numbers, int)], self._basis)

    def findings(self, numbers: Sequence[int] | np.ndarray) -> Float[np.ndarray, "B K"]:
        """Probability of every statement in each of some cases."""
        self.check()
        return self._findings[np.asarray(numbers, int)].astype(np.float32)

    def measures(self, name: str) -> bool:
        """Whether that was measured of the cases when the gallery was built."""
        return name in self._manifest.measured

    def measured(self, name: str) -> Float[np.ndarray, " N"]:
        """What was measured of every case under a name of `Measurements`; NaN where nothing was."""
        self.check()
        if self._measured is None or not self.measures(name):
            raise GalleryError(
                f"the gallery {self.title!r} has no measured values; build it again to search them"
            )
        return self._measured[:, self._manifest.measured.index(name)].astype(np.float64)

    def quantities(self, numbers: Sequence[int] | np.ndarray) -> list[Quantities]:
        """All that was measured of some cases; nothing where the gallery measured none."""
        self.check()
        if self._measured is None:
            return [Quantities({})] * len(numbers)
        names = self._manifest.measured
        rows = self._measured[np.asarray(numbers, int)].astype(float)
        return [
            Quantities({name: v for name, v in zip(names, row, strict=True) if not np.isnan(v)})
            for row in rows
        ]

    @cached_property
    def rarity(self) -> Float[np.ndarray, " K"]:
        """How telling each statement is as a label: the logarithm of one over its share among the
        cases, 0 where none carries it."""
        counts = np.array([self._counts[tag] for tag in self.statements()])
        return np.log((1 + len(self)) / (1 + counts)) * (counts > 0)

    def check(self) -> None:
        """A `GalleryError` when a file is gone or another: reading on would crash, not fail."""
        allowed = hub.roots(self._folder)
        for name, bytes_ in self._manifest.sizes.items():
            path = self._folder / name
            try:
                found = path.stat().st_size
            except OSError as error:
                raise GalleryError(
                    f"the gallery's {name} is gone; put the folder back and open it again"
                ) from error
            if found != bytes_ or not any(path.resolve().is_relative_to(r) for r in allowed):
                raise GalleryError(
                    f"the gallery's {name} is not the file that was built ({found} bytes, "
                    f"{bytes_} expected); fetch or build the gallery again"
                )

    @cached_property
    def _counts(self) -> dict[str, int]:
        bits, tags = self._table["labels"], self.statements()
        parts = (bits[first : first + 100_000] for first in range(0, len(self), 100_000))
        held = [np.unpackbits(part, axis=1, count=len(tags)).sum(0, np.int64) for part in parts]
        return dict(zip(tags, np.sum(held, axis=0).tolist(), strict=True))

    def _row(self, number: int) -> np.void:
        if not 0 <= number < len(self):
            raise IndexError(f"found case {number}; needed 0 to {len(self) - 1}")
        return self._table[number]

    def _mapped(self, name: str) -> np.ndarray:
        kind, shape = self._manifest.shapes[name]
        if int(np.prod(shape, dtype=object)) * kind.itemsize != self._manifest.sizes[name]:
            raise GalleryError(f"the gallery's {name} is cut short or of another gallery")
        return np.memmap(self._folder / name, kind, "r", shape=shape)

    def _read(self, name: str, first: int, count: int) -> bytes:
        if first + count > self._manifest.sizes[name]:
            raise GalleryError(f"the gallery's table points outside {name}; build it again")
        try:
            with (self._folder / name).open("rb") as file:
                file.seek(first)
                return file.read(count)
        except OSError as error:
            raise GalleryError(
                f"the gallery's {name} is gone; put the folder back and open it again"
            ) from error


def _tolerance(value: Value) -> float:
    """How far a measured value may lie from one that is named exactly: as far as two readers do."""
    return READERS_DIFFER.get(value.name, 0.0) if value.low == value.high else 0.0
