"""The endpoints answer programs through gradio_client, and give nobody another's files."""

import json
import re
import shutil
import textwrap
import time
import urllib.error
import urllib.request

import httpx
import pytest
from llm_server import FEATURES, answering
from running import ROOT, App, health, once_loaded, started

from focal_app.explore.reading.bundled_cases import CASES
from focal_app.ui.server.settings import EVERYWHERE

client_package = pytest.importorskip("gradio_client", reason="gradio_client is not installed")
NAMED = "jane-roe-1940"
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::ResourceWarning")]


@pytest.fixture(scope="module")
def language_model():
    """The address of a server that proposes features."""
    with answering() as server:
        yield f"http://127.0.0.1:{server.server_port}/v1"


@pytest.fixture(scope="module")
def app(tmp_path_factory, language_model):
    configured = {"FOCAL_LLM_BASE_URL": language_model, "FOCAL_LLM_MODEL": "tiny"}
    with started(tmp_path_factory.mktemp("api"), **configured) as running:
        yield once_loaded(running)


@pytest.fixture(scope="module")
def client(app):
    connected = client_package.Client(app.url, verbose=False)
    yield connected
    connected.close()


@pytest.fixture
def files(tmp_path):
    """A recording under a name that could identify somebody, as a program would send it."""
    header = (CASES / "left-bundle-branch-block.hea").read_text()
    (tmp_path / f"{NAMED}.hea").write_text(header.replace("left-bundle-branch-block", NAMED))
    shutil.copy(CASES / "left-bundle-branch-block.dat", tmp_path / f"{NAMED}.dat")
    return [client_package.handle_file(tmp_path / f"{NAMED}{end}") for end in (".hea", ".dat")]


def test_read_scores_the_prompts_that_were_asked(client, files):
    told = client.predict(files=files, prompts=["LBBB", "atrial fibrillation"], api_name="/read")
    assert [f["prompt"] for f in told["findings"]] == ["LBBB", "atrial fibrillation"]
    assert all(0 <= f["probability"] <= 1 for f in told["findings"])
    assert told["record"]["sampling_rate_hz"] == 500
    assert "heatmap" not in told and NAMED not in json.dumps(told)


def test_read_gives_the_heatmap_and_the_everyday_set_on_request(client, files):
    told = client.predict(files=files, heatmap=True, api_name="/read")
    assert len(told["findings"]) >= 10
    assert len(told["heatmap"]["weights"]) == len(told["findings"])


def test_verify_sorts_by_the_threshold(client, files):
    asked = {"files": files, "report": "Sinus rhythm. LBBB, no AF.", "api_name": "/verify"}
    every = client.predict(**asked, threshold=0.0)
    none = client.predict(**asked, threshold=1.0)
    told = client.predict(**asked)
    assert every["zones"]["supported_from"] == 0.0 and none["zones"]["supported_from"] == 1.0
    assert told["zones"]["supported_from"] < 1.0
    assert [row["denied"] for row in told["statements"]] == [False, False, True]
    probable = [row["probability"] for row in every["statements"]]
    assert probable == [row["probability"] for row in none["statements"]]
    counts = [len(one["summary"]["supported"]) for one in (every, none)]
    assert counts[0] > counts[1]


def test_verify_takes_features_that_a_model_proposed(client, files):
    features = ["wide QRS", "LBBB waveform", "golden spike"]
    told = client.predict(files=files, report="LBBB.", features=features, api_name="/verify")
    judged = [*told["features"], *told["statements"][0]["features"]]
    assert [one["feature"] for one in judged] == ["wide QRS complex"]
    assert told["proposals"] == {
        "outcome": "features",
        "echoes": ["LBBB waveform"],
        "no_finding": ["golden spike"],
    }


def test_search_and_similar_give_cases_best_first(client, files):
    found = client.predict(text="LBBB without AF", top=3, api_name="/search")
    assert "left bundle branch block" in found["understood"] and len(found["hits"]) == 3
    scores = [hit["score"] for hit in found["hits"]]
    assert scores == sorted(scores, reverse=True)
    alike = client.predict(files=files, top=4, api_name="/similar")
    assert [hit["rank"] for hit in alike["hits"]] == [1, 2, 3, 4]
    women = client.predict(text="LBBB", sex="female", top=2, api_name="/search")
    assert {hit["sex"] for hit in women["hits"]} == {"female"}


@pytest.mark.parametrize(
    ("endpoint", "asked", "said"),
    [
        ("/search", {"text": ""}, "finding"),
        ("/search", {"text": "LBBB", "top": 1000}, "1 to 50"),
        ("/search", {"text": "LBBB", "top": 1.5}, "fraction as top"),
        ("/search", {"text": "LBBB", "age_from": "ten"}, "a text as age_from"),
        ("/search", {"text": "LBBB", "labels": "AF"}, "a text as labels"),
        ("/search", {"text": "LBBB", "sex": "<img src=x>"}, "&lt;img"),
        ("/read", {"files": []}, "."),
        ("/verify", {"files": [], "report": "LBBB"}, "."),
    ],
)
def test_what_cannot_be_answered_is_said_in_a_sentence(client, endpoint, asked, said):
    with pytest.raises(client_package.exceptions.AppError, match=said) as refused:
        client.predict(**asked, api_name=endpoint)
    assert "<img" not in str(refused.value)


