"""From a recording to what the model sees; the app and the training call this one function.

    prepared = prepare(ecg, SignalSpec())

Leads by name, limb leads derived, gaps bridged, resampled, high-pass filtered, cut, normalised,
and masked where nothing was recorded.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from jaxtyping import Bool, Float
from scipy.signal import butter, sosfiltfilt

from focal_app.ecg.complete import CompleteECG, completed
from focal_app.ecg.gaps import STILL_S, fill_gaps, still
from focal_app.ecg.leads import listed
from focal_app.ecg.recording import ECG, LEADS
from focal_app.ecg.resampling import resampled
from focal_app.ecg.signal_spec import SignalSpec
from focal_app.errors import RecordingError, TooLittleSignal

CLIP_MV = 5.0
CLIP_AMPLITUDES = 10.0
"""`record-robust` is clipped here: a spike stays a spike and no more."""

_MARGIN_S = 4.0
"""Context on either side of a window, so that filters start outside it."""


@dataclass(frozen=True)
class Prepared:
    """`signal` (L, T) float32, leads in the order of `LEADS`, 0 where unseen.

    `seen` (L, N_time): at least half of the patch is recorded signal. `start_s` counts from the
    start of the recording. `notes` says, for a user, what preparing did or left out, beyond the
    notes of the recording itself.
    """

    signal: Float[np.ndarray, "L T"]
    seen: Bool[np.ndarray, "L N_time"]
    start_s: float
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Window:
    """One window at the model's rate, in mV: (L, T) of the leads of an ECG, and what is real.

    `beatless` are the leads that hold noise in place of beats, of which nothing is real. `repaired`
    and `lost` count missing samples inside it, as the file has them.
    """

    signal_mv: Float[np.ndarray, "L T"]
    real: Bool[np.ndarray, "L T"]
    beatless: Bool[np.ndarray, " L"]
    repaired: int
    lost: int


def window_starts(ecg: ECG, spec: SignalSpec) -> tuple[float, ...]:
    """Where windows may start, in seconds; the last one ends with the recording.

    A remainder of less than half a patch opens no window: it could not fill a patch.
    """
    rest = ecg.duration_s - spec.duration_s
    half_patch_s = spec.duration_s / spec.windows / 2
    if rest < half_patch_s:
        return (0.0,)
    whole = math.floor(rest / spec.duration_s + 1e-9)
    starts = [index * spec.duration_s for index in range(whole + 1)]
    if rest - starts[-1] >= half_patch_s:
        starts.append(rest)
    return tuple(starts)


def prepare(ecg: ECG, spec: SignalSpec, *, start_s: float = 0.0) -> Prepared:
    """The window of `ecg` that starts at `start_s`, as the model of `spec` takes it.

    Samples after the end of the recording, missing and flat leads, those that hold noise in place
    of beats, long gaps and stretches that hold still are 0 and not seen.
    """
    _check_extent(ecg, spec, start_s)
    complete = completed(ecg)
    window = _window(complete, spec, start_s)
    patches = window.real.reshape(len(complete.leads), spec.windows, spec.window_samples)
    seen = patches.mean(axis=2) >= 0.5
    _check_leads(complete, seen, window.beatless, spec)
    normal = _normalised(window, window.real & np.repeat(seen, spec.window_samples, axis=1), spec)
    rows = [LEADS.index(lead) for lead in complete.leads]
    signal = np.zeros((len(LEADS), spec.samples), dtype=np.float32)
    all_seen = np.zeros((len(LEADS), spec.windows), dtype=bool)
    signal[rows], all_seen[rows] = normal, seen
    notes = complete.notes[len(ecg.notes) :] + _notes(complete, window, seen, spec, start_s)
    return Prepared(signal=signal, seen=all_seen, start_s=start_s, notes=notes)


def _check_extent(ecg: ECG, spec: SignalSpec, start_s: float) -> None:
    if ecg.duration_s < spec.minimum_duration_s:
        raise TooLittleSignal(
            f"found {_down(ecg.duration_s)} s of signal; at least {spec.minimum_duration_s:g} s is "
            f"needed, {spec.duration_s:g} s is best. Export a longer part of the recording."
        )
    if not 0.0 <= start_s <= max(0.0, ecg.duration_s - spec.minimum_duration_s):
        latest_s = math.floor(10 * (ecg.duration_s - spec.minimum_duration_s)) / 10
        raise RecordingError(
            f"found a window that starts at {start_s:.9g} s in a recording of "
            f"{round(ecg.duration_s, 1):.9g} s; a start from 0 to {latest_s:.9g} s is needed. "
            "Choose another window."
        )


def _window(ecg: CompleteECG, spec: SignalSpec, start_s: float) -> _Window:
    """Bridge gaps, resample and filter the window with its margins, then cut and pad it."""
    rate = ecg.sampling_rate_hz
    first = max(0, math.floor((start_s - _MARGIN_S) * rate))
    last = math.ceil((start_s + spec.duration_s + _MARGIN_S) * rate)
    around = ecg.part(first / rate, last / rate)
    raw = around.signal_mv
    # Bridged like a gap: a filter would smear the step to and from a rail over its neighbours.
    held = np.where(still(raw, max(2, round(STILL_S * rate))), np.nan, raw)
    gaps = fill_gaps(held, rate, maximum_gap_s=spec.maximum_gap_s)
    beatless = ecg.part(start_s, start_s + spec.duration_s).beatless
    real = gaps.real & ~(around.flat | beatless)[:, None]
    signal = _highpass(resampled(gaps.signal_mv, rate, spec.sampling_rate_hz), spec)
    nearest = np.arange(signal.shape[1]) * rate / spec.sampling_rate_hz
    real = real[:, np.minimum(np.rint(nearest).astype(int), raw.shape[1] - 1)]
    offset = round((start_s - first / rate) * spec.sampling_rate_hz)
    cut = slice(offset, offset + spec.samples)
    inside = slice(round(start_s * rate) - first, round((start_s + spec.duration_s) * rate) - first)
    missing = np.isnan(raw[:, inside])
    return _Window(
        _padded(signal[:, cut], spec),
        _padded(real[:, cut], spec),
        beatless,
        repaired=int((missing & gaps.repaired[:, inside]).sum()),
        lost=int((missing & gaps.lost[:, inside]).sum()),
    )


def _padded(rows: np.ndarray, spec: SignalSpec) -> np.ndarray:
    return np.pad(rows, ((0, 0), (0, spec.samples - rows.shape[1])))


@lru_cache(maxsize=8)
def _highpass_sections(cutoff_hz: float, sampling_rate_hz: int) -> np.ndarray:
    return np.asarray(butter(2, cutoff_hz, "highpass", fs=sampling_rate_hz, output="sos"))


def _highpass(signal_mv: Float[np.ndarray, "L T"], spec: SignalSpec) -> Float[np.ndarray, "L T"]:
    """Take baseline wander off, forwards and backwards, so that no phase moves the ST segment.

    The AHA/ACC/HRS recommendations (Kligfield et al., Circulation 2007;115:1306-24) ask for a
    cutoff of 0.05 Hz, relaxed to 0.67 Hz for filters without phase distortion. Order 2 in each
    direction keeps 94 % of 1 Hz, the fundamental at 60 beats a minute; order 1 keeps 80 %.
    """
    if spec.highpass_hz is None:
        return signal_mv
    sections = _highpass_sections(spec.highpass_hz, spec.sampling_rate_hz)
    # Mirrored ends: the usual odd extension would turn a QRS at the edge into a step.
    pad = min(signal_mv.shape[1] - 1, round(spec.sampling_rate_hz / spec.highpass_hz))
    return np.asarray(sosfiltfilt(sections, signal_mv, axis=1, padtype="even", padlen=pad))


def _normalised(
    window: _Window, used: Bool[np.ndarray, "L T"], spec: SignalSpec
) -> Float[np.ndarray, "L T"]:
    """Normalise by the samples in `used` alone, and put 0 everywhere else."""
    signal = window.signal_mv
    if spec.normalisation == "record-minmax":
        low, high = float(signal[used].min()), float(signal[used].max())
        return np.where(used, (signal - low) / max(high - low, 1e-9), 0.0)
    centred = np.zeros_like(signal)
    for rows, samples in _alike(used):
        centred[rows] = signal[rows] - np.median(signal[rows][:, samples], axis=1, keepdims=True)
    if spec.normalisation == "millivolt":
        return np.where(used, np.clip(centred, -CLIP_MV, CLIP_MV), 0.0)
    scaled = centred / _amplitude(centred, used)
    return np.where(used, np.clip(scaled, -CLIP_AMPLITUDES, CLIP_AMPLITUDES), 0.0)


def _alike(used: Bool[np.ndarray, "L T"]) -> Iterator[tuple[np.ndarray, slice | np.ndarray]]:
    """The leads of which anything is used, those that are used throughout all at once, and of what
    samples."""
    throughout = used.all(axis=1)
    if throughout.any():
        yield np.flatnonzero(throughout), slice(None)
    for row in np.flatnonzero(used.any(axis=1) & ~throughout):
        yield np.array([row]), used[row]


def _amplitude(centred: Float[np.ndarray, "L T"], used: Bool[np.ndarray, "L T"]) -> float:
    """One amplitude of the record: the median lead's 99th percentile of |mV|.

    The percentile lies near the peaks of the QRS and a spike does not move it; the median over
    leads is not moved by one or a few noisy leads.
    """
    peaks = [
        np.percentile(np.abs(centred[rows][:, samples]), 99, axis=1)
        for rows, samples in _alike(used)
    ]
    return max(float(np.median(np.concatenate(peaks))), 1e-9)


def _check_leads(
    ecg: CompleteECG,
    seen: Bool[np.ndarray, "L N_time"],
    beatless: Bool[np.ndarray, " L"],
    spec: SignalSpec,
) -> None:
    """Refuse fewer leads with signal than the model needs."""
    held = [lead for lead, row in zip(ecg.leads, seen, strict=True) if row.any()]
    if len(held) >= spec.minimum_leads:
        return
    own = [lead for lead in held if lead in ecg.recorded]
    derived = f", {len(held)} with the limb leads that follow" if len(held) > len(own) else ""
    leads = "1 lead" if len(own) == 1 else f"{len(own)} leads"
    noise = [lead for lead, lost in zip(ecg.leads, beatless, strict=True) if lost]
    besides = f" and noise in {listed(noise)}" if noise else ""
    advice = "Record it again" if noise else "Export the full 12-lead recording"
    raise TooLittleSignal(
        f"found {leads} with signal ({listed(own)}{derived}){besides}; at least "
        f"{spec.minimum_leads} of 12 are needed. {advice}."
    )


def _down(seconds: float) -> str:
    """Rounded down, so that what lacks a moment does not look whole."""
    return f"{math.floor(100 * seconds + 1e-6) / 100:g}"


def _notes(
    complete: CompleteECG,
    window: _Window,
    seen: Bool[np.ndarray, "L N_time"],
    spec: SignalSpec,
    start_s: float,
) -> tuple[str, ...]:
    """What preparing left out or changed, one sentence each."""
    notes = []
    left_s = complete.duration_s - start_s
    if left_s < spec.duration_s * (1 - 1e-6):
        whole_s = f"{spec.duration_s:g} s are recorded"
        notes.append(f"Only {_down(left_s)} of {whole_s}; the rest is empty.")
    recorded = math.ceil(min(left_s, spec.duration_s) / (spec.duration_s / spec.windows) - 0.5)
    if noise := [lead for lead, lost in zip(complete.leads, window.beatless, strict=True) if lost]:
        notes.append(
            f"Not read, for the beats of other leads do not show there: {listed(noise)}. Noise, or "
            "a loose electrode."
        )
    shown = zip(complete.leads, recorded - seen.sum(axis=1), strict=True)
    lost = {lead: count for lead, count in shown if lead not in noise}
    if empty := [lead for lead, count in lost.items() if count >= recorded]:
        notes.append(f"Not read, for want of signal: {listed(empty)}.")
    if partly := [lead for lead, count in lost.items() if 0 < count < recorded]:
        notes.append(f"Partly without signal, left out there: {listed(partly)}.")
    if window.repaired:
        notes.append(f"Interpolated {window.repaired} missing samples in short gaps.")
    if window.lost:
        notes.append(f"Left {window.lost} missing samples in long gaps unseen.")
    return tuple(notes)
