"""The command line as a process of its own: what it loads, what it prints, how it ends."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from focal_app.explore.reading.document import NOTICE

ROOT = Path(__file__).parents[1]
CASE = ROOT / "assets" / "cases" / "normal.hea"


def test_neither_help_nor_a_refusal_loads_the_model_or_the_page() -> None:
    script = (
        "import sys; from focal_app.__main__ import main; code = main(['read', 'absent.hea']);"
        "print(code, sorted({'torch', 'transformers', 'gradio', 'plotly'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "2 []\n"


@pytest.mark.slow
def test_the_command_prints_nothing_but_its_result(tiny_checkpoint: Path, tmp_path: Path) -> None:
    for ending in (".hea", ".dat"):
        shutil.copy(CASE.with_suffix(ending), tmp_path)
    command = [sys.executable, "-m", "focal_app", "read", str(tmp_path / CASE.name), "--json"]
    done = subprocess.run(
        [*command, "--checkpoint", str(tiny_checkpoint)], cwd=ROOT, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["notice"] == NOTICE


@pytest.mark.slow
def test_a_reader_who_has_had_enough_is_no_error():
    """As `head` does, which closes the pipe after its lines, and here before the first."""
    command = [sys.executable, "-m", "focal_app", "search", "LBBB", "--top", "3", "--json"]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 141
