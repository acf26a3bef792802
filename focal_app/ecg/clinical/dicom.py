"""A DICOM file before the library sees it: nothing inflated, no claim believed."""

import io
from collections.abc import Mapping
from typing import Any

from focal_app.ecg.clinical.formats import AGAIN
from focal_app.errors import RecordingError

Paddings = Mapping[int, int]
"""By the samples a lead of a group: the step that stands where nothing was recorded."""

_READ_AHEAD = 65_536
"""Bytes that a reader of DICOM may ask for beyond the end, as it looks ahead."""
_PLAIN = {"1.2.840.10008.1.2", "1.2.840.10008.1.2.1", "1.2.840.10008.1.2.2"}
"""Transfer syntaxes that are not compressed."""
_LONG_VR = (b"OB", b"OW", b"OF", b"SQ", b"UT", b"UN", b"OD", b"OL", b"UC", b"UR")


class _Beyond(Exception):
    """More bytes were asked for than there are; no reader takes this for the file's end."""


class _Held(io.BytesIO):
    """Bytes of which nobody can ask for more than there are."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > len(self.getbuffer()) - self.tell() + _READ_AHEAD:
            raise _Beyond
        return super().read(size)


def check_dicom(content: bytes) -> Paddings:
    """Refuse what is compressed before anything inflates it, and lengths beyond the file."""
    syntaxes = _transfer_syntaxes(content)
    if not syntaxes:
        raise _damaged()
    if not syntaxes <= _PLAIN:
        raise RecordingError(
            "found a compressed DICOM file; an ECG in DICOM is stored plainly, and packed ones are "
            "not unpacked. Export it uncompressed (explicit VR little endian)."
        )
    import pydicom

    try:
        groups = pydicom.dcmread(_Held(content)).get("WaveformSequence")
        paddings = dict(_padding(group) for group in groups or ())
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001  pydicom raises whatever a malformed element brings
        raise _damaged() from None
    if not groups:
        raise RecordingError(
            "found a DICOM file without a waveform (a picture, a report or a PDF perhaps); an ECG "
            "stored as a 12-lead waveform is needed. Export the ECG itself."
        )
    return {samples: value for samples, value in paddings.items() if value is not None}


def _padding(group: Any) -> tuple[int, int | None]:  # noqa: ANN401  pydicom types loosely
    value = group.get("WaveformPaddingValue")
    steps = int.from_bytes(value, "little", signed=True) if isinstance(value, bytes) else None
    return int(group.get("NumberOfWaveformSamples") or 0), steps


def _transfer_syntaxes(content: bytes) -> set[str]:
    """How the data set may be stored, by every element (0002,0010) of the file's meta group.

    Read by hand, for pydicom inflates as soon as it has read it. PS3.10, 7.1.
    """
    at, found = 132, set()
    while content[at : at + 2] == b"\x02\x00" and at + 12 <= len(content):
        long = content[at + 4 : at + 6] in _LONG_VR
        start = at + (12 if long else 8)
        length = int.from_bytes(content[start - (4 if long else 2) : start], "little")
        if content[at + 2 : at + 4] == b"\x10\x00":
            found.add(content[start : start + length].rstrip(b"\0 ").decode("latin-1"))
        at = start + length
    return found


def _damaged() -> RecordingError:
    return RecordingError(
        "found a damaged DICOM file (it breaks off or contradicts itself); a whole one is "
        f"needed. {AGAIN}"
    )
