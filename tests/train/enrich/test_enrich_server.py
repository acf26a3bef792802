"""Servers that die, answer nonsense, answer slowly, or fail for a while."""

import logging
import time
from pathlib import Path

import pytest
from stand_in_server import NOTHING, StandIn, honest, said, tags_of

from focal_app.errors import ConfigError
from train.enrich.backends.protocol import BackendError
from train.enrich.backends.server import Server
from train.enrich.cache import Answers
from train.enrich.candidates import candidate_lines
from train.enrich.generate import enrich
from train.enrich.prompts import Generation

TAGS = [(f"finding {i:02d}",) for i in range(20)]


def run(url: str, out: Path, tags=TAGS, **options):
    options = {"concurrency": 4, "tries": 3, "wait_s": 0.01, "timeout_s": 10.0} | options
    return enrich(tags, Server(url, "tiny", Generation(), **options), out=out)


def kept(out: Path) -> int:
    return len((out / "answers.jsonl").read_text().splitlines())


def test_a_server_that_dies_is_named_and_what_it_answered_is_kept(tmp_path: Path) -> None:
    def dying(body, number):
        return honest(body, number) if number <= 12 else NOTHING

    with StandIn(dying) as server, pytest.raises(BackendError, match="What it answered is kept"):
        run(server.url, tmp_path)
    assert kept(tmp_path) == 12
    assert not list(tmp_path.glob("candidates-*"))
    with StandIn() as server:
        report = run(server.url, tmp_path)
    assert (report.ok, report.known, report.calls) == (20, 12, 28)
    assert len(server.bodies) == 28


def test_no_more_is_asked_ahead_of_what_was_kept_than_runs_side_by_side(tmp_path: Path) -> None:
    """Whatever keeps its time: what is asked and not kept is lost by a kill."""
    ahead = []

    def watched(body, number):
        time.sleep(0.02)  # a slow taker is the rule then
        answers = tmp_path / "answers.jsonl"
        ahead.append(number - (kept(tmp_path) if answers.is_file() else 0))
        return honest(body, number)

    def slow_to_keep(self, key, text):
        time.sleep(0.05)
        return put(self, key, text)

    with pytest.MonkeyPatch.context() as patch, StandIn(watched) as server:
        put = Answers.put
        patch.setattr(Answers, "put", slow_to_keep)
        run(server.url, tmp_path, concurrency=3)
    assert max(ahead) <= 3


def test_an_address_where_nobody_listens_is_said(tmp_path: Path) -> None:
    with StandIn() as server:
        url = server.url
    with pytest.raises(BackendError, match="does not answer: ConnectError, 3 times"):
        run(url, tmp_path)


def test_two_internal_errors_are_outlived(tmp_path: Path, caplog) -> None:
    def troubled(body, number):
        return (500, {"error": "overloaded"}) if number <= 2 else honest(body, number)

    with StandIn(troubled) as server, caplog.at_level(logging.WARNING):
        report = run(server.url, tmp_path, TAGS[:1])
    assert (report.ok, report.retried, len(server.bodies)) == (1, 0, 4)
    assert "status 500" in caplog.text


def test_a_server_that_speaks_another_protocol_is_refused(tmp_path: Path) -> None:
    nonsense = iter([b"<html>hello</html>", b'{"choices": []}', b'{"choices": [{}]}'])
    with (
        StandIn(lambda _body, _number: (200, next(nonsense, b"[1]"))) as server,
        pytest.raises(BackendError, match="does not answer"),
    ):
        run(server.url, tmp_path, TAGS[:1])
    assert kept(tmp_path) == 0


def test_a_text_without_a_list_is_no_failure_of_the_server(tmp_path: Path) -> None:
    with StandIn(lambda _body, _number: said("%&/ lorem ipsum \x00 ]] [[ {")) as server:
        report = run(server.url, tmp_path, TAGS[:3])
    assert (report.malformed, report.ok) == (3, 0)


def test_a_model_that_only_thinks_is_malformed(tmp_path: Path) -> None:
    with StandIn(lambda _body, _number: said(None)) as server:
        report = run(server.url, tmp_path, TAGS[:1])
    assert report.malformed == 1


def test_a_slow_answer_is_asked_for_again_and_then_given_up(tmp_path: Path) -> None:
    with (
        StandIn(delay_s=0.6) as server,
        pytest.raises(BackendError, match="no answer in time, 2 times"),
    ):
        run(server.url, tmp_path, TAGS[:1], timeout_s=0.15, tries=2)


def test_slow_answers_are_waited_for_side_by_side(tmp_path: Path) -> None:
    with StandIn(delay_s=0.05) as server:
        run(server.url, tmp_path, TAGS, concurrency=4)
    assert server.busiest == 4


def test_one_refused_tag_set_stops_no_other_and_is_asked_again(tmp_path: Path) -> None:
    def choosy(body, number):
        if tags_of(body) == ["finding 03"]:
            return 400, {"error": {"message": "too long"}}
        return honest(body, number)

    with StandIn(choosy) as server:
        report = run(server.url, tmp_path)
    assert (report.ok, report.malformed, report.refused) == (19, 1, 3)
    line = next(c for c in candidate_lines(tmp_path) if c.status == "malformed")
    assert "too long" in line.raw[0]
    with StandIn(choosy) as server:
        assert run(server.url, tmp_path).refused == len(server.bodies) == 3
    with StandIn() as server:
        again = run(server.url, tmp_path)
    assert (again.ok, again.calls) == (20, 2)


def test_nothing_but_refusals_is_an_error(tmp_path: Path) -> None:
    wrong = 404, {"error": {"message": "no such model"}}
    with (
        StandIn(lambda _body, _number: wrong) as server,
        pytest.raises(BackendError, match="no such model"),
    ):
        run(server.url, tmp_path)
    assert len(server.bodies) == 20


def test_once_a_request_has_failed_for_good_no_other_is_begun(tmp_path: Path) -> None:
    with StandIn(lambda _body, _number: NOTHING) as server, pytest.raises(BackendError):
        run(server.url, tmp_path, concurrency=2, tries=2)
    assert len(server.bodies) <= 8


def test_the_servers_own_key_is_sent(tmp_path: Path) -> None:
    with StandIn() as server:
        run(server.url, tmp_path, TAGS[:1], token="of-the-server")
    assert {sent["authorization"] for sent in server.headers} == {"Bearer of-the-server"}


def test_a_server_that_knows_no_chat_template_gets_none(tmp_path: Path) -> None:
    generation = Generation(thinking=True)
    with StandIn() as server:
        enrich(TAGS[:1], Server(server.url, "m", generation), out=tmp_path, generation=generation)
    assert not [body for body in server.bodies if "chat_template_kwargs" in body]


@pytest.mark.parametrize("url", ["127.0.0.1:8000", "file:///etc/passwd", ""])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="needed an address"):
        Server(url, "tiny", Generation())


def test_requests_elsewhere_stay_forbidden_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants, get_session
    from huggingface_hub.errors import OfflineModeIsEnabled

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with StandIn() as server:
        Server(server.url, "tiny", Generation())
        with pytest.raises(OfflineModeIsEnabled):
            get_session().get("http://localhost:9/api/models")
