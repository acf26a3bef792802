"""Signals as small independent blocks: any case is read without the others.

A block holds 12 leads as 16-bit steps of `step_uv` microvolts, limb leads as what is left beside
Einthoven's and Goldberger's sums of I and II, all others as differences in time, compressed. What
was stored comes back exactly; a missing sample is the lowest number.
"""

import lzma

import numpy as np
from jaxtyping import Float, Int16

from focal_app.ecg.complete import completed
from focal_app.ecg.recording import ECG, LEADS
from focal_app.ecg.resampling import resampled
from focal_app.errors import GalleryError

MISSING = -32768
LONGEST_S = 60
_FILTERS = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 17, "lc": 0, "lp": 0, "pb": 0}]
_ALONE = [0, 1, *range(6, 12)]
"""Rows that nothing predicts but their own past: I, II and the chest leads."""


def stored(ecg: ECG, *, rate_hz: int, step_uv: int, duration_s: float) -> Int16[np.ndarray, "12 T"]:
    """The first `duration_s` of an ECG as steps: 12 leads by name, resampled where need be."""
    complete = completed(ecg)
    first = complete.signal_mv[:, : round(duration_s * ecg.sampling_rate_hz)]
    rows = [LEADS.index(lead) for lead in complete.leads]
    signal = np.full((len(LEADS), first.shape[1]), np.nan)
    signal[rows] = first
    signal = _at_rate(signal, ecg.sampling_rate_hz, rate_hz)
    steps = np.rint(signal * 1000 / step_uv).clip(MISSING + 1, -MISSING - 1)
    return np.where(np.isnan(steps), MISSING, steps).astype(np.int16)


def millivolts(steps: Int16[np.ndarray, "12 T"], *, step_uv: int) -> Float[np.ndarray, "12 T"]:
    """Steps as millivolts, NaN where nothing was recorded."""
    signal = steps.astype(np.float32) * np.float32(step_uv / 1000)
    signal[steps == MISSING] = np.nan
    return signal


def pack(steps: Int16[np.ndarray, "12 T"]) -> bytes:
    """A block of bytes."""
    rest = steps.astype(np.uint16)  # differences wrap around, and so does their sum
    rest[2:6] -= _limb_leads(rest)
    rest[_ALONE, 1:] = np.diff(rest[_ALONE])
    split = rest.astype("<u2").view(np.uint8).reshape(-1, 2)
    return lzma.compress(split.T.tobytes(), lzma.FORMAT_RAW, filters=_FILTERS)


def unpack(block: bytes, *, rate_hz: int) -> Int16[np.ndarray, "12 T"]:
    """The steps of a block; a `GalleryError` for bytes that hold none."""
    most = 2 * len(LEADS) * rate_hz * LONGEST_S
    try:
        reader = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=_FILTERS)
        raw = reader.decompress(block, max_length=most)
        half = np.frombuffer(raw, np.uint8).reshape(2, len(LEADS), -1)
    except (lzma.LZMAError, EOFError, ValueError) as error:
        raise GalleryError("a signal of the gallery is spoilt; fetch or build it again") from error
    steps = half[0].astype(np.uint16) | half[1].astype(np.uint16) << 8
    steps[_ALONE] = np.cumsum(steps[_ALONE], axis=1, dtype=np.uint16)
    steps[2:6] += _limb_leads(steps)
    return steps.view(np.int16)


def _limb_leads(steps: np.ndarray) -> np.ndarray:
    """III, aVR, aVL and aVF as I and II have them, to the nearest step below."""
    one, two = steps[0].view(np.int16).astype(np.int32), steps[1].view(np.int16).astype(np.int32)
    sums = np.stack([two - one, -((one + two) // 2), one - two // 2, two - one // 2])
    return sums.astype(np.uint16)


def _at_rate(signal: np.ndarray, rate: float, rate_hz: int) -> np.ndarray:
    """Resampled over gaps that are bridged for it and opened again."""
    if rate == rate_hz:
        return signal
    gaps, time = np.isnan(signal), np.arange(signal.shape[1])
    for row, gap in zip(signal, gaps, strict=True):
        if not gap.all():
            row[gap] = np.interp(time[gap], time[~gap], row[~gap])
    new = resampled(np.nan_to_num(signal), rate, rate_hz)
    nearest = np.minimum(np.rint(np.arange(new.shape[1]) * rate / rate_hz), len(time) - 1)
    new[gaps[:, nearest.astype(int)]] = np.nan
    return new
