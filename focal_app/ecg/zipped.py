"""A zip of one recording: unpacked in bounds, under names of our own."""

import io
import lzma
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from focal_app.errors import RecordingError

MAGIC = b"PK\x03\x04"
MOST_ENTRIES, MOST_BYTES, MOST_RATIO = 32, 40_000_000, 200
"""Of a zip: files, bytes of all unpacked, and how often larger one is than packed."""
_SMALL = 1_000_000
"""A file of fewer bytes may be packed ever so well: a flat table of numbers is."""
_KEPT_ENDINGS = (".hea", ".dat", ".mat")
_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, NotImplementedError, RuntimeError),
    *(ValueError, OSError, EOFError, KeyError, struct.error),
)
"""What Python's reader of zips raises for a damaged one."""
_IGNORED = ("__macosx/", ".ds_store", "thumbs.db")


@dataclass(frozen=True)
class Given:
    """A file as it was given: where it lies, and the name that other files may call it."""

    path: Path
    name: str

    @classmethod
    def of(cls, path: Path) -> "Given":
        """A file under its own name."""
        return cls(path, path.name)


def entries_of(content: bytes) -> list[zipfile.ZipInfo]:
    """What lies in a zip, or a `RecordingError` for what will not be unpacked."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = [one for one in archive.infolist() if not _ignored(one)]
    except _BROKEN:
        raise _damaged() from None
    if not entries:
        raise RecordingError("found an empty zip; an ECG in it is needed. Pack the files again.")
    if len(entries) > MOST_ENTRIES:
        raise RecordingError(
            f"found a zip of {len(entries):,} files; at most {MOST_ENTRIES} are unpacked, for one "
            "recording is opened at a time. Choose the files of one recording."
        )
    for entry in entries:
        _check(entry)
    if sum(entry.file_size for entry in entries) > MOST_BYTES:
        raise _too_large()
    return entries


def is_npz(entries: list[zipfile.ZipInfo]) -> bool:
    """Whether a zip is one that NumPy wrote."""
    return all(entry.filename.endswith(".npy") for entry in entries)


def contents_of(content: bytes) -> Iterator[tuple[str, bytes]]:
    """Name and content of every file in a zip, and no more bytes in all than are allowed."""
    entries, left = entries_of(content), MOST_BYTES
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for entry in entries:
                with archive.open(entry) as file:
                    held = file.read(left + 1)
                left -= len(held)
                if left < 0:
                    raise _too_large()
                yield PurePosixPath(entry.filename.replace("\\", "/")).name, held
    except _BROKEN:
        raise _damaged() from None


def unpacked(content: bytes, folder: Path) -> Iterator[Given]:
    """The files of a zip, in `folder` under numbers; a name inside it is never part of a path."""
    for number, (name, held) in enumerate(contents_of(content)):
        if held.startswith(MAGIC):
            raise RecordingError(
                "found a zip within a zip, which is not unpacked. Pack the ECG's files alone."
            )
        ending = PurePosixPath(name).suffix.lower()
        path = folder / f"{number}{ending if ending in _KEPT_ENDINGS else ''}"
        path.write_bytes(held)
        yield Given(path, name)


def _ignored(entry: zipfile.ZipInfo) -> bool:
    name = entry.filename.lower()
    return entry.is_dir() or any(sign in name for sign in _IGNORED)


def _check(entry: zipfile.ZipInfo) -> None:
    if entry.flag_bits & 1:
        raise RecordingError(
            "found a zip with a password, which is not asked for. Unpack it, and choose the ECG."
        )
    path = entry.filename.replace("\\", "/")
    outside = path.startswith("/") or ".." in path.split("/") or ":" in path[:3]
    if outside or stat.S_ISLNK(entry.external_attr >> 16):
        raise RecordingError(
            "found a zip whose files point outside of it; plain files are needed. Pack them again."
        )
    if entry.file_size > _SMALL and entry.file_size > MOST_RATIO * max(entry.compress_size, 1):
        raise _too_large()


def _damaged() -> RecordingError:
    return RecordingError(
        "found a damaged zip, or one packed in an unusual way; a plain one is needed. Pack the "
        "files again."
    )


def _too_large() -> RecordingError:
    return RecordingError(
        f"found a zip that unpacks to more than {MOST_BYTES / 1e6:.0f} MB, or swells like none of "
        "a recording; one recording is needed. Choose the files of one recording."
    )
