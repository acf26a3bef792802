"""What a clinician should know of a recording before believing anything said about it.

Each check returns sentences; thresholds are constants with their reason. None of them refuses a
recording: `plausibility` and `prepare` do that.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float
from scipy.signal import butter, sosfiltfilt

from focal_app.ecg.complete import LIMB_COEFFICIENTS, CompleteECG
from focal_app.ecg.gaps import clipped_rows, recorded
from focal_app.ecg.leads import listed
from focal_app.ecg.recording import ECG, LEADS

SHORT_S = 5.0
MISSING_SHARE = 0.01

LOWEST_SPREAD_MV = 0.05
HIGHEST_SPREAD_MV = 10.0

TOLERANCE_MV = 0.1
TOLERANCE_SHARE = 0.25
"""Limb leads may disagree by 0.1 mV or a quarter of their amplitude, whichever is more.

Files of one converter agree to a step or two, exchanged leads differ by their whole amplitude.
LUDB, whose leads are each scaled to a span of 1 mV, mostly breaks the laws and is told so: its
amplitudes do not compare from lead to lead.
"""

NOISE_MV = 0.05
"""Median of |signal| above 40 Hz, as a standard deviation: half a millimetre of fuzz on paper."""

SPIKE_MV, SPIKE_SHARE, SPIKE_ALONE = 1.0, 0.75, 0.25
"""A lone sample this far from both neighbours, in mV and in spans of its lead, where no other lead
jumps by a quarter of it.

