"""Answers that a real model gave (SmolLM2-135M-Instruct, by vLLM on a CPU), served as it gave them.

`recorded_answers.json`: the tags, the first 240 letters of the first answer, the second in full.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from stand_in_server import Reply, StandIn, said, tags_of

from train.enrich.backends.server import Server
from train.enrich.candidates import Candidate, candidate_lines, read_candidates
from train.enrich.generate import enrich
from train.enrich.prompts import Generation

RECORDED = {
    one["shape"]: one
    for one in json.loads(Path(__file__).with_name("recorded_answers.json").read_text("utf-8"))
}
STATUSES = {
    "empty list": "none proposed",
    "loop": "free text",
    "echoes": "echoes",
    "echo and free text": "free text",
    "whitespace": "ok",
    "unusable": "unusable",
    "numbered": "free text",
    "truncated": "malformed",
    "free text": "free text",
}


def as_recorded(shape: str) -> Callable[..., Reply]:
    """The server's behaviour: always the same two answers, whatever the seed."""
    answers = RECORDED[shape]
    return lambda body, _number: said(answers["first" if len(body["messages"]) == 1 else "second"])


def asked(behave: Callable[..., Reply], shape: str, out: Path, *, attempts: int = 2):
    with StandIn(behave) as server:
        backend = Server(server.url, "smollm2", Generation(max_tokens=320))
        report = enrich([RECORDED[shape]["tags"]], backend, out=out, attempts=attempts)
    (line,) = candidate_lines(out)
    return report, line, server.bodies


@pytest.mark.parametrize("shape", STATUSES)
def test_every_shape_of_a_real_answer_is_told_from_the_others(shape: str, tmp_path: Path) -> None:
    report, line, bodies = asked(as_recorded(shape), shape, tmp_path)
    assert line.status == STATUSES[shape]
    again = line.status not in ("ok", "free text")
    assert (report.retried, len(bodies)) == ((1, 4) if again else (0, 2))
    assert len(line.features) + len(line.apart) <= 24


@pytest.mark.parametrize("shape", STATUSES)
def test_no_echo_of_a_tag_becomes_a_candidate(shape: str, tmp_path: Path) -> None:
    _, line, _ = asked(as_recorded(shape), shape, tmp_path)
    heard = {"echoes": ("sinus Rhythm Waveform", "normal ECG waveform")}
    assert line.echoes == heard.get(shape, line.echoes)
    assert not {*line.echoes} & {*line.features}
    assert not {*RECORDED[shape]["tags"]} & {*line.features}


def test_a_list_without_end_says_each_wording_once(tmp_path: Path) -> None:
    report, line, _ = asked(as_recorded("loop"), "loop", tmp_path)
    assert (line.apart, report.repeated) == (("rectangle",), 23)


def test_an_empty_list_is_asked_for_again_and_what_comes_then_counts(tmp_path: Path) -> None:
    def later(body, number):
        assert tags_of(body) == RECORDED["empty list"]["tags"]
        return as_recorded("empty list" if number <= 2 else "whitespace")(body, number)

    report, line, bodies = asked(later, "empty list", tmp_path)
    assert (line.status, report.again, report.none_proposed) == ("ok", {"none proposed": 1}, 0)
    assert len({body["seed"] for body in bodies}) == 2


def test_verification_is_handed_free_text_behind_the_features(tmp_path: Path) -> None:
    _, line, _ = asked(as_recorded("echo and free text"), "echo and free text", tmp_path)
    assert isinstance(line, Candidate) and line.apart and not line.features
    assert read_candidates(tmp_path) == {frozenset(line.tags): line.apart}
