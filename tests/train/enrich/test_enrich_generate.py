"""A run against a server: what is asked, what is kept, and what comes out."""

import json
import random
from pathlib import Path

import pytest
from stand_in_server import StandIn, features_of, honest, said, tags_of

from focal_app.errors import ConfigError
from focal_app.llm.prompts import FEATURES_PROMPT, ORGANISE_PROMPT, SCHEMA
from train.enrich import generate
from train.enrich.backends.protocol import BackendError
from train.enrich.backends.server import Server
from train.enrich.candidates import (
    Candidate,
    CandidateFiles,
    candidate_lines,
    read_candidates,
)
from train.enrich.generate import enrich
from train.enrich.prompts import Generation

REPORTS = (
    ("sinus rhythm", "anterior infarct, old"),
    ("anterior infarct, old", "sinus rhythm"),
    ("sinus rhythm", "sinus rhythm", "anterior infarct, old"),
    ("atrial fibrillation",),
    ("atrial fibrillation",),
    (),
)


def run(server: StandIn, out: Path, reports=REPORTS, *, attempts: int = 3, **options):
    generation = Generation(**options)
    backend = Server(server.url, "tiny", generation, concurrency=4, tries=2, wait_s=0.01)
    return enrich(reports, backend, out=out, generation=generation, attempts=attempts)


def files(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in out.glob("candidates-*")}


def test_equal_tag_sets_are_asked_once_and_every_report_is_counted(tmp_path: Path) -> None:
    with StandIn() as server:
        report = run(server, tmp_path)
    first = [body for body in server.bodies if len(body["messages"]) == 1]
    assert sorted(map(tags_of, first)) == [
        ["anterior infarct, old", "sinus rhythm"],
        ["atrial fibrillation"],
    ]
    assert len(server.bodies) == 4
    assert (report.reports, report.without_tags, report.distinct_sets) == (6, 1, 2)
    assert report.requests_per_report == pytest.approx(2 / 6)
    assert (report.calls, report.known, report.ok) == (4, 0, 2)


def test_what_was_finished_stays_where_nothing_else_is_answered(tmp_path: Path) -> None:
    with StandIn() as server:
        run(server, tmp_path)
    before = files(tmp_path)
    with pytest.raises(BackendError, match="does not answer"):
        run(server, tmp_path, temperature=0.5)
    assert files(tmp_path) == before and read_candidates(tmp_path)


def test_the_papers_prompts_go_out_in_order_and_the_schema_arrives_as_written(
    tmp_path: Path,
) -> None:
    with StandIn() as server:
        run(server, tmp_path, [("atrial fibrillation",)], max_tokens=77)
    first, second = server.bodies
    assert first["messages"][0]["content"] == f"atrial fibrillation\n\n{FEATURES_PROMPT}"
    assert [message["role"] for message in second["messages"]] == ["user", "assistant", "user"]
    (feature,) = features_of(["atrial fibrillation"])
    assert second["messages"][1]["content"] == f"These signs are likely: {feature}"
    assert second["messages"][2]["content"] == ORGANISE_PROMPT
    assert "response_format" not in first
    sent = second["response_format"]
    assert (sent["type"], sent["json_schema"]["schema"]) == ("json_schema", SCHEMA)
    assert first["chat_template_kwargs"] == {"enable_thinking": False}
    assert (first["max_tokens"], first["model"]) == (77, "tiny")


def test_neither_a_key_of_the_hub_nor_another_goes_to_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_of_the_user")
    with StandIn() as server:
        run(server, tmp_path, [("atrial fibrillation",)])
    assert server.headers[0]["path"] == "/v1/chat/completions"
    assert not [sent for sent in server.headers if "hf_of_the_user" in str(sent)]


def test_a_second_run_asks_nothing_and_writes_the_same(tmp_path: Path) -> None:
    with StandIn() as server:
        run(server, tmp_path)
        written, asked = files(tmp_path), len(server.bodies)
        report = run(server, tmp_path)
        assert len(server.bodies) == asked
    assert (report.calls, report.known) == (0, 4)
    assert files(tmp_path) == written


def test_new_tag_sets_alone_are_asked_when_records_are_added(tmp_path: Path) -> None:
    with StandIn() as server:
        run(server, tmp_path)
        run(server, tmp_path, [*REPORTS, ("asystole",)])
    assert {tuple(tags_of(body)) for body in server.bodies[4:]} == {("asystole",)}


@pytest.mark.parametrize("changed", [{"seed": 1}, {"temperature": 0.1}, {"max_tokens": 9}])
def test_other_settings_are_other_questions(tmp_path: Path, changed: dict) -> None:
    with StandIn() as server:
        run(server, tmp_path)
        run(server, tmp_path, **changed)
    assert len(server.bodies) == 8


