"""A WFDB header and its signal files: which belong together, however a browser renamed them."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from focal_app.ecg.header import Header, parse_header
from focal_app.ecg.recording import ECG
from focal_app.ecg.wfdb_reader import read_wfdb
from focal_app.ecg.zipped import Given
from focal_app.errors import RecordingError

MAX_HEADER_BYTES = 64_000
HEADER_SUFFIX = ".hea"
SIGNAL_SUFFIXES = (".dat", ".mat")

_COPY_MARK = re.compile(r"\s*\(\d+\)$")
"""What browsers append to the name of a second download: "rec (1).dat"."""

_LOCAL_NAME = re.compile(r"(?![.~-])[^/\\:*?\"<>|\x00-\x1f]+")
_FIRST_LINE = re.compile(r"[^\s/\\]+(?:/\d+)?[ \t]+\d{1,3}(?:[ \t]+[\d.]+(?:/\S*)?(?:[ \t]+\S+)*)?")
_CHANNEL_LINE = re.compile(r"\S.*?[ \t]\d{1,3}(?:x\d+)?(?::\d+)?(?:\+\d+)?(?:[ \t].*)?")

Check = Callable[[Given], None]


def looks_like_header(start: bytes) -> bool:
    """Whether a file begins as a WFDB header: a record line, and a line of a channel after it."""
    if b"\0" in start:
        return False
    lines = [line.strip() for line in start.decode("latin-1").splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    if len(lines) < 2 or not _FIRST_LINE.fullmatch(lines[0]):
        return False
    return bool(_CHANNEL_LINE.fullmatch(lines[1])) and bool(re.search(r"\.\w+\s", lines[1]))


def read_pair(header: Given, signals: Sequence[Given], *, beside: bool, check: Check) -> ECG:
    """The recording of a header and its signal files, which may lie `beside` it.

    `check` looks at the size of every file before it is opened.
    """
    check(header)
    parsed = parse_header(_header_text(header.path))
    files, proven = _paired(parsed, header, signals, beside=beside)
    for path in files.values():
        check(Given.of(path))
    return read_wfdb(parsed, files, proven=proven)


def header_beside(signals: Sequence[Given]) -> Given | None:
    """The one header that lies beside signal files which came alone."""
    beside = [one.path.with_suffix(HEADER_SUFFIX) for one in signals]
    found = [path for path in dict.fromkeys(beside) if path.is_file()]
    return Given.of(found[0]) if len(found) == 1 else None


def kind_of(name: str) -> str:
    """The ending where it is one that is read; any other could be a name."""
    ending = Path(name).suffix.lower()
    return ending if ending in (HEADER_SUFFIX, *SIGNAL_SUFFIXES) else "signal"


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


def _paired(
    header: Header, own: Given, signals: Sequence[Given], *, beside: bool
) -> tuple[dict[str, Path], bool]:
    """The file behind every name of the header, among `signals` or beside the header.

    True where their own names say so too; otherwise the checksums have to (`read_wfdb`).
    """
    names = list(dict.fromkeys(channel.file_name for channel in header.channels))
    for name in names:
        if not _LOCAL_NAME.fullmatch(name):
            raise RecordingError(
                "found a header that points outside its own folder for its signal; the plain "
                "name of a file that lies beside it is needed. Export the recording again."
            )
    files = {
        name: _match(name, own, signals, only=len(names) == 1, beside=beside) for name in names
    }
    found = {name: path for name, path in files.items() if path is not None}
    if len(found) == len(names):
        return found, True
    if len(names) == len(signals) == 1 and _same_kind(names[0], signals[0].name):
        return {names[0]: signals[0].path}, False
    ending = kind_of(names[0])
    given = f"{len(signals)} signal files of other names" if signals else "no signal file"
    raise RecordingError(
        f"found a header without its signal file ({given} with it); it needs "
        f"{len(names) - len(found)} {ending} file. Choose the .hea file and its signal file "
        "together, under their own names."
    )


def _match(
    name: str, own: Given, signals: Sequence[Given], *, only: bool, beside: bool
) -> Path | None:
    """The file that `name` means: one named like the header first, for both may be renamed."""
    like = [Path(own.name).with_suffix(Path(name).suffix).name] if only else []
    if not signals:
        places = [own.path.with_name(one) for one in (*like, name)] if beside else []
        return next((path for path in places if path.is_file()), None)
    wanted = [one.lower() for one in (*like, name)]
    for target in (*wanted, *map(_without_copy_mark, wanted)):
        for one in signals:
            if target in (one.name.lower(), _without_copy_mark(one.name.lower())):
                return one.path
    return None


def _same_kind(name: str, other: str) -> bool:
    return Path(name).suffix.lower() == Path(other).suffix.lower()


def _without_copy_mark(name: str) -> str:
    path = Path(name)
    return _COPY_MARK.sub("", path.stem) + path.suffix
