"""Shards as the model of one `SignalSpec` takes them: prepared once, read in every epoch.

    store = PreparedStore.make(shards, spec, Path("runs/NAME/prepared"))
    signal, seen = store[0]

Filtering a recording costs some hundred times what reading it does. For every shard there is a
`shard-00000.npy` (R, 12, T) float16 and a `seen-00000.npy` (R, 12, N_time), in a folder that is
named after all that decides them, so that another spec or other shards never meet stale signals.
`prepared.json` is written last. It takes as much room as the shards; where that is too much, train
from the shards themselves.
"""

import json
import logging
import os
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Bool, Float16
from tqdm import tqdm

from focal_app.ecg import beatless, complete, gaps, leads, preprocess, resampling
from focal_app.ecg.preprocess import prepare
from focal_app.ecg.recording import LEADS
from focal_app.ecg.signal_spec import SignalSpec
from focal_app.errors import FocalError
from train.data.fingerprint import fingerprint
from train.data.shard_files import finish_files, write_whole_array
from train.data.shards import ShardError, Shards
from train.data.worker_processes import default_workers, mapping
from train.read_back import read_back

log = logging.getLogger(__name__)
DONE = "prepared.json"

_STEPS = (beatless, complete, gaps, leads, preprocess, resampling)
_CODE = [Path(str(module.__file__)) for module in _STEPS]


@dataclass(frozen=True)
class PreparedStore:
    """The prepared recordings of a finished folder, by the numbers that they have in the shards.

    To another process only the folder travels.
    """

    folder: Path
    shards: list[dict[str, Any]] = field(repr=False)

    @classmethod
    def make(
        cls, shards: Shards, spec: SignalSpec, folder: Path, *, workers: int | None = None
    ) -> "PreparedStore":
        """The store of these shards and this spec below `folder`, made where it is not there.

        Stopped at any moment, it goes on with the first shard that is not whole. Of several
        processes one makes it and the others open it.
        """
        if (found := cls.made(shards, spec, folder)) is not None:
            return found
        _refuse_nowhere(folder)
        own = _own(shards, spec, folder)
        own.mkdir(parents=True, exist_ok=True)
        listed = _listed(shards)
        left = [n for n, one in enumerate(listed) if not _whole(own, spec, **one)]
        with mapping(min(workers or default_workers(), len(left)), __name__) as mapped:
            done = mapped(partial(_prepare, shards, spec, own), left)
            list(tqdm(done, total=len(left), desc=f"prepare {shards.name}", unit="shard"))
        about = {"source": shards.name, "spec": spec.to_dict(), "shards": listed}
        finish_files(own, {DONE: json.dumps(about, indent=1).encode()})
        return cls.open(own)

    @classmethod
    def made(cls, shards: Shards, spec: SignalSpec, folder: Path) -> "PreparedStore | None":
        """The finished store of these shards and this spec below `folder`, where it is there."""
        try:
            found = cls.open(_own(shards, spec, folder))
        except FocalError:
            return None
        if found.shards != _listed(shards):
            return None
        return found if all(_whole(found.folder, spec, **s) for s in found.shards) else None

    @staticmethod
    def bytes_a_record(spec: SignalSpec) -> int:
        """What a record takes on the disk: samples in half precision, a byte a patch seen."""
        return len(LEADS) * (2 * spec.samples + spec.windows)

    @classmethod
    def open(cls, folder: Path) -> "PreparedStore":
        """The store of a finished folder."""
        done = folder / DONE
        if not done.is_file():
            raise ShardError(
                f"found no {DONE} in {folder.name!r}; a finished folder of prepared recordings is "
                "needed. Make it again: whole shards are kept."
            )
        with read_back(done, "run the same command again: whole shards are kept"):
            return cls(folder, json.loads(done.read_text(encoding="utf-8"))["shards"])

    def __len__(self) -> int:
        return sum(shard["records"] for shard in self.shards)

    def __getitem__(
        self, i: int
    ) -> tuple[Float16[np.ndarray, "L T"], Bool[np.ndarray, "L N_time"]]:
        """Signal and seen patches of record `i`, as `prepare` makes them, up to float16."""
        if not 0 <= i < len(self):
            raise IndexError(f"found record {i}; 0 to {len(self) - 1} are there")
        shard = int(np.searchsorted(self._starts, i, side="right")) - 1
        signals, seen = self._opened(shard)
        row = int(i - self._starts[shard])
        return np.array(signals[row]), np.array(seen[row])

    @cached_property
    def _starts(self) -> np.ndarray:
        return np.cumsum([0, *(shard["records"] for shard in self.shards)])[:-1]

    @cached_property
    def _maps(self) -> dict[int, tuple[np.ndarray, np.ndarray]]:
        return {}

    def _opened(self, shard: int) -> tuple[np.ndarray, np.ndarray]:
        if shard not in self._maps:
            paths = _paths(self.folder, self.shards[shard]["name"])
            signals, seen = (np.load(p, mmap_mode="r", allow_pickle=False) for p in paths)
            self._maps[shard] = signals, seen
        return self._maps[shard]

    def __reduce__(self) -> tuple[Any, ...]:
        """For other processes: the folder, whose files each opens for itself."""
        return PreparedStore.open, (self.folder,)


