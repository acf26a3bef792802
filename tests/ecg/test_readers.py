"""Recordings are read in processes of their own: what hangs, eats or crashes costs one refusal."""

import os
import signal
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path

import numpy as np
import pytest
from visiting import make_recordings

from focal_app.ecg import readers
from focal_app.ecg.files import read_recording
from focal_app.ecg.readers import AT_ONCE, EACH_READS, READERS, ReaderFailed, Readers
from focal_app.ecg.reading_limits import Limits
from focal_app.errors import RecordingError

ODD = (sys.executable, str(Path(__file__).parent / "odd_readers.py"))
TIGHT = Limits(cpu_s=2, wall_s=4.0, memory_mb=200)
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    return make_recordings(tmp_path_factory.mktemp("recording"), 1)[0]


class Odd:
    """Reads a file that says what its reader shall do."""

    def __init__(self, folder):
        self.readers = Readers(command=ODD, limits=TIGHT)
        self._folder = folder

    def __call__(self, kind="plain"):
        path = self._folder / f"{kind}-{uuid.uuid4().hex}.txt"
        path.write_text(kind)
        return self.readers.read([path])

    def refused(self, kind):
        with pytest.raises(RecordingError):
            self(kind)


@pytest.fixture
def odd(tmp_path, monkeypatch):
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    reading = Odd(tmp_path)
    yield reading
    reading.readers.close()
    assert not list((tmp_path / "scratch").iterdir())


def test_a_recording_is_the_same_wherever_it_is_read(recording):
    here, there = read_recording(recording), READERS.read(recording)
    assert np.array_equal(here.signal_mv, there.signal_mv, equal_nan=True)
    assert there.signal_mv.dtype == np.float32
    facts = [(e.leads, e.sampling_rate_hz, e.source, e.notes) for e in (here, there)]
    assert facts[0] == facts[1]


def test_a_refusal_is_the_same_wherever_it_is_read(tmp_path):
    told = []
    for read in (read_recording, READERS.read):
        with pytest.raises(RecordingError) as refused:
            read([tmp_path / "scan.pdf"])
        told.append(str(refused.value))
    assert told[0] == told[1]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("spin", "takes longer to read than the 4 s"),
        ("sleep", "takes longer to read than the 4 s"),
        ("eat", "needs more memory to read than the 200 MB"),
        ("crash", "ended its reader"),
        ("leave", "ended its reader"),
    ],
)
@pytest.mark.skipif(sys.platform == "darwin", reason="macOS keeps no limit of memory")
def test_a_hostile_file_costs_one_refusal(odd, kind, words):
    odd()
    begun = time.perf_counter()
    with pytest.raises(RecordingError, match=words):
        odd(kind)
    assert time.perf_counter() - begun < readers.START_S
    assert odd().leads[0] == "I"


def test_who_reads_beside_a_hanging_file_does_not_wait(odd):
    odd()
    hanging = threading.Thread(target=odd.refused, args=["sleep"])
    hanging.start()
    time.sleep(0.2)
    odd()
    assert hanging.is_alive()
    hanging.join()


def test_of_an_error_that_nobody_foresaw_only_the_type_comes_back(odd):
    with pytest.raises(ReaderFailed) as failed:
        odd("stumble")
    assert str(failed.value) == "KeyError"


def test_a_child_is_kept_warm_and_replaced_in_time(odd):
    pids = [odd().source.age_years for _ in range(EACH_READS + 1)]
    assert len(set(pids[:EACH_READS])) == 1 and pids[-1] != pids[0]


def test_readers_that_were_killed_are_there_again(odd):
    child = odd().source.age_years
    os.kill(child, signal.SIGKILL)
    os.kill(odd.readers._process.pid, signal.SIGKILL)
    odd.readers._process.wait()
    assert odd().source.age_years != child


def test_only_so_many_are_read_at_once(odd):
    odd()
    begun = time.perf_counter()
    threads = [threading.Thread(target=odd.refused, args=["sleep"]) for _ in range(AT_ONCE + 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert time.perf_counter() - begun > 2 * TIGHT.wall_s - 0.5


def test_the_readers_know_no_secret(odd, monkeypatch):
    monkeypatch.setenv("FOCAL_AUTH", "user:password")
    monkeypatch.setenv("FOCAL_LLM_API_KEY", "key")
    known = odd("secrets").source.codes
    assert "PYTHONPATH" in known and not [name for name in known if name.startswith("FOCAL")]


def test_the_program_imports_only_what_reading_needs():
    program = (
        "import sys, focal_app.ecg.reading_process, focal_app.ecg.files;"
        "from focal_app.ecg.clinical.reading import load_parsers; load_parsers();"
        "from focal_app.ecg.wfdb_reader import load_wfdb; load_wfdb();"
        "print({'torch', 'gradio', 'scipy'} & set(sys.modules))"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert told.stdout.strip() == "set()", told.stderr
