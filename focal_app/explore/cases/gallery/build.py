"""Makes a gallery: signals stored, read back, embedded, and everything written to one folder.

build(records, explorer, Path("galleries/ptb-xl"), Plan(title="PTB-XL", note="..."))
"""

import logging
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import IO

import numpy as np
import torch

from focal_app.ecg.complete import completed
from focal_app.ecg.measured import QUANTITIES, Measured
from focal_app.ecg.preprocess import Prepared, prepare
from focal_app.ecg.recording import ECG, LEADS, SourceFacts
from focal_app.errors import DISK_IS_FULL, GalleryError, RecordingError
from focal_app.explore.cases.gallery import signals
from focal_app.explore.cases.gallery.card import card, storage_note, trained_note
from focal_app.explore.cases.gallery.case import SEXES, Facts
from focal_app.explore.cases.gallery.index import FEWEST, write_compressed
from focal_app.explore.cases.gallery.manifest import CARD, MANIFEST, VIEWS, Manifest
from focal_app.explore.cases.gallery.patches import basis_of, levels, views
from focal_app.explore.cases.gallery.table import label_bits, line_of
from focal_app.explore.reading.explorer import Explorer
from focal_app.lexicon import load_lexicon
from focal_app.model.measuring import measured

logger = logging.getLogger(__name__)

TOGETHER = 32
"""Recordings that are embedded at once."""
RANK = 64
"""Directions that a patch keeps where patches are stored compactly."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How a gallery is stored; the defaults lose nothing of a recording at 500 Hz and 1 µV.

    `index` is `flat` or `ivfpq`, `patches` is `float16` or `compact`: an eighth of the space, at
    a small error of every score.
    """

    title: str
    note: str = ""
    simulated: bool = False
    index: str = "flat"
    patches: str = "float16"
    rate_hz: int = 500
    step_uv: int = 1


@dataclass(frozen=True)
class Record:
    """A recording to be stored, what is known of it, and its patient as training names one."""

    ecg: ECG
    facts: Facts
    patient: str | None = None


@dataclass(frozen=True)
class Built:
    """How many cases a gallery holds, and how many recordings could not be used.

    Of `trained` cases the model learnt from ECGs of the patient, of `unknown` ones nobody can tell.
    `index` is the one that it has: few cases have none but `flat`.
    """

    cases: int
    left_out: int
    trained: int
    unknown: int
    index: str


def build(records: Iterable[Record | None], explorer: Explorer, folder: Path, plan: Plan) -> Built:
    """Write a gallery; None stands for a recording that could not be read.

    The embeddings are those of the signals as stored, so that a case reads the same wherever it
    is opened. Something else than a gallery at `folder` is never touched.
    """
    if folder.exists() and any(folder.iterdir()) and not (folder / MANIFEST).is_file():
        raise GalleryError(
            f"found {folder.name!r}, which is neither empty nor a gallery; name another folder"
        )
    making = folder.with_name(folder.name + ".making")
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir(parents=True)
    try:
        built = _write(records, explorer, making, plan)
        shutil.rmtree(folder, ignore_errors=True)
        making.rename(folder)
    except OSError as error:
        if error.errno not in DISK_IS_FULL:
            raise
        raise GalleryError(
            f"found no room on the disk for {folder.name!r}; make room, and build it again (a "
            "gallery that was there is kept)"
        ) from error
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return built


def _write(records: Iterable[Record | None], explorer: Explorer, folder: Path, plan: Plan) -> Built:
    tags = tuple(statement.tag for statement in load_lexicon())
    writer = _Writer(explorer, plan, tags)
    with ExitStack() as stack:
        names = ["cases.jsonl", "signals.bin", "findings.bin", "patches.bin", "measured.bin"]
        names += [f"vectors-{view}.bin" for view in VIEWS]
        files = {name: stack.enter_context((folder / name).open("wb")) for name in names}
        usable = writer.usable(records)
        while group := list(islice(usable, TOGETHER)):
            writer.add(group, files)
    if not writer.rows:
        raise GalleryError(f"found no usable recording among {writer.left_out}; needed at least 1")
    manifest = writer.manifest(explorer)
    table = np.array(writer.rows, dtype=manifest.table_dtype)
    if len(np.unique(table["key"])) < len(table):
        raise GalleryError("found the same key at two cases; each needs a key of its own")
    (folder / "table.bin").write_bytes(table.tobytes())
    (folder / "tags.bin").write_bytes(explorer.tags(tags).numpy().astype("<f4").tobytes())
    if plan.patches == "compact":
        _compact(folder, manifest)
    if manifest.index == "ivfpq":
        for view in VIEWS:
            kind, shape = manifest.shapes[f"vectors-{view}.bin"]
            vectors = np.memmap(folder / f"vectors-{view}.bin", kind, "r", shape=shape)
            write_compressed(vectors, folder / f"index-{view}.faiss")
    (folder / CARD).write_text(card(manifest, writer.origins, writer.labels), encoding="utf-8")
    manifest.write(folder)
    known = writer.trained
    return Built(
        manifest.count,
        writer.left_out,
        trained=known[True],
        unknown=known[None],
        index=manifest.index,
    )


@dataclass(frozen=True)
class _Stored:
    facts: Facts
    block: bytes
    prepared: Prepared
    measured: Measured