Bits above the sixteenth of formats 24 and 32, which no checksum sees, change single samples so; a
pacing spike shows in several leads. On 536 real recordings at 400 and 500 Hz it never spoke.
"""
SPIKE_RATE_HZ = 250.0
"""Below, the peak of an R wave may itself be a lone sample."""

WANDER_MV = 2.0
REVERSAL_CORRELATION = -0.5


@dataclass(frozen=True)
class _Leads:
    """The leads that move, median-centred: (L, T) in mV, and their names.

    Gaps are filled; `recorded` says where there were none.
    """

    signal_mv: Float[np.ndarray, "L T"]
    recorded: Bool[np.ndarray, "L T"]
    names: tuple[str, ...]
    sampling_rate_hz: float

    def together(self, *leads: str) -> Bool[np.ndarray, " T"]:
        """Where all of these are recorded; nowhere, where it is for less than a second."""
        found = self.recorded[[self.names.index(lead) for lead in leads]].all(axis=0)
        return found & (found.sum() >= self.sampling_rate_hz)

    def of(self, lead: str) -> Float[np.ndarray, " T"] | None:
        return self.signal_mv[self.names.index(lead)] if lead in self.names else None


def quality_warnings(
    ecg: CompleteECG,
    *,
    window_s: tuple[float, float] | None = None,
    unread: Collection[str] = (),
) -> tuple[str, ...]:
    """Sentences on what is wrong, or may be wrong, with a recording; empty for a good one.

    With `window_s` (from, to) only what lies there is looked at: the part that is shown, at the
    same cost however long the recording is. Derived leads are not judged: they are as good as
    those from which they follow. Neither are the waves of leads that are `unread`: what says so
    says why.
    """
    part = ecg.part(*window_s) if window_s else ecg
    own = np.isin(part.leads, part.recorded)
    moving = own & ~part.flat
    judged = moving & ~np.isin(part.leads, list(unread))
    filled = part.bridged_mv[judged]
    names = tuple(lead for lead, one in zip(part.leads, judged, strict=True) if one)
    centred = filled - np.median(filled, axis=1, keepdims=True)
    kept = recorded(part.signal_mv, ecg.sampling_rate_hz)
    leads = _Leads(centred, kept[judged], names, ecg.sampling_rate_hz)
    warnings = [
        *_extent(part, ecg.duration_s),
        *_flat(part, own & part.flat),
        *_missing_samples(part, moving),
        *_dropouts(part, moving, kept),
    ]
    if names:
        for check in _CHECKS:
            warnings += check(leads)
    return tuple(warnings)


def _extent(ecg: CompleteECG, duration_s: float) -> list[str]:
    """Missing leads and a short recording."""
    warnings = []
    if missing := [lead for lead in LEADS if lead not in ecg.leads]:
        warnings.append(f"Not recorded: {listed(missing)}. Findings there cannot be seen.")
    if duration_s < SHORT_S:
        warnings.append(
            f"In {duration_s:.2g} s rhythm cannot be judged, and a rate is that of a few beats."
        )
    return warnings


def _flat(ecg: ECG, flat: Bool[np.ndarray, " L"]) -> list[str]:
    leads = [lead for lead, is_flat in zip(ecg.leads, flat, strict=True) if is_flat]
    return [f"Flat: {listed(leads)}. An electrode may be off, or nothing exported."] * bool(leads)


def _missing_samples(ecg: ECG, moving: Bool[np.ndarray, " L"]) -> list[str]:
    share = np.isnan(ecg.signal_mv).mean(axis=1)
    rows = np.flatnonzero(moving & (share > MISSING_SHARE)).tolist()
    if not rows:
        return []
    return [f"Samples are missing in {_each(ecg, rows, [f'{one:.0%}' for one in share])}."]


def _dropouts(ecg: ECG, moving: Bool[np.ndarray, " L"], kept: Bool[np.ndarray, "L T"]) -> list[str]:
    still = ~kept & ~np.isnan(ecg.signal_mv)
    seconds = still.sum(axis=1) / ecg.sampling_rate_hz
    rows = np.flatnonzero(moving & (seconds > 0))
    if not len(rows):
        return []
    lost = _each(ecg, rows.tolist(), [f"{one:.1f} s" for one in seconds])
    return [f"The signal stands still for a while in {lost}."]


def _each(ecg: ECG, rows: list[int], values: list[str]) -> str:
    """Leads with a value each, or all of them where all have the same."""
    if len(rows) == len(ecg.leads) > 1 and len(set(values)) == 1:
        return f"all leads ({values[0]})"
    return listed([f"{ecg.leads[row]} ({values[row]})" for row in rows])


def _clipped(leads: _Leads) -> list[str]:
    found = clipped_rows(leads.signal_mv, leads.sampling_rate_hz)
    clipped = [lead for lead, cut in zip(leads.names, found, strict=True) if cut]
    return [f"Clipped at an extreme value: {listed(clipped)}. Peaks are cut off."] * bool(clipped)


def _lone_spikes(leads: _Leads) -> list[str]:
    """Leads in which single samples jump and come back, while no other lead moves."""
    signal = leads.signal_mv
    if leads.sampling_rate_hz < SPIKE_RATE_HZ or len(signal) < 3 or signal.shape[1] < 3:
        return []
    before, at, after = signal[:, :-2], signal[:, 1:-1], signal[:, 2:]
    jump = np.maximum(np.minimum(at - before, at - after), np.minimum(before - at, after - at))
    low, high = np.percentile(signal, [1, 99], axis=1)
    tall = jump > np.maximum(SPIKE_MV, SPIKE_SHARE * (high - low))[:, None]
    places = np.flatnonzero(tall.any(axis=0))
    second, first = np.sort(jump[:, places], axis=0)[-2:]
    alone = places[second < SPIKE_ALONE * first]
    if not len(alone):
        return []
    rows = set(jump[:, alone].argmax(axis=0).tolist())
    spiked = [lead for row, lead in enumerate(leads.names) if row in rows]
    return [
        f"Single samples jump in {listed(spiked)}, and in no other lead: the file may be damaged."
    ]


def _amplitude(leads: _Leads) -> list[str]:
    """Amplitudes that no ECG has: all leads tiny (a wrong unit?), or some of them huge."""
    low, high = np.percentile(leads.signal_mv, [1, 99], axis=1)
    spread = high - low
    if spread.max() < LOWEST_SPREAD_MV:
        return [
            f"All leads span less than {LOWEST_SPREAD_MV:g} mV: the unit or gain of the file may "
            "be wrong."
        ]
    huge = [
        f"{lead} ({span:.0f} mV)"
        for lead, span in zip(leads.names, spread, strict=True)
        if span > HIGHEST_SPREAD_MV
    ]
    if not huge:
        return []
    cause = (
        "the unit or gain of the file may be wrong"
        if len(huge) == len(leads.names)
        else ("an electrode may be loose")
    )
    return [f"Larger than an ECG can be: {listed(huge)}; {cause}."]


def _limb_laws(leads: _Leads) -> list[str]:
    """Einthoven's law II = I + III, and Goldberger's leads from I and II."""
    known = {lead: leads.of(lead) for lead in LIMB_COEFFICIENTS}
    first, second = known["I"], known["II"]
    if first is None or second is None:
        return []
    own = [leads.names.index(lead) for lead, row in known.items() if row is not None]
    rows = [leads.signal_mv[row, leads.recorded[row]] for row in own]
    amplitude = float(np.median([np.percentile(np.abs(row), 99) for row in rows if len(row)] or 0))
    tolerance = max(TOLERANCE_MV, TOLERANCE_SHARE * amplitude)
    wrong = {}
    for lead in ("III", "aVR", "aVL", "aVF"):
        if (row := known[lead]) is None or not (here := leads.together("I", "II", lead)).any():
            continue
        weight_i, weight_ii = LIMB_COEFFICIENTS[lead]
        residual = (row - weight_i * first - weight_ii * second)[here]
        difference = float(np.percentile(np.abs(residual - np.median(residual)), 99))
        if difference > tolerance:
            wrong[lead] = difference
    return _broken_laws(wrong, tolerance)


def _broken_laws(wrong: dict[str, float], tolerance: float) -> list[str]:
    warnings = []
    if "III" in wrong:
        warnings.append(
            f"II differs from I + III by {wrong['III']:.2f} mV (up to {tolerance:.2f} mV is "
            "tolerated): limb leads may be mislabelled or scaled differently."
        )
    if others := [f"{lead} by {wrong[lead]:.2f} mV" for lead in wrong if lead != "III"]:
        warnings.append(
            f"Not what I and II give: {listed(others)} (up to {tolerance:.2f} mV is tolerated); "
            "limb leads may be mislabelled or scaled differently."
        )
    return warnings


def _noise(leads: _Leads) -> list[str]:
    """Muscle artefact and mains in some leads, baseline wander in some leads."""
    rate = leads.sampling_rate_hz
    if leads.signal_mv.shape[1] < rate:
        return []
    warnings = []
    if rate >= 100:
        fast = sosfiltfilt(butter(2, 40, "highpass", fs=rate, output="sos"), leads.signal_mv)
        # 0.6745 turns the median of |x| of Gaussian noise into its standard deviation.
        level = np.median(np.abs(fast), axis=1) / 0.6745
        if noisy := [lead for lead, mv in zip(leads.names, level, strict=True) if mv > NOISE_MV]:
            warnings.append(f"Noisy (muscle or mains): {listed(noisy)}.")
    # Mirrored at its ends: turned about a point of a deep S the signal would leave for good.
    low = butter(1, 0.5, fs=rate, output="sos")
    slow = sosfiltfilt(low, leads.signal_mv, padtype="even")
    drift = np.ptp(slow, axis=1)
    if moved := [lead for lead, mv in zip(leads.names, drift, strict=True) if mv > WANDER_MV]:
        warnings.append(f"The baseline wanders by more than {WANDER_MV:g} mV: {listed(moved)}.")
    return warnings


def _arm_reversal(leads: _Leads) -> list[str]:
    """Lead I upside down against V6, and aVR upright: arms exchanged, or a rare anatomy.

    On 444 recordings of PTB-XL and LUDB as they come it never spoke; with arms exchanged in
    software it found 71 % and 63 % of them.
    """
    rows = [leads.of(lead) for lead in ("I", "aVR", "V6")]
    rate = leads.sampling_rate_hz
    if any(row is None for row in rows) or rate < 100:
        return []
    if not (here := leads.together("I", "aVR", "V6")).any():
        return []
    band = butter(2, [0.5, 40], "bandpass", fs=rate, output="sos")
    first, right, sixth = sosfiltfilt(band, np.stack([row for row in rows if row is not None]))
    first, right, sixth = first[here], right[here], sixth[here]
    opposed = float(np.corrcoef(first, sixth)[0, 1]) < REVERSAL_CORRELATION
    if opposed and _uprightness(first) < 0 < _uprightness(right):
        return [
            "Possible reversal of the arm electrodes: lead I points down and aVR up, against V6. "
            "Dextrocardia looks similar in lead I. Check the electrodes before reading on."
        ]
    return []


def _uprightness(row: Float[np.ndarray, " T"]) -> float:
    """From -1 (all waves point down) to 1 (all point up)."""
    low, high = np.percentile(row - np.median(row), [0.5, 99.5])
    return float((high + low) / max(high - low, 1e-9))


_CHECKS: tuple[Callable[[_Leads], list[str]], ...] = (
    _clipped,
    _lone_spikes,
    _amplitude,
    _limb_laws,
    _noise,
    _arm_reversal,
)
