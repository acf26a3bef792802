"""What may wait on the disk, for how long, and that nothing else stays there."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
from running import ROOT, half_sent, started, within
from visiting import Refused, Visit, at_once

from focal_app.ecg.files import MAX_FILE_MB
from focal_app.explore.reading.bundled_cases import CASES
from focal_app.ui.server import wording
from focal_app.ui.server.upload_folder import LOCK, sweep, upload_folder

RECORDING = (CASES / "normal.hea", CASES / "normal.dat")
TOO_MANY = int((MAX_FILE_MB + 2) * 1024**2)
NO_MODEL = {"FOCAL_CHECKPOINT": "/nowhere"}
pytestmark = pytest.mark.slow
LITTLE = """
import runpy
from functools import partial
from focal_app.ui.server import serve
from focal_app.ui.server.upload_ledger import Ledger, Limits

serve.Ledger = partial(Ledger, limits=Limits(visitor_files=6, folder_files=8, unclaimed_s={}))
serve.IN_LINE = {}
runpy.run_path("app.py", run_name="__main__")
"""


HOLD = """
import sys, tempfile, time
from focal_app.ui.server.upload_folder import upload_folder
tempfile.tempdir = sys.argv[1]
with upload_folder() as folder:
    (folder.uploads / "recording.hea").write_text("# Name: Jane Doe")
    print(folder.root, flush=True)
    time.sleep(600)
