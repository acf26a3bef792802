"""The commands of the documents that try every stage, run as they stand, from an empty folder."""

import os
import re
import resource
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from focal_app.model.focal import Focal

ROOT = Path(__file__).parents[2]


def tried(document: str) -> list[str]:
    """The lines of the block that draws the fixture and runs the recipe `tiny`."""
    blocks = re.findall(r"(?:^ {4}.*\n)+", (ROOT / document).read_text(), re.M)
    block = next(one for one in blocks if "--config tiny" in one and "runs/fixture" in one)
    return re.findall(r"^ {4}\S*python (-m train .*)$", block, re.M)


def test_the_readme_and_the_guide_show_the_same_commands():
    assert tried("README.md") == tried("docs/training.md") and len(tried("README.md")) == 2


def seconds_of_processors() -> float:
    """What the commands that have ended took, however many others ran beside them."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.slow
def test_the_documented_commands_go_from_nothing_to_the_tree_of_the_hub(tmp_path):
    alone = {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    settings = {**os.environ, "PYTHONPATH": str(ROOT), **alone}
    before = seconds_of_processors()
    for line in tried("docs/training.md"):
        command = [sys.executable, *shlex.split(line)]
        done = subprocess.run(command, cwd=tmp_path, env=settings, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert seconds_of_processors() - before < 300
    run = tmp_path / "runs" / "tiny"
    assert Focal.load(run / "hub").config == Focal.load(run / "fine" / "model").config
    assert "**Note:**" in (run / "verified" / "report.md").read_text()
    assert "untrained-tiny-bert" in (run / "hub" / "README.md").read_text()
