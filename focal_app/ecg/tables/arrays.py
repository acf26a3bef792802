"""NumPy's files: numbers alone. What would have to be unpickled is refused."""

import io

import numpy as np

from focal_app.ecg.tables.guess import table_of
from focal_app.ecg.tables.question import SignalTable
from focal_app.ecg.zipped import contents_of
from focal_app.errors import RecordingError

NPY_MAGIC = b"\x93NUMPY"
_MOST_BYTES = 100_000_000
_MOST_HEADER = 10_000


def npy_table(content: bytes, *, kind: str = "NPY") -> SignalTable:
    """The array of a NPY file."""
    return table_of(_array(content, kind), kind)


def npz_table(content: bytes) -> SignalTable:
    """The one array of a NPZ file; a number beside it that is called fs is its rate."""
    arrays, rates = [], []
    for name, held in contents_of(content):
        array = _array(held, "NPZ")
        if array.size == 1 and name.lower() in ("fs.npy", "rate.npy", "rate_hz.npy"):
            rates.append(float(array.reshape(-1)[0]))
        elif array.size > 1:
            arrays.append(array)
    if len(arrays) != 1:
        raise RecordingError(
            f"found a NPZ file with {len(arrays)} arrays; one is needed, leads by samples. Save "
            "the recording alone."
        )
    return table_of(arrays[0], "NPZ", rate_hz=rates[0] if rates else None)


def _array(content: bytes, kind: str) -> np.ndarray:
    file = io.BytesIO(content)
    try:
        version = np.lib.format.read_magic(file)
        read = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }[version]
        shape, _, dtype = read(file, max_header_size=_MOST_HEADER)
    except Exception:  # noqa: BLE001  a header is evaluated as a literal, which may fail in any way
        raise _damaged(kind) from None
    if dtype.hasobject or dtype.kind not in "iuf":
        raise RecordingError(
            f"found a {kind} file that holds Python objects, or other things than numbers; it is "
            "not opened, for that could run a program. Save a plain array of numbers."
        )
    count = 1
    for size in shape:
        count *= size
    if count * dtype.itemsize > _MOST_BYTES:
        raise _too_large(kind)
    if count * dtype.itemsize > len(content) - file.tell() or len(shape) > 8:
        raise _damaged(kind)
    file.seek(0)
    try:
        return np.lib.format.read_array(file, allow_pickle=False, max_header_size=_MOST_HEADER)
    except Exception:  # noqa: BLE001  as above
        raise _damaged(kind) from None


def _damaged(kind: str) -> RecordingError:
    return RecordingError(
        f"found a damaged {kind} file; a whole one is needed, as numpy.save writes it. Save it "
        "again."
    )


def _too_large(kind: str) -> RecordingError:
    return RecordingError(
        f"found a {kind} file of more than {_MOST_BYTES / 1e6:.0f} MB unpacked; a single recording "
        "is needed. Cut out the minutes of interest."
    )
