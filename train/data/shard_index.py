"""What the records of a folder of shards say besides their signals, as memory-mapped arrays.

    index = Index.of(numbered_lines)      # once, when the folder is finished
    index = Index.open(folder, manifest["vocabulary"])

All processes that open a folder share its pages: 800,000 records cost none of them 100 MB. Only
reports stay in the lines, and are read from there when asked for. `index-records.npy` holds a row
of fixed width a record, which says where in the other arrays its tags, places and names begin.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, overload

import numpy as np
from jaxtyping import Bool, Int32, UInt8

from focal_app.ecg.recording import LEADS
from train.data.source import SPLITS

T = TypeVar("T", covariant=True)

SEXES = (None, "female", "male")
UNKNOWN = -1
"""Stands for an age or a number of places that nobody knows."""

RECORD = np.dtype(
    [
        *(("tags", "<i8"), ("places", "<i8"), ("names", "<i8"), ("line", "<i8")),
        *(("place_count", "<i4"), ("repaired", "<i4"), ("clipped", "<i4")),
        *(("tag_count", "<u2"), ("key", "<u2"), ("subject", "<u2")),
        *(("age", "<i2"), ("missing", "<u2"), ("split", "u1"), ("sex", "u1")),
    ]
)
"""`tags`, `places` and `names` are positions in those arrays, `line` the byte of its shard's lines
at which the record stands; `key` and `subject` are lengths in bytes, `missing` leads a bit mask."""

PLACE = np.dtype([("tag", "<i4"), ("leads", "<u2"), ("start_s", "<f4"), ("end_s", "<f4")])
"""A tag of the vocabulary, its leads as a bit mask in the order of `LEADS`, and its seconds."""


class Column(Sequence[T]):
    """One thing that every record says, read when asked for."""

    def __init__(self, count: int, read: Callable[[int], T]) -> None:
        self._count, self._read = count, read

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, i: int) -> T: ...
    @overload
    def __getitem__(self, i: slice) -> list[T]: ...
    def __getitem__(self, i: int | slice) -> T | list[T]:
        """What record `i` says."""
        if isinstance(i, slice):
            return [self._read(row) for row in range(*i.indices(self._count))]
        if not -self._count <= i < self._count:
            raise IndexError(f"found record {i}; 0 to {self._count - 1} are there")
        return self._read(int(i) % self._count)

    def __iter__(self) -> Iterator[T]:
        return map(self._read, range(self._count))


@dataclass(frozen=True)
class Index:
    """`hedged` goes with `tags`: whether the report only suspects it; `names` are UTF-8 bytes."""

    records: np.ndarray
    tags: Int32[np.ndarray, " tags"]
    hedged: Bool[np.ndarray, " tags"]
    places: np.ndarray
    names: UInt8[np.ndarray, " bytes"]
    vocabulary: tuple[str, ...]

    @classmethod
    def open(cls, folder: Path, vocabulary: Iterable[str]) -> "Index":
        """The index of a folder, memory-mapped."""
        arrays = {
            name: np.load(folder / file, mmap_mode="r", allow_pickle=False).view(np.ndarray)
            for name, file in FILES.items()
        }
        return cls(**arrays, vocabulary=tuple(vocabulary))

    @classmethod
    def of(cls, lines: Iterable[tuple[int, Mapping[str, Any]]]) -> "Index":
        """The index of lines, each with the byte at which it begins in its shard."""
        made = _Columns()
        for start, line in lines:
            made.add(start, line)
        return made.index()

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """Its arrays by the name of their file."""
        return {file: getattr(self, name) for name, file in FILES.items()}

    def tag_range(self, i: int) -> slice:
        """Where the tags of record `i` stand in `tags` and `hedged`."""
        row = self.records[i]
        return slice(int(row["tags"]), int(row["tags"]) + int(row["tag_count"]))

    def words(self, ids: Iterable[int]) -> tuple[str, ...]:
        """The tags of these numbers."""
        return tuple(self.vocabulary[tag] for tag in ids)

    def key(self, i: int) -> str:
        """The key of record `i`."""
        row = self.records[i]
        return self._text(int(row["names"]), int(row["key"]))

    def subject(self, i: int) -> str:
        """The subject of record `i`."""
        row = self.records[i]
        return self._text(int(row["names"]) + int(row["key"]), int(row["subject"]))

    def facts(self, i: int) -> dict[str, Any]:
        """Age and sex of record `i`, None where unknown."""
        age, sex = int(self.records[i]["age"]), SEXES[self.records[i]["sex"]]
        return {"age": None if age == UNKNOWN else age, "sex": sex}

    def place_rows(self, i: int) -> np.ndarray | None:
        """The places of record `i` as rows of `PLACE`; None where nobody knows them."""
        row = self.records[i]
        count = int(row["place_count"])
        return None if count == UNKNOWN else self.places[int(row["places"]) :][:count]

    def _text(self, start: int, length: int) -> str:
        return self.names[start : start + length].tobytes().decode()


FILES = {name: f"index-{name}.npy" for name in ("records", "tags", "hedged", "places", "names")}
"""The file of each array."""


class _Columns:
    """Arrays that grow line by line."""

    def __init__(self) -> None:
        self.records, self.places, self.names = bytearray(), bytearray(), bytearray()
        self.tags, self.hedged = array("i"), array("b")
        self.ids: dict[str, int] = {}

    def add(self, start: int, line: Mapping[str, Any]) -> None:
        key, subject = line["key"].encode(), line["subject"].encode()
        places, facts = line["places"], line["facts"]
        said = {
            "tags": len(self.tags),
            "places": len(self.places) // PLACE.itemsize,
            "names": len(self.names),
            "line": start,
            "place_count": UNKNOWN if places is None else len(places),
            "repaired": line["repaired"],
            "clipped": line["clipped"],
            "tag_count": len(line["tags"]),
            "key": len(key),
            "subject": len(subject),
            "age": UNKNOWN if facts["age"] is None else facts["age"],
            "missing": lead_mask(line["missing"]),
            "split": SPLITS.index(line["split"]),
            "sex": SEXES.index(facts["sex"]) if facts["sex"] in SEXES else 0,
        }
        self.records += np.array(tuple(said[name] for name in RECORD.names or ()), RECORD).tobytes()
        self.names += key + subject
        self.tags.extend(map(self._id, line["tags"]))
        self.hedged.extend(tag in line["hedged"] for tag in line["tags"])
        rows = [
            (self._id(p["tag"]), lead_mask(p["leads"]), p["start_s"], p["end_s"])
            for p in places or ()
        ]
        self.places += np.array(rows, PLACE).tobytes()

    def index(self) -> Index:
        return Index(
            records=np.frombuffer(self.records, RECORD),
            tags=np.array(self.tags, np.int32),
            hedged=np.array(self.hedged, bool),
            places=np.frombuffer(self.places, PLACE),
            names=np.frombuffer(self.names, np.uint8),
            vocabulary=tuple(self.ids),
        )

    def _id(self, tag: str) -> int:
        return self.ids.setdefault(tag, len(self.ids))


def line_of(key: str, *, split: str, tags: Sequence[str]) -> dict[str, Any]:
    """The line of a whole recording of which nothing is known but its tags."""
    return {
        **{"key": key, "subject": key, "split": split, "tags": list(tags), "hedged": []},
        **{"report": "", "facts": {"age": None, "sex": None}, "places": None},
        **{"missing": [], "repaired": 0, "clipped": 0},
    }


def lead_mask(leads: Iterable[str]) -> int:
    """Bit n stands for lead n of `LEADS`."""
    return sum(1 << LEADS.index(lead) for lead in leads)


def leads_of(mask: int) -> tuple[str, ...]:
    """The leads of a bit mask, in the order of `LEADS`."""
    return tuple(lead for n, lead in enumerate(LEADS) if mask >> n & 1)
