"""Embeddings of recordings, each encoded once a checkpoint and stored for every later task.

    held = embed(model, headers, cache=Path("runs/embeddings"))
    for part in held.parts(): part.patches, part.kept

A cache folder holds a folder for each encoder, named by the hash of its weights, its settings and
those of the signal; in it parts of a few hundred recordings and `manifest.jsonl`, a line a part.
A recording is known by the hash of its header (which carries checksums of the signal) and of its
signal file's size, so that a set that shares recordings with another shares their embeddings, and
a run that was stopped goes on where it was. A recording longer than the model's window has several
windows.
"""

import dataclasses
import hashlib
import json
import shutil
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from tqdm import tqdm

from focal_app.ecg.files import read_recording
from focal_app.ecg.preprocess import Prepared, prepare, window_starts
from focal_app.ecg.signal_spec import SignalSpec
from focal_app.ecg.wfdb_files import SIGNAL_SUFFIXES
from focal_app.errors import ConfigError, RecordingError
from focal_app.model.focal import Focal
from focal_app.model.text import TagEncoder

PART, BATCH, READERS = 256, 64, 4


@dataclass(frozen=True)
class Part:
    """Patch embeddings of some windows; `rows` says to which recording each belongs."""

    rows: Int[np.ndarray, " W"]
    patches: Float[torch.Tensor, "W N d"]
    kept: Bool[torch.Tensor, "W N"]


@dataclass(frozen=True)
class Place:
    """Where the windows of a recording lie; `count` is 0 where it could not be read."""

    part: str
    first: int
    count: int


class Embeddings:
    """Embeddings of a list of recordings, in its order; `readable` says which could be read.

    `encoded` counts those that had to be encoded for this call.
    """

    def __init__(self, store: "Store", digests: Sequence[str], *, encoded: int) -> None:
        self.digests, self.encoded, self._store = tuple(digests), encoded, store
        self._places = [store.places[digest] for digest in digests]
        self.readable: Bool[np.ndarray, " R"] = np.array([p.count > 0 for p in self._places], bool)

    def __len__(self) -> int:
        return len(self._places)

    def parts(self) -> Iterator[Part]:
        """Every window of the readable recordings, a part of the store at a time."""
        for name, rows in self._by_part().items():
            held = load_file(self._store.folder / name)
            where, owner = self._windows(rows)
            chosen = torch.from_numpy(where)
            patches = held["patches"][chosen].float()
            yield Part(owner, patches, held["kept"][chosen].bool())

    def pooled(self) -> Float[np.ndarray, "R width"]:
        """Mean encoder output over the seen patches and windows; zero where unreadable."""
        made: np.ndarray | None = None
        for name, rows in self._by_part().items():
            with safe_open(self._store.folder / name, "pt") as file:
                held = file.get_tensor("pooled").numpy()
            if made is None:
                made = np.zeros((len(self), held.shape[1]), np.float32)
            for row in rows:
                place = self._places[row]
                made[row] = held[place.first : place.first + place.count].mean(0)
        if made is None:
            raise ConfigError("found no readable recording; needed at least one")
        return made

    def _by_part(self) -> dict[str, list[int]]:
        grouped: dict[str, list[int]] = {}
        for row, place in enumerate(self._places):
            if place.count:
                grouped.setdefault(place.part, []).append(row)
        return grouped

    def _windows(self, rows: list[int]) -> tuple[np.ndarray, np.ndarray]:
        places = [self._places[row] for row in rows]
        where = np.concatenate([np.arange(p.first, p.first + p.count) for p in places])
        return where, np.repeat(rows, [p.count for p in places])


