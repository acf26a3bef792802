"""Measured on a recording: rate, regularity, intervals, axis, amplitudes, spikes, and its waves.

found = measured(completed(ecg))
found.measurements.qrs_ms.value, found.waves.qrs_s

The delineator marks the waves of each lead; what is said is the median over beats and leads, blank
where leads disagree. The cardiograph's own values, where a file has them, stand beside.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import numpy as np

from focal_app.ecg import intervals
from focal_app.ecg.amplitudes import SEEN_SHARE, amplitudes, unusable
from focal_app.ecg.axis import axis_degrees
from focal_app.ecg.complete import CompleteECG
from focal_app.ecg.gaps import interruptions_s
from focal_app.ecg.lead_waves import beat_table
from focal_app.ecg.measured import Measured
from focal_app.ecg.measurements import Measurement, Measurements, Waves
from focal_app.ecg.pacing import LOWEST_RATE_HZ, paced_beats, spike_times_s
from focal_app.model.delineator import Delineator

LONGEST_S = 30.0
"""Of a longer stretch only so much is measured at a time."""
SHORTEST_S, FEWEST_BEATS = 1.0, 2
LONGEST_GAP_S = 0.2
"""A longer gap may hide a beat."""


@cache
def embedded_delineator() -> Delineator:
    """The one that comes with the app, loaded once.

    It stays on the processor: 12 leads take 80 ms there, and no GPU has to be lent for them.
    """
    return Delineator.load()


def measured(
    complete: CompleteECG, *, start_s: float = 0.0, duration_s: float | None = None
) -> Measured:
    """The stretch of `duration_s` from `start_s` on, up to 30 s of the whole without it.

    Measured once: the result stays with the recording, whose signal never changes.
    """
    kept = vars(complete).setdefault("_measured", {})
    lasting_s = min(duration_s or LONGEST_S, LONGEST_S)
    if (start_s, lasting_s) not in kept:
        found = measured_by(embedded_delineator(), complete, start_s, lasting_s)
        kept[start_s, lasting_s] = found
    return kept[start_s, lasting_s]


def measured_by(
    delineator: Delineator, complete: CompleteECG, start_s: float, duration_s: float
) -> Measured:
    """The same by any delineator."""
    rate_hz, device = complete.sampling_rate_hz, complete.source.device_values
    part = complete.part(start_s, start_s + duration_s)
    rows = part.signal_mv[~part.flat]
    if not len(rows) or rows.shape[1] < SHORTEST_S * rate_hz:
        return Measured(_beside(Measurements(), device), _no_waves())
    begin_s = round(start_s * rate_hz) / rate_hz
    spikes_s = spike_times_s(rows, rate_hz)
    probabilities = delineator.probabilities(rows, rate_hz, spikes_s=spikes_s)
    lost_s = begin_s + interruptions_s(rows, rate_hz, longest_s=LONGEST_GAP_S)
    table = replace(
        beat_table(probabilities, delineator.rate_hz, start_s=begin_s), interruptions_s=lost_s
    )
    if len(table.qrs_s) < FEWEST_BEATS:
        return Measured(_beside(Measurements(), device), _no_waves())
    shown = intervals.waves(table, np.zeros(0))
    spikes = paced_beats(begin_s + spikes_s, shown.qrs_s[:, 0])
    values = intervals.measurements(table)
    if values.rate_per_min.value is not None:
        seen = np.zeros((len(table.qrs_s), len(part.leads)), dtype=bool)
        seen[:, ~part.flat] = np.isfinite(table.qrs_s[..., 0])
        qrs_s, t_s = shown.qrs_s - begin_s, shown.t_s - begin_s
        # A stimulus would count as voltage.
        heights = {} if len(spikes) else amplitudes(part, qrs_s, t_s, seen)
        values = replace(values, axis_degrees=_axis(part, qrs_s, seen), **heights)
    return Measured(
        _beside(values, device),
        replace(shown, spikes_s=spikes),
        None if values.rate_per_min.value is None else intervals.p_share(table),
        bool(len(spikes)) if rate_hz >= LOWEST_RATE_HZ else None,
        None if len(spikes) else intervals.unrelated_p_per_min(table),
        None
        if len(spikes) or values.rate_per_min.value is None
        else intervals.beats_that_come_early(table),
    )


def _axis(ecg: CompleteECG, qrs_s: np.ndarray, seen: np.ndarray) -> Measurement:
    lost = dict(zip(ecg.leads, unusable(ecg, seen.mean(axis=0) < SEEN_SHARE), strict=True))
    if lost.get("I", True) or lost.get("aVF", True):
        return Measurement()
    lead_i, avf = (ecg.signal_mv[ecg.leads.index(lead)] for lead in ("I", "aVF"))
    return axis_degrees(lead_i, avf, ecg.sampling_rate_hz, qrs_s)


def _beside(found: Measurements, device: Mapping[str, float]) -> Measurements:
    """The same with the cardiograph's own values."""
    beside = {
        field.name: replace(getattr(found, field.name), device=device.get(field.name))
        for field in dataclasses.fields(found)
    }
    return Measurements(**beside)


def _no_waves() -> Waves:
    none = np.zeros((0, 2))
    return Waves(none, none, none, np.zeros(0))
