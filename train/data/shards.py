"""Recordings of one source on disk, memory-mapped, with their tags.

    shards = Shards.open(Path("runs/NAME/data/mimic-iv-ecg"))
    ecg, tags = shards.ecg(0), shards.tags[0]

A folder holds `manifest.json` (what made it, every filter and its count, size and checksum of
each file), and for every shard `shard-00000.npy` (R, 12, T) int16 and `shard-00000.jsonl`, a line
a record. The manifest is written last: a folder without it is unfinished (`train.data.build`).
"""

import hashlib
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from focal_app.ecg.leads import listed
from focal_app.ecg.recording import ECG, LEADS, SourceFacts
from focal_app.errors import FocalError

VERSION = 1
MANIFEST = "manifest.json"
MISSING = -32768
"""Stands for a sample that was not recorded, as in WFDB's format 16."""


class ShardError(FocalError):
    """A folder of shards cannot be written or used."""


@dataclass(frozen=True)
class Shards:
    """The records of a folder by number, in the order in which their source listed them.

    `splits` are "train", "validation" or "test"; `hedged` the tags that are only suspected;
    `facts` age and sex; `places` {"tag", "leads", "start_s", "end_s"}, None but for simulations.
    """

    folder: Path
    manifest: dict[str, Any]
    lines: list[dict[str, Any]] = field(repr=False)

    @classmethod
    def open(cls, folder: Path, *, checksums: bool = False) -> "Shards":
        """The shards of a finished folder; a damaged or unfinished one is refused.

        Sizes are always held against the manifest; with `checksums` every byte is read.
        """
        manifest = read_manifest(folder)
        for shard in manifest["shards"]:
            check_files(folder, shard["files"], checksums=checksums)
        lines = [line for s in manifest["shards"] for line in _lines(folder, s)]
        return cls(folder, manifest, lines)

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def name(self) -> str:
        """The source's name."""
        return self.manifest["source"]

    @cached_property
    def keys(self) -> list[str]:
        """The key of each record in its source."""
        return [line["key"] for line in self.lines]

    @cached_property
    def subjects(self) -> list[str]:
        """The patient of each record."""
        return [line["subject"] for line in self.lines]

    @cached_property
    def splits(self) -> list[str]:
        """The split of each record."""
        return [line["split"] for line in self.lines]

    @cached_property
    def tags(self) -> list[tuple[str, ...]]:
        """The tags of each record."""
        return [line["tags"] for line in self.lines]

    @cached_property
    def hedged(self) -> list[tuple[str, ...]]:
        """Those tags of each record that its report only suspects."""
        return [tuple(line["hedged"]) for line in self.lines]

    @cached_property
    def reports(self) -> list[str]:
        """The report of each record as its source words it; empty where there is none."""
        return [line["report"] for line in self.lines]

    @cached_property
    def places(self) -> "Places":
        """Where each finding shows, of simulated records."""
        names = [shard["name"] for shard in self.manifest["shards"]]
        return Places([self.folder / f"{name}.jsonl" for name in names])

    @cached_property
    def facts(self) -> list[dict[str, Any]]:
        """Age in years and sex of each record, None where unknown."""
        return [line["facts"] for line in self.lines]

    def rows(self, split: str, *, tagged: bool = True) -> list[int]:
        """The numbers of the records of a split, without those that carry no tag."""
        wanted = (i for i, found in enumerate(self.splits) if found == split)
        return [i for i in wanted if self.tags[i] or not tagged]

    def ecg(self, i: int) -> ECG:
        """Record `i` in millivolts; leads that were not recorded are left out, gaps are NaN."""
        line = self.lines[i]
        steps = self._steps(i)
        kept = [row for row, lead in enumerate(LEADS) if lead not in line["missing"]]
        millivolts = steps[kept].astype(np.float32)
        millivolts *= self.manifest["microvolts_per_step"] / 1000
        millivolts[steps[kept] == MISSING] = np.nan
        return ECG(
            signal_mv=millivolts,
            leads=tuple(LEADS[row] for row in kept),
            sampling_rate_hz=float(self.manifest["sampling_rate_hz"]),
            source=SourceFacts("shards", line["facts"]["age"], line["facts"]["sex"]),
            notes=_notes(line),
        )

    def _steps(self, i: int) -> np.ndarray:
        shard = int(np.searchsorted(self._starts, i, side="right")) - 1
        return self._opened(shard)[i - self._starts[shard]]

    @cached_property
    def _starts(self) -> np.ndarray:
        return np.cumsum([0, *(shard["records"] for shard in self.manifest["shards"])])[:-1]

    @cached_property
    def _maps(self) -> dict[int, np.ndarray]:
        return {}

    def _opened(self, shard: int) -> np.ndarray:
        if shard not in self._maps:
            path = self.folder / f"{self.manifest['shards'][shard]['name']}.npy"
            self._maps[shard] = np.load(path, mmap_mode="r", allow_pickle=False)
        return self._maps[shard]

    def __getstate__(self) -> dict[str, Any]:
        """For other processes: without the open maps, which each opens for itself."""
        return {"folder": self.folder, "manifest": self.manifest, "lines": self.lines}


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a finished folder of shards."""
    path = folder / MANIFEST
    if not path.is_file():
        raise ShardError(
            f"found no {MANIFEST} in {folder.name!r}; a finished folder of shards is needed. "
            "Run `python -m train data` on it again: whole shards are kept."
        )
    manifest = json.loads(path.read_text(encoding="utf-8"))
    if manifest.get("version") != VERSION:
        raise ShardError(
            f"found shards of version {manifest.get('version')!r} in {folder.name!r}; version "
            f"{VERSION} is needed. Make them again with `python -m train data`."
        )
    return manifest


def check_files(folder: Path, files: dict[str, dict[str, Any]], *, checksums: bool) -> None:
    """Refuse a shard one of whose files is absent, cut off or (with `checksums`) changed."""
    for name, wanted in files.items():
        path = folder / name
        found = path.stat().st_size if path.is_file() else None
        if found != wanted["bytes"]:
            held = "no such file" if found is None else f"{found:,} bytes"
            raise ShardError(
                f"found {held} for {name} in {folder.name!r}; {wanted['bytes']:,} bytes are "
                f"needed. It is cut off: delete {MANIFEST} and the shard's files, then run "
                "`python -m train data` again."
            )
        if checksums and sha256_of(path) != wanted["sha256"]:
            raise ShardError(
                f"found other bytes in {name} than were written; the checksum of the manifest "
                f"is needed. Delete {MANIFEST} and the shard's files, then run "
                "`python -m train data` again."
            )


def sha256_of(path: Path) -> str:
    """The checksum of a file, read in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _lines(folder: Path, shard: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The lines of a shard without their places; equal texts are held once."""
    with (folder / f"{shard['name']}.jsonl").open(encoding="utf-8") as file:
        for text in file:
            line = json.loads(text)
            del line["places"]
            line["tags"] = tuple(map(sys.intern, line["tags"]))
            line["report"] = sys.intern(line["report"])
            yield line


class Places:
    """The places of every record, read when asked for: they outweigh all that is said besides."""

    def __init__(self, paths: list[Path]) -> None:
        self._where: list[tuple[Path, int]] = []
        for path in paths:
            start = 0
            with path.open("rb") as file:
                for line in file:
                    self._where.append((path, start))
                    start += len(line)

    def __len__(self) -> int:
        return len(self._where)

    def __getitem__(self, i: int) -> list[dict[str, Any]] | None:
        """The places of record `i`; None where nobody knows them."""
        path, start = self._where[i]
        with path.open("rb") as file:
            file.seek(start)
            return json.loads(file.readline())["places"]

    def __iter__(self) -> Iterator[list[dict[str, Any]] | None]:
        return (self[i] for i in range(len(self)))


def _notes(line: dict[str, Any]) -> tuple[str, ...]:
    notes = []
    if line["missing"]:
        notes.append(f"Not recorded: {listed(line['missing'])}.")
    if line["repaired"]:
        notes.append(f"Interpolated {line['repaired']} missing samples in short gaps.")
    if line["clipped"]:
        notes.append(f"Clipped {line['clipped']} samples that exceed the stored range.")
    return tuple(notes)
