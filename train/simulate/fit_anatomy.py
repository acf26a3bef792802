"""Measure how normal hearts differ, on normal recordings of PTB-XL folds 1 to 6.

    python -m train.simulate.fit_anatomy PTB_XL_DIRECTORY

Writes `anatomy.json`: means, effects of age and sex, and the principal ways in which the waves
of normal beats vary together. No single recording can be read out of it. Folds 7 to 10 are left
alone, for measuring.
"""

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import wfdb
from jaxtyping import Float
from scipy.signal import butter, find_peaks, sosfiltfilt

from focal_app.ecg.archives.ptbxl import read_ptbxl
from train.simulate.anatomy import (
    ANATOMY_FILE,
    P_OFFSETS_S,
    P_WIDTH_S,
    QRS_KERNELS,
    QRS_WIDTH,
    SCALARS,
    T_CENTRES,
    T_WIDTHS,
    Shape,
    covariates,
    to_vector,
)

_RATE_HZ = 500
_BASE_ROWS = [0, 1, 6, 7, 8, 9, 10, 11]
_FOLDS = range(1, 7)
_RANK = 30
_RIDGE = 0.03


@dataclass(frozen=True)
class MedianBeat:
    """The median beat (8, n) in mV, zero before QRS; `onset_s`, `offset_s` of QRS in it."""

    base_mv: Float[np.ndarray, "8 n"]
    onset_s: float
    offset_s: float
    rr_s: float


def median_beat(signal_mv: Float[np.ndarray, "12 T"]) -> MedianBeat | None:
    """The typical beat of a recording, or None where fewer than three are found."""
    sections = butter(2, 0.5, "high", fs=_RATE_HZ, output="sos")
    steady = sosfiltfilt(sections, signal_mv, axis=1)
    peaks = _peaks(steady)
    if len(peaks) < 3:
        return None
    beats = np.stack([steady[:, p - 150 : p + 310] for p in peaks])
    typical = np.median(beats, axis=0)
    far = ((beats - typical)[:, :, 100:200] ** 2).sum((1, 2))
    typical = np.median(beats[far <= 6 * np.median(far) + 1e-9], axis=0)
    onset, offset = _limits(typical)
    typical = typical - typical[:, max(onset - 8, 0) : onset - 2].mean(1, keepdims=True)
    rr_s = float(np.median(np.diff(peaks))) / _RATE_HZ
    base = typical[_BASE_ROWS]
    return MedianBeat(base, onset / _RATE_HZ - 0.006, offset / _RATE_HZ + 0.008, rr_s)


def _peaks(signal: np.ndarray) -> np.ndarray:
    """Sample of each QRS, aligned to the typical beat."""
    sections = butter(2, [8, 40], "band", fs=_RATE_HZ, output="sos")
    energy = np.sqrt((sosfiltfilt(sections, signal, axis=1) ** 2).sum(0))
    energy = np.convolve(energy, np.ones(25) / 25, "same")
    found, _ = find_peaks(energy, height=0.35 * np.percentile(energy, 98), distance=150)
    inside = found[(found > 170) & (found < signal.shape[1] - 330)]
    if len(inside) < 3:
        return inside
    typical = np.median([signal[:, p - 30 : p + 30] for p in inside], axis=0)
    shifts = range(-8, 9)
    return np.array(
        [
            p + max(shifts, key=lambda s, p=p: (signal[:, p + s - 30 : p + s + 30] * typical).sum())
            for p in inside
        ]
    )


def _limits(beat: np.ndarray) -> tuple[int, int]:
    """Onset and offset of QRS from the spatial velocity, in samples."""
    speed = np.sqrt((np.gradient(beat, axis=1) ** 2).sum(0))
    fast = np.convolve(speed, np.ones(3) / 3, "same") > 0.08 * speed[110:200].max()
    middle = 110 + int(speed[110:200].argmax())
    return _edge(fast, middle, -1, stop=60), _edge(fast, middle, 1, stop=260)


def _edge(fast: np.ndarray, start: int, step: int, *, stop: int) -> int:
    edge, gap = start, 0
    for index in range(start, stop, step):
        edge, gap = (index, 0) if fast[index] else (edge, gap + 1)
        if gap > 6:
            break
    return edge