def test_the_order_of_records_and_of_tags_changes_nothing(tmp_path: Path) -> None:
    rng = random.Random(0)
    names = [f"finding {i}" for i in range(40)]
    reports = [tuple(rng.sample(names, 3)) for _ in range(60)]
    mixed = [tuple(rng.sample(tags, 3)) for tags in rng.sample(reports, 60)]
    with StandIn() as server:
        run(server, tmp_path / "one", reports)
        run(server, tmp_path / "other", mixed)
    assert files(tmp_path / "one") == files(tmp_path / "other")
    seeds = [(body["seed"], json.dumps(body)) for body in server.bodies]
    assert sorted(seeds[: len(seeds) // 2]) == sorted(seeds[len(seeds) // 2 :])


def test_a_malformed_answer_is_asked_for_with_new_seeds_and_then_recorded(tmp_path: Path) -> None:
    def babbling(body, number):
        return said("I cannot say.") if tags_of(body) == ["asystole"] else honest(body, number)

    with StandIn(babbling) as server:
        report = run(server, tmp_path, [*REPORTS, ("asystole",)], attempts=3)
    asked = [body["seed"] for body in server.bodies if tags_of(body) == ["asystole"]]
    assert len(asked) == 6
    assert len(set(asked)) == 3
    assert (report.malformed, report.retried, report.ok) == (1, 2, 2)
    assert report.again == {"malformed": 2}
    line = next(c for c in candidate_lines(tmp_path) if c.tags == ("asystole",))
    assert (line.status, line.features) == ("malformed", ())
    assert line.raw == ("I cannot say.", "I cannot say.")
    assert frozenset(["asystole"]) not in read_candidates(tmp_path)


def test_an_answer_that_comes_right_the_second_time_counts(tmp_path: Path) -> None:
    seen: set[int] = set()

    def late(body, number):
        seen.add(body["seed"])
        return honest(body, number) if len(seen) > 1 else said("Let me think about it.")

    with StandIn(late) as server:
        report = run(server, tmp_path, [("asystole",)])
    assert (report.ok, report.retried, report.malformed) == (1, 1, 0)


def test_features_that_say_nothing_new_are_asked_for_again_and_recorded_as_echoes(
    tmp_path: Path,
) -> None:
    def parrot(body, number):
        return said(json.dumps({"features": ["AFib", "Atrial fibrillation."]}))

    with StandIn(parrot) as server:
        report = run(server, tmp_path, [("atrial fibrillation",)])
    assert (report.echoes_only, report.echoes, report.again) == (1, 2, {"echoes": 2})
    (line,) = candidate_lines(tmp_path)
    assert (line.status, line.echoes) == ("echoes", ("AFib", "atrial fibrillation"))
    assert read_candidates(tmp_path) == {}


@pytest.mark.parametrize("temperature", [0.0, 0.7])
def test_no_new_attempt_asks_the_same_again(tmp_path: Path, temperature: float) -> None:
    def empty(body, number):
        return said("None." if len(body["messages"]) == 1 else '{"features":[]}')

    with StandIn(empty) as server:
        report = run(server, tmp_path, [("asystole",)], temperature=temperature)
    drawn = [(body["seed"], body["temperature"]) for body in server.bodies]
    assert drawn[0][1] == temperature
    assert len(set(drawn)) == 3
    assert all(later > 0 for _, later in drawn[2:])
    assert (report.none_proposed, report.again) == (1, {"none proposed": 2})
    assert candidate_lines(tmp_path)[0].status == "none proposed"


def test_a_model_that_hardly_ever_proposes_anything_is_warned_of(tmp_path: Path, caplog) -> None:
    with StandIn(lambda _body, _number: said('{"features":[]}')) as server:
        run(server, tmp_path, attempts=1)
    assert "2 of 2 tag sets have no proposal" in caplog.text
    assert "disable_any_whitespace" in caplog.text


def test_the_bar_moves_with_every_answer(tmp_path: Path, monkeypatch) -> None:
    seen: list[tuple[int, int]] = []

    class Bar(generate.tqdm):
        def update(self, n=1):
            super().update(n)
            seen.append((int(self.n), int(self.total)))

    monkeypatch.setattr(generate, "tqdm", Bar)
    with StandIn() as server:
        run(server, tmp_path)
    assert [*dict.fromkeys(seen)] == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]


def test_candidates_are_on_the_disk_while_later_tag_sets_are_asked(tmp_path: Path) -> None:
    written: list[int] = []

    def watching(body, number):
        lines = list(tmp_path.glob("candidates-*"))
        written.append(sum(path.read_text().count("\n") for path in lines))
        return honest(body, number)

    reports = [(f"finding {number}",) for number in range(6)]
    with StandIn(watching) as server:
        backend = Server(server.url, "tiny", Generation(), concurrency=1)
        backend.at_once = 2
        enrich(reports, backend, out=tmp_path)
    assert written == [0] * 4 + [2] * 4 + [4] * 4
    assert len(candidate_lines(tmp_path)) == 6


def test_candidates_say_who_made_them(tmp_path: Path) -> None:
    with StandIn() as server:
        run(server, tmp_path)
    lines = candidate_lines(tmp_path)
    assert {(c.backend, c.model) for c in lines} == {("server", "tiny")}
    features = features_of(sorted(set(REPORTS[0])))
    assert read_candidates(tmp_path)[frozenset(REPORTS[0])] == tuple(dict.fromkeys(features))
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["prompt_hash"] == lines[0].prompt_hash
    assert report["generation"]["temperature"] == 0.7


def test_an_unfinished_folder_is_not_read(tmp_path: Path) -> None:
    with StandIn() as server:
        run(server, tmp_path)
    (tmp_path / "report.json").unlink()
    with pytest.raises(ConfigError, match="finished enrichment is needed"):
        read_candidates(tmp_path)


def test_a_verification_is_not_taken_for_candidates(tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text("{}")
    (tmp_path / "manifest.json").write_text("{}")
    with pytest.raises(ConfigError, match="found a verification"):
        candidate_lines(tmp_path)


def test_lines_that_are_lost_whole_are_noticed(tmp_path: Path) -> None:
    with StandIn() as server:
        run(server, tmp_path)
    path = tmp_path / "candidates-00000.jsonl"
    first, *_ = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text(first, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"found 1 candidates .* and a report of"):
        candidate_lines(tmp_path)


def test_an_answer_may_hold_any_separator_of_lines(tmp_path: Path) -> None:
    odd = Candidate((), "malformed", (), (), (), (), "server", "m", "hash", ("a\u2028b\x85c", ""))
    files = CandidateFiles(tmp_path)
    files.add([odd])
    files.finish({})
    assert candidate_lines(tmp_path) == [odd]
