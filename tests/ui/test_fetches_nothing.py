"""Whatever stands where a file may stand, the app opens only what was uploaded to it.

Gradio's own guard against addresses inside is taken out here, so that 127.0.0.1 stands for any
public host: what is left to refuse is ours. Every connection and every look-up is written down.
"""

import json
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import httpx
import pytest
from running import started
from visiting import Visit

from focal_app.explore.reading.bundled_cases import CASES
from focal_app.ui.server import wording

RECORDING = (CASES / "normal.hea", CASES / "normal.dat")
NO_MODEL = {"FOCAL_CHECKPOINT": "/nowhere"}
pytestmark = pytest.mark.slow
WATCHED = """
import runpy, socket, sys
import safehttpx

lookup, asked_for = socket.getaddrinfo, sys.argv.pop()

def watched(host, *rest, **named):
    if host and str(host) not in ("127.0.0.1", "localhost"):
        with open(asked_for, "a") as asked:
            print(host, file=asked)
        raise socket.gaierror("no look-up in a test")
    return lookup(host, *rest, **named)

socket.getaddrinfo = watched
safehttpx.is_public_ip = lambda ip: True
"""
OPENED = """
from focal_app.ui.server import serve
serve.gates = lambda settings, ledger: []
"""
"""The gates in front of Gradio are gone: what is left is that nothing in it can fetch."""
RUN = 'runpy.run_path("app.py", run_name="__main__")'


class Listener(BaseHTTPRequestHandler):
    """Answers whatever is asked with a header of a recording, and counts."""

    def do_GET(self):
        self.server.heard.append(self.path)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(RECORDING[0].read_bytes())

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def listener():
    server = HTTPServer(("127.0.0.1", 0), Listener)
    server.heard = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def http():
    """One for all questions: each new one would read all certificates anew."""
    with httpx.Client(timeout=60, limits=httpx.Limits(max_keepalive_connections=0)) as client:
        yield client


@contextmanager
def watched(folder, script):
    command = (sys.executable, "-c", WATCHED + script + RUN, str(folder / "looked-up"))
    with started(folder, command=command, alone=True, **NO_MODEL) as running:
        yield running


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    with watched(tmp_path_factory.mktemp("watched"), "") as running:
        yield running


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    with watched(tmp_path_factory.mktemp("opened"), OPENED) as running:
        yield running


def file(path, **more):
    return {"path": path, "meta": {"_type": "gradio.FileData"}, **more}


def questions(address):
    """Where an address can stand: in files, text, numbers, JSON and deeper, in every endpoint."""
    one = file(address)
    yield "read", [[one, one], ["LBBB"], "", 0, False]
    yield "read", [one, ["LBBB"], "", 0, False]
    yield "read", [[], [{"deeper": [[one]]}], "", 0, False]
    yield "read", [[], ["LBBB"], one, one, one]
    yield "verify", [[], one, 0.5, 0]
    yield "search", [one, 2, [], "", 0, 120, ""]
    yield "search", ["LBBB", 2, [one], "", 0, 120, ""]
    yield "search", ["LBBB", one, [], one, one, one, one]
    yield "similar", [[one], 2, one, one, 0, 0, 0]


def bodies(address):
    for name, data in questions(address):
        yield f"/gradio_api/call/{name}", {"data": data}
        yield f"/gradio_api/run/{name}", {"data": data}
        yield f"/gradio_api/api/{name}", {"data": data}
        for number in (0, 1, 5, 9):
            asked = {"data": data, "fn_index": number, "session_hash": "a"}
            yield "/gradio_api/queue/join", asked
    named = {"files": [file(address)], "text": file(address), "report": file(address)}
    yield "/gradio_api/call/v2/read", named
    yield "/gradio_api/call/v2/search", {"text": file(address)}
    event = {"data": [None], "fn_index": 9, "session_hash": "a", "event_data": file(address)}
    yield "/gradio_api/queue/join", event


def addresses(listener):
    yield f"http://127.0.0.1:{listener.server_port}/x.hea"
    yield from ("https://files.example.org/x.hea", "http://metadata.internal/x")


def test_an_address_is_refused_before_anything_is_fetched_or_looked_up(app, listener, http):
    for address in addresses(listener):
        for path, body in bodies(address):
            answer = http.post(f"{app.url}{path}", json=body)
            assert (answer.status_code, answer.json()["detail"]) == (400, wording.FOREIGN_FILE)
    assert listener.heard == [] and not (app.temporary / "looked-up").exists()


