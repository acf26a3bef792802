"""Answers on disk: whole or not at all, whatever ends the run."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from full_disk import full_disk
from stand_in_server import StandIn, honest

from focal_app.errors import ConfigError
from train.enrich.backends.server import Server
from train.enrich.cache import Answers
from train.enrich.generate import enrich
from train.enrich.prompts import Generation

ROOT = Path(__file__).parents[3]
TAGS = [(f"finding {i:02d}",) for i in range(30)]

RUN = """
import sys
from pathlib import Path
from train.enrich.backends.server import Server
from train.enrich.generate import enrich
from train.enrich.prompts import Generation
tags = [(f"finding {i:02d}",) for i in range(30)]
backend = Server(sys.argv[1], "tiny", Generation(), concurrency=2)
enrich(tags, backend, out=Path(sys.argv[2]))
"""


def test_answers_are_found_again(tmp_path: Path) -> None:
    path = tmp_path / "new" / "answers.jsonl"
    texts = {"a": "one\ntwo", "b": "", "c": "Q – \u2028 \ud800"}
    with Answers.open(path) as answers:
        for key, text in texts.items():
            answers.put(key, text)
    with Answers.open(path) as answers:
        assert answers.texts == texts


@pytest.mark.parametrize("cut", range(1, 34))
def test_a_line_cut_off_anywhere_costs_that_line_alone(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "answers.jsonl"
    with Answers.open(path) as answers:
        answers.put("first", "kept")
        answers.put("second", "half written")
    path.write_bytes(path.read_bytes()[:-cut])
    with Answers.open(path) as answers:
        assert answers.texts == {"first": "kept"}
        answers.put("third", "after the cut")
    with Answers.open(path) as answers:
        assert answers.texts == {"first": "kept", "third": "after the cut"}


def test_an_unreadable_line_in_the_middle_is_said_and_asked_again(tmp_path: Path, caplog) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_bytes(
        b'{"key": "a", "text": "x"}\n\xff\x00garbage\n[1]\n{"key": "b", "text": "y"}\n'
    )
    with Answers.open(path) as answers:
        assert answers.texts == {"a": "x", "b": "y"}
    assert "2 unreadable line(s)" in caplog.text


def test_two_runs_never_write_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    with Answers.open(path), pytest.raises(ConfigError, match="another run"):
        Answers.open(path)


def test_a_full_disk_leaves_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    with Answers.open(path) as answers:
        answers.put("a", "x" * 100)
        with full_disk(200), pytest.raises(ConfigError, match="Make room"):
            answers.put("b", "y" * 100)
        answers.put("c", "z")
    with Answers.open(path) as answers:
        assert list(answers.texts) == ["a", "c"]


def test_a_killed_run_asks_again_only_what_was_in_flight(tmp_path: Path) -> None:
    children: list[subprocess.Popen] = []

    def deadly(body, number):
        if number == 25:
            children[0].send_signal(signal.SIGKILL)
        return honest(body, number)

    with StandIn(deadly) as server:
        environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
        command = [sys.executable, "-c", RUN, server.url, str(tmp_path)]
        with subprocess.Popen(
            command, cwd=ROOT, env=environment, stderr=subprocess.DEVNULL
        ) as child:
            children.append(child)
            assert child.wait(timeout=60) == -signal.SIGKILL
        first = len(server.bodies)
        backend = Server(server.url, "tiny", Generation(), concurrency=2)
        report = enrich(TAGS, backend, out=tmp_path)
        asked = len(server.bodies)
    assert report.ok == 30
    assert report.known >= first - 3
    assert 60 <= asked <= 63
