"""One or several files, as uploaded or on disk: the recording they hold.

    ecg = read_recording([Path("rec.hea"), Path("rec.dat")])
    ecg = read_recording([Path("ecg.csv")], asked=SignalQuestion(rate_hz=500, unit="mV", leads=...))

What a file is, its content says and not its name. The files may lie in different folders, may have
been renamed by a browser, or lie in a zip. Nothing is left on disk, and no message or note carries
a file's name, for names identify.
"""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from focal_app.ecg.clinical.formats import START_BYTES, ClinicalFormat, recognised
from focal_app.ecg.clinical.reading import read_clinical
from focal_app.ecg.plausibility import check_plausible
from focal_app.ecg.recording import ECG
from focal_app.ecg.tables.arrays import NPY_MAGIC, npy_table, npz_table
from focal_app.ecg.tables.matlab import LEVEL_5, is_level_4, mat_table
from focal_app.ecg.tables.question import SignalQuestion, SignalTable, SignalUnknown
from focal_app.ecg.tables.text import looks_like_table, text_table
from focal_app.ecg.unreadable import READ, what_it_is
from focal_app.ecg.wfdb_files import (
    HEADER_SUFFIX,
    SIGNAL_SUFFIXES,
    Check,
    header_beside,
    kind_of,
    looks_like_header,
    read_pair,
)
from focal_app.ecg.zipped import MAGIC, Given, entries_of, is_npz, unpacked
from focal_app.errors import DISK_IS_FULL, RecordingError

MAX_FILE_MB = 25.0
"""Half an hour of 12 leads at 500 Hz takes 21.6 MB in 16 bits."""
TABLES: dict[str, Callable[[bytes], SignalTable]] = {
    "CSV": text_table,
    "NPY": npy_table,
    "NPZ": npz_table,
    "MAT": mat_table,
}


@dataclass(frozen=True)
class _Sorted:
    """Files by what they are; `start` of the first that is none of these says what it is."""

    clinical: tuple[tuple[Given, ClinicalFormat], ...]
    headers: tuple[Given, ...]
    tables: tuple[tuple[Given, str], ...]
    signals: tuple[Given, ...]
    strange: tuple[bytes, ...]


def read_recording(
    paths: Sequence[Path],
    *,
    max_file_mb: float = MAX_FILE_MB,
    asked: SignalQuestion | None = None,
) -> ECG:
    """The recording in `paths`: one file, a WFDB header with its signal, or a zip of either.

    Leads are in standard order, in millivolts, NaN where nothing was recorded. Of a table of mere
    numbers `asked` says the rate, the unit and the leads; without it `SignalUnknown` is raised,
    which holds the table and a guess.
    """
    try:
        check = partial(_check, max_file_mb=max_file_mb)
        return _read([Given.of(Path(path)) for path in paths], check, asked)
    except OSError as error:
        if error.errno in DISK_IS_FULL:
            raise RecordingError(
                "found no room on the disk, where a recording is unpacked for a moment; a few "
                "megabytes are needed. Make room, or try again later."
            ) from None
        raise RecordingError(
            f"found a file that cannot be opened ({error.strerror or 'unknown reason'}); "
            "a readable file is needed. Check its permissions, or choose it again."
        ) from None


def _check(given: Given, *, max_file_mb: float) -> None:
    """Refuse a file that is not there, or too large, before it is opened."""
    kind = kind_of(given.name)
    said = "file" if kind == "signal" else f"{kind} file"
    if given.path.is_dir():
        raise RecordingError(
            "found a folder; the files of one recording are needed. Choose the files in it."
        )
    if not given.path.is_file():
        raise RecordingError(
            f"found no {said} at the place given; a file that exists is needed. "
            "Check its name, or choose it again."
        )
    size_mb = given.path.stat().st_size / 1e6
    if size_mb > max_file_mb:
        raise RecordingError(
            f"found a {said} of {size_mb:.1f} MB; at most {max_file_mb:g} MB is read. "
            "Cut out the part of interest (10 s are enough) and export it."
        )


