"""Recordings made of plain waves, and WFDB files written from them byte by byte."""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from focal_app.ecg.leads import LIMB_COEFFICIENTS
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


@pytest.fixture(autouse=True)
def private_temp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Everything temporary goes here, and must be gone again when the test ends."""
    folder = tmp_path / "temp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


@pytest.fixture
def ecg() -> ECG:
    """Ten good seconds of twelve leads at 500 Hz."""
    return plain_ecg()


@pytest.fixture
def write_record(tmp_path: Path) -> RecordWriter:
    """Write an ECG as format 16, 1000 steps a mV; keywords go to `header_text`."""

    def write(
        ecg: ECG, *, stem: str = "rec", ending: str = ".dat", folder: str = "files", **words
    ) -> tuple[Path, Path]:
        place = tmp_path / folder
        place.mkdir(exist_ok=True)
        digital = np.where(np.isnan(ecg.signal_mv), -32768, np.rint(ecg.signal_mv * 1000))
        digital = digital.astype("<i2")
        words.setdefault("file_name", stem + ending)
        words.setdefault("rate", ecg.sampling_rate_hz)
        words.setdefault("checksums", digital.sum(axis=1, dtype=np.int64) % 65536)
        prefix = b""
        if ending == ".mat":
            sizes = np.array([30, *digital.shape, 0, 4], dtype="<i4")
            prefix = sizes.tobytes() + b"val\x00"
            words.setdefault("storage", "16+24")
        samples = words.pop("samples", digital.shape[1])
        header = place / f"{stem}.hea"
        header.write_text(header_text(ecg.leads, samples, **words), encoding="utf-8")
        signal = place / f"{stem}{ending}"
        signal.write_bytes(prefix + digital.T.tobytes())
        return header, signal

    return write
