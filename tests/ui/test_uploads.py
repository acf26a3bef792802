"""An upload is read and gone, whether it could be read or not."""

import shutil

import pytest

from focal_app.errors import RecordingError
from focal_app.explore.reading.bundled_cases import CASES, bundled_cases, load_case
from focal_app.ui.read.uploads import read_upload


@pytest.fixture
def stored(tmp_path):
    """A header and its signal as a server stores them: each in a folder of its own."""
    name = bundled_cases()[0].name
    paths = []
    for place, suffix in (("aa", ".hea"), ("bb", ".dat")):
        (tmp_path / "shelf" / place).mkdir(parents=True)
        target = tmp_path / "shelf" / place / f"{name}{suffix}"
        paths.append(str(shutil.copy(CASES / f"{name}{suffix}", target)))
    return tmp_path / "shelf", paths


def test_files_from_two_folders_are_one_recording(stored):
    _, paths = stored
    read = read_upload(paths)
    assert (read.signal_mv == load_case(bundled_cases()[0].name).signal_mv).all()


def test_nothing_of_an_upload_stays_on_disk(stored):
    shelf, paths = stored
    read_upload(paths)
    assert list(shelf.iterdir()) == []


def test_nothing_of_a_refused_upload_stays_on_disk(stored):
    shelf, paths = stored
    with pytest.raises(RecordingError):
        read_upload([paths[0]])
    with pytest.raises(RecordingError):
        read_upload([paths[1]])
    assert list(shelf.iterdir()) == []


def test_files_of_others_are_left_alone(stored):
    shelf, paths = stored
    other = shelf / "cc" / "other.dat"
    other.parent.mkdir()
    other.write_bytes(b"x")
    read_upload(paths)
    assert other.exists()


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("doe.dcm", "a DICOM file (.dcm)"),
        ("doe.xml", "an XML file"),
        ("doe.csv", "a table (.csv)"),
        ("doe.EDF", "an EDF file (.edf)"),
        ("doe.scp", "an SCP-ECG file (.scp)"),
        ("doe.png", "a picture (.png)"),
        ("doe.doe-jane-1950", "a file"),
        ("doe", "a file without an ending"),
    ],
)
def test_another_format_is_named_and_what_to_do_is_said(tmp_path, name, found):
    other = tmp_path / "aa" / name
    other.parent.mkdir()
    other.write_bytes(b"x")
    with pytest.raises(RecordingError) as refused:
        read_upload([other])
    said = str(refused.value)
    assert said.startswith(f"found {found}") and "WFDB" in said and said.endswith(".")
    assert "both files" not in said and "doe." not in said
    assert not other.exists()


def test_no_file_at_all_is_a_message():
    with pytest.raises(RecordingError):
        read_upload([])
