"""The decoder against wfdb itself, for recordings and for random bytes of every format."""

from pathlib import Path

import numpy as np
import pytest
from plain_recordings import header_text

from focal_app.ecg.files import read_recording
from focal_app.ecg.header import parse_header
from focal_app.ecg.recording import LEADS
from focal_app.ecg.signal_file import BYTES_PER_SAMPLE
from focal_app.ecg.wfdb_reader import load_wfdb, read_wfdb
from focal_app.errors import RecordingError

wfdb = load_wfdb()


def oracle_mv(header: Path) -> np.ndarray:
    """What wfdb makes of the files as they lie there, (L, T)."""
    return wfdb.rdrecord(str(header.with_suffix(""))).p_signal.T


@pytest.mark.parametrize(
    "name",
    [
        "ptb-xl/records500/00000/00125_hr",
        "ptb-xl/records100/00000/00033_lr",
        "ludb/data/77",
        "challenge/JS00001",
        "challenge/A0003",
        "challenge/E07501",
        "code15/1111004",
    ],
)
def test_signals_equal_those_of_wfdb(shared_ecg: Path, name: str) -> None:
    header = shared_ecg / f"{name}.hea"
    np.testing.assert_allclose(
        read_recording([header]).signal_mv, oracle_mv(header).astype(np.float32), rtol=1e-6
    )


@pytest.mark.parametrize("storage", [*BYTES_PER_SAMPLE, "16x2", "16:3", "212+6", "80x3"])
def test_random_bytes_decode_as_in_wfdb(tmp_path: Path, storage: str) -> None:
    header = tmp_path / "rec.hea"
    text = header_text(LEADS, 700, storage=storage, gain="100000000(7)/mV")
    header.write_text(text)
    content = np.random.default_rng(5).integers(0, 256, 200_000, dtype=np.uint8).tobytes()
    (tmp_path / "rec.dat").write_bytes(content)
    parsed = parse_header(text)
    ours = read_wfdb(parsed, {"rec.dat": tmp_path / "rec.dat"})
    record = wfdb.rdrecord(str(tmp_path / "rec"), smooth_frames=False)
    np.testing.assert_allclose(ours.signal_mv, np.stack(record.e_p_signal), rtol=1e-5, atol=1e-12)
    assert ours.sampling_rate_hz == 500 * parsed.channels[0].samples_per_frame


def write_compressed(folder: Path, storage: str) -> Path:
    digital = np.random.default_rng(0).integers(-100, 100, (4000, 12))
    wfdb.wrsamp(
        "rec",
        fs=500,
        units=["mV"] * 12,
        sig_name=list(LEADS),
        d_signal=digital,
        fmt=[storage] * 12,
        adc_gain=[100.0] * 12,
        baseline=[0] * 12,
        write_dir=str(folder),
    )
    return folder / "rec.hea"


# wfdb writes its headers by way of a pandas keyword that pandas 3.1 deprecates.
@pytest.mark.filterwarnings("ignore:The inplace keyword:DeprecationWarning")
@pytest.mark.parametrize("storage", ["508", "516", "524"])
def test_compressed_files_decode_as_in_wfdb(tmp_path: Path, storage: str) -> None:
    header = write_compressed(tmp_path, storage)
    ours = read_recording([header])
    np.testing.assert_allclose(ours.signal_mv, oracle_mv(header), rtol=1e-6)
    assert ours.notes == ()


@pytest.mark.filterwarnings("ignore:The inplace keyword:DeprecationWarning")
def test_a_compressed_file_that_claims_too_much_is_refused(tmp_path: Path) -> None:
    header = write_compressed(tmp_path, "516")
    for signal in tmp_path.glob("rec_*.dat"):
        content = bytearray(signal.read_bytes())
        content[21:26] = (int.from_bytes(content[21:26], "big") | (2**36 - 1)).to_bytes(5, "big")
        signal.write_bytes(content)
    header.write_text(header.read_text().replace(" 4000", f" {2**36 - 1}", 1))
    with pytest.raises(RecordingError, match="at most 10,800,000"):
        read_recording([header])


@pytest.mark.filterwarnings("ignore:The inplace keyword:DeprecationWarning")
@pytest.mark.parametrize("storage", ["508", "516", "524"])
def test_a_spoilt_compressed_file_is_read_or_refused_without_a_path(
    tmp_path: Path, storage: str
) -> None:
    header = write_compressed(tmp_path, storage)
    sound = {signal: signal.read_bytes() for signal in tmp_path.glob("*.dat")}
    random = np.random.default_rng(3)
    refused = 0
    for _ in range(8):
        for signal, content in sound.items():
            spoilt = bytearray(content[: random.integers(len(content) // 2, len(content))])
            spoilt[random.integers(4, 60)] = random.integers(256)
            signal.write_bytes(spoilt)
        try:
            read_recording([header])
        except RecordingError as error:
            refused += 1
            assert str(tmp_path) not in str(error)
            assert error.__suppress_context__
    assert refused


def test_leads_of_different_rates_meet_at_the_frame_rate(tmp_path: Path) -> None:
    lines = [
        "rec 2 250 500",
        "rec.dat 16x2 1000/mV 16 0 0 0 0 I",
        "rec.dat 16 1000/mV 16 0 0 0 0 II",
    ]
    header = tmp_path / "rec.hea"
    header.write_text("\n".join(lines))
    digital = np.random.default_rng(0).integers(-900, 900, 1500).astype("<i2")
    (tmp_path / "rec.dat").write_bytes(digital.tobytes())
    ours = read_recording([header])
    assert (ours.sampling_rate_hz, ours.signal_mv.shape) == (250.0, (2, 500))
    np.testing.assert_allclose(ours.signal_mv[1], digital[2::3] / 1000, rtol=1e-6)
    means = (digital[0::3].astype(float) + digital[1::3]) / 2000
    np.testing.assert_allclose(ours.signal_mv[0], means, rtol=1e-5, atol=1e-9)