def fit_shape(beat: MedianBeat) -> Shape | None:
    """Kernel amplitudes of one beat by ridge regression; None where T is too near."""
    time = np.arange(beat.base_mv.shape[1]) / _RATE_HZ
    size = np.convolve(np.abs(beat.base_mv).sum(0), np.ones(15) / 15, "same")
    late = (time > beat.offset_s + 0.06) & (time < beat.offset_s + 0.40)
    peak_s = float(time[late][size[late].argmax()])
    qrs_s, rest_s = beat.offset_s - beat.onset_s, peak_s - beat.offset_s
    if rest_s < 0.1:
        return None
    places = (time - beat.onset_s) / qrs_s * QRS_KERNELS
    kernels = [np.exp(-0.5 * ((places - k - 0.5) / QRS_WIDTH) ** 2) for k in range(QRS_KERNELS)]
    later = (time - beat.offset_s) / rest_s
    kernels += [
        np.exp(-0.5 * ((later - c) / w) ** 2) for c, w in zip(T_CENTRES, T_WIDTHS, strict=True)
    ]
    window = (time > beat.onset_s - 0.012) & (time < min(beat.offset_s + 1.75 * rest_s, time[-1]))
    found = _ridge(np.array(kernels)[:, window], beat.base_mv[:, window])
    p, pr_s = _fit_p(beat, time)
    corrected = peak_s - beat.onset_s + 0.154 * (1 - beat.rr_s)
    return Shape(found[:QRS_KERNELS], found[QRS_KERNELS:], p, qrs_s, corrected, pr_s)


def _fit_p(beat: MedianBeat, time: np.ndarray) -> tuple[np.ndarray, float]:
    """P kernels, and PR from 52 ms before the peak of P."""
    before = (time > beat.onset_s - 0.28) & (time < beat.onset_s - 0.02)
    level = np.median(beat.base_mv[:, before], axis=1, keepdims=True)
    size = np.convolve(np.abs(beat.base_mv - level).sum(0), np.ones(20) / 20, "same")
    search = (time > beat.onset_s - 0.20) & (time < beat.onset_s - 0.055)
    peak_s = float(time[search][size[search].argmax()])
    kernels = [np.exp(-0.5 * ((time - peak_s - o) / P_WIDTH_S) ** 2) for o in P_OFFSETS_S]
    window = (time > peak_s - 0.075) & (time < min(peak_s + 0.075, beat.onset_s - 0.004))
    found = _ridge(np.array([*kernels, np.ones_like(time)])[:, window], beat.base_mv[:, window])
    return found[: len(P_OFFSETS_S)], beat.onset_s - peak_s + 0.052


def _ridge(kernels: np.ndarray, target: np.ndarray) -> np.ndarray:
    gram = kernels @ kernels.T + _RIDGE * np.eye(len(kernels))
    return np.linalg.solve(gram, kernels @ target.T)


def fit(directory: Path) -> dict[str, list]:
    """Mean, effects and principal loadings over the normal recordings of the folds."""
    rows, people = [], []
    for row in read_ptbxl(directory):
        if row.fold not in _FOLDS or "NORM" not in row.codes:
            continue
        signal_mv, _ = wfdb.rdsamp(str(directory / row.file))
        beat = None if signal_mv is None else median_beat(signal_mv.T)
        shape = None if beat is None else fit_shape(beat)
        if shape is not None:
            rows.append(to_vector(shape))
            age = 50.0 if row.age_years is None else float(np.clip(row.age_years, 18, 90))
            people.append(covariates(age, row.sex or "male"))
    features, design = np.array(rows), np.array(people)
    effects = np.linalg.lstsq(design, features, rcond=None)[0]
    rest = features - design @ effects
    _, values, axes = np.linalg.svd(rest, full_matrices=False)
    loadings = axes[:_RANK] * values[:_RANK, None] / np.sqrt(len(rows))
    left = np.sqrt(np.maximum(rest.var(0) - (loadings**2).sum(0), 0))
    return {
        "scalars": list(SCALARS),
        "recordings": [len(rows)],
        "effects": effects.round(4).tolist(),
        "loadings": loadings.round(4).tolist(),
        "left": left.round(4).tolist(),
    }


def main() -> None:
    """Read the recordings, write the anatomy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path, help="PTB-XL, with records500/ and its csv")
    found = fit(parser.parse_args().directory)
    ANATOMY_FILE.write_text(json.dumps(found, separators=(",", ":")) + "\n")
    print(f"{found['recordings'][0]} normal recordings measured")


if __name__ == "__main__":
    main()
