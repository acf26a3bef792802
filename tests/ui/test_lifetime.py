"""What visitors leave is gone from disk and memory after the minutes that the host has set."""

import json
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import httpx
import pytest
from running import half_sent, started, within
from visiting import Refused, Visit

from focal_app.explore.reading.bundled_cases import CASES
from focal_app.ui import wording

EXPIRE_S = 5
SOON_S = 60
"""Until what is done within a second or two is done on a busy machine too."""
LEAST = {"FOCAL_EXPIRE_MIN": str(EXPIRE_S / 60)}
NO_MODEL = {"FOCAL_CHECKPOINT": "/nowhere"}
"""A recording is held in memory, model or no model, and without one the app starts sooner."""
RECORDING = (CASES / "normal.hea", CASES / "normal.dat")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    with started(tmp_path_factory.mktemp("lifetime"), **LEAST, **NO_MODEL) as running:
        yield running


def uploads(app):
    """Everything in the folder of uploads."""
    (folder,) = app.temporary.glob("focal-*/uploads")
    return within(folder)


def until(condition, *, within_s):
    end = time.monotonic() + within_s
    while not condition() and time.monotonic() < end:
        time.sleep(0.1)
    return condition()


def shown(visit):
    return json.dumps(visit.do("refine", None))


def test_an_upload_that_nobody_reads_is_gone_in_time(app):
    with Visit(app.url) as visit:
        visit.upload(*RECORDING)
    assert len([file for file in uploads(app) if file.is_file()]) == 2
    assert until(lambda: not app.left(), within_s=EXPIRE_S + SOON_S)
    assert until(lambda: not uploads(app), within_s=2 * EXPIRE_S + SOON_S)


def test_a_visit_that_rests_is_forgotten_and_one_that_goes_on_is_not(app):
    with Visit(app.url) as resting, Visit(app.url) as busy:
        resting.do("start", 1440)
        busy.do("start", 1440)
        for _ in range(3 * EXPIRE_S):
            time.sleep(0.5)
            assert wording.EXPIRED not in shown(busy)
        assert wording.EXPIRED in shown(resting)


def test_an_answer_that_nobody_fetches_is_forgotten(app):
    """A file that is taken away comes to 40 MB, and stayed for good where it was not fetched."""
    with Visit(app.url) as visit:
        visit.do("start", 1440)
        known = {one["api_name"]: one for one in visit.http.get("/config").json()["dependencies"]}
        asked = {"data": [None], "fn_index": known["take"]["id"], "session_hash": visit.name}
        told = []
        for number, rest_s in enumerate((0, EXPIRE_S + 3), start=1):
            event = {**asked, "event_data": {"kind": "svg"}}
            assert visit.http.post("/gradio_api/queue/join", json=event).is_success
            assert until(lambda count=number: taken(app) == count, within_s=SOON_S)
            time.sleep(rest_s)
            told.append("".join(heard(visit)))
        assert "ecg.svg" in told[0]
        assert "ecg.svg" not in told[1] and "session_not_found" in told[1]


def test_who_listens_where_nothing_is_to_come_hears_the_next_answer_at_once(app):
    """After two events in one breath Gradio's script does, and the next answer came 10 s late."""
    with Visit(app.url) as visit, ThreadPoolExecutor(1) as beside:
        known = {one["api_name"]: one for one in visit.http.get("/config").json()["dependencies"]}
        asked = {"data": [None], "fn_index": known["refine"]["id"], "session_hash": visit.name}
        assert visit.http.post("/gradio_api/queue/join", json=asked).is_success
        assert "process_completed" in "".join(heard(visit))
        listening = beside.submit(lambda: ("".join(heard(visit)), time.monotonic()))
        time.sleep(2.5)  # in which lines that nobody listens to are let go of
        assert visit.http.post("/gradio_api/queue/join", json=asked).is_success
        began = time.monotonic()
        told, ended = listening.result()
        assert "process_completed" in told and ended - began < 3


def taken(app):
    """How many files were made to be taken away."""
    return sum(line.get("event") == "take" for line in app.log)


def heard(visit):
    """All that the app sends a visit; of one that it does not know it breaks off."""
    asked = visit.http.stream("GET", "/gradio_api/queue/data", params={"session_hash": visit.name})
    with suppress(httpx.RemoteProtocolError), asked as told:
        yield from told.iter_text()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_everything_is_gone_at_exit(tmp_path, how):
    with started(tmp_path, **NO_MODEL) as app, Visit(app.url) as visit:
        visit.do("start", 1440)
        visit.upload(*RECORDING)
        with half_sent(app):
            app.process.send_signal(how)
            assert app.process.wait(timeout=30) == 0
        assert app.left() == [] and not list(tmp_path.glob("focal-*"))


def test_nothing_stays_where_the_end_comes_in_the_middle_of_readings(tmp_path):
    with started(tmp_path, **NO_MODEL) as app:

        def read_on(_):
            with Visit(app.url) as visit, suppress(httpx.HTTPError, ValueError):
                while True:
                    with suppress(Refused):
                        visit.read(*RECORDING)

        with ThreadPoolExecutor(4) as readers:
            reading = readers.map(read_on, range(4))
            in_the_middle = until(lambda: len(app.log) > 20, within_s=120)
            app.process.terminate()
            assert in_the_middle
            assert app.process.wait(timeout=30) == 0
            list(reading)
        assert app.left() == [] and not list(tmp_path.glob("focal-*"))


@pytest.mark.parametrize("delay_s", [0.0, 1.0])
def test_a_stop_while_the_model_loads_is_a_stop(tmp_path, delay_s):
    with started(tmp_path) as app:
        time.sleep(delay_s)
        app.process.terminate()
        assert app.process.wait(timeout=30) == 0
    assert app.left() == []
