"""`python -m train enrich`, from shards to candidates."""

import sys
from pathlib import Path

import pytest
from engine_model import save_shards
from stand_in import StandIn

from train.__main__ import main
from train.enrich.candidates import candidate_lines, read_candidates

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
        ("--backend curated --temperature -1", "temperature >= 0"),
        ("--backend curated --attempts 0", "at least 1"),
        ("--backend server --model m --token-variable NOT_SET", "NOT_SET, which is not set"),
    ],
)
def test_a_wrong_setting_is_one_line(
    shards: Path, tmp_path: Path, capsys, options: str, needed: str
) -> None:
    command = ["enrich", "--shards", f"{shards}", "--out", f"{tmp_path}", *options.split()]
    assert main(command) == 2
    assert needed in capsys.readouterr().err


def test_an_absent_engine_is_named(shards: Path, tmp_path: Path, capsys, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "vllm", None)
    monkeypatch.setitem(sys.modules, "ray.data", None)
    command = ["enrich", "--shards", f"{shards}", "--out", f"{tmp_path}", "--model", "m"]
    for backend in ("vllm", "ray"):
        assert main([*command, "--backend", backend]) == 2
        assert "requirements-enrich.txt" in capsys.readouterr().err
