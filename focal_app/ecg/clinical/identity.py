"""What must not stay of a file: names, numbers and dates of people, and lines that hold them."""

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import Any

LONGEST_LINE, MOST_LINES, LONGEST_DEVICE = 160, 40, 60

_PERSON = re.compile(
    r"confirm|review|over-?read|signed|referr|physician|technician|doctor|interpreted by|"
    r"read by|ordered by|approved|verified by|edited|compar|previous|prior|since the last|"
    r"\bdr\b|\bmd\b|\bm\.d\b|\bmr\b|\bmrs\b|\bms\b|\bprof\b|patient name|"
    r"valid[eé]e? par|confirm[eé]|comparé|befundet|verglichen|arzt|medico|refert",
    re.IGNORECASE,
)
_MONTH = r"(?:jan|feb|mar|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)[a-zé]*"
_DATE = re.compile(
    rf"\b\d{{1,2}}[\s./-]{{1,2}}(?:\d{{1,2}}|{_MONTH})[\s./,-]{{1,2}}\d{{2,4}}\b|\b\d{{4}}[./-]\d|"
    rf"\b{_MONTH}\.?\s\d{{1,2}},?\s\d{{4}}|\b\d{{1,2}}:\d{{2}}\b|\d{{5,}}",
    re.IGNORECASE,
)
_BY_SOMEBODY = re.compile(r"\b[Bb]y:?\s+[A-Z][a-z]")
_UNPRINTABLE = re.compile(r"[^\w\s.,;:()<>=+/%&*?!'’°±µ-]")
_COMPARED = re.compile(r"compar|verglich", re.IGNORECASE)
_COMMON = frozenset(["the", "and", "for", "with", "not", "unknown", "none", "standard", "ecg"])
_COMPANY = re.compile(
    r"\(C\)|©|\b(?:all rights reserved|co|ltd|inc|gmbh|corp|ag|medical products|instruments?|"
    r"bio-medical electronics|medical systems|healthcare|electronics)\b[.,]*",
    re.IGNORECASE,
)
_NAMING_KEY = re.compile(
    r"name|physician|doctor|technician|operator|editor|clinician|patient|site|institution",
    re.IGNORECASE,
)
_PATIENT = ("patient_id", "first_name", "last_name", "clinical_history", "pacemaker_type")
_RECORDING = ("technician", "referring_physician", "room", "location")
_DEVICE = ("serial_number", "institution", "department", "name")


def identifying(record: Any) -> frozenset[str]:  # noqa: ANN401
    """Words of the fields of a record that name somebody or some place, in small letters."""
    held = [getattr(record.patient, name) for name in _PATIENT]
    held += [getattr(record.recording, name) for name in _RECORDING]
    held += [getattr(record.recording.device, name) for name in _DEVICE]
    held += [record.interpretation.interpreter]
    held += _named(record.raw_metadata)
    words = (word for text in held for word in re.findall(r"\w+", str(text or "").lower()))
    return frozenset(word for word in words if len(word) > 2 and word not in _COMMON)


def _named(values: Any, depth: int = 0) -> Iterator[str]:  # noqa: ANN401
    """Texts that stand under a key such as "attending_physician", at any place."""
    items = values.items() if isinstance(values, dict) else ()
    for key, value in items:
        if isinstance(value, dict) and depth < 5:
            yield from _named(value, depth + 1)
        elif isinstance(value, str) and _NAMING_KEY.search(str(key)):
            yield value


def lines_without_identity(lines: Iterable[str], words: frozenset[str]) -> tuple[str, ...]:
    """The lines that name nobody and no date, each once.

    What follows a comparison with an earlier ECG goes too: alone it says what is not so.
    """
    own = takewhile(lambda line: not _COMPARED.search(line), lines)
    kept = (" ".join(_UNPRINTABLE.sub(" ", line).split()) for line in own)
    clean = (line for line in kept if line and not _identifies(line, words))
    return tuple(dict.fromkeys(clean))[:MOST_LINES]


def device_without_identity(parts: Iterable[str], words: frozenset[str]) -> str | None:
    """Maker and model in one line, or None where one of them names somebody."""
    named = " ".join(_COMPANY.sub(" ", part) for part in parts if part.lower() != "unknown")
    said = " ".join(_UNPRINTABLE.sub(" ", named).split()).strip(" .,")
    if not said or _identifies(said, words):
        return None
    return said.replace(" ,", "")[:LONGEST_DEVICE].strip()


def _identifies(line: str, words: frozenset[str]) -> bool:
    signs = (_PERSON, _DATE, _BY_SOMEBODY)
    if len(line) > LONGEST_LINE or any(sign.search(line) for sign in signs):
        return True
    return bool(words & set(re.findall(r"\w+", line.lower())))
