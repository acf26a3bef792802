"""What the tests of reading and preparing ask for."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from plain_recordings import RecordWriter, header_text, plain_ecg

from focal_app.ecg.recording import ECG


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
