"""What an archive of a stranger may hold beside recordings: nothing of it stops the others."""

import os
from pathlib import Path

import pytest

from focal_app.command.recordings import expanded, recordings
from focal_app.ecg.files import read_recording
from focal_app.errors import RecordingError

TERABYTE = 10**12


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A recording among a pipe that never ends, links in a circle, and a folder named as a file."""
    (tmp_path / "a.csv").write_text("1,2\n" * 10)
    os.mkfifo(tmp_path / "pipe.hea")
    (tmp_path / "around").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "self.hea").symlink_to(tmp_path / "self.hea")
    (tmp_path / "nowhere.dat").symlink_to(tmp_path / "not-there.dat")
    (tmp_path / "x.hea").mkdir()
    (tmp_path / "x.hea" / "b.csv").write_text("1,2\n" * 10)
    return tmp_path


def test_pipes_circles_and_folders_named_as_files_are_left_out(folder: Path) -> None:
    found = [path.relative_to(folder).as_posix() for path in expanded([str(folder)])]
    assert found == ["a.csv", "x.hea/b.csv"]
    assert len(recordings(expanded([str(folder)]))) == 2


@pytest.mark.parametrize("name", ["sparse.hea", "sparse.dcm", "sparse.csv", "sparse"])
def test_a_file_of_a_terabyte_is_refused_by_its_size(tmp_path: Path, name: str) -> None:
    with (tmp_path / name).open("wb") as file:
        file.truncate(TERABYTE)
    with pytest.raises(RecordingError, match="MB"):
        read_recording([tmp_path / name])


@pytest.mark.parametrize("kind", ["a folder", "a pipe", "a link in a circle"])
def test_what_is_no_file_is_refused_and_never_waited_for(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x.hea"
    {
        "a folder": path.mkdir,
        "a pipe": lambda: os.mkfifo(path),
        "a link in a circle": lambda: path.symlink_to(path),
    }[kind]()
    with pytest.raises(RecordingError):
        read_recording([path])


@pytest.mark.parametrize("target", ["folder", "pipe", "terabyte"])
def test_a_signal_beside_its_header_is_no_pipe_and_no_terabyte(tmp_path: Path, target: str) -> None:
    (tmp_path / "rec.hea").write_text("rec 1 500 5000\nrec.dat 16 1000/mV 16 0 0 0 0 I\n")
    signal = tmp_path / "rec.dat"
    if target == "terabyte":
        with signal.open("wb") as file:
            file.truncate(TERABYTE)
    else:
        signal.mkdir() if target == "folder" else os.mkfifo(signal)
    with pytest.raises(RecordingError):
        read_recording([tmp_path / "rec.hea"])
