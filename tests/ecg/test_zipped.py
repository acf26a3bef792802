"""A zip of one recording is unpacked in bounds; what swells, climbs or nests is refused."""

import os
import struct
import zipfile
from pathlib import Path

import hospital_files
import numpy as np
import pytest
from hospital_files import zip_of, zipped
from plain_recordings import RecordWriter

from focal_app.ecg.files import read_recording
from focal_app.ecg.recording import ECG
from focal_app.errors import RecordingError


@pytest.fixture
def read(tmp_path: Path):
    def of(content: bytes) -> ECG:
        path = tmp_path / "doe.zip"
        path.write_bytes(content)
        return read_recording([path])

    return of


def test_a_zip_of_one_file_is_that_file(ecg: ECG, read) -> None:
    content = zip_of([("a/b/doe.dcm", hospital_files.dicom(ecg)), ("__MACOSX/._doe", b"x")])
    np.testing.assert_allclose(read(content).signal_mv, ecg.signal_mv, atol=0.00051)


def test_a_zip_of_a_header_and_its_signal_is_their_record(
    ecg: ECG, read, write_record: RecordWriter
) -> None:
    header, signal = write_record(ecg)
    content = zipped(**{"x/rec.hea": header.read_bytes(), "x/rec.dat": signal.read_bytes()})
    np.testing.assert_allclose(read(content).signal_mv, ecg.signal_mv, atol=0.0006)


def test_several_recordings_are_refused_by_their_kinds(ecg: ECG, read) -> None:
    content = zipped(a=hospital_files.dicom(ecg), b=hospital_files.hl7(ecg))
    with pytest.raises(RecordingError, match=r"found 2 recordings \(1 DICOM, 1 HL7 aECG\)"):
        read(content)


def test_several_chosen_files_are_refused_by_their_kinds(ecg: ECG, tmp_path: Path) -> None:
    paths = [tmp_path / "a", tmp_path / "b"]
    for path in paths:
        path.write_bytes(hospital_files.scp(ecg))
    with pytest.raises(RecordingError, match=r"found 2 recordings \(2 SCP-ECG\)"):
        read_recording(paths)


def test_a_zip_bomb_is_refused(read) -> None:
    with pytest.raises(RecordingError, match="unpacks to more than 40 MB"):
        read(zipped(a=bytes(500_000_000)))


def test_a_zip_bomb_that_lies_about_its_size_is_refused(read) -> None:
    content = bytearray(zipped(a=bytes(60_000_000)))
    for at in (content.index(b"PK\x01\x02") + 24, content.index(b"PK\x03\x04") + 22):
        content[at : at + 4] = struct.pack("<I", 5000)
    with pytest.raises(RecordingError, match=r"damaged zip|unknown kind"):
        read(bytes(content))


def test_names_in_a_zip_are_never_paths(read, ecg: ECG, tmp_path: Path, private_temp: Path) -> None:
    for name in ("../../doe.dcm", "/etc/doe.dcm", "C:\\doe.dcm", "a\\..\\..\\doe.dcm"):
        with pytest.raises(RecordingError, match="point outside") as refused:
            read(zip_of([(name, hospital_files.dicom(ecg))]))
        assert "doe" not in str(refused.value)
    assert {path.name for path in tmp_path.iterdir()} == {"doe.zip", "temp"}


def test_a_link_in_a_zip_is_refused(read) -> None:
    entry = zipfile.ZipInfo("doe.dcm")
    entry.external_attr = 0o120777 << 16
    path = Path(os.devnull)
    with pytest.raises(RecordingError, match="point outside"):
        read(_with(entry, str(path).encode()))


def _with(entry: zipfile.ZipInfo, content: bytes) -> bytes:
    import io

    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(entry, content)
    return file.getvalue()


def test_a_zip_in_a_zip_is_refused(read, ecg: ECG) -> None:
    with pytest.raises(RecordingError, match="a zip within a zip"):
        read(zipped(a=zipped(b=hospital_files.scp(ecg))))


def test_thousands_of_files_are_refused(read) -> None:
    with pytest.raises(RecordingError, match="a zip of 5,000 files"):
        read(zip_of([(f"{number}", b"x") for number in range(5000)]))


def test_a_zip_with_a_password_is_refused(read) -> None:
    content = bytearray(zipped(a=b"secret"))
    for at in (content.index(b"PK\x01\x02") + 8, content.index(b"PK\x03\x04") + 6):
        content[at] |= 1
    with pytest.raises(RecordingError, match="with a password"):
        read(bytes(content))


def test_a_cut_zip_is_refused(read, ecg: ECG) -> None:
    with pytest.raises(RecordingError, match="damaged zip"):
        read(zipped(a=hospital_files.scp(ecg))[:-30])


def test_a_zip_beside_other_files_is_refused(ecg: ECG, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(zipped(a=hospital_files.scp(ecg)))
    (tmp_path / "b").write_bytes(hospital_files.scp(ecg))
    with pytest.raises(RecordingError, match="beside other files"):
        read_recording([tmp_path / "a", tmp_path / "b"])
