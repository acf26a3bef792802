"""The commands of docs/tables.md that try the table `components`, as they stand."""

import re
import shlex
from pathlib import Path

import pytest

from train.__main__ import main

TABLES = Path(__file__).parents[3] / "docs" / "tables.md"


def tried() -> list[str]:
    """The commands of the block that trains the recipe `tiny`."""
    blocks = re.findall(r"(?:^ {4}.*\n)+", TABLES.read_text(), re.M)
    [block] = (one for one in blocks if "--config tiny" in one)
    return re.findall(r"^ {4}python -m train (.*)$", block.replace("\\\n    ", ""), re.M)


@pytest.mark.slow
@pytest.mark.usefixtures("stages_here")
def test_the_table_has_a_row_for_every_component(ptbxl, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("DIR").symlink_to(ptbxl)
    for line in tried():
        capsys.readouterr()
        assert main(shlex.split(line)) == 0, line
    shown = capsys.readouterr().out
    rows = re.findall(r"^\| (\w[^|]*) \|", shown.partition("## Components")[2], re.M)
    encoders = ("untrained-mini-bert", "untrained-tiny-bert")
    assert sorted(rows) == sorted(["curated", *encoders, *(f"{name} coarse" for name in encoders)])
