"""From the library's leads to millivolts: units, gaps, the calibration pulse and the rate."""

from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Float

from focal_app.ecg.clinical.dicom import Paddings
from focal_app.ecg.clinical.formats import DICOM, EDF, HL7, MFER, SIERRA, ClinicalFormat
from focal_app.ecg.gaps import runs
from focal_app.ecg.header import SAMPLING_RATES_HZ
from focal_app.ecg.leads import canonical_lead
from focal_app.ecg.plausibility import possible_mv
from focal_app.ecg.recording import ECG, SourceFacts
from focal_app.ecg.signal_file import MAX_SAMPLES
from focal_app.errors import RecordingError

LONGEST_GAP_S = 0.2
"""Longer gaps are not bridged; the checkpoint's own limit for gaps, see `SignalSpec`."""
MOST_MISSING = 0.25
"""A lead with more gaps than this is no recording of the heart but of a cable."""
_NEAR_MV = 0.03
"""A padding value this close to what stands around it continues the trace."""
_PULSE_MV, _PULSE_S = 0.5, 0.15


def samples_of(record: Any, kind: ClinicalFormat, paddings: Paddings) -> ECG:  # noqa: ANN401
    """The rhythm of a record of the library, never its averaged beats; standard leads in its order.

    `paddings` is what a DICOM file writes where nothing was recorded.
    """
    names = [canonical_lead(lead.label) for lead in record.leads]
    leads = [lead for lead, name in zip(record.leads, names, strict=True) if name]
    if not leads:
        _refuse_without_leads(record, kind)
    _check_alike(leads, kind)
    _check_millivolts(leads, kind)
    rate = _rate(record, kind, leads[0])
    found = [
        _without_gaps(_millivolts(lead), value, rate, kind)
        for lead, value in zip(leads, _padding(paddings, leads), strict=True)
    ]
    rows, kept, bridged = zip(*found, strict=True)
    signal, notes = np.array(rows, dtype=np.float32), _gap_notes(sum(kept), sum(bridged), kind)
    if others := len(names) - len(leads):
        channels = "1 channel" if others == 1 else f"{others} channels"
        notes += (f"Left out {channels} without the name of a standard lead.",)
    if kind is SIERRA:
        signal, cut = _without_pulse(signal, rate)
        notes += cut
    return ECG(signal, tuple(filter(None, names)), rate, SourceFacts(kind.name), notes)


def _refuse_without_leads(record: Any, kind: ClinicalFormat) -> None:  # noqa: ANN401
    if record.leads:
        raise RecordingError(
            f"found {len(record.leads)} channels in {kind.file}, none of them named as a "
            "standard ECG lead; I, II, III, aVR, aVL, aVF, V1 to V6 are needed. Export the ECG."
        )
    found = "only an averaged beat" if record.median_beats else "no rhythm strip"
    raise RecordingError(
        f"found {found} in {kind.file}; the recording itself, some 10 s of every lead, is "
        "needed. Export it with its rhythm leads."
    )


def _check_alike(leads: list[Any], kind: ClinicalFormat) -> None:
    """One rate and one length for all leads, and no more samples than fit in memory."""
    if len({lead.sampling_rate for lead in leads}) > 1 or len({len(x.samples) for x in leads}) > 1:
        raise RecordingError(
            f"found leads of different lengths or sampling rates in {kind.file}; the same "
            "for all is needed. Export the 12 leads together."
        )
    if len(leads) * len(leads[0].samples) > MAX_SAMPLES:
        raise RecordingError(
            f"found a recording of more samples than can be read at once; at most {MAX_SAMPLES:,} "
            "in all are needed. Cut out the minutes of interest and export them."
        )


_TO_MV = {"V": 1e3, "mV": 1.0, "uV": 1e-3, "nV": 1e-6}


def _check_millivolts(leads: list[Any], kind: ClinicalFormat) -> None:
    known = [lead.resolution_unit if lead.is_raw else lead.units for lead in leads]
    if any(unit not in _TO_MV for unit in known) or any(not lead.resolution for lead in leads):
        raise RecordingError(
            f"found {kind.file} that does not say how many millivolts a step is; without "
            "it the size of the waves is unknown. Export it with its calibration (sensitivity)."
        )


def _millivolts(lead: Any) -> Float[np.ndarray, " T"]:  # noqa: ANN401
    if lead.is_raw:
        scaled = np.asarray(lead.samples, dtype=np.float64) * lead.resolution + lead.offset
        return scaled * _TO_MV[lead.resolution_unit]
    return np.asarray(lead.samples, dtype=np.float64) * _TO_MV[lead.units]


