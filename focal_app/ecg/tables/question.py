"""Numbers without a meaning, and the three answers that make them a recording.

read_recording([Path("ecg.csv")], asked=SignalQuestion(rate_hz=500, unit="uV", leads=LEADS))
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from focal_app.ecg.header import MV_PER_UNIT, SAMPLING_RATES_HZ
from focal_app.ecg.leads import canonical_lead, ordered_by_name
from focal_app.ecg.plausibility import check_plausible, possible_mv
from focal_app.ecg.recording import ECG, LEADS, SourceFacts
from focal_app.errors import RecordingError

UNITS = ("mV", "uV", "V")
EIGHT = ("I", "II", *LEADS[6:])


@dataclass(frozen=True, kw_only=True)
class SignalQuestion:
    """What a table does not say for certain: samples a second, unit, and a lead for each column.

    None is not answered. A column that is no lead (a time, a marker) is called "-".
    """

    rate_hz: float | None = None
    unit: str | None = None
    leads: tuple[str, ...] | None = None

    @property
    def missing(self) -> tuple[str, ...]:
        """What is not answered, in words."""
        said = {
            "the sampling rate": self.rate_hz,
            "the unit": self.unit,
            "the names of the leads": self.leads,
        }
        return tuple(name for name, answer in said.items() if answer is None)


@dataclass(frozen=True)
class SignalTable:
    """`values` (C, T) as the file has them; `guess` is what they may be."""

    values: Float[np.ndarray, "C T"]
    format: str
    guess: SignalQuestion

    def answered(self, asked: SignalQuestion) -> ECG:
        """The recording, or a `RecordingError` for an answer that is missing or cannot be."""
        if asked.rate_hz is None or asked.unit is None or asked.leads is None:
            raise SignalUnknown(self, asked)
        scale = MV_PER_UNIT[_unit(asked.unit).lower()]
        leads = _leads(asked.leads, len(self.values))
        rows = [row for row, lead in enumerate(leads) if lead != NO_LEAD]
        ecg = ECG(
            signal_mv=possible_mv(self.values[rows] * np.float64(scale)).astype(np.float32),
            leads=tuple(leads[row] for row in rows),
            sampling_rate_hz=_rate(asked.rate_hz),
            source=SourceFacts(format=self.format),
            notes=("Rate, unit and leads are as they were told, not as the file may have them.",),
        )
        check_plausible(ecg, told_unit=asked.unit)
        return ordered_by_name(ecg)


class SignalUnknown(RecordingError):
    """A table of which rate, unit or leads are not known; `table` waits for the answers."""

    def __init__(self, table: SignalTable, asked: SignalQuestion | None = None) -> None:
        self.table = table
        lacks = (asked or SignalQuestion()).missing
        listed = lacks[0] if len(lacks) == 1 else f"{', '.join(lacks[:-1])} and {lacks[-1]}"
        super().__init__(
            f"found {len(table.values)} columns of {table.values.shape[1]:,} numbers "
            f"({table.format}); {listed} must be told, for it does not say for certain. "
            f"{guessed(table.guess)}"
        )


NO_LEAD = "-"


def guessed(guess: SignalQuestion) -> str:
    """A guess in words; it is nothing more."""
    parts = [
        f"{guess.rate_hz:g} Hz" if guess.rate_hz else "no rate",
        guess.unit or "no unit (mV, uV and V are known; other numbers have to be converted)",
        "leads " + " ".join(guess.leads) if guess.leads else "no leads",
    ]
    if guess == SignalQuestion():
        return "Nothing can be guessed from the numbers."
    return f"A guess, to be checked: {', '.join(parts)}."


def leads_of(text: str) -> tuple[str, ...]:
    """Lead names in a line of text, between spaces or commas."""
    return tuple(text.replace(",", " ").replace(";", " ").split())


def _rate(rate_hz: float) -> float:
    low, high = SAMPLING_RATES_HZ
    if not low <= rate_hz <= high:
        raise RecordingError(
            f"found a sampling rate of {rate_hz:g} Hz; {low:g} to {high:g} Hz is needed. "
            "Tell how many samples a second there are."
        )
    return float(rate_hz)


def _unit(unit: str) -> str:
    if unit.lower() not in MV_PER_UNIT:
        raise RecordingError(
            "found an unknown unit; mV, uV or V is needed. Tell what one step of the numbers is."
        )
    return unit


def _leads(named: Sequence[str], columns: int) -> list[str]:
    known = [NO_LEAD if name == NO_LEAD else canonical_lead(name) or "" for name in named]
    if len(known) != columns or "" in known:
        found = f"{len(known)} names" if "" not in known else "a name that is no standard lead"
        raise RecordingError(
            f"found {found} for {columns} columns; I, II, III, aVR, aVL, aVF, V1 to V6 are needed, "
            f'one for each column, or "{NO_LEAD}" for a column that is no lead.'
        )
    if set(known) == {NO_LEAD}:
        raise RecordingError(
            f"found {columns} columns, none of them a lead; one at least is needed. Name the leads."
        )
    return [str(name) for name in known]
