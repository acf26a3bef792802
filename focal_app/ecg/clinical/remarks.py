"""What the library warned of, in sentences of our own: its own may quote what identifies."""

import re
from collections.abc import Iterable

_SENTENCES = (
    (
        r"crc|checksum",
        "The file's checksum does not fit: it was changed or damaged after it was written, and "
        "what is drawn may be wrong.",
    ),
    (
        r"truncated|shorter than|not closed|cut",
        "The file breaks off before its announced end; what is there was read.",
    ),
    (r"multiplex group|series found|sequence sets|waveform ignored|not loaded|frame\(s\)",
     "The file holds more than one recording or part; the first rhythm strip was read."),
    (r"unit .* not recognised", "A value of the cardiograph was left out: its unit is unknown."),
    (r"was not applied", "The file names an offset of its leads that is not documented; it was "
     "not applied."),
    (r"concatenated without a gap", "Parts that do not follow each other were joined."),
    (r"not an integer", ""),
    (r"invalid value for vr|value length|character set|beat|metadata|experimental|tag length", ""),
)  # fmt: skip
_OTHER = "The file departs from its format in places; what could be read was read."


def notes_of(warned: Iterable[str]) -> tuple[str, ...]:
    """A sentence for every kind of warning that matters to who looks at the ECG."""
    return tuple(dict.fromkeys(note for one in warned if (note := _sentence(one))))


def _sentence(warning: str) -> str:
    return next((said for sign, said in _SENTENCES if re.search(sign, warning, re.I)), _OTHER)