class Store:
    """The embeddings of one encoder on disk."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.places: dict[str, Place] = {}
        self._manifest = folder / "manifest.jsonl"
        kept = self._manifest.read_text(errors="replace") if self._manifest.is_file() else ""
        for line in kept.splitlines():
            self._note(line)
        if kept and not kept.endswith("\n"):
            self._append("")  # so that the next line is not lost with the one that was cut off

    def add(self, counts: dict[str, int], windows: dict[str, torch.Tensor]) -> None:
        """Write a part, then the line that makes it count.

        Windows lie in the order of the recordings, so many of each: their `patches` in half
        precision, which of these were seen (`kept`), and the mean before projection (`pooled`).
        """
        name = hashlib.sha256("".join(counts).encode()).hexdigest()[:16] + ".safetensors"
        if windows:
            save_file(windows, self.folder / f"{name}.tmp")
            (self.folder / f"{name}.tmp").replace(self.folder / name)
        line = json.dumps({"part": name, "recordings": counts})
        self._append(line)
        self._note(line)

    def _append(self, line: str) -> None:
        with self._manifest.open("a") as manifest:
            manifest.write(line + "\n")

    def _note(self, line: str) -> None:
        try:
            noted = json.loads(line)
        except json.JSONDecodeError:
            return  # the last line of a run that was killed while it wrote
        if any(noted["recordings"].values()) and not _whole(self.folder / noted["part"]):
            return  # its recordings are encoded again
        first = 0
        for digest, count in noted["recordings"].items():
            self.places[digest] = Place(noted["part"], first, count)
            first += count


def _whole(part: Path) -> bool:
    """Whether a part of the store is there in its full size."""
    try:
        with safe_open(part, "pt"):
            return True
    except (OSError, SafetensorError):
        return False


def embed(model: Focal, headers: Sequence[Path], *, cache: Path | None = None) -> Embeddings:
    """Embeddings of recordings by their headers: read from `cache`, encoded where they lack."""
    root = cache or Path(tempfile.mkdtemp(prefix="embeddings-"))
    store = Store(root / encoder_hash(model))
    digests = [digest_of(header) for header in headers]
    unknown = {d: h for d, h in zip(digests, headers, strict=True) if d not in store.places}
    waiting = list(unknown.items())
    bar = {"desc": "encoding", "unit": "ECG", "mininterval": 5, "disable": not waiting}
    with tqdm(total=len(waiting), **bar) as progress:
        for start in range(0, len(waiting), PART):
            some = waiting[start : start + PART]
            store.add(*_encoded(model, some))
            progress.update(len(some))
    made = Embeddings(store, digests, encoded=len(waiting))
    if cache is None:
        weakref.finalize(made, shutil.rmtree, root, ignore_errors=True)
    return made


def encoder_hash(model: Focal) -> str:
    """Hash of what decides an embedding: encoders and projections, their settings, the signal's.

    Weights alone do not: any number of heads that divides the width has the same ones.
    """
    settings = [model.config.signal.to_dict(), dataclasses.asdict(model.config.encoder)]
    made = hashlib.sha256(json.dumps(settings, sort_keys=True).encode())
    _add_weights(made, model.encoder)
    _add_weights(made, model.projection)
    if model.others:
        made.update(repr(model.config.shares).encode())
        _add_weights(made, model.others)
    return made.hexdigest()[:16]


def text_hash(text: TagEncoder) -> str:
    """Hash of what decides the embedding of a text: weights and settings of the tag encoder."""
    made = hashlib.sha256(json.dumps(dataclasses.asdict(text.config), sort_keys=True).encode())
    _add_weights(made, text)
    return made.hexdigest()[:16]


def _add_weights(made: "hashlib._Hash", module: torch.nn.Module) -> None:
    for name, tensor in sorted(module.state_dict().items()):
        made.update(name.encode() + tensor.detach().cpu().float().numpy().tobytes())


def digest_of(header: Path) -> str:
    """Hash of a recording without reading its signal; its header holds the signal's checksums."""
    made = hashlib.sha256(header.read_bytes())
    for suffix in SIGNAL_SUFFIXES:
        signal = header.with_suffix(suffix)
        made.update(f"{suffix} {signal.stat().st_size if signal.is_file() else 0}".encode())
    return made.hexdigest()[:24]


def _encoded(
    model: Focal, some: Sequence[tuple[str, Path]]
) -> tuple[dict[str, int], dict[str, torch.Tensor]]:
    """How many windows each recording has, and all of these as a store takes them."""
    spec = model.config.signal
    with ThreadPoolExecutor(READERS) as readers:
        prepared = list(readers.map(lambda one: prepared_windows(one[1], spec), some))
    counts = {digest: len(found) for (digest, _), found in zip(some, prepared, strict=True)}
    windows = [window for found in prepared for window in found]
    batches = [_batch(model, windows[i : i + BATCH]) for i in range(0, len(windows), BATCH)]
    names = batches[0] if batches else ()
    return counts, {name: torch.cat([one[name] for one in batches]) for name in names}


def prepared_windows(header: Path, spec: SignalSpec) -> list[Prepared]:
    """Every window of a recording that can be used; none where it cannot be read."""
    try:
        ecg = read_recording([header])
    except RecordingError:
        return []
    made = []
    for start_s in window_starts(ecg, spec):
        try:
            made.append(prepare(ecg, spec, start_s=start_s))
        except RecordingError:
            continue
    return made


@torch.inference_mode()
def _batch(model: Focal, windows: Sequence[Prepared]) -> dict[str, torch.Tensor]:
    device = model.device
    signal = torch.from_numpy(np.stack([window.signal for window in windows])).to(device)
    seen = torch.from_numpy(np.stack([window.seen for window in windows])).to(device)
    hidden: list[torch.Tensor] = []

    def keep(_module: torch.nn.Module, _given: object, out: torch.Tensor) -> None:
        hidden.append(out)

    hook = model.encoder.register_forward_hook(keep)
    try:
        patches = model.encode_ecg(signal, seen).half().cpu()
    finally:
        hook.remove()
    kept = seen.flatten(1)
    pooled = hidden[0].float().sum(1) / kept.sum(1, keepdim=True).clamp_min(1)
    return {"patches": patches, "kept": kept.cpu().to(torch.uint8), "pooled": pooled.cpu()}
