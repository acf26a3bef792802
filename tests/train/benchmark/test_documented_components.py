"""The commands of docs/tables.md that try `components` and `transferability`, as they stand."""

import re
import shlex
from pathlib import Path

import pytest

from train.__main__ import main

TABLES = Path(__file__).parents[3] / "docs" / "tables.md"


def tried(what: str) -> list[str]:
    """The commands of the block that says this."""
    blocks = re.findall(r"(?:^ {4}.*\n)+", TABLES.read_text(), re.M)
    [block] = (one for one in blocks if what in one)
    return re.findall(r"^ {4}python -m train (.*)$", block.replace("\\\n    ", ""), re.M)


@pytest.mark.slow
@pytest.mark.usefixtures("stages_here")
def test_the_table_has_a_row_for_every_component(ptbxl, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("DIR").symlink_to(ptbxl)
    for line in tried("--config tiny"):
        capsys.readouterr()
        assert main(shlex.split(line)) == 0, line
    shown = capsys.readouterr().out
    rows = re.findall(r"^\| (\w[^|]*) \|", shown.partition("## Components")[2], re.M)
    encoders = ("untrained-mini-bert", "untrained-tiny-bert")
    assert sorted(rows) == sorted(["curated", *encoders, *(f"{name} coarse" for name in encoders)])


@pytest.mark.slow
def test_the_table_has_both_reports_and_the_gain(ptbxl, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("DIR").symlink_to(ptbxl)
    Path("assets").symlink_to(TABLES.parents[1] / "assets")
    for line in tried("--width 4"):
        capsys.readouterr()
        assert main(shlex.split(line)) == 0, line
    shown = capsys.readouterr().out
    rows = re.findall(r"^\| (merl[^|]*) \|", shown, re.M)
    wanted = ["merl: original reports", "merl-enriched: enriched reports"]
    assert rows == [*wanted, "merl-enriched less merl"] and "published) |" not in shown
