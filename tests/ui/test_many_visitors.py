"""Many visitors at once: each gets what it would get alone, and nobody is in another's way."""

import http.client
import json
import time
from pathlib import Path

import pytest
from running import once_loaded, started
from visiting import Busy, Refused, Visit, at_once, make_recordings

from focal_app.ui import wording
from focal_app.ui.server.serve import VISITS

VISITORS, CROWD = 8, 150
PROJECT = str(Path(__file__).parents[2] / "pyproject.toml")
ROUTES = (
    *("/gradio_api/file=", "/gradio_api/file/", "/file=", "/file/", "/gradio_api/proxy=file://"),
    *("/static/", "/static/img/", "/assets/", "/svelte/", "/gradio_api/custom_component/1/a/b/"),
    *("/gradio_api/stream/", "/theme.css/", "/pwa_icon/", "/"),
)
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    with started(tmp_path_factory.mktemp("many")) as running:
        yield once_loaded(running)


@pytest.fixture(scope="module")
def recordings(tmp_path_factory):
    return make_recordings(tmp_path_factory.mktemp("recordings"), VISITORS)


def read(app, recording):
    with Visit(app.url) as visit:
        return visit.read(*recording)


def read_one(app, recording):
    with Visit(app.url) as visit:
        return visit.read(*recording, prompts=["LBBB"])


def opened(app, recording):
    """What the page shows of an uploaded recording: its facts, its traces and its findings."""
    with Visit(app.url) as visit:
        visit.open()
        return visit.do("open_upload", None, visit.upload(*recording))


def test_each_of_many_programs_reads_its_own_recording(app, recordings):
    alone = [read(app, recording) for recording in recordings]
    together = at_once(VISITORS, lambda number: read(app, recordings[number]))
    assert together == alone
    assert len({json.dumps(told["findings"]) for told in alone}) == VISITORS


def test_each_of_many_pages_shows_its_own_recording(app, recordings):
    alone = [opened(app, recording) for recording in recordings]
    together = at_once(VISITORS, lambda number: opened(app, recordings[number]))
    assert together == alone
    assert len({json.dumps(told) for told in alone}) == VISITORS


def test_of_a_crowd_each_is_answered_or_told_when_to_come_again(app, recordings):
    alone = [read_one(app, recording) for recording in recordings]

    def rightly_told(number):
        try:
            return read_one(app, recordings[number % VISITORS]) == alone[number % VISITORS]
        except Busy as busy:
            return "ry again in" in str(busy)

    assert at_once(CROWD, rightly_told) == [True] * CROWD


def test_a_class_may_upload_one_recording_at_the_same_time(app, recordings):
    alone = read(app, recordings[0])
    assert at_once(VISITORS, lambda _: read(app, recordings[0])) == [alone] * VISITORS


def test_many_calls_of_endpoints_push_no_visit_out(app):
    with Visit(app.url) as resting, Visit(app.url) as program:
        resting.open()
        for _ in range(VISITS + 6):
            with pytest.raises(Refused):
                program.ask("read", [], [], "", 0, False)
            time.sleep(0.03)
        assert wording.EXPIRED not in json.dumps(resting.do("refine", None))


def test_an_upload_that_was_not_read_yet_is_fetched_by_nobody(app, recordings):
    with Visit(app.url) as visit, Visit(app.url) as other:
        stored = visit.upload(*recordings[0])
        for file in stored:
            for route in ("/gradio_api/file=", "/gradio_api/file/", "/file=", "/file/"):
                for asked in (other, visit):
                    answer = asked.http.get(f"{route}{file['path']}")
                    assert answer.status_code in {403, 404}, route
        assert visit.ask("read", stored, ["LBBB"], "", 0, False)["findings"]


def test_no_route_leads_to_files_of_the_machine_or_of_others(app, recordings):
    """Paths as no proper client would send them: absolute, climbing, and with signs encoded."""
    with Visit(app.url) as visit:
        stored = visit.upload(*recordings[0])[0]["path"]
        header = recordings[0][0].read_bytes()
        for file, content in ((stored, header), ("/etc/passwd", b"root:"), (PROJECT, b"focal")):
            for path in (file, file.lstrip("/"), f"../../../../../../..{file}"):
                for route in ROUTES:
                    for asked in (path, path.replace("/", "%2f"), path.replace(".", "%2e")):
                        assert content not in _raw(app, f"{route}{asked}"), f"{route}{asked}"


def _raw(app, path):
    """The answer to a path as it stands, which clients would tidy up first."""
    line = http.client.HTTPConnection(app.url.removeprefix("http://"), timeout=30)
    try:
        line.request("GET", path)
        return line.getresponse().read()
    finally:
        line.close()


def test_no_visit_is_written_to_disk_for_a_link(app, recordings):
    with Visit(app.url) as visit:
        visit.do("start", 1440)
        answer = visit.http.get("/gradio_api/deep_link", params={"session_hash": visit.name})
        assert answer.status_code in {403, 404} and not list(app.temporary.rglob("state.json"))


def test_one_upload_does_not_tell_where_another_lies(app, recordings):
    with Visit(app.url) as visit, Visit(app.url) as other:
        mine, theirs = visit.upload(*recordings[0]), other.upload(*recordings[0])
        assert not {file["path"] for file in mine} & {file["path"] for file in theirs}
        visit.ask("read", mine, ["LBBB"], "", 0, False)
        with pytest.raises(Refused):
            other.ask("read", mine, ["LBBB"], "", 0, False)
        assert other.ask("read", theirs, ["LBBB"], "", 0, False)["findings"]
