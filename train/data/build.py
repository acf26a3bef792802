"""From a source to a folder of shards; stopped at any moment, it goes on where it was.

    build(source, Path("runs/NAME/data/mimic-iv-ecg"))

A shard is the work of a fixed run of studies and of nothing else, so that a restarted build
writes the bytes that an undisturbed one would have written. `shard-00000.done.json` marks a whole
shard; the manifest gathers these marks, and is written last.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from focal_app.ecg.recording import LEADS
from focal_app.errors import ConfigError, RecordingError
from train.data.shard_files import (
    BUILDING,
    clean,
    finish_files,
    read_mark,
    write_index,
    write_shard,
)
from train.data.shards import MANIFEST, VERSION, ShardError, Shards, read_manifest
from train.data.source import Annotated, Source, Study
from train.data.stored import SPEC, Stored, store
from train.data.worker_processes import FEW, default_workers, mapping

_EXAMPLES = 20
"""Unusable recordings of a shard that are named with the reason."""


@dataclass(frozen=True)
class _Made:
    """What became of a study: steps and line are None where it was left out, `why` says it."""

    steps: np.ndarray | None
    line: dict[str, Any] | None
    counted: Counter[str]
    why: dict[str, str] | None = None


Read = Callable[[list[Study]], Iterable[_Made]]
"""Reads studies, in the order in which they are given."""


def build(
    source: Source,
    folder: Path,
    *,
    limit: int | None = None,
    shard_records: int = 2000,
    workers: int | None = None,
    microvolts_per_step: float = 1.0,
) -> Shards:
    """The shards of a source, made once; `limit` stops after so many studies.

    Whole shards that lie in the folder are kept. A folder that was made by other choices is
    refused.
    """
    if shard_records < 1 or microvolts_per_step <= 0:
        raise ConfigError(
            f"found {shard_records} records a shard at {microvolts_per_step:g} microvolts a step; "
            "at least 1 and more than 0 are needed."
        )
    about = {
        **{"source": source.name, "version": VERSION, "microvolts_per_step": microvolts_per_step},
        **{"limit": limit, "shard_records": shard_records, "choices": source.about},
        "spoken": None if source.spoken is None else sorted(source.spoken),
        "classes_stated": source.classes_stated,
    }
    if not _finished(folder, about):
        counted: Counter[str] = Counter()
        studies = islice(_checked(source.studies(counted)), limit)
        first = list(islice(studies, FEW))
        workers = workers or default_workers(len(first))
        total = min((n for n in (source.total, limit) if n is not None), default=None)
        made_by = type(source).__module__
        read_one = partial(_read_one, microvolts_per_step=microvolts_per_step)
        with mapping(workers, __name__, made_by, chunk=8) as mapped:
            read, every = partial(mapped, read_one), chain(first, studies)
            marks = _shards(folder, every, read, shard_records, total, source.name)
        _finish(folder, about, marks, counted)
    return Shards.open(folder)


def _finished(folder: Path, about: dict[str, Any]) -> bool:
    """Whether the folder is complete; claims it for this build where it is not."""
    _make_folder(folder)
    claim, done = folder / BUILDING, (folder / MANIFEST).is_file()
    found = read_manifest(folder)["made_from"] if done else read_mark(claim)
    wanted = json.loads(json.dumps(about))
    if found is not None and found != wanted:
        changed = sorted(k for k in {*found, *wanted} if found.get(k) != wanted.get(k))
        raise ShardError(
            f"found shards in {folder.name!r} that were made with other choices "
            f"({', '.join(changed)}); one folder holds the work of one command. "
            "Choose another --out, or delete the folder."
        )
    if found is None:
        if any(folder.glob("shard-*")):
            raise ShardError(
                f"found shards in {folder.name!r} and nothing that says what made them; an empty "
                "folder is needed. Choose another --out, or delete the folder."
            )
        finish_files(folder, {BUILDING: json.dumps(about, indent=2).encode()})
    return done


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ShardError(
            f"found no way to make the folder {folder.name!r} ({error.strerror}); a place that "
            "can be written to is needed. Choose another --out."
        ) from None


def _checked(studies: Iterable[Study]) -> Iterator[Study]:
    """The studies, none of whose subjects may stand in two splits."""
    split_of: dict[str, str] = {}
    for study in studies:
        if split_of.setdefault(study.subject, study.split) != study.split:
            raise ShardError(
                f"found a subject of {study.key!r} in the splits {split_of[study.subject]!r} and "
                f"{study.split!r}; one is needed. Correct the table of the data set."
            )
        yield study


def _shards(
    folder: Path,
    studies: Iterator[Study],
    read: Read,
    shard_records: int,
    total: int | None,
    name: str,
) -> list[dict[str, Any]]:
    """Make every shard that is not whole yet; the marks of all."""
    marks = []
    with tqdm(total=total, desc=name, unit="ECG", mininterval=5, smoothing=0.05) as bar:
        while batch := list(islice(studies, shard_records)):
            shard = f"shard-{len(marks):05d}"
            digest = _digest(batch)
            mark = read_mark(folder / f"{shard}.done.json", folder=folder)
            if mark is None or mark["studies"] != digest:
                mark = _make(folder, shard, digest, batch, read, bar)
            else:
                bar.update(len(batch))
            marks.append(mark)
    return marks


def _digest(batch: list[Study]) -> str:
    listed = "\n".join(f"{study.key}\t{study.subject}\t{study.split}" for study in batch)
    return hashlib.sha256(listed.encode()).hexdigest()


def _make(
    folder: Path, shard: str, digest: str, batch: list[Study], read: Read, bar: tqdm
) -> dict[str, Any]:
    block = np.empty((len(batch), len(LEADS), SPEC.samples), dtype=np.int16)
    lines, counted, unusable = [], Counter(), []
    for made in read(batch):
        bar.update()
        counted.update(made.counted)
        if made.why is not None:
            unusable.append(made.why)
        if made.steps is not None:
            block[len(lines)] = made.steps
            lines.append(made.line)
    about = {
        **{"studies": digest, "counted": dict(sorted(counted.items()))},
        "unusable": unusable[:_EXAMPLES],
    }
    return write_shard(folder, shard, block[: len(lines)], lines, about)


def _read_one(study: Study, *, microvolts_per_step: float) -> _Made:
    counted: Counter[str] = Counter()
    try:
        annotated = study.read(counted)
        if annotated is None:
            return _Made(None, None, counted)
        stored = store(annotated.ecg, microvolts_per_step=microvolts_per_step)
    except RecordingError as error:
        counted["unusable recordings"] += 1
        return _Made(None, None, counted, {"key": study.key, "why": str(error)})
    _count(stored, annotated, counted)
    return _Made(stored.steps, _line(study, annotated, stored), counted)


def _count(stored: Stored, annotated: Annotated, counted: Counter[str]) -> None:
    facts = {
        "records stored": True,
        "records longer than 10 s, cut": stored.cut,
        "records shorter than 10 s, the rest unseen": stored.short,
        "records with short gaps, interpolated": stored.repaired > 0,
        "records with long gaps, kept as missing": stored.lost > 0,
        "records with missing leads": bool(stored.missing),
        "records with clipped samples": stored.clipped > 0,
        "records without a tag": not annotated.tags,
        "records with a hedged tag": bool(annotated.hedged),
    }
    counted.update([said for said, holds in facts.items() if holds])


def _line(study: Study, annotated: Annotated, stored: Stored) -> dict[str, Any]:
    source, places = annotated.ecg.source, annotated.places
    return {
        "key": study.key,
        "subject": study.subject,
        "split": study.split,
        "tags": list(annotated.tags),
        "hedged": list(annotated.hedged),
        "report": annotated.report,
        "facts": {"age": source.age_years, "sex": source.sex},
        "places": None if places is None else [asdict(place) for place in places],
        "missing": list(stored.missing),
        "repaired": stored.repaired,
        "clipped": stored.clipped,
    }


def _finish(
    folder: Path, about: dict[str, Any], marks: list[dict[str, Any]], counted: Counter[str]
) -> None:
    """Write the index and, last, the manifest; take the marks away."""
    every = sum((Counter(mark["counted"]) for mark in marks), counted)
    records = sum(mark["records"] for mark in marks)
    if records == 0:
        said = "; ".join(f"{what}: {count}" for what, count in sorted(every.items()))
        raise ShardError(
            f"found no usable recording in {about['source']} ({said or 'no study listed'}); at "
            "least one is needed. Check that the folder holds the data set in its own layout."
        )
    index, vocabulary = write_index(folder, [mark["name"] for mark in marks])
    manifest = {
        "version": VERSION,
        "source": about["source"],
        "spoken": about["spoken"],
        "classes_stated": about["classes_stated"],
        "made_from": about,
        "records": records,
        "counted": dict(sorted(every.items())),
        "unusable": [why for mark in marks for why in mark["unusable"]][:_EXAMPLES],
        "leads": list(LEADS),
        "sampling_rate_hz": SPEC.sampling_rate_hz,
        "samples": SPEC.samples,
        "microvolts_per_step": about["microvolts_per_step"],
        "vocabulary": vocabulary,
        "index": index,
        "shards": [{k: mark[k] for k in ("name", "records", "files")} for mark in marks],
    }
    finish_files(folder, {MANIFEST: json.dumps(manifest, indent=1, ensure_ascii=False).encode()})
    clean(folder, keep={name for mark in marks for name in mark["files"]} | {MANIFEST})
