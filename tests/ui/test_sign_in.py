"""With a password set, nothing is served to strangers, and guessing takes ever longer."""

import httpx
import pytest
from running import started

from focal_app.explore.reading.bundled_cases import CASES
from focal_app.ui.server.sign_in import Throttle

CLOSED = {"FOCAL_AUTH": "ann:word", "FOCAL_CHECKPOINT": "/nowhere"}
OPEN_ROUTES = ("/", "/health", "/theme.css")
ROUTES = (
    *("/config", "/gradio_api/info", "/gradio_api/openapi.json", "/openapi.json"),
    *("/gradio_api/app_id", "/gradio_api/queue/status", "/gradio_api/queue/data?session_hash=a"),
    *("/gradio_api/heartbeat/a", "/gradio_api/token", "/gradio_api/user", "/manifest.json"),
    *("/gradio_api/file=/etc/passwd", "/monitoring", "/gradio_api/upload_progress?upload_id=a"),
    *("/gradio_api/call/read/a", "/gradio_api/deep_link", "/docs", "/gradio_api/dev/reload"),
)
QUESTIONS = (
    *("/gradio_api/reset", "/gradio_api/cancel", "/gradio_api/queue/join", "/gradio_api/run/read"),
    *("/gradio_api/call/read", "/gradio_api/call/v2/read", "/gradio_api/component_server"),
)


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    with started(tmp_path_factory.mktemp("closed"), **CLOSED) as running:
        yield running


def sign_in(client, password):
    return client.post("/login", data={"username": "ann", "password": password})


@pytest.fixture
def stranger(app):
    with httpx.Client(base_url=app.url, timeout=30) as client:
        yield client


def test_a_stranger_is_served_only_the_page_that_asks_for_the_password(stranger):
    for path in OPEN_ROUTES:
        assert stranger.get(path).status_code in {200, 503}, path
    page = stranger.get("/").text
    assert "auth_required" in page and "Findings to look for" not in page
    for path in ROUTES:
        assert stranger.get(path).status_code == 401, path
    for path in QUESTIONS:
        asked = {"data": [], "session_hash": "a", "fn_index": 0, "event_id": "a"}
        assert stranger.post(path, json=asked).status_code == 401, path


def test_a_stranger_uploads_nothing(app, stranger):
    sent = {"files": ("normal.hea", (CASES / "normal.hea").read_bytes())}
    assert stranger.post("/gradio_api/upload", files=sent).status_code == 401
    assert not list(app.temporary.glob("focal-*/uploads/*"))


def test_a_made_up_cookie_opens_nothing(stranger):
    app_id = stranger.get("/").text
    stranger.cookies.update({"access-token": "x", "access-token-unsecure-": "None"})
    assert app_id and stranger.get("/config").status_code == 401


def test_who_signs_in_is_served(app):
    with httpx.Client(base_url=app.url, timeout=30) as client:
        assert sign_in(client, "word").status_code == 200
        # Gradio sets the plain cookie for addresses without TLS.
        assert client.get("/config").status_code == 200
        assert client.get("/gradio_api/app_id").status_code == 200


def test_guessing_waits_longer_after_each_guess_and_then_the_right_one_waits_too(app):
    told = {"X-Forwarded-For": "203.0.113.9"}
    with httpx.Client(base_url=app.url, timeout=30, headers=told) as client:
        answers = [sign_in(client, f"guess {n}") for n in range(30)]
        assert [answer.status_code for answer in answers[: Throttle.FREE]] == [400] * Throttle.FREE
        assert {answer.status_code for answer in answers[Throttle.FREE :]} == {429}
        late = sign_in(client, "word")
        assert late.status_code == 429 and late.headers["retry-after"].isdigit()
        assert f"try again in {late.headers['retry-after']} s" in late.json()["detail"].lower()
    with httpx.Client(base_url=app.url, timeout=30) as another:
        assert sign_in(another, "word").status_code == 200


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_the_wait_doubles_and_ends():
    clock = Clock()
    throttle = Throttle(clock=clock)
    waits = []
    for _ in range(Throttle.FREE + 12):
        throttle.tried("a")
        waits.append(throttle.wait_s("a"))
        clock.now += throttle.wait_s("a")
    assert waits[: Throttle.FREE - 1] == [0] * (Throttle.FREE - 1)
    assert waits[Throttle.FREE - 1 : Throttle.FREE + 3] == [2, 4, 8, 16]
    assert waits[-1] == Throttle.LONGEST_S
    assert throttle.wait_s("a") == 0 and throttle.wait_s("b") == 0


def test_many_addresses_fill_no_memory_and_who_gets_in_is_forgotten():
    throttle = Throttle(most=100)
    for number in range(5000):
        throttle.tried(f"10.0.{number // 256}.{number % 256}")
    assert len(throttle) == 100
    throttle.right(f"10.0.{4999 // 256}.{4999 % 256}")
    assert len(throttle) == 99
