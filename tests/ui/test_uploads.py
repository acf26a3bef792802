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
    ("content", "found"),
    [
        (b"\x89PNG\r\n\x1a\n", "a picture"),
        (b"%PDF-1.4", "a printed page"),
        (b"\x1f\x8b\x08", "a packed file (gzip)"),
        (b"<?xml version='1.0'?><doe/>", "an XML file that is no ECG of a known kind"),
        (b"Dear colleague,\nJane Doe was seen.", "text without a recording"),
        (b"", "an empty file"),
        (bytes(range(256)), "a file of an unknown kind"),
    ],
)
def test_what_is_no_recording_is_named_by_its_content(tmp_path, content, found):
    other = tmp_path / "aa" / "doe.doe-jane-1950"
    other.parent.mkdir()
    other.write_bytes(content)
    with pytest.raises(RecordingError) as refused:
        read_upload([other])
    said = str(refused.value)
    assert said.startswith(f"found {found}") and "DICOM" in said and said.endswith(".")
    assert "doe" not in said.lower()
    assert not other.exists()


def test_no_file_at_all_is_a_message():
    with pytest.raises(RecordingError):
        read_upload([])