def _read(files: Sequence[Given], check: Check, asked: SignalQuestion | None) -> ECG:
    if not files:
        raise RecordingError(f"found no file; {READ}. Choose the file of an ECG.")
    for file in files:
        check(file)
    if len(files) == 1 and _start(files[0]).startswith(MAGIC):
        content = files[0].path.read_bytes()
        if is_npz(entries_of(content)):
            return _of_table(npz_table(content), asked)
        with tempfile.TemporaryDirectory(prefix="focal-") as folder:
            return _read_sorted([*unpacked(content, Path(folder))], check, asked, beside=False)
    return _read_sorted(files, check, asked, beside=True)


def _read_sorted(
    files: Sequence[Given], check: Check, asked: SignalQuestion | None, *, beside: bool
) -> ECG:
    found = _sorted(files)
    header = _one_recording(found, beside=beside)
    if found.clinical:
        ecg = read_clinical(found.clinical[0][0].path, found.clinical[0][1])
    elif header:
        signals = [*found.signals, *(file for file, _ in found.tables)]
        ecg = read_pair(header, signals, beside=beside, check=check)
    elif found.tables:
        file, kind = found.tables[0]
        return _of_table(TABLES[kind](file.path.read_bytes()), asked)
    else:
        raise RecordingError(_nothing(found))
    check_plausible(ecg)
    return ecg


def _of_table(table: SignalTable, asked: SignalQuestion | None) -> ECG:
    if asked is None:
        raise SignalUnknown(table)
    return table.answered(asked)


def _one_recording(found: _Sorted, *, beside: bool) -> Given | None:
    """The header of a WFDB record, if it is one; several recordings are refused."""
    headers = found.headers
    if not headers and not found.clinical and beside:
        alone = [*found.signals, *(file for file, kind in found.tables if kind == "MAT")]
        near = header_beside(alone)
        headers = (near,) if near else ()
    tables = () if headers else found.tables
    kinds = [kind.name for _, kind in found.clinical]
    kinds += ["WFDB"] * len(headers) + [kind for _, kind in tables]
    if len(kinds) > 1:
        listed = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
        raise RecordingError(
            f"found {len(kinds)} recordings ({listed}); one is opened at a time. Choose one file, "
            "or a .hea file and its signal file."
        )
    return headers[0] if headers else None


def _nothing(found: _Sorted) -> str:
    """Why there is no recording in files of which none could be one."""
    if found.signals:
        return (
            f"found a signal file ({kind_of(found.signals[0].name)}) without its header; the .hea "
            "file that names leads, rate and gain is needed. Choose both files together."
        )
    return what_it_is(found.strange[0] if found.strange else b"")


def _sorted(files: Sequence[Given]) -> _Sorted:
    clinical, headers, tables, signals, strange = [], [], [], [], []
    for file in files:
        start = _start(file)
        ending = Path(file.name).suffix.lower()
        if kind := recognised(start):
            clinical.append((file, kind))
        elif start.startswith(MAGIC):
            raise RecordingError(
                "found a zip beside other files; a zip alone, or the files themselves, are needed. "
                "Choose one of them."
            )
        elif ending == HEADER_SUFFIX or looks_like_header(start):
            headers.append(file)
        elif table := _table_kind(start):
            tables.append((file, table))
        elif ending in SIGNAL_SUFFIXES:
            signals.append(file)
        else:
            strange.append(start)
    return _Sorted(*map(tuple, (clinical, headers, tables, signals, strange)))


def _table_kind(start: bytes) -> str | None:
    if start.startswith(NPY_MAGIC):
        return "NPY"
    if start.startswith((LEVEL_5, b"MATLAB 7.3")) or is_level_4(start):
        return "MAT"
    return "CSV" if looks_like_table(start) else None


def _start(file: Given) -> bytes:
    with file.path.open("rb") as opened:
        return opened.read(START_BYTES)