def test_the_lines_that_docs_hosting_shows_run_as_they_stand(app, tmp_path, monkeypatch):
    page = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")
    (lines,) = re.findall(r"(?m)(?:^ {4}(?:from|client|files|asked|told).*\n)+", page)
    for end in ("hea", "dat"):
        shutil.copy(CASES / f"normal.{end}", tmp_path / f"a.{end}")
    header = (tmp_path / "a.hea").read_text()
    (tmp_path / "a.hea").write_text(header.replace("normal.dat", "a.dat"))
    monkeypatch.chdir(tmp_path)
    seen = {}
    exec(textwrap.dedent(lines.replace("http://127.0.0.1:7860", app.url)), seen)
    seen["client"].close()
    assert seen["told"]["features"] == FEATURES and "prompts" in seen["asked"]


def test_nothing_of_a_recording_stays_on_disk_or_in_the_log(client, files, app):
    client.predict(files=files, prompts=["LBBB of Jane Roe"], api_name="/read")
    assert app.left() == []
    written = json.dumps(app.log)
    assert NAMED not in written and "Jane" not in written
    assert any(line.get("event") == "read" and "ms" in line for line in app.log)


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "app.py", "../../etc/passwd", "assets/lexicon.yaml"]
)
def test_no_endpoint_reads_a_file_that_was_not_uploaded(app, path):
    """The path of a file on the server in place of an upload, as no proper client would send."""
    data = {"path": path, "orig_name": "a.hea", "meta": {"_type": "gradio.FileData"}}
    sent = httpx.post(
        f"{app.url}/gradio_api/call/read", json={"data": [[data], [], "", 0, False]}, timeout=60
    )
    told = sent.text
    if sent.status_code == httpx.codes.OK:
        event = sent.json()["event_id"]
        told = httpx.get(f"{app.url}/gradio_api/call/read/{event}", timeout=60).text
    assert "root:" not in told and "findings" not in told


@pytest.mark.parametrize("path", ["/etc/passwd", "assets/lexicon.yaml", "../app.py"])
def test_the_page_serves_no_file_of_the_machine(app, path):
    for route in ("file=", "file/"):
        answer = httpx.get(f"{app.url}/gradio_api/{route}{path}", timeout=30)
        assert answer.status_code in {403, 404}


def test_the_upload_of_another_is_gone_before_anybody_could_ask_for_it(app, tmp_path):
    """What one visitor uploads and reads cannot be fetched by another who knows its path."""
    (tmp_path / "a.hea").write_bytes((CASES / "normal.hea").read_bytes())
    with (tmp_path / "a.hea").open("rb") as file:
        sent = httpx.post(f"{app.url}/gradio_api/upload", files={"files": file}, timeout=60)
    (stored,) = sent.json()
    data = {"path": stored, "orig_name": "a.hea", "meta": {"_type": "gradio.FileData"}}
    call = httpx.post(
        f"{app.url}/gradio_api/call/read", json={"data": [[data], [], "", 0, False]}, timeout=60
    )
    httpx.get(f"{app.url}/gradio_api/call/read/{call.json()['event_id']}", timeout=60)
    with httpx.Client() as other:
        answer = other.get(f"{app.url}/gradio_api/file={stored}", timeout=30)
    assert answer.status_code in {403, 404}


def test_health_tells_page_model_and_gallery(app):
    assert health(app) == {
        "status": "ok",
        "page": "up",
        "model": "ready",
        "gallery": "ready",
        "version": health(app)["version"],
    }


def test_the_log_is_json_lines_with_a_line_of_progress(app):
    said = [line["message"] for line in app.log]
    assert said.index("the page is open") < said.index("loading the model")
    assert "the model is ready" in said


def test_a_public_page_without_a_password_says_so_and_one_with_it_asks_for_it(tmp_path):
    (tmp_path / "open").mkdir()
    (tmp_path / "closed").mkdir()
    broken = {"FOCAL_CHECKPOINT": "/nowhere"}
    with started(tmp_path / "open", GRADIO_SERVER_NAME=EVERYWHERE, **broken) as running:
        _until(running, "FOCAL_AUTH")
        assert _until_state(running, "model", "failed")
        with pytest.raises(urllib.error.HTTPError, match="503"):
            urllib.request.urlopen(f"{running.url}/health", timeout=60)
        asking = client_package.Client(running.url, verbose=False)
        with pytest.raises(client_package.exceptions.AppError, match="no language model is conf"):
            asking.predict(report="LBBB", api_name="/propose")
        asking.close()
    with started(tmp_path / "closed", FOCAL_AUTH="ann:word:x", **broken) as running:
        assert httpx.get(f"{running.url}/gradio_api/info", timeout=30).status_code == 401
        assert health(running)["page"] == "up"
        signed = httpx.post(
            f"{running.url}/login", data={"username": "ann", "password": "word:x"}, timeout=30
        )
        assert signed.status_code == 200
        wrong = httpx.post(
            f"{running.url}/login", data={"username": "ann", "password": "word"}, timeout=30
        )
        assert wrong.status_code == 400
        assert "word:x" not in (running.temporary / "log").read_text()


def _until(app: App, words: str) -> None:
    for _ in range(300):
        if words in (app.temporary / "log").read_text():
            return
        time.sleep(0.2)
    pytest.fail(f"{words} is not in the log")


def _until_state(app: App, part: str, state: str) -> bool:
    for _ in range(300):
        if health(app)[part] == state:
            return True
        time.sleep(0.2)
    return False
