"""Checks of a signal file against its header, before one sample is decoded."""

import math
from pathlib import Path

from focal_app.ecg.header import Channel, Header
from focal_app.errors import RecordingError

MAX_SAMPLES = 10_800_000
"""Samples of all channels together: half an hour of 12 leads at 500 Hz, 43 MB as float32."""

BYTES_PER_SAMPLE = {
    **{"8": 1.0, "80": 1.0, "16": 2.0, "61": 2.0, "160": 2.0, "24": 3.0, "32": 4.0},
    **{"212": 1.5, "310": 4 / 3, "311": 4 / 3},
}
"""Of the plain WFDB formats: https://physionet.org/physiotools/wag/signal-5.htm."""

COMPRESSED = ("508", "516", "524")
"""FLAC files, whose length stands in their own header."""

_TEXT_SHARE = 0.95
"""Of the bytes of a file: samples are never that printable, text in any tongue nearly is."""

_MAT4_HEADER_BYTES = 24
_MAT4_INT16 = 30


def frames_to_read(header: Header, files: dict[str, Path]) -> int:
    """Frames of the recording, held against what every signal file really contains."""
    held = []
    for name, path in files.items():
        channels = [channel for channel in header.channels if channel.file_name == name]
        _check_one_layout(header, channels)
        held.append(_frames_held(path, channels))
    frames = min(held) if header.samples is None else header.samples
    if frames > min(held):
        raise RecordingError(
            "found a header that claims more samples a lead than its signal file holds "
            f"({min(held):,}); the file is cut off or belongs to another header. "
            "Choose the matching pair, or download it again."
        )
    if frames == 0:
        raise RecordingError(
            "found a signal file without one whole sample of every lead; a recording is needed. "
            "Export or download it again."
        )
    return frames


def check_size_in_memory(header: Header, frames: int) -> None:
    """Refuse what would not fit in memory, from the header's numbers alone."""
    samples = frames * sum(channel.samples_per_frame for channel in header.channels)
    longest_skew = max(channel.skew for channel in header.channels)
    if samples > MAX_SAMPLES or longest_skew > frames:
        raise RecordingError(
            f"found a recording of more samples than can be read at once; at most {MAX_SAMPLES:,} "
            "in all are needed. Cut out the minutes of interest and export them."
        )


def _check_one_layout(header: Header, channels: list[Channel]) -> None:
    first = channels[0]
    if first.storage not in BYTES_PER_SAMPLE and first.storage not in COMPRESSED:
        raise RecordingError(
            f"found {_storage_in_words(first.storage)}; one of "
            f"{', '.join([*BYTES_PER_SAMPLE, *COMPRESSED])} is needed. "
            "Export the recording in format 16."
        )
    start = header.channels.index(first)
    together = list(header.channels[start : start + len(channels)]) == channels
    layouts = {(channel.storage, channel.byte_offset) for channel in channels}
    if not together or len(layouts) > 1 or min(c.samples_per_frame for c in channels) < 1:
        raise RecordingError(
            "found a header that gives one signal file several layouts; one format and one "
            "offset for all channels of a file are needed. Export the recording again."
        )


def _storage_in_words(storage: str) -> str:
    """Only 0 is a format and not read, for it holds no samples; any other number may identify."""
    return "WFDB storage format 0" if storage == "0" else "an unknown WFDB storage format"


def _frames_held(path: Path, channels: list[Channel]) -> int:
    """Whole frames in a signal file, from its size (or, if compressed, its own header)."""
    size = path.stat().st_size
    with path.open("rb") as file:
        start = file.read(4096)
    _check_kind(start, size, path.suffix.lower(), channels)
    storage, frame = channels[0].storage, sum(channel.samples_per_frame for channel in channels)
    if storage in COMPRESSED:
        return _flac_samples(start) // channels[0].samples_per_frame
    samples = math.floor((size - channels[0].byte_offset) / BYTES_PER_SAMPLE[storage] + 1e-9)
    return max(samples, 0) // frame


def _check_kind(start: bytes, size: int, suffix: str, channels: list[Channel]) -> None:
    if size == 0:
        raise RecordingError(
            "found an empty signal file (0 bytes); the recorded samples are needed. "
            "Download or export it again."
        )
    if _is_text(start):
        raise RecordingError(
            "found text in the signal file; binary samples are needed. It was renamed, or a "
            "web page or a pointer was saved in its place: download the file itself."
        )
    if suffix == ".mat":
        _check_challenge_mat(start, channels)


def _is_text(start: bytes) -> bool:
    characters = start.decode("utf-8", errors="ignore")
    printable = "".join(c for c in characters if c.isprintable() or c.isspace())
    return len(printable.encode()) >= _TEXT_SHARE * len(start)


def _check_challenge_mat(start: bytes, channels: list[Channel]) -> None:
    """A challenge .mat is MATLAB level 4: five int32 (type, rows, columns, ...), then "val"."""
    kind = int.from_bytes(start[:4], "little")
    rows = int.from_bytes(start[4:8], "little")
    named_val = start[20:_MAT4_HEADER_BYTES] == b"val\x00"
    rightly_offset = channels[0].byte_offset == _MAT4_HEADER_BYTES
    if kind != _MAT4_INT16 or rows != len(channels) or not named_val or not rightly_offset:
        raise RecordingError(
            "found a .mat file of another kind; a PhysioNet challenge file is needed (MATLAB "
            f"level 4, one int16 matrix `val` with {len(channels)} rows, as its header says). "
            "Export the recording as WFDB (.hea and .dat)."
        )


def _flac_samples(start: bytes) -> int:
    """Samples a channel by STREAMINFO, the first block of a FLAC file (RFC 9639, 8.2)."""
    if start[:4] != b"fLaC" or len(start) < 42:
        raise RecordingError(
            "found a signal file that is not compressed as its header says (FLAC); "
            "choose the matching pair, or download it again."
        )
    return int.from_bytes(start[21:26], "big") & (2**36 - 1)
