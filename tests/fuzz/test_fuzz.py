"""The fuzzer finds what is planted, and nothing in the parsers of this repository."""

import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

import pytest

from focal_app.errors import RecordingError
from tests.fuzz import seeds
from tests.fuzz.fuzzing import Tried
from tests.fuzz.kept import CORPUS, Kept, all_kept, keep
from tests.fuzz.mutate import mutated
from tests.fuzz.odd import CANARY
from tests.fuzz.targets import Target

GOOD = {"said.txt": b"good"}


def _good():
    return [GOOD]


def _error(folder):
    raise KeyError("planted")


def _late(folder):
    end = time.process_time() + 2.2
    while time.process_time() < end:
        pass


def _much(folder):
    return str(len(bytearray(b"x" * 320_000_000)))


def _written_outside(folder):
    (folder.parents[1] / "outside").write_text("planted")


def _read_outside(folder):
    return Path("/etc/passwd").read_text()[:1]


def _left(folder):
    return tempfile.mkdtemp()


def _asked(folder):
    socket.create_connection(("127.0.0.2", 9), timeout=0.2)


def _started(folder):
    subprocess.run(["true"], check=True)


def _dead(folder):
    os.abort()


def _named(folder):
    raise RecordingError(f"found the unit '{CANARY}'")


PLANTED = {
    _error: "KeyError at test_fuzz.py",
    _late: "took ",
    _much: "held ",
    _written_outside: "wrote a file outside the folder",
    _read_outside: "read a file outside the folder",
    _left: "left files behind",
    _asked: "another machine",
    _started: "subprocess.Popen",
    _dead: "the process died",
    _named: "said a name",
}


def _run(files, folder):
    """Does what the input names, which no good input does."""
    name = files["said.txt"].decode()
    plan = {planted.__name__: planted for planted in PLANTED}
    return str(plan[name](folder)) if name in plan else "fine"


@pytest.fixture(scope="module")
def tried():
    running = Tried({"planted": Target(_good, _run, private=True)})
    yield running
    running.close()


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
@pytest.mark.parametrize(
    ("planted", "said"), PLANTED.items(), ids=lambda one: getattr(one, "__name__", "")
)
def test_what_must_not_be_is_found_and_the_next_input_is_fine(tried, planted, said):
    outcome = tried("planted", {"said.txt": planted.__name__.encode()})
    assert any(finding.startswith(said) or said in finding for finding in outcome.findings)
    assert tried("planted", GOOD).findings == ()


def test_the_same_seed_makes_the_same_inputs():
    good = [*seeds.recordings(), *seeds.texts(seeds.REPORTS), *seeds.settings()]

    def made(seed):
        random = Random(seed)
        return [mutated(random.choice(good), good, random) for _ in range(200)]

    assert made(1) == made(1) and made(1) != made(2)
    assert sum(one not in good for one in made(1)) > 150


def test_a_kept_input_comes_back_as_it_was(tmp_path):
    files = {
        "a.hea": "rec 12\n\u2028\udc80".encode("utf-8", "surrogatepass"),
        "b.dat": b"\0" * 9000,
    }
    path = keep(Kept("recording", files, "why"), tmp_path)
    assert all_kept(tmp_path) == [Kept("recording", files, "why")]
    assert path.stat().st_size < 1000


def test_the_corpus_is_small():
    assert sum(path.stat().st_size for path in CORPUS.iterdir()) < 500_000
