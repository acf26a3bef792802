"""The bytes of a shard: every file is whole or absent, whatever happens while it is written."""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from jaxtyping import Int16

from focal_app.errors import FocalError
from train.data.shard_index import Index
from train.data.shards import ShardError, check_files, sha256_of
from train.read_back import read_json_back

BUILDING = "building.json"
_PARTIAL = ".partial"
_PIECE = 1 << 20
"""Bytes of an array that are written at once."""


def write_shard(
    folder: Path,
    name: str,
    block: Int16[np.ndarray, "R 12 T"],
    lines: list[dict[str, Any]],
    about: dict[str, Any],
) -> dict[str, Any]:
    """Write lines, signals and, last, the mark that says that the shard is whole; the mark."""
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    paths = [folder / f"{name}.jsonl", folder / f"{name}.npy"]
    mark_path = folder / f"{name}.done.json"
    try:
        for path in (mark_path, *paths):
            path.unlink(missing_ok=True)
        _whole(paths[0], lambda file: file.write(text.encode()))
        _whole(paths[1], lambda file: _write_array(file, block))
        mark = {"name": name, "records": len(lines), "files": _described(paths), **about}
        _whole(mark_path, lambda file: file.write(json.dumps(mark).encode()))
    except OSError as error:
        for path in (mark_path, *paths):
            path.unlink(missing_ok=True)
        size_mb = (block.nbytes + len(text)) / 1e6
        raise ShardError(
            f"found no way to write {name} ({error.strerror or error}); {size_mb:,.0f} MB are "
            f"needed for it in {folder.name!r}. Make room or choose another --out, and run the "
            "same command again: whole shards are kept."
        ) from None
    return mark


def write_index(folder: Path, shards: Sequence[str]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Write the index of whole shards, from their lines; its files, and the tags it numbers."""
    index = Index.of(line for name in shards for line in _lines(folder / f"{name}.jsonl"))
    for name, made in index.arrays.items():
        write_whole_array(folder / name, made)
    return {"files": _described([folder / name for name in index.arrays])}, index.vocabulary


def _lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The lines of a shard, each with the byte at which it begins."""
    start = 0
    with path.open("rb") as file:
        for text in file:
            yield start, json.loads(text)
            start += len(text)


def finish_files(folder: Path, contents: dict[str, bytes]) -> None:
    """Write small files, each whole or not at all."""
    for name, content in contents.items():
        _whole_or_refused(folder / name, lambda file, content=content: file.write(content))


def write_whole_array(path: Path, made: np.ndarray) -> None:
    """Write an array as `np.save` does, whole or not at all."""
    _whole_or_refused(path, lambda file: _write_array(file, made))


def _whole_or_refused(path: Path, write: Callable[[BinaryIO], Any]) -> None:
    try:
        _whole(path, write)
    except OSError as error:
        raise ShardError(
            f"found no way to write {path.name} in {path.parent.name!r} "
            f"({error.strerror or error}); a writable folder with some room is needed. Make room "
            "and run it again."
        ) from None


def read_mark(path: Path, *, folder: Path | None = None) -> dict[str, Any] | None:
    """The mark of a whole shard or of a build; None where it is absent.

    With `folder` the files that it names must be there in their full size, and a mark that cannot
    be read is none: its shard is made again.
    """
    if not path.is_file():
        return None
    try:
        mark = read_json_back(path, "give another --out, or delete the folder to make it again")
        if folder is not None:
            check_files(folder, mark["files"], checksums=False)
    except FocalError:
        if folder is None:
            raise
        return None
    return mark


def clean(folder: Path, *, keep: set[str]) -> None:
    """Take away what building left beside the finished files."""
    for path in [*folder.glob("shard-*"), *folder.glob(f"*{_PARTIAL}"), folder / BUILDING]:
        if path.name not in keep:
            path.unlink(missing_ok=True)


def _described(paths: Sequence[Path]) -> dict[str, dict[str, Any]]:
    """Size and checksum of files, as a manifest holds them."""
    return {p.name: {"bytes": p.stat().st_size, "sha256": sha256_of(p)} for p in paths}


def _whole(path: Path, write: Callable[[BinaryIO], Any]) -> None:
    """Written beside its place, brought to the disk, then renamed: there is no half a file."""
    partial = path.with_name(path.name + _PARTIAL)
    try:
        with partial.open("wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
        _sync_folder(path.parent)
    finally:
        partial.unlink(missing_ok=True)


def _write_array(file: BinaryIO, block: np.ndarray) -> None:
    """As `np.save`, whose own writing of large arrays hides why the disk refused."""
    header = np.lib.format.header_data_from_array_1_0(block)
    np.lib.format.write_array_header_1_0(file, header)
    at_once = max(1, _PIECE // max(1, block[:1].nbytes))
    for start in range(0, len(block), at_once):
        file.write(block[start : start + at_once].tobytes())


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
