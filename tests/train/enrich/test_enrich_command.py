"""`python -m train enrich`, from shards to candidates."""

import sys
from pathlib import Path

import pytest
from noise_shards import save_shards
from stand_in_server import StandIn

from focal_app.errors import ConfigError
from train.__main__ import main
from train.enrich.candidates import candidate_lines, read_candidates
from train.runs.commands.enrich import Asking, opened

SERVER = "--backend server --model m --base-url http://127.0.0.1:9/v1"
TAGS = (("sinus rhythm",), ("atrial fibrillation",), ("sinus rhythm",))


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shards")
    save_shards(folder, TAGS)
    return folder


def test_shards_become_candidates(shards: Path, tmp_path: Path, capsys) -> None:
    command = ["enrich", "--shards", f"{shards}", f"{shards}", "--out", f"{tmp_path}"]
    assert main([*command, "--backend", "curated"]) == 0
    assert "6 reports (0 without tags), 2 distinct tag sets" in capsys.readouterr().out
    assert "absent P waves" in read_candidates(tmp_path)[frozenset(["atrial fibrillation"])]


def test_the_settings_reach_the_server(shards: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("KEY_OF_THE_SERVER", "secret")
    options = "--backend server --model tiny --seed 5 --temperature 0.2 --max-tokens 33"
    with StandIn() as server:
        where = ["--shards", f"{shards}", "--out", f"{tmp_path}", "--base-url", server.url]
        key = ["--token-variable", "KEY_OF_THE_SERVER"]
        assert main(["enrich", *where, *options.split(), *key]) == 0
    assert {(b["model"], b["temperature"], b["max_tokens"]) for b in server.bodies} == {
        ("tiny", 0.2, 33)
    }
    assert server.headers[0]["authorization"] == "Bearer secret"
    assert {c.backend for c in candidate_lines(tmp_path)} == {"server"}


@pytest.mark.parametrize(
    ("options", "needed"),
    [
        ("--backend server --base-url http://127.0.0.1:9/v1", "needs --model"),
        ("--backend server --model m", "needs --base-url"),
        ("--backend vllm", "needs --model"),
        ("--backend server --model m --base-url localhost:8000", "needed an address"),
        (f"{SERVER} --temperature -1", "temperature >= 0"),
        (f"{SERVER} --attempts 0", "at least 1"),
        ("--backend curated --temperature 0 --attempts 5", "found --temperature and --attempts"),
        ("--backend server --model m --token-variable NOT_SET", "NOT_SET, which is not set"),
    ],
)
def test_a_wrong_setting_is_one_line(
    shards: Path, tmp_path: Path, capsys, options: str, needed: str
) -> None:
    command = ["enrich", "--shards", f"{shards}", "--out", f"{tmp_path}", *options.split()]
    assert main(command) == 2
    assert needed in capsys.readouterr().err


def test_on_a_cpu_less_is_asked_at_a_time_and_for_shorter_answers(
    shards: Path, tmp_path: Path
) -> None:
    def tokens(*more: str) -> set[int]:
        with StandIn() as server:
            where = ["--shards", f"{shards}", "--out", f"{tmp_path / '-'.join(['out', *more])}"]
            options = ["--backend", "server", "--model", "m", "--base-url", server.url, *more]
            assert main(["enrich", *where, *options]) == 0
        return {body["max_tokens"] for body in server.bodies}

    assert (tokens(), tokens("--hardware", "cpu")) == ({1024}, {256})
    assert tokens("--hardware", "cpu", "--max-tokens", "99") == {99}
    for hardware, sizes in (("gpu", (16, 128, 2048)), ("cpu", (4, 32, 16))):
        asking = Asking(base_url="http://127.0.0.1:9/v1", model="m", hardware=hardware)
        server = opened("server", asking)
        engine = opened("vllm", Asking(model="m", hardware=hardware))
        assert (server.concurrency, server.at_once, engine.at_once) == sizes


@pytest.mark.parametrize("setting", ["at_once", "max_tokens", "timeout"])
@pytest.mark.parametrize("value", [0, -3])
def test_a_setting_that_asks_nothing_is_refused_and_not_replaced(setting: str, value: int) -> None:
    with pytest.raises(ConfigError, match=f"{setting.replace('_', '.')}.*found {value}"):
        Asking(model="m", **{setting: float(value) if setting == "timeout" else value})


def test_costs_are_said_before_anything_is_asked(shards: Path, tmp_path: Path, capsys) -> None:
    with StandIn(delay_s=0.05) as server:
        command = ["enrich", "--shards", f"{shards}", "--out", f"{tmp_path}", "--backend", "server"]
        command += ["--model", "m", "--base-url", server.url]
        assert main([*command, "--estimate", "0"]) == 0
        assert not server.bodies
        assert "2 tag sets of 3 reports: 4 requests" in capsys.readouterr().out
        assert main([*command, "--estimate", "1"]) == 0
        assert len(server.bodies) == 2
        assert "hours at 0." in capsys.readouterr().out
        assert main(command) == 0
        assert len(server.bodies) == 4
    printed = capsys.readouterr()
    assert "2 tag sets of 3 reports: 4 requests" in printed.err
    assert "2 answers known from before" in printed.out
    assert main([*command, "--estimate", "2"]) == 2
    assert "asked before" in capsys.readouterr().err


def test_an_absent_engine_is_named(shards: Path, tmp_path: Path, capsys, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "vllm", None)
    monkeypatch.setitem(sys.modules, "ray.data", None)
    command = ["enrich", "--shards", f"{shards}", "--out", f"{tmp_path}", "--model", "m"]
    for backend in ("vllm", "ray"):
        assert main([*command, "--backend", backend]) == 2
        assert "requirements-enrich.txt" in capsys.readouterr().err
