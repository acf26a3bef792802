"""A real server on this machine is asked with the paper's words alone; a broken one is survived."""

import json

import pytest
from llm_server import FEATURES, answering

from focal_app.__main__ import main
from focal_app.errors import LLMError
from focal_app.explore.reading.bundled_cases import CASES
from focal_app.explore.report import language_model as llm
from focal_app.explore.report.candidates import model_proposals
from focal_app.explore.report.language_model import LLMServer, propose, server_from
from focal_app.llm.prompts import ORGANISE_PROMPT, question
from focal_app.ui.server.endpoints import Endpoints
from focal_app.words.statements import report_tags


@pytest.fixture
def model():
    with answering() as server:
        yield server


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


def test_an_empty_list_is_asked_for_again_otherwise_and_may_stay_one(model):
    for mood, found in (("proposes late", tuple(FEATURES)), ("proposes nothing", ())):
        model.mood, model.heard[:] = mood, []
        assert propose(at(model), ["LBBB"]) == found
        (_, first, again) = (asked for _, _, asked in model.heard)
        assert (first["temperature"], first["seed"]) == (0.0, 0)
        assert again["temperature"] > 0
        assert again["messages"] == first["messages"]


def test_trying_again_draws_anew(model):
    model.mood = "rambles"
    for _ in range(3):
        with pytest.raises(LLMError, match="asked 2 times"):
            propose(at(model), ["LBBB"])
    seeds = [asked["seed"] for _, _, asked in model.heard if asked["temperature"]]
    assert len(set(seeds)) == len(seeds) == 3


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


@pytest.fixture
def configured(model, monkeypatch):
    """The app's settings name that server."""
    monkeypatch.setenv("FOCAL_LLM_BASE_URL", f"http://127.0.0.1:{model.server_port}/v1")
    monkeypatch.setenv("FOCAL_LLM_MODEL", "tiny")
    return model


def never():
    """A part that is not needed."""
    raise AssertionError("the model was asked")


def test_programs_see_what_would_be_sent_and_nothing_is_sent_unless_they_say_so(configured):
    ends = Endpoints(never, never)
    report = "Mrs Roe, 71 years. LBBB, no AF. PR 210 ms. Seen by Dr Doe."
    shown = ends.propose(report)
    assert not configured.heard
    assert shown["prompts"][0].startswith("left bundle branch block\n")
    assert (shown["sent"], shown["model"]) == (False, "tiny")
    answered = ends.propose(report, send=True)
    assert answered["features"] == FEATURES and answered["outcome"] == "features"
    first = configured.heard[0][2]["messages"]
    assert [message["content"] for message in first] == shown["prompts"][:1]
    assert not [asked for asked in configured.heard if "Roe" in str(asked) or "Doe" in str(asked)]


@pytest.mark.parametrize(
    ("mood", "outcome", "told"),
    [
        ("proposes nothing", "none proposed", "proposed no features"),
        ("repeats", "free text", "Only repeats the report: LBBB waveform. Names no finding"),
    ],
)
def test_none_proposed_is_told_apart_from_none_that_can_be_verified(
    configured, mood, outcome, told
):
    configured.mood = mood
    assert Endpoints(never, never).propose("LBBB", send=True)["outcome"] == outcome
    said = model_proposals(propose(at(configured), ["LBBB"]), report_tags("LBBB")).words
    assert told in said


def test_programs_without_a_server_are_told_so(monkeypatch):
    monkeypatch.delenv("FOCAL_LLM_BASE_URL", raising=False)
    with pytest.raises(LLMError, match="no language model is configured here"):
        Endpoints(never, never).propose("LBBB")


@pytest.mark.parametrize("mood", ["well", "proposes nothing"])
def test_the_command_verifies_what_the_configured_model_proposes(configured, mood, capsys):
    configured.mood = mood
    file = str(CASES / "left-bundle-branch-block.hea")
    assert main(["verify", file, "--report", "LBBB", "--llm", "--json"]) == 0
    printed = capsys.readouterr()
    assert "sent to http://127.0.0.1" in printed.err and "left bundle branch block" in printed.err
    found = json.loads(printed.out)
    judged = {one["feature"] for one in found["features"]}
    if mood == "well":
        wanted = {"wide QRS complex", "broad notched R waves in I, aVL, V5-V6"}
        assert (judged, found["proposals"]["outcome"]) == (wanted, "features")
    else:
        assert (judged, found["proposals"]["outcome"]) == (set(), "none proposed")
