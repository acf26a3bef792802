"""Under which names the page is served, and which other pages may talk to it."""

import httpx
import pytest
from running import started
from starlette.testclient import TestClient

from focal_app.errors import ConfigError
from focal_app.ui.server import wording
from focal_app.ui.server.answers import response_headers
from focal_app.ui.server.hosts import HostGate, Hosts
from focal_app.ui.server.settings import read_settings

NO_MODEL = {"FOCAL_CHECKPOINT": "/nowhere"}
PUBLIC = {"GRADIO_SERVER_NAME": "0.0.0.0"}


def hosts(**environment):
    return read_settings(environment).hosts


@pytest.mark.parametrize("host", ["localhost:7860", "127.0.0.1", "[::1]:7860", "LOCALHOST"])
def test_this_machine_is_always_served(host):
    assert hosts().serves(host)
    assert hosts(**PUBLIC, FOCAL_ALLOWED_HOSTS="ecg.example.org").serves(host)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "",
        "[",
        "x@localhost",
        "a b",
        "a\\@localhost",
    ],
)
def test_a_name_that_is_not_ours_is_not_served(host):
    assert not hosts().serves(host)
    assert not hosts(FOCAL_ALLOWED_HOSTS="ecg.example.org,*.sub.example").serves(host)


def test_bare_addresses_are_served_where_the_page_listens_everywhere():
    assert hosts(**PUBLIC).serves("10.1.2.3:7860") and hosts(**PUBLIC).serves("[fd00::1]")
    assert not hosts().serves("10.1.2.3:7860")
    assert hosts(GRADIO_SERVER_NAME="ecg.lan").serves("ecg.lan:7860")


def test_a_space_is_served_under_its_own_name_and_framed_by_hugging_face():
    space = hosts(SPACE_ID="org/name", SPACE_HOST="org-name.hf.space")
    assert space.serves("org-name.hf.space") and not space.serves("other.hf.space")
    assert space.welcomes("https://org-name.hf.space", "org-name.hf.space")
    assert not space.welcomes("https://other.hf.space", "org-name.hf.space")
    assert hosts(SPACE_ID="org/name").serves("org-name.hf.space")
    policy = response_headers(space.framed_by)["Content-Security-Policy"]
    assert "frame-ancestors 'self' https://huggingface.co https://*.hf.space" in policy
    assert response_headers(hosts().framed_by)["Content-Security-Policy"].endswith(
        "frame-ancestors 'self'"
    )


def test_names_with_a_star_and_origins_may_be_listed():
    listed = hosts(FOCAL_ALLOWED_HOSTS="*.example.org, https://Course.Example.net:8443 ")
    assert listed.serves("ecg.example.org") and not listed.serves("example.org")
    assert listed.lists("https://course.example.net:8443")
    assert not listed.lists("http://course.example.net:8443")
    assert hosts(FOCAL_ALLOWED_HOSTS="*").serves("anything.example")
    assert not hosts(FOCAL_ALLOWED_HOSTS="*").welcomes("https://evil.example", "a.example")


@pytest.mark.parametrize(
    "value", ["ecg example", "https://", "a/b", "ftp://x", "a,b c", "**", "x:y"]
)
def test_an_entry_that_is_no_name_is_refused(value):
    with pytest.raises(ConfigError, match="FOCAL_ALLOWED_HOSTS"):
        hosts(FOCAL_ALLOWED_HOSTS=value)


@pytest.mark.parametrize(
    ("origin", "host", "welcome"),
    [
        ("http://localhost:7860", "localhost:7860", True),
        ("https://localhost", "localhost:443", True),
        ("http://localhost:3000", "localhost:7860", False),
        ("http://127.0.0.1:7860", "localhost:7860", False),
        ("http://evil.example", "localhost:7860", False),
        ("http://localhost.evil.example:7860", "localhost:7860", False),
        ("null", "localhost:7860", False),
        ("", "localhost:7860", False),
        ("file://", "localhost:7860", False),
        ("chrome-extension://abc", "localhost:7860", False),
        ("http://[", "localhost:7860", False),
        ("http://localhost:99999", "localhost:7860", False),
        ("https://ecg.example.org", "127.0.0.1:7860", True),
        ("https://other.example.org", "127.0.0.1:7860", False),
    ],
)
def test_only_pages_of_our_own_origin_are_welcome(origin, host, welcome):
    assert Hosts(names=("ecg.example.org",)).welcomes(origin, host) == welcome


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    course = {"FOCAL_ALLOWED_HOSTS": "https://course.example.org"}
    with started(tmp_path_factory.mktemp("hosts"), **NO_MODEL, **course) as running:
        yield running


def asked(app, **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    with httpx.Client(base_url=app.url, headers=named, timeout=30) as client:
        yield client.get("/config")
        yield client.get("/gradio_api/info")
        yield client.post("/gradio_api/call/read", json={"data": []})
        yield client.post("/gradio_api/upload", files={"files": ("a.hea", b"text")})
        yield client.options(
            "/gradio_api/call/read", headers={"Access-Control-Request-Method": "GET"}
        )


@pytest.mark.parametrize("origin", ["null", "https://evil.example", "http://localhost:1"])
def test_pages_of_other_origins_are_answered_nothing(app, origin):
    for answer in asked(app, Origin=origin):
        assert (answer.status_code, answer.text.count(wording.FOREIGN_ORIGIN[:30])) != (200, 0)
        assert answer.status_code == 403
        assert "access-control-allow-origin" not in answer.headers
        assert "access-control-allow-credentials" not in answer.headers
    assert not list(app.temporary.glob("focal-*/uploads/*"))


def test_a_browser_that_says_cross_site_is_answered_nothing_but_a_page(app):
    foreign = {"Sec_Fetch_Site": "cross-site"}
    for answer in asked(app, **foreign, Sec_Fetch_Mode="no-cors"):
        assert answer.status_code == 403
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert httpx.get(app.url, headers=link, timeout=30).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example"])
def test_another_name_for_this_machine_is_answered_nothing(app, host):
    for answer in asked(app, Host=host, Origin=f"http://{host}"):
        assert answer.status_code == 421 and "FOCAL_ALLOWED_HOSTS" in answer.text


def test_a_listed_origin_may_ask_and_read(app):
    *answers, preflight = asked(app, Origin="https://course.example.org")
    for answer in (*answers, preflight):
        assert answer.headers["access-control-allow-origin"] == "https://course.example.org"
    assert answers[0].status_code == 200 and preflight.status_code == 200


def test_every_answer_carries_the_headers_that_keep_browsers_careful(app):
    for path in (
        "/",
        "/config",
        "/health",
        "/nowhere",
        "/theme.css",
        "/gradio_api/file=/etc/passwd",
    ):
        headers = httpx.get(f"{app.url}{path}", timeout=30).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert "default-src 'self'" in headers["content-security-policy"]


def test_the_page_travels_packed_to_a_browser_that_unpacks_it(app):
    sent = {}
    for coding in ("gzip", "identity"):
        with httpx.stream("GET", app.url, headers={"Accept-Encoding": coding}) as answer:
            sent[coding] = sum(map(len, answer.iter_raw()))
            assert answer.headers.get("content-encoding", "identity") == coding
    assert 5 * sent["gzip"] < sent["identity"]


def test_health_is_told_under_every_name():
    async def up(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"up"})

    client = TestClient(HostGate(up, hosts=Hosts()), base_url="http://10.0.0.7:7860")
    assert client.get("/health").status_code == 200
    assert client.get("/").status_code == 421
