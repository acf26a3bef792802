"""Recordings of one source on disk, memory-mapped, with their tags.

    shards = Shards.open(Path("runs/NAME/data/mimic-iv-ecg"))
    ecg, tags = shards.ecg(0), shards.tags[0]

A folder holds `manifest.json` (what made it, every filter and its count, the words of its source,
size and checksum of each file), for every shard `shard-00000.npy` (R, 12, T) int16 and
`shard-00000.jsonl`, a line a record, and the index of these lines (`train.data.shard_index`). The
manifest is written last: a folder without it is unfinished (`train.data.build`).
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Int, Int32

from focal_app.ecg.leads import listed
from focal_app.ecg.recording import ECG, LEADS, SourceFacts
from focal_app.errors import FocalError
from train.data.shard_index import Column, Index, leads_of
from train.data.source import COMMAS, SPLITS, Tagging

VERSION = 2
MANIFEST = "manifest.json"
MISSING = -32768
"""Stands for a sample that was not recorded, as in WFDB's format 16."""


class ShardError(FocalError):
    """A folder of shards cannot be written or used."""


@dataclass(frozen=True)
class Shards:
    """The records of a folder by number, in the order in which their source listed them.

    What a record says is read when it is asked for, from files that all processes share; to
    another process only the folder travels.
    """

    folder: Path
    manifest: dict[str, Any] = field(repr=False)
    index: Index = field(repr=False)

    @classmethod
    def open(cls, folder: Path, *, checksums: bool = False) -> "Shards":
        """The shards of a finished folder; a damaged or unfinished one is refused.

        Sizes are always held against the manifest; with `checksums` every byte is read.
        """
        manifest = read_manifest(folder)
        for part in (*manifest["shards"], manifest["index"]):
            check_files(folder, part["files"], checksums=checksums)
        return cls(folder, manifest, Index.open(folder, manifest["vocabulary"]))

    def __len__(self) -> int:
        return len(self.index.records)

    @property
    def name(self) -> str:
        """The source's name."""
        return self.manifest["source"]

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """Every tag of the folder by its number, in the order of first use."""
        return self.index.vocabulary

    @property
    def spoken(self) -> frozenset[str] | None:
        """The tags that this source would name if they held; None where it words freely."""
        spoken = self.manifest["spoken"]
        return None if spoken is None else frozenset(spoken)

    @property
    def classes_stated(self) -> bool:
        """Whether the source names every class of diagnoses that holds."""
        return self.manifest["classes_stated"]

    @property
    def tagging(self) -> Tagging:
        """How the reports of the source became tags."""
        said = self.manifest["made_from"]["choices"].get("tagging")
        return "commas" if said == COMMAS else "curated"

    @property
    def keys(self) -> Sequence[str]:
        """The key of each record in its source."""
        return Column(len(self), self.index.key)

    @property
    def subjects(self) -> Sequence[str]:
        """The patient of each record."""
        return Column(len(self), self.index.subject)

    @property
    def splits(self) -> Sequence[str]:
        """The split of each record: "train", "validation" or "test"."""
        return Column(len(self), lambda i: SPLITS[self.index.records[i]["split"]])

    @property
    def tags(self) -> Sequence[tuple[str, ...]]:
        """The tags of each record."""
        return Column(len(self), lambda i: self.index.words(self.tag_ids(i)))

    @property
    def hedged(self) -> Sequence[tuple[str, ...]]:
        """Those tags of each record that its report only suspects."""
        return Column(len(self), lambda i: self.index.words(self.hedged_ids(i)))

    @property
    def reports(self) -> Sequence[str]:
        """The report of each record as its source words it; empty where there is none."""
        return Column(len(self), lambda i: self.line(i)["report"])

    @property
    def places(self) -> Sequence[list[dict[str, Any]] | None]:
        """{"tag", "leads", "start_s", "end_s"} of each place; None but for simulations."""
        return Column(len(self), self._places)

    @property
    def facts(self) -> Sequence[dict[str, Any]]:
        """Age in years and sex of each record, None where unknown."""
        return Column(len(self), self.index.facts)

    def tag_ids(self, i: int) -> Int32[np.ndarray, " tags"]:
        """The tags of record `i` as numbers of the vocabulary."""
        return self.index.tags[self.index.tag_range(i)]

    def hedged_ids(self, i: int) -> Int32[np.ndarray, " hedged"]:
        """The tags of record `i` that are only suspected, as numbers of the vocabulary."""
        return self.tag_ids(i)[self.index.hedged[self.index.tag_range(i)]]

    def place_rows(self, i: int) -> np.ndarray | None:
        """The places of record `i` as rows of `shard_index.PLACE`; None but for simulations."""
        return self.index.place_rows(i)

    def rows(self, split: str, *, tagged: bool = True) -> Int[np.ndarray, " rows"]:
        """The numbers of the records of a split, without those that carry no tag."""
        records = self.index.records
        wanted = SPLITS.index(split) if split in SPLITS else -1
        chosen = records["split"] == wanted
        return np.flatnonzero(chosen & (records["tag_count"] > 0) if tagged else chosen)

    def line(self, i: int) -> dict[str, Any]:
        """All that was written of record `i`, its report too."""
        shard, _ = self._where(i)
        path = self.folder / f"{self.manifest['shards'][shard]['name']}.jsonl"
        with path.open("rb") as file:
            file.seek(int(self.index.records[i]["line"]))
            return json.loads(file.readline())

    def ecg(self, i: int) -> ECG:
        """Record `i` in millivolts; leads that were not recorded are left out, gaps are NaN."""
        shard, row = self._where(i)
        record, steps = self.index.records[i], self._opened(shard)[row]
        missing, facts = leads_of(int(record["missing"])), self.index.facts(i)
        kept = [row for row, lead in enumerate(LEADS) if lead not in missing]
        millivolts = steps[kept].astype(np.float32)
        millivolts *= self.manifest["microvolts_per_step"] / 1000
        millivolts[steps[kept] == MISSING] = np.nan
        return ECG(
            signal_mv=millivolts,
            leads=tuple(LEADS[row] for row in kept),
            sampling_rate_hz=float(self.manifest["sampling_rate_hz"]),
            source=SourceFacts("shards", facts["age"], facts["sex"]),
            notes=_notes(missing, int(record["repaired"]), int(record["clipped"])),
        )

    def _places(self, i: int) -> list[dict[str, Any]] | None:
        rows = self.place_rows(i)
        if rows is None:
            return None
        return [
            {
                "tag": self.vocabulary[tag],
                "leads": list(leads_of(int(leads))),
                # As the simulator rounds them; float32 holds 10 s to a microsecond.
                "start_s": round(float(start_s), 4),
                "end_s": round(float(end_s), 4),
            }
            for tag, leads, start_s, end_s in rows
        ]

    def _where(self, i: int) -> tuple[int, int]:
        """The shard of record `i` and its row there."""
        shard = int(np.searchsorted(self._starts, i, side="right")) - 1
        return shard, int(i - self._starts[shard])

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

    def __reduce__(self) -> tuple[Any, ...]:
        """For other processes: the folder, whose files each opens for itself."""
        return _reopened, (self.folder,)


def _reopened(folder: Path) -> Shards:
    """Shards that were opened, and checked, by another process."""
    manifest = read_manifest(folder)
    return Shards(folder, manifest, Index.open(folder, manifest["vocabulary"]))


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a finished folder of shards."""
    path = folder / MANIFEST
    if not path.is_file():
        raise ShardError(
            f"found no {MANIFEST} in {folder.name!r}; a finished folder of shards is needed. "
            "Run `python -m train data` on it again: whole shards are kept."
        )
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ShardError(
            f"{MANIFEST} of {folder.name!r} cannot be read; delete it and run `python -m train "
            "data` again: whole shards are kept."
        ) from error
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


def _notes(missing: tuple[str, ...], repaired: int, clipped: int) -> tuple[str, ...]:
    notes = []
    if missing:
        notes.append(f"Not recorded: {listed(missing)}.")
    if repaired:
        notes.append(f"Interpolated {repaired} missing samples in short gaps.")
    if clipped:
        notes.append(f"Clipped {clipped} samples that exceed the stored range.")
    return tuple(notes)
