"""A WFDB header, parsed strictly: what it describes, and nothing of whom or when.

Format: https://physionet.org/physiotools/wag/header-5.htm. The record's name, date and time are
skipped unread (they identify, and some public headers write dates that parsers stumble over).
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from focal_app.ecg.header_facts import facts_of_comments
from focal_app.ecg.recording import SourceFacts
from focal_app.errors import RecordingError

SAMPLING_RATES_HZ = (50.0, 10_000.0)
MAX_CHANNELS = 256
DEFAULT_GAIN = 200.0
"""Units of the converter per millivolt where a header gives none, by the WFDB standard."""

MV_PER_UNIT = {
    "v": 1e3,
    "mv": 1.0,
    "millivolt": 1.0,
    "millivolts": 1.0,
    "uv": 1e-3,
    "\u00b5v": 1e-3,
    "\u03bcv": 1e-3,
    "microvolt": 1e-3,
    "microvolts": 1e-3,
    "nv": 1e-6,
}

OTHER_UNITS = frozenset(["adu", "bpm", "c", "cm", "g", "hz", "mmhg", "nu", "ohm", "s", "%"])
"""Units of other signals than ECG; one that is not listed could be anybody's name."""

# Digits are those of ASCII: Python's own numbers may hold underscores and any script's digits.
_FORMAT = re.compile(r"([0-9]{1,4})(?:x([0-9]{1,9}))?(?::([0-9]{1,9}))?(?:\+([0-9]{1,9}))?")
_GAIN = re.compile(r"([^(/]+)(?:\((-?[0-9]{1,12})\))?(?:/(.+))?")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_WHOLE = re.compile(r"[+-]?[0-9]{1,12}")
_DIGITS = re.compile(r"[0-9]+")
_RECORD_NAME = re.compile(r"[^\s/\\]+(/[0-9]{1,9})?")


@dataclass(frozen=True)
class Channel:
    """One signal of a header: how it is stored, and how its numbers become a voltage.

    `gain` is in converter units per `unit`; `calibrated` is false where the header gives none.
    `samples_per_frame`, `skew` and `byte_offset` are those of the WFDB standard.
    """

    file_name: str
    storage: str
    samples_per_frame: int
    skew: int
    byte_offset: int
    gain: float
    baseline: int
    unit: str
    calibrated: bool
    initial: int
    checksum: int | None
    name: str

    @property
    def mv_per_step(self) -> float:
        """Millivolts of one step of the converter."""
        return MV_PER_UNIT[self.unit.lower()] / self.gain


@dataclass(frozen=True)
class Header:
    """`samples` counts frames; None where the header leaves the length to the signal file."""

    frame_rate_hz: float
    samples: int | None
    channels: tuple[Channel, ...]
    facts: SourceFacts


def parse_header(text: str) -> Header:
    """The header in `text`, or a `RecordingError` that says which line cannot be used."""
    if "\x00" in text:
        raise _no_header("binary data")
    lines = [line.strip() for line in text.splitlines()]
    comments = [line.lstrip("# \t") for line in lines if line.startswith("#")]
    lines = [line for line in lines if line and not line.startswith("#")]
    if not lines:
        raise _no_header("no line that describes a recording")
    rate, samples, count = _record_line(lines[0])
    if len(lines) - 1 != count:
        raise RecordingError(
            f"found a header that announces {count} channels and describes {len(lines) - 1}; "
            "it is damaged or cut off. Export or download the recording again."
        )
    channels = tuple(_signal_line(line, row + 1) for row, line in enumerate(lines[1:]))
    _check_rates(rate, channels)
    return Header(rate, samples, channels, facts_of_comments(comments))


def _no_header(found: str) -> RecordingError:
    return RecordingError(
        f"found {found} where a WFDB header is needed (a text file ending in .hea, whose first "
        "line gives the number of channels, the sampling rate and the length). "
        "Choose the .hea file that belongs to the recording."
    )


def _record_line(line: str) -> tuple[float, int | None, int]:
    """Frame rate in Hz, frames (None: not given) and channels of the first line."""
    fields = line.split()
    name = _RECORD_NAME.fullmatch(fields[0])
    if name is None or len(fields) < 2 or not _DIGITS.fullmatch(fields[1]):
        raise _no_header("a first line of another kind")
    if name[1] is not None:
        raise RecordingError(
            "found a header of a recording in several segments; one continuous segment is "
            "needed. Choose the header of a single segment, or export the part to be read."
        )
    count = int(fields[1][:9])
    if not 1 <= count <= MAX_CHANNELS:
        shown = "no channel" if count == 0 else f"more than {MAX_CHANNELS} channels"
        raise RecordingError(
            f"found a header with {shown}; 1 to {MAX_CHANNELS} are needed. "
            "Export the 12-lead recording again."
        )
    if len(fields) < 3:
        raise RecordingError(
            "found a header without a sampling rate; it is needed to know the seconds. "
            "Add it to the first line, after the number of channels."
        )
    return _sampling_rate(fields[2]), _length(fields[3] if len(fields) > 3 else ""), count


