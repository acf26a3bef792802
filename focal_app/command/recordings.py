"""Which recordings the FILEs of a command line are: files, and all that lies in folders."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from focal_app.ecg.wfdb_files import HEADER_SUFFIX, SIGNAL_SUFFIXES
from focal_app.errors import RecordingError


def expanded(files: Sequence[str], *, without: Path | None = None) -> list[Path]:
    """The files as given; a folder stands for those in it and below it, ordered by their names.

    Of a folder, hidden files, signals beside their header, and `without`, which is being written,
    are left out.
    """
    paths: list[Path] = []
    for path in map(Path, files):
        paths += sorted(_in_folder(path, without)) if path.is_dir() else [path]
    if not paths:
        raise RecordingError("found no file in the folder; a folder with recordings is needed.")
    return paths


def recordings(files: Sequence[Path]) -> list[tuple[int, Path]]:
    """The first file of every recording with its place from 1; a header and its signal are one."""
    known: set[Path] = set()
    found: list[tuple[int, Path]] = []
    for number, path in enumerate(files, start=1):
        stem = path.with_suffix("") if _is_part(path) else path
        if stem not in known:
            known.add(stem)
            found.append((number, path))
    return found


def _in_folder(folder: Path, without: Path | None) -> Iterator[Path]:
    mine = without.resolve() if without else None
    for path in folder.rglob("*"):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        beside = (
            path.suffix.lower() in SIGNAL_SUFFIXES and path.with_suffix(HEADER_SUFFIX).is_file()
        )
        if path.is_file() and not hidden and not beside and path.resolve() != mine:
            yield path


def _is_part(path: Path) -> bool:
    return bool(path.name) and path.suffix.lower() in (HEADER_SUFFIX, *SIGNAL_SUFFIXES)
