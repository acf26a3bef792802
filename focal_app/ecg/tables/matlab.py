"""Plain MAT files of level 4 and 5: one matrix of numbers is taken, everything else left alone.

Parsed here and not by a library, so that no claim of a length is believed and nothing nested is
followed. Format: "MAT-File Format", MathWorks.
"""

import zlib
from collections.abc import Iterator
from typing import Literal

import numpy as np

from focal_app.ecg.tables.guess import table_of
from focal_app.ecg.tables.question import SignalTable
from focal_app.errors import RecordingError

KIND = "MAT"
LEVEL_5 = b"MATLAB 5.0 MAT-file"
_MOST_BYTES = 100_000_000
_MATRIX, _COMPRESSED = 14, 15
_TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8"}
_TYPES |= {13: "u8"}
_NUMERIC_CLASSES = range(6, 16)
_LEVEL_4_TYPES = ("f8", "f4", "i4", "i2", "u2", "u1")
_RATES = ("fs", "rate", "sampling_rate", "samplerate", "srate", "freq")
_Order = Literal["<", ">"]
_Variable = tuple[str, np.ndarray]


def is_level_4(start: bytes) -> bool:
    """Whether a file begins with a matrix of MATLAB level 4: type, sizes, length of its name."""
    kind, rows, columns, imaginary, length = (
        int.from_bytes(start[at : at + 4], "little") for at in range(0, 20, 4)
    )
    sized = 0 < rows < 2**28 and 0 < columns < 2**28 and 1 < length <= 64
    typed = kind in (0, 10, 20, 30, 40, 50) and imaginary in (0, 1)
    name = start[20 : 20 + length]
    return len(start) > 20 + length and sized and typed and name.endswith(b"\0") and len(name) > 1


def mat_table(content: bytes) -> SignalTable:
    """The one matrix of a MAT file, and the rate where a single number is called fs."""
    if content.startswith(b"MATLAB 7.3") or content.startswith(b"\x89HDF"):
        raise RecordingError(
            'found a MAT file of version 7.3; an older one is needed. Save it with "-v7", or as '
            "CSV."
        )
    try:
        variables = list(_level_5(content) if content.startswith(LEVEL_5) else _level_4(content))
    except (ValueError, IndexError, KeyError, RuntimeError, zlib.error):
        # A generator that runs out within another is a RuntimeError.
        raise RecordingError(
            "found a damaged MAT file; a whole one with one matrix of numbers is needed. Save it "
            "again."
        ) from None
    large = [values for _, values in variables if values.size > 1]
    rates = [one for name, one in variables if one.size == 1 and name.lower() in _RATES]
    if len(large) != 1:
        raise RecordingError(
            f"found a MAT file with {len(large)} matrices of numbers; one is needed, leads by "
            "samples. Save the recording alone."
        )
    rate = float(rates[0].reshape(-1)[0]) if rates else None
    return table_of(large[0], KIND, rate_hz=rate if rate and 50 <= rate <= 10_000 else None)


def _level_4(content: bytes) -> Iterator[_Variable]:
    at = 0
    while at + 20 <= len(content):
        kind, rows, columns, imaginary, length = (
            int.from_bytes(content[at + skip : at + skip + 4], "little") for skip in range(0, 20, 4)
        )
        dtype = np.dtype(f"<{_LEVEL_4_TYPES[kind // 10]}")
        if kind not in (0, 10, 20, 30, 40, 50) or length > 64:
            raise ValueError
        name = content[at + 20 : at + 20 + length].rstrip(b"\0").decode("latin-1")
        start, size = at + 20 + length, rows * columns * dtype.itemsize
        if size > len(content) - start:
            raise ValueError
        values = np.frombuffer(content, dtype, rows * columns, start)
        yield name, values.reshape((rows, columns), order="F")
        at = start + size * (2 if imaginary else 1)


def _level_5(content: bytes) -> Iterator[_Variable]:
    order: _Order = "<" if content[126:128] == b"IM" else ">"
    for kind, body in _elements(content[128:], order):
        if kind == _COMPRESSED:
            kind, body = next(_elements(_inflated(body), order))
        if kind == _MATRIX and (found := _matrix(body, order)):
            yield found


def _inflated(body: bytes) -> bytes:
    unpacking = zlib.decompressobj()
    unpacked = unpacking.decompress(body, _MOST_BYTES)
    if unpacking.unconsumed_tail:
        raise RecordingError(
            f"found a MAT file of more than {_MOST_BYTES / 1e6:.0f} MB unpacked; a single "
            "recording is needed. Cut out the minutes of interest."
        )
    return unpacked


def _elements(content: bytes, order: _Order) -> Iterator[tuple[int, bytes]]:
    """Type and body of each element; a small one has its body within its tag."""
    endian, at = ("little" if order == "<" else "big"), 0
    while at + 8 <= len(content):
        word = int.from_bytes(content[at : at + 4], endian)
        if word >> 16:
            small = word >> 16
            if small > 4:
                raise ValueError
            yield word & 0xFFFF, content[at + 4 : at + 4 + small]
            at += 8
            continue
        size = int.from_bytes(content[at + 4 : at + 8], endian)
        if size > len(content) - at - 8:
            raise ValueError
        yield word, content[at + 8 : at + 8 + size]
        at += 8 + size + (0 if word == _COMPRESSED else -size % 8)


def _matrix(body: bytes, order: _Order) -> _Variable | None:
    """A real matrix of numbers; None for anything else."""
    parts = _elements(body, order)
    flags = next(parts)[1]
    if len(flags) < 4:
        raise ValueError
    word = int.from_bytes(flags[:4], "little" if order == "<" else "big")
    if word & 0xFF not in _NUMERIC_CLASSES:
        return None
    shape = tuple(int(one) for one in np.frombuffer(next(parts)[1], f"{order}i4"))
    name = next(parts)[1].decode("latin-1")
    kind, numbers = next(parts, (9, b""))
    values = np.frombuffer(numbers, f"{order}{_TYPES[kind]}")
    if len(shape) > 8 or min(shape, default=0) < 0 or int(np.prod(shape)) != values.size:
        raise ValueError
    return name, values.reshape(shape, order="F")
