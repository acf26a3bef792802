"""Recordings as training holds them: prepared signals on disk, tags and places beside them.

A folder of records: `signals.npy` (R, L, T) float16, `seen.npy` (R, L, N_time), `records.jsonl`
(tags, places as patch numbers, group for splitting) and `about.json` (what made it). `about.json`
is written last: a folder without it is unfinished and is made again.
"""

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from focal_app.ecg.preprocess import Prepared
from focal_app.ecg.recording import LEADS
from focal_app.ecg.signal_spec import SignalSpec


@dataclass(frozen=True)
class Labelled:
    """One prepared recording, its tags, the patches where each tag shows, and its split group."""

    prepared: Prepared
    tags: tuple[str, ...]
    places: Mapping[str, list[int]]
    group: str


@dataclass(frozen=True)
class Records:
    """A folder of records, its signals memory-mapped."""

    signals: np.ndarray
    seen: np.ndarray
    tags: list[list[str]]
    places: list[dict[str, list[int]]]
    groups: list[str]
    vocabulary: list[str]

    def __len__(self) -> int:
        return len(self.tags)


def make_records(
    folder: Path,
    *,
    about: dict[str, Any],
    count: int,
    spec: SignalSpec,
    vocabulary: Iterable[str],
    source: Callable[[], Iterator[Labelled | None]],
) -> Records:
    """The records of a folder, made once: again only if `about` says that something changed.

    `source` yields `count` items; None stands for a recording that cannot be used, and is counted.
    """
    about = {**about, "spec": spec.to_dict(), "vocabulary": sorted(vocabulary)}
    done = folder / "about.json"
    if not (done.is_file() and _same(json.loads(done.read_text()), about)):
        skipped = _write(folder, count, spec, source())
        done.write_text(json.dumps({**about, "skipped": skipped}, indent=2))
    return _read(folder)


def _same(found: dict[str, Any], wanted: dict[str, Any]) -> bool:
    return {k: v for k, v in found.items() if k != "skipped"} == json.loads(json.dumps(wanted))


def _write(folder: Path, count: int, spec: SignalSpec, items: Iterator[Labelled | None]) -> int:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    samples = spec.windows * spec.window_samples
    shape = (count, len(LEADS), samples)
    signals = np.lib.format.open_memmap(folder / "signals.npy", "w+", np.float16, shape)
    seen = np.zeros((count, len(LEADS), spec.windows), bool)
    used, skipped = 0, 0
    with (folder / "records.jsonl").open("w") as lines:
        for item in tqdm(items, total=count, desc=folder.name, unit="ECG", mininterval=5):
            if item is None:
                skipped += 1
                continue
            signals[used], seen[used] = item.prepared.signal, item.prepared.seen
            line = {"tags": item.tags, "places": dict(item.places), "group": item.group}
            lines.write(json.dumps(line) + "\n")
            used += 1
    signals.flush()
    np.save(folder / "seen.npy", seen[:used])
    return skipped


def _read(folder: Path) -> Records:
    lines = [json.loads(line) for line in (folder / "records.jsonl").open()]
    signals = np.load(folder / "signals.npy", mmap_mode="r")[: len(lines)]
    return Records(
        signals=signals,
        seen=np.load(folder / "seen.npy"),
        tags=[line["tags"] for line in lines],
        places=[line["places"] for line in lines],
        groups=[line["group"] for line in lines],
        vocabulary=json.loads((folder / "about.json").read_text())["vocabulary"],
    )