def _rate(record: Any, kind: ClinicalFormat, lead: Any) -> float:  # noqa: ANN401
    """The exact rate: the library's own is rounded to a whole number."""
    exact = _EXACT.get(kind.name)
    rate = float(lead.sampling_rate)
    found = exact(record.raw_metadata, lead) if exact else None
    rate = found if isinstance(found, int | float) and abs(found - rate) <= 0.5 else rate
    low, high = SAMPLING_RATES_HZ
    if not low <= rate <= high:
        raise RecordingError(
            f"found a sampling rate of {rate:.4g} Hz; {low:g} to {high:g} Hz is needed. Export the "
            "recording at the rate at which it was taken."
        )
    return float(rate)


def _first(values: Any) -> Any:  # noqa: ANN401
    return values[0] if values else None


_EXACT: dict[str, Callable[[dict[str, Any], Any], Any]] = {
    DICOM.name: lambda meta, lead: next(
        (
            group["sampling_frequency"]
            for group in meta.get("multiplex_groups", [])
            if round(group["sampling_frequency"]) == lead.sampling_rate
        ),
        None,
    ),
    HL7.name: lambda meta, _: meta.get("rhythm_time", {}).get("sampling_rate_exact"),
    EDF.name: lambda meta, lead: meta.get("exact_sampling_rates", {}).get(lead.label),
    MFER.name: lambda meta, _: _first(meta.get("sampling_rates")),
}


def _padding(paddings: Paddings, leads: list[Any]) -> list[float | None]:
    """In millivolts for each lead, the value that stands where nothing was recorded."""
    steps = paddings.get(len(leads[0].samples))
    if steps is None:
        return [None] * len(leads)
    return [
        (steps * lead.resolution + lead.offset) * _TO_MV[lead.resolution_unit] for lead in leads
    ]


def _without_gaps(
    signal_mv: Float[np.ndarray, " T"], padding_mv: float | None, rate: float, kind: ClinicalFormat
) -> tuple[Float[np.ndarray, " T"], int, int]:
    """A lead, and how many samples that a file marks as missing were kept, for they continue the
    trace, and how many bridged.

    Gaps at an end, and whole leads without a sample, stay empty.
    """
    filled, longest = possible_mv(signal_mv), LONGEST_GAP_S * rate
    if not np.isnan(filled).any() or np.isnan(filled).all():
        return filled, 0, 0
    kept = 0 if padding_mv is None else _continued(filled, padding_mv, longest)
    gaps = [(first, last) for first, last in runs(np.isnan(filled)) if first > 0]
    inner = [(first, last) for first, last in gaps if last < len(filled)]
    lengths = [last - first for first, last in inner]
    if max(lengths, default=0) > longest:
        _refuse_gap(max(lengths) / rate, kind)
    for first, last in inner:
        ends = filled[first - 1], filled[last]
        filled[first:last] = np.interp(np.arange(first, last), (first - 1, last), ends)
    if np.isnan(filled).mean() > MOST_MISSING:
        _refuse_gap(float(np.isnan(filled).sum()) / rate, kind)
    return filled, kept, sum(lengths)


def _continued(filled: Float[np.ndarray, " T"], padding_mv: float, longest: float) -> int:
    """Put the padding value back where it continues the trace; how many samples that are.

    Some exporters call 0 the padding value, and so mark true zeros of a good trace as missing.
    """
    kept = 0
    for first, last in runs(np.isnan(filled)):
        around = [filled[at] for at in (first - 1, last) if 0 <= at < len(filled)]
        near = min(around) - _NEAR_MV <= padding_mv <= max(around) + _NEAR_MV
        if near and last - first <= longest:
            filled[first:last] = padding_mv
            kept += last - first
    return kept


def _refuse_gap(seconds: float, kind: ClinicalFormat) -> None:
    raise RecordingError(
        f"found a gap of {seconds:.2g} s in a lead of {kind.file} (samples marked as "
        "missing); an uninterrupted recording is needed. Export another part of it."
    )


def _gap_notes(kept: int, bridged: int, kind: ClinicalFormat) -> tuple[str, ...]:
    notes = []
    if kept:
        notes.append(
            f"The {kind.name} file marks {kept} samples as missing that continue the trace; they "
            "were kept."
        )
    if bridged:
        notes.append(f"Interpolated {bridged} samples that the file marks as missing.")
    return tuple(notes)


def _without_pulse(
    signal_mv: Float[np.ndarray, "L T"], rate: float
) -> tuple[Float[np.ndarray, "L S"], tuple[str, ...]]:
    """The recording without the calibration pulse of 1 mV, in all leads alike, at its end."""
    if len(signal_mv) < 2:
        return signal_mv, ()
    alike = np.flatnonzero(np.ptp(signal_mv, axis=0) > 0)
    end = int(alike[-1]) + 1 if len(alike) else 0
    tail = signal_mv[0, end:]
    if end == 0 or (tail > _PULSE_MV).sum() < _PULSE_S * rate:
        return signal_mv, ()
    note = f"Cut the last {len(tail) / rate:.2g} s: the cardiograph's calibration pulse."
    return signal_mv[:, :end], (note,)