def share_folder(shared: Path, place: Path) -> None:
    """A folder of stores that runs share, at its place in one of them; one of its own stays.

    A link to nowhere, as a folder that was moved leaves behind, is made anew. Where there are no
    links nothing is shared: signals are made ready once more.
    """
    _refuse_nowhere(shared)
    shared.mkdir(parents=True, exist_ok=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.exists():
        return
    target = os.path.relpath(shared.resolve(), place.parent.resolve())
    try:
        place.unlink(missing_ok=True)
        place.symlink_to(target, target_is_directory=True)
    except OSError as error:
        log.warning("%s is made once more, not shared: %s", place.name, error.strerror)


def _refuse_nowhere(folder: Path) -> None:
    """Refuse a link whose target is gone: somebody chose that place."""
    if folder.is_symlink() and not folder.exists():
        raise ShardError(
            f"found {folder.name!r}, a link to nowhere; needed the folder that it leads to. Bring "
            "it back (a disk that is not mounted?), or remove the link"
        )


def _own(shards: Shards, spec: SignalSpec, folder: Path) -> Path:
    """Named after all that decides what is prepared: the stored signals, the spec, the code."""
    manifest = shards.manifest
    files = [shard["files"] for shard in manifest["shards"]]
    made_from = fingerprint(files, manifest["microvolts_per_step"], spec.to_dict(), files=_CODE)
    return folder / f"{shards.name}-{made_from}"


def _paths(folder: Path, shard: str) -> tuple[Path, Path]:
    return folder / f"{shard}.npy", folder / f"{shard.replace('shard', 'seen')}.npy"


def _listed(shards: Shards) -> list[dict[str, Any]]:
    return [{k: one[k] for k in ("name", "records")} for one in shards.manifest["shards"]]


def _whole(folder: Path, spec: SignalSpec, name: str, records: int) -> bool:
    """Whether both files of a shard are there and hold all of its records."""
    try:
        each = [np.load(p, mmap_mode="r", allow_pickle=False) for p in _paths(folder, name)]
    except (OSError, ValueError, EOFError):
        return False
    shapes = [(records, 12, spec.samples), (records, 12, spec.windows)]
    return [one.shape for one in each] == shapes


def _prepare(shards: Shards, spec: SignalSpec, folder: Path, number: int) -> None:
    """Write the signals and, last, the seen patches of a shard."""
    before = sum(shard["records"] for shard in shards.manifest["shards"][:number])
    count = shards.manifest["shards"][number]["records"]
    signals = np.zeros((count, 12, spec.samples), np.float16)
    seen = np.zeros((count, 12, spec.windows), bool)
    for row in range(count):
        found = prepare(shards.ecg(before + row), spec)
        signals[row], seen[row] = found.signal, found.seen
    paths = _paths(folder, shards.manifest["shards"][number]["name"])
    for path, made in zip(paths, (signals, seen), strict=True):
        write_whole_array(path, made)
