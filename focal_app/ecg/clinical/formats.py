"""What a file is, by its first bytes and never by its name."""

import importlib
import re
from dataclasses import dataclass
from typing import Any

AGAIN = "Export the recording again."

START_BYTES = 4096
"""So much of a file tells what it is."""


@dataclass(frozen=True)
class ClinicalFormat:
    """A format of hospitals: its name for a user, and the class of the library that reads it."""

    name: str
    module: str
    parser: str
    most_mb: float
    is_xml: bool = False

    @property
    def file(self) -> str:
        """A file of this format, for a sentence."""
        spelt = self.name.startswith(("EDF", "HL7", "MFER", "SCP"))
        return f"{'an' if spelt else 'a'} {self.name} file"

    def open(self) -> Any:  # noqa: ANN401  the library's own class
        """A parser of the library for this format, and for no other."""
        module = importlib.import_module(f"ecgdatakit.parsing.parsers.{self.module}")
        return getattr(module, self.parser)()


DICOM = ClinicalFormat("DICOM", "dicom_waveform", "DICOMWaveformParser", 25.0)
HL7 = ClinicalFormat("HL7 aECG", "hl7_aecg", "HL7aECGParser", 10.0, is_xml=True)
MUSE = ClinicalFormat("GE MUSE XML", "ge_muse_xml", "GEMuseXMLParser", 10.0, is_xml=True)
SIERRA = ClinicalFormat("Philips XML", "sierra_xml", "SierraXMLParser", 10.0, is_xml=True)
MORTARA = ClinicalFormat("Mortara XML", "mortara_el250", "MortaraEL250Parser", 10.0, is_xml=True)
SCP = ClinicalFormat("SCP-ECG", "scp_ecg", "SCPECGParser", 4.0)
EDF = ClinicalFormat("EDF", "edf", "EDFParser", 25.0)
MFER = ClinicalFormat("MFER", "mfer", "MFERParser", 25.0)
CLINICAL = (DICOM, HL7, MUSE, SIERRA, MORTARA, SCP, EDF, MFER)
"""All that are read; whatever else the library knows never gets a file of a stranger."""

_XML_TAGS = (
    (SIERRA, re.compile(r"<(?:\w+:)?restingecgdata\b")),
    (HL7, re.compile(r"<(?:[\w.-]+:)?AnnotatedECG\b")),
    (MUSE, re.compile(r"<RestingECG[\s>]|<MuseInfo\b", re.IGNORECASE)),
    (MORTARA, re.compile(r"<ECG\s(?:[^>]*\s)?ACQUISITION_TIME|<(?:TYPICAL_CYCLE|CHANNEL)\s")),
)


def recognised(start: bytes) -> ClinicalFormat | None:
    """The format of a file that begins with `start`; None for one that is not in `CLINICAL`."""
    if start[128:132] == b"DICM":
        return DICOM
    if _is_edf(start):
        return EDF
    if start[:1] == b"\x40" and start[2:6] == b"MFR ":
        return MFER
    if _is_scp(start):
        return SCP
    text = xml_text(start)
    return next((kind for kind, tag in _XML_TAGS if tag.search(text)), None) if text else None


def xml_text(start: bytes) -> str:
    """The beginning of an XML document as text, or nothing where it is no XML."""
    wide = start.startswith((b"\xff\xfe", b"\xfe\xff"))
    text = start.decode("utf-16" if wide else "utf-8", errors="ignore").lstrip("\ufeff \t\r\n")
    return text if re.match(r"<[?!A-Za-z_]", text) else ""


def _is_edf(start: bytes) -> bool:
    """Version 0, and whole numbers where the header's length and the signals are counted."""
    counts = (start[184:192], start[252:256])
    return start[:8] == b"0       " and all(re.fullmatch(rb"\d+ *", one) for one in counts)


def _is_scp(start: bytes) -> bool:
    """A record begins with section 0, whose first entry describes section 0 itself.

    Its length stands twice; the length of the whole is not looked at, for it may be damaged.
    """
    length = int.from_bytes(start[10:14], "little")
    first = int.from_bytes(start[24:28], "little")
    numbered = start[8:10] == start[22:24] == b"\0\0"
    return len(start) >= 32 and numbered and length == first and length >= 36 and length % 10 == 6