def test_without_the_gates_nothing_in_gradio_can_fetch_or_look_up(opened, listener, http):
    for address in addresses(listener):
        for path, body in bodies(address):
            answer = http.post(f"{opened.url}{path}", json=body)
            if "/call/" in path and "event_id" in answer.text:
                event = answer.json()["event_id"]
                http.get(f"{opened.url}{path.replace('/v2', '')}/{event}")
    assert listener.heard == [] and not (opened.temporary / "looked-up").exists()
    assert opened.process.poll() is None


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "README.md",
        "app.py",
        "file:///etc/passwd",
        "ftp://127.0.0.1/x",
        "//127.0.0.1/share/x",
        "\\\\127.0.0.1\\share\\x",
        "HTTP://127.0.0.1/x",
        "http:/127.0.0.1/x",
        "data:text/plain,x",
        "",
        ".",
        "a" * 100_000,
        "a\0b",
        7,
        None,
        ["http://127.0.0.1/x"],
        {"path": "x"},
    ],
)
def test_what_is_no_upload_is_refused(app, path, http):
    for data in ([[file(path)], [], "", 0, False], [[{"path": path}], [], "", 0, False]):
        answer = http.post(f"{app.url}/gradio_api/call/read", json={"data": data})
        assert (answer.status_code, answer.json()["detail"]) == (400, wording.FOREIGN_FILE)


def test_a_path_that_climbs_out_of_an_upload_is_refused_and_its_neighbour_deleted(app):
    with Visit(app.url) as visit:
        (stored,) = visit.upload(RECORDING[0])
        real = Path(stored["path"])
        lock = real.parents[2] / "focal-explorer.lock"
        for path in (
            f"{real.parent}/../{real.parent.name}/{real.name}",
            f"{real}/",
            f"{real.parent}//{real.name}",
            str(real.parent),
            str(real.parents[1]),
            str(lock),
            f"{real.parents[1]}/../focal-explorer.lock",
            f"/{real}",
        ):
            answer = visit.http.post("/gradio_api/call/read", json={"data": [[file(path)]]})
            assert answer.status_code == 400, path
        assert lock.exists() and real.exists()
        both = {"data": [[stored, file("http://127.0.0.1/x")]]}
        assert visit.http.post("/gradio_api/call/read", json=both).status_code == 400
        assert not real.exists() and not real.parent.exists()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b'"x"',
        b"{",
        b'{"data": [1], "data": [2]}',
        b'{"data": [{"path": "a", "path": "b"}]}',
        b"\xff\xfe{\x00}\x00",
        b"\xef\xbb\xbf{}",
        b'{"data": ' + b"[" * 50 + b"]" * 50 + b"}",
        b'{"data": ' + b"[" * 200_000 + b"]" * 200_000 + b"}",
        b'{"data": [' + b"9" * 10_000 + b"]}",
        json.dumps({"data": [], "session_hash": "x" * 1000}).encode(),
    ],
)
def test_a_body_that_two_parsers_could_read_in_two_ways_is_refused(app, body, http):
    kind = {"Content-Type": "application/json"}
    for path in ("/gradio_api/call/read", "/gradio_api/queue/join", "/gradio_api/cancel"):
        answer = http.post(f"{app.url}{path}", content=body, headers=kind)
        assert answer.status_code == 400 and answer.json()["detail"], path


def test_no_more_than_a_question_is_taken_in(app, http):
    before = app.memory_mb

    def endless():
        yield b'{"data": ["'
        for _ in range(300):
            yield b"x" * 100_000

    kind = {"Content-Type": "application/json"}
    for path in ("/gradio_api/call/search", "/login"):
        answer = http.post(f"{app.url}{path}", content=endless(), headers=kind)
        assert answer.status_code == 413
    assert app.memory_mb < before + 20


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/gradio_api/component_server"),
        ("POST", "/gradio_api/vibe-edit"),
        ("POST", "/gradio_api/stream/x"),
        ("POST", "/gradio_api/process_recording"),
        ("POST", "//gradio_api/call/read"),
        ("PUT", "/gradio_api/call/read"),
        ("DELETE", "/"),
        ("GET", "/gradio_api/proxy=http://127.0.0.1/x"),
        ("GET", "/gradio_api/file=http://127.0.0.1/x"),
        ("GET", "/monitoring/summary"),
    ],
)
def test_what_the_page_does_not_need_is_not_offered(app, method, path, http):
    answer = http.request(method, f"{app.url}{path}", json={})
    assert answer.status_code in {403, 404, 405}
