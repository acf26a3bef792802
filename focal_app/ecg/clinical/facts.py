"""What a file says beside the signal: age, sex, device, filters, and the cardiograph's findings."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from focal_app.ecg.clinical.formats import EDF, MORTARA, MUSE, ClinicalFormat
from focal_app.ecg.clinical.identity import (
    device_without_identity,
    identifying,
    lines_without_identity,
)
from focal_app.ecg.header_facts import OLDEST_YEARS
from focal_app.ecg.recording import SourceFacts

_SEX = {"M": "male", "F": "female"}
_FIELDS = {
    "rate_per_min": ("heart_rate", 15, 400),
    "pr_ms": ("pr_interval", 20, 800),
    "qrs_ms": ("qrs_duration", 20, 400),
    "qt_ms": ("qt_interval", 100, 1000),
    "qtc_bazett_ms": ("qtc_bazett", 100, 1000),
    "qtc_fridericia_ms": ("qtc_fridericia", 100, 1000),
    "axis_degrees": ("qrs_axis", -360, 360),
}
"""Fields of `Measurements`, the library's names for them, and what a heart can do."""
_RR = (150, 4000)


def facts_of(record: Any, kind: ClinicalFormat) -> SourceFacts:  # noqa: ANN401
    """The facts of a record, without anything that says who, when or where."""
    words = identifying(record)
    device = record.recording.device
    age = record.patient.age
    return SourceFacts(
        format=kind.name,
        age_years=age if isinstance(age, int) and 0 <= age <= OLDEST_YEARS else None,
        sex=_SEX.get(record.patient.sex),
        # What EDF calls equipment is free text, in which people write what they like.
        device=None
        if kind is EDF
        else device_without_identity((_maker(device, kind), device.model), words),
        filters=_filters(record.recording.acquisition.filters),
        statements=lines_without_identity(_said(record), words),
        device_values=_values(record, kind),
    )


def _maker(device: Any, kind: ClinicalFormat) -> str:  # noqa: ANN401
    """The maker where the file names one, else the one whose format it is."""
    if device.manufacturer and device.manufacturer.lower() != "unknown":
        return device.manufacturer
    whose = {MUSE.name: "GE", MORTARA.name: "Mortara"}
    return whose.get(kind.name, "") if device.model else ""


def _filters(filters: Any) -> tuple[str, ...]:  # noqa: ANN401
    """In a cardiograph's words: "0.05-150 Hz", "50 Hz notch"."""
    low, high = filters.highpass, filters.lowpass
    said = []
    if low and high:
        said.append(f"{low:g}-{high:g} Hz")
    elif low or high:
        said.append(f"from {low:g} Hz" if low else f"to {high:g} Hz")
    if filters.notch and filters.notch_active is not False:
        said.append(f"{filters.notch:g} Hz notch")
    return tuple(said)


def _said(record: Any) -> Iterable[str]:  # noqa: ANN401
    """Statements of the cardiograph's own program, none of a person."""
    interpretation = record.interpretation
    if interpretation.source == "machine":
        for left, right in interpretation.statements:
            yield f"{left} ({right})" if right else left
    else:
        yield from str(record.annotations.get("machine_interpretation", "")).split("\n")


def _values(record: Any, kind: ClinicalFormat) -> Mapping[str, float]:  # noqa: ANN401
    """What the cardiograph measured, where its unit is known and a heart can do it."""
    measured = record.measurements
    values: dict[str, float] = {}
    for name, (theirs, low, high) in _FIELDS.items():
        value = getattr(measured, theirs)
        if isinstance(value, int | float) and low <= value <= high:
            values[name] = float(value)
    for name, value in _between_boundaries(record.annotations).items():
        _, low, high = _FIELDS[name]
        if low <= value <= high:
            values.setdefault(name, value)
    if "rate_per_min" not in values and (rate := _rate_in_words(record.annotations)):
        values["rate_per_min"] = rate
    rr = measured.rr_interval
    if "rate_per_min" not in values and isinstance(rr, int | float) and _RR[0] <= rr <= _RR[1]:
        values["rate_per_min"] = round(60_000 / rr, 1)
    # MUSE corrects by Bazett and calls it corrected; others do not say by which formula.
    corrected = str(record.annotations.get("QTCorrected", "")) if kind is MUSE else ""
    if "qtc_bazett_ms" not in values and re.fullmatch(r"[1-9][0-9]{2}", corrected):
        values["qtc_bazett_ms"] = float(corrected)
    return values


def _between_boundaries(annotations: Mapping[str, str]) -> Mapping[str, float]:
    """Intervals between the wave boundaries that SCP-ECG and HL7 files give of the median beat."""
    at = {
        name: float(text)
        for name in ("p_onset", "qrs_onset", "qrs_offset", "t_offset")
        if re.fullmatch(r"\d{1,4}(\.\d+)?", text := annotations.get(f"median_{name}_ms", ""))
    }
    between = {
        "pr_ms": ("p_onset", "qrs_onset"),
        "qrs_ms": ("qrs_onset", "qrs_offset"),
        "qt_ms": ("qrs_onset", "t_offset"),
    }
    return {
        name: at[last] - at[first]
        for name, (first, last) in between.items()
        if first in at and last in at
    }


def _rate_in_words(annotations: Mapping[str, str]) -> float | None:
    """A rate that a DICOM file gives for a lead, by name and with its unit."""
    for name, text in annotations.items():
        found = re.fullmatch(r"([0-9]{2,3}) (?:\{H\.B\.\})?/min|([0-9]{2,3}) bpm", text)
        if found and "heart rate" in name.lower():
            return float(found[1] or found[2])
    return None
