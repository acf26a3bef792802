"""One or several files, as uploaded or on disk: the recording they hold.

    ecg = read_recording([Path("rec.hea"), Path("rec.dat")])

The files may lie in different folders and may have been renamed by a browser. Nothing is left
on disk, and no message or note carries a file's name, for names identify.
"""

import errno
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from focal_app.ecg.header import Header, parse_header
from focal_app.ecg.other_formats import what_to_do
from focal_app.ecg.plausibility import check_plausible
from focal_app.ecg.recording import ECG
from focal_app.ecg.wfdb_reader import read_wfdb
from focal_app.errors import RecordingError

MAX_FILE_MB = 20.0
MAX_HEADER_BYTES = 64_000
SIGNAL_SUFFIXES = (".dat", ".mat")
READABLE_SUFFIXES = (".hea", *SIGNAL_SUFFIXES)

_DISK_IS_FULL = frozenset([errno.ENOSPC, errno.EDQUOT, errno.EFBIG])

_COPY_MARK = re.compile(r"\s*\(\d+\)$")
"""What browsers append to the name of a second download: "rec (1).dat"."""

_LOCAL_NAME = re.compile(r"(?![.~-])[^/\\:*?\"<>|\x00-\x1f]+")


@dataclass(frozen=True)
class _Pairing:
    """Signal files by the names that the header gives them.

    `proven`: their own names say so too; otherwise the checksums have to (`read_wfdb`).
    """

    files: dict[str, Path]
    proven: bool = True


def read_recording(paths: Sequence[Path], *, max_file_mb: float = MAX_FILE_MB) -> ECG:
    """The recording in `paths`: a header and its signal files, or one of them beside the other.

    Leads are in standard order, in millivolts, NaN where nothing was recorded.
    """
    try:
        return _read([Path(path) for path in paths], max_file_mb)
    except OSError as error:
        if error.errno in _DISK_IS_FULL:
            raise RecordingError(
                "found no room on the disk, where a recording is unpacked for a moment; a few "
                "megabytes are needed. Make room, or try again later."
            ) from None
        raise RecordingError(
            f"found a file that cannot be opened ({error.strerror or 'unknown reason'}); "
            "a readable file is needed. Check its permissions, or choose it again."
        ) from None


def _read(paths: Sequence[Path], max_file_mb: float) -> ECG:
    signals = [path for path in paths if path.suffix.lower() in SIGNAL_SUFFIXES]
    header_path = _header_among(paths, signals)
    for path in (header_path, *signals):
        _check_file(path, max_file_mb)
    header = parse_header(_header_text(header_path))
    pairing = _paired(header, header_path, signals)
    for path in pairing.files.values():
        _check_file(path, max_file_mb)
    ecg = read_wfdb(header, pairing.files, proven=pairing.proven)
    check_plausible(ecg)
    return ecg


def _header_among(paths: Sequence[Path], signals: Sequence[Path]) -> Path:
    """The one header of `paths`, or the one beside a signal file that came alone."""
    headers = [path for path in paths if path.suffix.lower() == ".hea"]
    if len(headers) > 1:
        raise RecordingError(
            f"found {len(headers)} headers (.hea); one recording is read at a time. "
            "Choose one .hea file and its signal file."
        )
    if headers:
        return headers[0]
    if not signals:
        if not paths:
            raise RecordingError(
                "found no file; a WFDB header (.hea) with its signal file (.dat or .mat) is "
                "needed. Choose both files together."
            )
        raise RecordingError(what_to_do(paths[0], needed=READABLE_SUFFIXES))
    beside = [path.with_suffix(".hea") for path in signals]
    found = [path for path in dict.fromkeys(beside) if path.is_file()]
    if len(found) != 1:
        raise RecordingError(
            f"found a signal file ({signals[0].suffix.lower()}) without its header; the .hea "
            "file that names leads, rate and gain is needed. Choose both files together."
        )
    return found[0]


def _check_file(path: Path, max_file_mb: float) -> None:
    kind = _kind(path)
    if not path.is_file():
        raise RecordingError(
            f"found no {kind} file at the place given; a file that exists is needed. "
            "Check its name, or choose it again."
        )
    size_mb = path.stat().st_size / 1e6
    if size_mb > max_file_mb:
        raise RecordingError(
            f"found a {kind} file of {size_mb:.1f} MB; at most {max_file_mb:g} MB is read. "
            "Cut out the part of interest (10 s are enough) and export it."
        )


def _kind(path: Path) -> str:
    """The ending where it is one that is read; any other could be a name."""
    ending = path.suffix.lower()
    return ending if ending in READABLE_SUFFIXES else "signal"


def _header_text(path: Path) -> str:
    if path.stat().st_size > MAX_HEADER_BYTES:
        raise RecordingError(
            f"found a header of {path.stat().st_size / 1e3:.0f} kB; a short text of at most "
            f"{MAX_HEADER_BYTES // 1000} kB is needed. Choose the recording's own .hea file."
        )
    content = path.read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _paired(header: Header, header_path: Path, signals: Sequence[Path]) -> _Pairing:
    """Find the file behind every name of the header, among `signals` or beside the header."""
    names = list(dict.fromkeys(channel.file_name for channel in header.channels))
    for name in names:
        if not _LOCAL_NAME.fullmatch(name):
            raise RecordingError(
                "found a header that points outside its own folder for its signal; the plain "
                "name of a file that lies beside it is needed. Export the recording again."
            )
    files = {name: _match(name, header_path, signals, only=len(names) == 1) for name in names}
    found = {name: path for name, path in files.items() if path is not None}
    if len(found) == len(names):
        return _Pairing(found)
    if len(names) == len(signals) == 1 and _same_kind(names[0], signals[0]):
        return _Pairing({names[0]: signals[0]}, proven=False)
    ending = _kind(Path(names[0]))
    given = f"{len(signals)} signal files of other names" if signals else "no signal file"
    raise RecordingError(
        f"found a header without its signal file ({given} with it); it needs "
        f"{len(names) - len(found)} {ending} file. Choose the .hea file and its signal file "
        "together, under their own names."
    )


def _match(name: str, header_path: Path, signals: Sequence[Path], *, only: bool) -> Path | None:
    """The file that `name` means: one named like the header first, for both may be renamed."""
    beside = [header_path.with_suffix(Path(name).suffix)] if only else []
    if not signals:
        beside.append(header_path.with_name(name))
        return next((path for path in beside if path.is_file()), None)
    wanted = [path.name.lower() for path in beside] + [name.lower()]
    for target in (*wanted, *map(_without_copy_mark, wanted)):
        for path in signals:
            if target in (path.name.lower(), _without_copy_mark(path.name.lower())):
                return path
    return None


def _same_kind(name: str, path: Path) -> bool:
    return Path(name).suffix.lower() == path.suffix.lower()


def _without_copy_mark(name: str) -> str:
    path = Path(name)
    return _COPY_MARK.sub("", path.stem) + path.suffix