"""


def holding(among):
    """A process that holds a folder of uploads, and the folder."""
    command = [sys.executable, "-c", HOLD, str(among)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    return process, Path(process.stdout.readline().strip())


@pytest.mark.skipif(os.name == "nt", reason="there are no such locks")
def test_what_a_killed_app_left_is_swept_and_what_a_living_one_holds_is_not(tmp_path):
    (living, kept), (dead, left) = holding(tmp_path), holding(tmp_path)
    try:
        dead.send_signal(signal.SIGKILL)
        dead.communicate()
        assert (left / "uploads" / "recording.hea").exists()
        assert sweep(tmp_path) == 1
        assert not left.exists() and (kept / "uploads" / "recording.hea").exists()
        assert sweep(tmp_path) == 0
    finally:
        living.kill()
        living.communicate()


def test_folders_of_others_are_left_alone(tmp_path, monkeypatch):
    other = tmp_path / "focal-fossa"
    other.mkdir()
    (other / "mine").write_text("x")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / LOCK).touch()
    (tmp_path / "focal-link").symlink_to(elsewhere)
    inner = tmp_path / "focal-inner"
    inner.mkdir()
    (inner / LOCK).symlink_to(elsewhere / LOCK)
    assert sweep(tmp_path) == 0
    assert (other / "mine").exists() and (elsewhere / LOCK).exists() and inner.exists()
    stale = tmp_path / "focal-stale"
    stale.mkdir()
    (stale / LOCK).touch()
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    assert sweep(tmp_path) == 0 and stale.exists()


def test_a_folder_is_gone_when_its_app_ends(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with upload_folder() as folder:
        (folder.uploads / "x").write_text("x")
    assert not list(tmp_path.iterdir())


def left(app):
    """All that lies in the folder of uploads, files and folders, empty or not."""
    (folder,) = app.temporary.glob("focal-*/uploads")
    return within(folder)


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    with started(tmp_path_factory.mktemp("uploads"), **NO_MODEL) as running:
        yield running


def test_an_upload_that_breaks_off_leaves_nothing(app):
    with half_sent(app):
        pass
    until_gone(app)
    assert left(app) == []


@pytest.fixture
def visit(app):
    with Visit(app.url) as visiting:
        yield visiting
        assert left(app) == []


def until_gone(app, within_s=60):
    end = time.monotonic() + within_s
    while left(app) and time.monotonic() < end:
        time.sleep(0.05)


def test_nothing_is_left_of_what_was_read_or_refused(app, visit):
    with pytest.raises(Refused):
        visit.ask("read", visit.upload(*RECORDING), ["LBBB"], "", 0, False)
    with pytest.raises(Refused):
        visit.ask("read", visit.upload(RECORDING[0]), ["LBBB"], "", 0, False)
    visit.do("start", 1440)
    visit.do("open_upload", None, visit.upload(*RECORDING))


@pytest.mark.parametrize(
    "values",
    [
        ["LBBB", "", 0],
        [],
        [{}, "", {"a": 1}, []],
        [["LBBB"], "", "no number", False],
        [["LBBB"], "", 0, False, 1, 2, 3],
    ],
)
def test_nothing_is_left_where_the_handler_never_ran(app, visit, values):
    with pytest.raises((Refused, httpx.HTTPStatusError)):
        visit.ask("read", visit.upload(*RECORDING), *values)
    files = visit.upload(*RECORDING)
    visit.http.post("/gradio_api/run/read", json={"data": [files, *values]})


def test_nothing_is_left_of_a_question_that_is_turned_away(app, visit):
    for path, more in (
        ("/gradio_api/call/nothing", {}),
        ("/gradio_api/call/v2/nothing", {}),
        ("/gradio_api/queue/join", {"session_hash": "a", "fn_index": 9999}),
        ("/gradio_api/queue/join", {"fn_index": 1}),
        ("/gradio_api/call/read", {"session_hash": 7}),
        ("/gradio_api/call/read", {"deep": {"path": "/etc/passwd"}}),
    ):
        asked = {"data": [visit.upload(*RECORDING)], **more}
        assert visit.http.post(path, json=asked).status_code >= 400, path
        assert left(app) == [], path
    asked = {"data": [visit.upload(*RECORDING)]}
    text = {"Content-Type": "text/plain"}
    assert visit.http.post("/gradio_api/call/read", json=asked, headers=text).status_code == 422


PART = b'--x\r\nContent-Disposition: form-data; name="%b"%b\r\n\r\n%b\r\n'


@pytest.mark.parametrize(
    "body",
    [
        PART % (b"files", b'; filename="a.dat"', b"abc"),
        PART % (b"files", b'; filename="a.dat"', b"abc") + b"--x",
        PART % (b"files", b'; filename="a.dat"', b"abc") + b"--x\r\n",
        PART % (b"other", b'; filename="a.dat"', b"abc") + b"--x--\r\n",
        PART % (b"files", b'; filename=".."', b"abc") + b"--x--\r\n",
        PART % (b"files", b"", b"abc") + b"--x--\r\n",
        PART % (b"files", b"", b"a" * 50_000) + b"--x--\r\n",
        PART % (b"files", b'; filename="a.dat"', b"abc") * 40 + b"--x--\r\n",
        PART % (b"field", b"", b"abc") * 20 + b"--x--\r\n",
        PART % (b"files", b'; filename="a.dat"', b"a" * TOO_MANY) + b"--x--\r\n",
        b"--x--\r\n",
        b"nothing",
        b"",
    ],
)
def test_nothing_is_left_of_an_upload_that_is_not_whole_and_proper(app, visit, body):
    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    answer = visit.http.post("/gradio_api/upload", content=body, headers=kind)
    assert answer.status_code in {400, 413, 500} or answer.json() == []


@pytest.mark.parametrize("beside", [b"", PART % (b"files", b'; filename="a.dat"', b"abc")])
def test_a_file_without_a_name_is_told_of(app, visit, beside):
    body = beside + PART % (b"files", b"", b"abc") + b"--x--\r\n"
    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    answer = visit.http.post("/gradio_api/upload", content=body, headers=kind)
    assert (answer.status_code, answer.text) == (400, wording.NO_FILE)


def test_what_holds_more_than_an_upload_may_is_refused(app, visit):
    def endless():
        yield PART % (b"files", b'; filename="a.dat"', b"x")
        for number in range(2000):
            yield PART % (b"files", b'; filename="b%d"' % number, b"x" * 100_000)

    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    answer = visit.http.post("/gradio_api/upload", content=endless(), headers=kind)
    assert answer.status_code == 413 and "Upload one recording" in answer.text


def test_uploads_that_wait_are_bounded_and_those_that_nobody_claims_go_soon(tmp_path):
    command = (sys.executable, "-c", LITTLE.format(5, 200))
    with started(tmp_path, command=command, **NO_MODEL) as app, Visit(app.url) as visit:
        for _ in range(3):
            visit.upload(*RECORDING)
        with pytest.raises(Refused, match="try again in 5 s"):
            visit.upload(*RECORDING)
        assert len([path for path in left(app) if path.is_file()]) == 6
        with Visit(app.url) as other:
            other.http.headers["X-Forwarded-For"] = "203.0.113.9"
            other.upload(*RECORDING)
            with pytest.raises(Refused, match="as many uploads as it may"):
                other.upload(*RECORDING)
        until_gone(app)
        assert left(app) == []
        assert visit.upload(*RECORDING)


def test_nothing_is_left_where_the_queue_is_full(tmp_path):
    command = (sys.executable, "-c", LITTLE.format(120, 1))
    with started(tmp_path, command=command) as app:

        def ask(_):
            with Visit(app.url) as visit:
                files = visit.upload(RECORDING[0])
                asked = {"data": [files, ["LBBB"], "", 0, False]}
                return visit.http.post("/gradio_api/call/read", json=asked).status_code

        assert httpx.codes.TOO_MANY_REQUESTS in at_once(6, ask)
        until_gone(app)
        assert left(app) == []


def test_after_a_kill_the_next_start_leaves_an_empty_folder(tmp_path):
    with started(tmp_path, **NO_MODEL) as app, Visit(app.url) as visit:
        visit.upload(*RECORDING)
        (before,) = app.temporary.glob("focal-*")
        app.process.kill()
        app.process.wait()
        assert len([path for path in left(app) if path.is_file()]) == 2
        with started(tmp_path, **NO_MODEL) as again:
            assert not before.exists() and left(again) == []
    assert not list(tmp_path.glob("focal-*"))


def test_a_pause_without_end_breaks_an_upload_off(tmp_path):
    script = "import runpy\nfrom focal_app.ui.server import bodies\nbodies.PAUSE_S = 1\n"
    script += 'runpy.run_path("app.py", run_name="__main__")'
    with started(tmp_path, command=(sys.executable, "-c", script), **NO_MODEL) as app:

        def pausing():
            yield PART % (b"files", b'; filename="a.dat"', b"x" * 100_000)
            time.sleep(3)
            yield b"--x--\r\n"

        kind = {"Content-Type": "multipart/form-data; boundary=x"}
        with Visit(app.url) as visit:
            answer = visit.http.post("/gradio_api/upload", content=pausing(), headers=kind)
        assert (answer.status_code, answer.text) == (408, wording.BROKEN_OFF)
        assert left(app) == []
