"""What is refused before the library sees it: bombs, claims beyond the file, broken envelopes."""

from xml.parsers import expat

from focal_app.ecg.clinical.dicom import Paddings, check_dicom
from focal_app.ecg.clinical.formats import AGAIN, DICOM, EDF, SCP, ClinicalFormat
from focal_app.errors import RecordingError

DEEPEST, MOST_ELEMENTS = 64, 100_000
"""Of an XML document. A recording of twelve leads has some 2,000 elements, 20 deep."""


def check(content: bytes, kind: ClinicalFormat) -> Paddings:
    """Raise a `RecordingError` for a file that must not reach the library.

    Comes back with what a DICOM file calls padding, which the library does not tell.
    """
    if len(content) > kind.most_mb * 1e6:
        raise RecordingError(
            f"found {kind.file} of {len(content) / 1e6:.1f} MB; at most "
            f"{kind.most_mb:g} MB is read. Cut out the part of interest (10 s are enough) and "
            "export it."
        )
    if kind.is_xml:
        _check_xml(content, kind)
    elif kind is DICOM:
        return check_dicom(content)
    elif kind is SCP:
        _check_scp(content)
    elif kind is EDF:
        _check_edf(content)
    return {}


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