def _sampling_rate(field: str) -> float:
    rate = _number(field.split("/")[0])
    if not 0 <= rate < math.inf:
        raise _bad_rate("no number as the sampling rate")
    return rate


def _check_rates(frame_rate_hz: float, channels: Sequence[Channel]) -> None:
    """Hold every channel's own rate, frames times samples per frame, against the limits.

    Channels of several rates are read at that of the frames.
    """
    low, high = SAMPLING_RATES_HZ
    per_frame = {channel.samples_per_frame for channel in channels}
    read_at = frame_rate_hz * (per_frame.pop() if len(per_frame) == 1 else 1)
    fastest = max(frame_rate_hz * channel.samples_per_frame for channel in channels)
    if read_at < low:
        raise _bad_rate(f"a sampling rate of less than {low:g} Hz")
    if fastest > high:
        raise _bad_rate(f"a sampling rate of more than {high:g} Hz")


def _bad_rate(found: str) -> RecordingError:
    low, high = SAMPLING_RATES_HZ
    return RecordingError(
        f"found {found}; {low:g} to {high:g} Hz is needed, frames times samples per frame. "
        "Correct the header."
    )


def _number(text: str) -> float:
    """A decimal number as the format has it, NaN for anything else."""
    return float(text) if _NUMBER.fullmatch(text) else math.nan


def _length(field: str) -> int | None:
    """Frames of the recording; 0, a missing field or a time of day in its place mean unknown."""
    if not _DIGITS.fullmatch(field):
        if any(letter.isdecimal() and not letter.isascii() for letter in field) or "_" in field:
            raise RecordingError(
                "found a length that is no whole number; the number of samples in the signal "
                "file is needed, in the digits 0 to 9. Correct the first line of the header."
            )
        return None
    if len(field) > 18:
        raise RecordingError(
            "found a header that claims more than 10^18 samples; the number of samples in "
            "the signal file is needed. Correct the first line of the header."
        )
    return int(field) or None


def _signal_line(line: str, row: int) -> Channel:
    """One channel; `row` counts from 1, for the message."""
    fields = line.split(maxsplit=8)
    storage = _FORMAT.fullmatch(fields[1]) if len(fields) > 1 else None
    if storage is None:
        raise _bad_line(row, "no storage format after the file's name")
    gain, baseline, unit, calibrated = _gain(fields[2] if len(fields) > 2 else "", row)
    zero, initial, checksum = (_integer(fields, place, row) for place in (4, 5, 6))
    return Channel(
        file_name=fields[0],
        storage=storage[1],
        samples_per_frame=int(storage[2] or 1),
        skew=int(storage[3] or 0),
        byte_offset=int(storage[4] or 0),
        gain=gain,
        baseline=(zero or 0) if baseline is None else baseline,
        unit=unit,
        calibrated=calibrated,
        initial=initial or 0,
        checksum=checksum,
        name=fields[8] if len(fields) > 8 else "",
    )


def _gain(field: str, row: int) -> tuple[float, int | None, str, bool]:
    """Gain, baseline (None: not given), unit and whether the header gives a gain at all."""
    match = _GAIN.fullmatch(field) if field else None
    if field and match is None:
        raise _bad_line(row, "a gain that cannot be read")
    gain = _number(match[1]) if match else 0.0
    if not math.isfinite(gain) or (gain != 0 and not 1e-6 <= abs(gain) <= 1e12):
        raise _bad_line(row, "a gain that is no usable number")
    unit = (match[3] if match else None) or "mV"
    if unit.lower() not in MV_PER_UNIT:
        found = f"the unit {unit}" if unit.lower() in OTHER_UNITS else "an unknown unit"
        raise RecordingError(
            f"found {found} for channel {row}; mV, uV or V is needed, since the "
            "size of the waves matters. Correct the unit in the header."
        )
    baseline = int(match[2]) if match and match[2] else None
    return gain or DEFAULT_GAIN, baseline, unit, gain != 0


def _integer(fields: list[str], place: int, row: int) -> int | None:
    if len(fields) <= place:
        return None
    if not _WHOLE.fullmatch(fields[place]):
        raise _bad_line(row, "a field that should be a whole number and is none")
    return int(fields[place])


def _bad_line(row: int, found: str) -> RecordingError:
    return RecordingError(
        f"found {found} in the header's line for channel {row}; file, format, gain and unit are "
        "needed there. Export or download the recording again."
    )
