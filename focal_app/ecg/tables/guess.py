"""What a table of numbers may be: a guess for whoever knows, never more."""

import re
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from focal_app.ecg.leads import canonical_lead
from focal_app.ecg.recording import LEADS
from focal_app.ecg.signal_file import MAX_SAMPLES
from focal_app.ecg.tables.question import (
    EIGHT,
    NO_LEAD,
    UNITS,
    SignalQuestion,
    SignalTable,
)
from focal_app.errors import RecordingError

USUAL_RATES_HZ = (500, 250, 1000, 400, 240, 300, 360, 100, 200, 125, 800, 2000)
_SECONDS = (10.0, 12.0, 30.0, 60.0)
_MV_SPAN, _UV_SPAN = (0.1, 15.0), (60.0, 15_000.0)
"""What most leads span in an ECG in millivolts, and in microvolts."""
_FEWEST_SAMPLES = 50
MOST_COLUMNS = 64
_LONGEST_NAME = 200
"""More of a name is not looked at: it takes the square of its length."""
_WITH_UNIT = re.compile(
    r"\W*(?P<name>.{0,40}?)\s*"
    r"(?:[\[(/,_ ]\s*(?P<unit>[mµμu]?V)\s*[\])]?|[\[(](?P<other>[^\])]{1,20})[\])])\s*",
    re.I,
)
"""A name and its unit; any word in brackets may be one."""


def table_of(
    numbers: Float[np.ndarray, "..."],
    kind: str,
    *,
    names: Sequence[str] = (),
    rate_hz: float | None = None,
) -> SignalTable:
    """The table in an array of two dimensions: rows are the columns of a file, whichever is less.

    `names` are those of the columns, where the file has them, perhaps with a unit: "lead I (mV)";
    `rate_hz` where it seems to say.
    """
    values = _two_dimensions(numbers, kind)
    with np.errstate(all="ignore"):
        guess = _guess(values, names, rate_hz)
        return SignalTable(values.astype(np.float32), kind, guess)


def _guess(values: np.ndarray, names: Sequence[str], rate_hz: float | None) -> SignalQuestion:
    bare, units = _without_units(names)
    time = _time_column(values, bare)
    if time is not None:
        rate_hz = rate_hz or _rate_of_times(values[time])
    known = {unit.lower(): unit for unit in UNITS}
    by_size = _unit(np.delete(values, time, axis=0) if time is not None else values)
    return SignalQuestion(
        rate_hz=rate_hz or _usual_rate(values.shape[1]),
        unit=by_size if not units else known.get(units.pop()) if len(units) == 1 else None,
        leads=_leads(bare, len(values), time),
    )


def _without_units(names: Sequence[str]) -> tuple[list[str], set[str]]:
    """Names of columns without their units, and the units that those of leads have."""
    names = [" ".join(name[:_LONGEST_NAME].split()) for name in names]
    parts = [None if canonical_lead(name) else _WITH_UNIT.fullmatch(name) for name in names]
    bare = [part["name"].strip() if part else name for part, name in zip(parts, names, strict=True)]
    of_leads = {
        (part["unit"] or part["other"]).lower().replace("µ", "u").replace("μ", "u")
        for part, name in zip(parts, bare, strict=True)
        if part and canonical_lead(name)
    }
    return bare, of_leads


def _two_dimensions(numbers: np.ndarray, kind: str) -> np.ndarray:
    if numbers.dtype.kind not in "iuf":
        raise RecordingError(
            f"found a {kind} file without numbers; a table of samples is needed, a column a lead."
        )
    if numbers.ndim == 3 and 1 in numbers.shape:
        numbers = numbers.reshape([size for size in numbers.shape if size != 1] or [1])
    if numbers.ndim == 1:
        numbers = numbers[None]
    if numbers.ndim != 2:
        raise RecordingError(
            f"found an array of {numbers.ndim} dimensions ({kind}), which is not one recording; "
            "two are needed, leads and samples. Save a single recording."
        )
    values = numbers if numbers.shape[0] <= numbers.shape[1] else numbers.T
    columns, samples = values.shape
    if columns < 1 or columns > MOST_COLUMNS or samples < _FEWEST_SAMPLES:
        raise RecordingError(
            f"found a table of {columns:,} by {samples:,} numbers ({kind}); 1 to {MOST_COLUMNS} "
            "leads of some seconds are needed. Save one column a lead, one row a sample."
        )
    if values.size > MAX_SAMPLES:
        raise RecordingError(
            f"found more numbers than can be read at once ({kind}); at most {MAX_SAMPLES:,} in all "
            "are needed. Cut out the minutes of interest."
        )
    return values


def _time_column(values: np.ndarray, names: Sequence[str]) -> int | None:
    """The first column where it rises in even steps and is named as no lead."""
    if len(values) < 2 or (names and canonical_lead(names[0])):
        return None
    steps = np.diff(values[0].astype(np.float64))
    even = len(steps) > 0 and np.isfinite(steps).all() and steps.min() > 0
    return 0 if even and steps.max() - steps.min() <= 0.02 * steps.mean() + 1e-9 else None


def _rate_of_times(times: np.ndarray) -> float | None:
    """Steps of at most 0.02 are seconds (50 Hz), larger ones milliseconds; 1 is a count."""
    step = float((times[-1] - times[0]) / (len(times) - 1))
    if step == 1.0:
        return None
    rate = 1 / step if step <= 0.0201 else 1000 / step
    return float(f"{rate:.4g}") if 50 <= rate <= 10_000 else None


def _usual_rate(samples: int) -> float | None:
    """The usual rate at which the samples last a usual time."""
    for seconds in _SECONDS:
        for rate in USUAL_RATES_HZ:
            if samples == round(rate * seconds):
                return float(rate)
    return 400.0 if samples == 4096 else None


def _unit(values: np.ndarray) -> str | None:
    finite = np.where(np.isfinite(values), values, np.nan)
    spans = [np.nanmax(row) - np.nanmin(row) for row in finite if not np.isnan(row).all()]
    span = float(np.median(spans)) if spans else 0.0
    if _MV_SPAN[0] <= span <= _MV_SPAN[1]:
        return "mV"
    return "uV" if _UV_SPAN[0] <= span <= _UV_SPAN[1] else None


def _leads(names: Sequence[str], columns: int, time: int | None) -> tuple[str, ...] | None:
    """By the columns' names, else by their number: 12 and 8 in the usual order."""
    found = [canonical_lead(name) for name in names]
    if len(found) == columns and any(found):
        return tuple(name or NO_LEAD for name in found)
    usual = {12: LEADS, 8: EIGHT}.get(columns - (time is not None))
    before = (NO_LEAD,) if time is not None else ()
    return (*before, *usual) if usual else None