class _Writer:
    """Appends cases to the files of a gallery, and remembers the rows of its table."""

    def __init__(self, explorer: Explorer, plan: Plan, tags: tuple[str, ...]) -> None:
        self._explorer, self._plan, self._tags = explorer, plan, tags
        self._embedded = explorer.tags(tags)
        self._sources: dict[str, int] = {}
        self._line = self._signal = self._key = 0
        self.rows: list[tuple] = []
        self.origins: Counter[tuple[str, str]] = Counter()
        self.labels: Counter[str] = Counter()
        self.trained: Counter[bool | None] = Counter()
        self.left_out = 0

    def usable(self, records: Iterable[Record | None]) -> Iterator[_Stored]:
        """Records as they are stored and read back; those that cannot be read are counted."""
        plan, spec = self._plan, self._explorer.spec
        for record in records:
            if record is None:
                self.left_out += 1
                continue
            try:
                steps = signals.stored(
                    record.ecg,
                    rate_hz=plan.rate_hz,
                    step_uv=plan.step_uv,
                    duration_s=spec.duration_s,
                )
                back = signals.millivolts(steps, step_uv=plan.step_uv)
                ecg = ECG(back, LEADS, float(plan.rate_hz), SourceFacts("gallery"))
                prepared = prepare(ecg, spec)
            except RecordingError as error:
                logger.info("left out %s: %s", record.facts.key, error)
                self.left_out += 1
                continue
            found = measured(completed(ecg), duration_s=spec.duration_s)
            facts = replace(record.facts, trained=self._trained_on(record))
            yield _Stored(facts, signals.pack(steps), prepared, found)

    def _trained_on(self, record: Record) -> bool | None:
        """None where the recording names no patient, or the checkpoint not whom it has seen."""
        seen = self._explorer.model.seen
        if record.patient is None or seen is None:
            return None
        return seen.trained_on([record.patient])[0]

    def add(self, group: Sequence[_Stored], files: Mapping[str, IO[bytes]]) -> None:
        """Embed some cases and append them."""
        patches = self._explorer.patches(*(one.prepared for one in group))
        seen = torch.from_numpy(np.stack([one.prepared.seen for one in group])).flatten(1)
        probability = self._explorer.probability(
            self._explorer.route(patches, self._embedded, seen).cosine
        )
        files["findings.bin"].write(probability.astype("<f2").tobytes())
        files["patches.bin"].write(patches.numpy().astype("<f2").tobytes())
        for view, vectors in views(patches).items():
            files[f"vectors-{view}.bin"].write(vectors.numpy().astype("<f2").tobytes())
        for one in group:
            self._append(one, files)

    def _append(self, one: _Stored, files: Mapping[str, IO[bytes]]) -> None:
        line, facts = line_of(one.facts), one.facts
        files["cases.jsonl"].write(line)
        files["signals.bin"].write(one.block)
        values = [one.measured.value(name) for name in QUANTITIES]
        files["measured.bin"].write(np.array(values, "<f4").tobytes())
        self.origins[facts.source, facts.licence] += 1
        self.labels.update(facts.labels)
        self.trained[facts.trained] += 1
        source = self._sources.setdefault(facts.source, len(self._sources))
        places = (self._line, len(line), self._signal, len(one.block))
        age = -1 if facts.age_years is None else facts.age_years
        sex = 0 if facts.sex is None else 1 + SEXES.index(facts.sex)
        bits = label_bits(facts.labels, self._tags)
        self.rows.append((facts.key.encode(), *places, age, sex, source, bits))
        self._line, self._signal = self._line + len(line), self._signal + len(one.block)
        self._key = max(self._key, len(facts.key))

    def manifest(self, explorer: Explorer) -> Manifest:
        """The manifest of what was appended."""
        plan, dim = self._plan, self._embedded.shape[1]
        compressed = plan.index == "ivfpq" and len(self.rows) >= FEWEST
        made = Manifest(
            **(vars(plan) | {"index": "ivfpq" if compressed else "flat"}),
            checkpoint=explorer.model.fingerprint(),
            count=len(self.rows),
            dim=dim,
            windows=explorer.spec.windows,
            rank=min(RANK, dim) if plan.patches == "compact" else dim,
            key_bytes=self._key,
            statements=self._tags,
            sources=tuple(self._sources),
            measured=QUANTITIES,
        )
        notes = (plan.note, storage_note(made), trained_note(self.trained[True], made.count))
        return replace(made, note=" ".join(filter(None, notes)))


def _compact(folder: Path, manifest: Manifest) -> None:
    """Put whole numbers in a basis in the place of the patches."""
    path, whole = folder / "patches.bin", folder / "patches.whole"
    path.rename(whole)
    count, patches, _ = manifest.shapes["patches.bin"][1]
    stored = np.memmap(whole, "<f2", "r", shape=(count, patches, manifest.dim))
    sampled = stored[:: max(1, count // 2000)].reshape(-1, manifest.dim)
    basis = basis_of(sampled.astype(np.float32), manifest.rank)
    (folder / "basis.bin").write_bytes(basis.astype("<f4").tobytes())
    with path.open("wb") as file:
        for first in range(0, count, 256):
            file.write(levels(stored[first : first + 256], basis).tobytes())
    whole.unlink()
