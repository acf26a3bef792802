"""Recordings made of plain waves, and the text of WFDB headers."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from focal_app.ecg.complete import LIMB_COEFFICIENTS
from focal_app.ecg.recording import ECG, LEADS, SourceFacts

RecordWriter = Callable[..., tuple[Path, Path]]


def beats(seconds: np.ndarray, waves: Sequence[tuple[float, float, float]]) -> np.ndarray:
    """One beat a second: `waves` are (mV, seconds after the beat's start, width in seconds)."""
    phase = np.mod(seconds, 1.0)
    return sum(mv * np.exp(-((phase - at) ** 2) / (2 * width**2)) for mv, at, width in waves)


def plain_ecg(
    *, duration_s: float = 10.0, rate: float = 500.0, noise_mv: float = 0.004, seed: int = 0
) -> ECG:
    """Twelve leads that obey Einthoven and Goldberger exactly but for float32."""
    seconds = np.arange(round(duration_s * rate)) / rate
    first = beats(seconds, [(0.1, 0.2, 0.02), (0.8, 0.36, 0.012), (0.2, 0.6, 0.05)])
    second = beats(seconds, [(0.15, 0.2, 0.02), (1.1, 0.36, 0.012), (0.3, 0.6, 0.05)])
    random = np.random.default_rng(seed)
    first, second = (row + random.normal(0, noise_mv, len(seconds)) for row in (first, second))
    rows = [np.array(weights) @ np.stack([first, second]) for weights in LIMB_COEFFICIENTS.values()]
    for number in range(6):
        wave_r = (0.2 + 0.25 * number, 0.36, 0.012)
        waves = [(0.08, 0.2, 0.02), wave_r, (-0.9, 0.39, 0.012), (0.25, 0.6, 0.05)]
        chest = beats(seconds, waves)
        rows.append(chest + random.normal(0, noise_mv, len(seconds)))
    return ECG(np.stack(rows).astype(np.float32), LEADS, rate, SourceFacts(format="test"))


def header_text(
    leads: Sequence[str],
    samples: int | str,
    *,
    file_name: str = "rec.dat",
    record_line: str | None = None,
    rate: float = 500,
    storage: str = "16",
    gain: str = "1000(0)/mV",
    checksums: Sequence[int] | None = None,
    comments: Sequence[str] = (),
) -> str:
    """A WFDB header in the usual words; every part can be replaced."""
    lines = [record_line or f"rec {len(leads)} {rate:g} {samples}"]
    for row, lead in enumerate(leads):
        checksum = 0 if checksums is None else checksums[row]
        lines.append(f"{file_name} {storage} {gain} 16 0 0 {checksum} 0 {lead}")
    return "\n".join([*lines, *(f"#{comment}" for comment in comments)]) + "\n"
