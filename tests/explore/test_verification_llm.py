"""A real server on this machine is asked with the paper's words alone; a broken one is survived."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from focal_app.errors import LLMError
from focal_app.explore.report import language_model as llm
from focal_app.explore.report.language_model import LLMServer, propose, server_from
from focal_app.llm.prompts import ORGANISE_PROMPT, question

FEATURES = ["Wide QRS complex", "Broad notched R waves in lateral leads"]


class Model(BaseHTTPRequestHandler):
    """Answers like an OpenAI-compatible server; `server.mood` says how."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.heard.append((self.path, dict(self.headers), asked))
        mood = self.server.mood
        if mood == "slow":
            time.sleep(1.5)
        if mood == "dies":
            return self.connection.close()
        if mood == "redirects":
            self.send_response(302)
            self.send_header("Location", f"http://127.0.0.1:{self.server.server_port}/elsewhere")
            return self.end_headers()
        if mood == "refuses":
            return self.send_error(401)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self._body(mood, asked))

    def _body(self, mood, asked):
        if mood == "garbles":
            return b"{not json"
        if mood == "floods":
            return b"[" * 3_000_000
        said = (
            "They are wide."
            if "response_format" not in asked
            else json.dumps({"features": FEATURES})
        )
        if mood == "rambles":
            said = "I cannot help with that."
        return json.dumps({"choices": [{"message": {"content": said}}]}).encode()

    def log_message(self, *_):
        pass


@pytest.fixture
def model():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    server.heard, server.mood = [], "well"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def at(model, **named):
    return LLMServer(f"http://127.0.0.1:{model.server_port}/v1", "tiny", **named)


def test_the_two_prompts_of_the_paper_are_sent_and_nothing_else(model):
    assert propose(at(model, api_key="secret"), ["LBBB", "AF"]) == tuple(FEATURES)
    (path, headers, first), (_, _, second) = model.heard
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == "Bearer secret"
    assert first["messages"] == [{"role": "user", "content": question(["LBBB", "AF"])}]
    assert [m["role"] for m in second["messages"]] == ["user", "assistant", "user"]
    assert second["messages"][-1]["content"] == ORGANISE_PROMPT
    assert second["response_format"]["type"] == "json_schema"
    assert set(second) == {
        "model", "messages", "max_tokens", "temperature", "seed", "response_format",
    }  # fmt: skip


@pytest.mark.parametrize("mood", ["dies", "redirects", "refuses", "garbles", "floods", "rambles"])
def test_a_broken_server_is_a_sentence_that_says_what_to_do(model, mood):
    model.mood = mood
    with pytest.raises(LLMError, match="lexicon"):
        propose(at(model, api_key="secret"), ["LBBB"])
    assert {path for path, _, _ in model.heard} == {"/v1/chat/completions"}


def test_a_slow_server_is_given_up(model, monkeypatch):
    model.mood = "slow"
    monkeypatch.setattr(llm, "ANSWER_S", 0.2)
    with pytest.raises(LLMError, match="in time"):
        propose(at(model), ["LBBB"])


def test_a_server_that_is_gone_is_a_sentence(model):
    model.shutdown()
    model.server_close()
    with pytest.raises(LLMError, match="cannot be reached"):
        propose(at(model), ["LBBB"])


def test_the_environment_names_the_server_and_its_key_stays_hidden():
    named = {
        "FOCAL_LLM_BASE_URL": "https://user:word@host.example:8000/v1/",
        "FOCAL_LLM_MODEL": "m",
        "FOCAL_LLM_API_KEY": "secret",
    }
    server = server_from(named)
    assert server.host == "https://host.example:8000"
    assert server.api_key == "secret" and "secret" not in repr(server)
    assert server_from({}) is None


@pytest.mark.parametrize(
    "url",
    [
        *("file:///etc/passwd", "ftp://x", "localhost:8000", "http://"),
        *("http://host:port/v1", "http://host:99999/v1", "http://[::1/v1"),
    ],
)
def test_an_address_that_is_none_is_refused(url):
    with pytest.raises(LLMError, match="FOCAL_LLM_BASE_URL"):
        server_from({"FOCAL_LLM_BASE_URL": url, "FOCAL_LLM_MODEL": "m"})
