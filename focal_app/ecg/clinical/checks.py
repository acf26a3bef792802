"""What is refused before the library sees it: bombs, claims beyond the file, broken envelopes."""

import io
from typing import Any
from xml.parsers import expat

from focal_app.ecg.clinical.formats import DICOM, EDF, SCP, ClinicalFormat
from focal_app.errors import RecordingError

DEEPEST, MOST_ELEMENTS = 64, 100_000
"""Of an XML document. A recording of twelve leads has some 2,000 elements, 20 deep."""
_READ_AHEAD = 65_536
"""Bytes that a reader of DICOM may ask for beyond the end, as it looks ahead."""
_PLAIN_DICOM = ("1.2.840.10008.1.2", "1.2.840.10008.1.2.1", "1.2.840.10008.1.2.2")
"""Transfer syntaxes that are not compressed."""
_LONG_VR = (b"OB", b"OW", b"OF", b"SQ", b"UT", b"UN", b"OD", b"OL", b"UC", b"UR")

AGAIN = "Export the recording again."


def check(content: bytes, kind: ClinicalFormat) -> None:
    """Raise a `RecordingError` for a file that must not reach the library."""
    if len(content) > kind.most_mb * 1e6:
        raise RecordingError(
            f"found {kind.file} of {len(content) / 1e6:.1f} MB; at most "
            f"{kind.most_mb:g} MB is read. Cut out the part of interest (10 s are enough) and "
            "export it."
        )
    if kind.is_xml:
        _check_xml(content, kind)
    elif kind is DICOM:
        _check_dicom(content)
    elif kind is SCP:
        _check_scp(content)
    elif kind is EDF:
        _check_edf(content)


class _Refused(Exception):
    """Ends a parser from within; the message is said to the user."""


def _check_xml(content: bytes, kind: ClinicalFormat) -> None:
    """Count elements and their nesting, and refuse entities of the document's own."""
    try:
        try:
            _walk(content)
        except expat.ExpatError:
            # Not in the encoding that it names: the library reads such files as Latin-1.
            text = content.decode("latin-1").partition("?>")
            _walk((text[2] or text[0]).encode("utf-8"))
    except _Refused as refused:
        raise RecordingError(f"found {refused} in {kind.file}; {_AN_EXPORT}") from None
    except (expat.ExpatError, ValueError, LookupError):
        raise RecordingError(
            f"found a damaged {kind.name} file (its XML breaks off or is malformed); a whole one "
            f"is needed. {AGAIN}"
        ) from None


_AN_EXPORT = "an export of a cardiograph has none. Export the recording again from its system."


def _walk(content: bytes) -> None:
    parser = expat.ParserCreate()
    depth = elements = 0

    def begins(*_: object) -> None:
        nonlocal depth, elements
        depth, elements = depth + 1, elements + 1
        if depth > DEEPEST or elements > MOST_ELEMENTS:
            raise _Refused("elements nested too deeply" if depth > DEEPEST else "too many elements")

    def ends(*_: object) -> None:
        nonlocal depth
        depth -= 1

    def refuse(*_: object) -> None:
        raise _Refused("entities of its own")

    parser.StartElementHandler, parser.EndElementHandler = begins, ends
    parser.EntityDeclHandler = parser.UnparsedEntityDeclHandler = refuse
    parser.Parse(content, True)


class _Held(io.BytesIO):
    """Bytes of which nobody can ask for more than there are."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > len(self.getbuffer()) - self.tell() + _READ_AHEAD:
            raise _Refused
        return super().read(size)


def read_dicom(content: bytes) -> Any:  # noqa: ANN401  a data set, which pydicom types loosely
    """The data set of a checked file."""
    import pydicom

    return pydicom.dcmread(_Held(content))


def _check_dicom(content: bytes) -> None:
    """Refuse what is compressed before anything inflates it, and lengths beyond the file."""
    syntaxes = _transfer_syntaxes(content)
    if not syntaxes:
        raise _damaged_dicom()
    if not syntaxes <= set(_PLAIN_DICOM):
        raise RecordingError(
            "found a compressed DICOM file; an ECG in DICOM is stored plainly, and packed ones are "
            "not unpacked. Export it uncompressed (explicit VR little endian)."
        )
    try:
        found = read_dicom(content).get("WaveformSequence")
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001  pydicom raises whatever a malformed element brings
        raise _damaged_dicom() from None
    if not found:
        raise RecordingError(
            "found a DICOM file without a waveform (a picture, a report or a PDF perhaps); an ECG "
            "stored as a 12-lead waveform is needed. Export the ECG itself."
        )


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


def _damaged_dicom() -> RecordingError:
    return RecordingError(
        "found a damaged DICOM file (it breaks off or contradicts itself); a whole one is "
        f"needed. {AGAIN}"
    )


def _check_scp(content: bytes) -> None:
    announced = int.from_bytes(content[2:6], "little")
    if announced > len(content):
        raise RecordingError(
            "found a damaged SCP-ECG file (it announces more bytes than it holds, so it was cut "
            f"off or its checksums cannot hold); a whole one is needed. {AGAIN}"
        )


def _check_edf(content: bytes) -> None:
    signals = int(content[252:256])
    if not 1 <= signals <= 256:
        raise RecordingError(
            f"found an EDF file that announces {signals:,} signals; 1 to 256 are read. {AGAIN}"
        )
    if content[192:197] == b"EDF+D":
        raise RecordingError(
            "found an EDF+ file with interruptions; one continuous recording is needed. Export the "
            "part of interest as continuous EDF."
        )
