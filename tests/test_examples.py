"""The examples do what their first lines say, as those lines stand."""

import re
import runpy
import shlex
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PRINTED = {
    "read_an_ecg": r"9\d\.\d%  ST elevation(?s:.*)most of it in (II|III|aVF), second \d",
    "search_a_folder": r"\A *[89]\d\.\d%  atrial-fibrillation\n",
    "take_it_away": r"bytes  reading\.pdf\n +123,\d\d\d bytes  recording\.dcm\n(?s:.*)\.hea",
    "verify_a_feature": r"9\d\.\d%  supported +wide QRS complex(?s:.*)right bundle branch block",
}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_command_of_an_example_runs_as_it_stands(example, monkeypatch, capsys):
    (command,) = re.findall(r"^python (.+)$", example.read_text(), re.M)
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "argv", shlex.split(command))
    runpy.run_path(sys.argv[0], run_name="__main__")
    shown = capsys.readouterr().out
    assert re.search(PRINTED[example.stem], shown), shown
