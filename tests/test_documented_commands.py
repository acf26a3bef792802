"""The commands of reading that README and docs/command.md show, run as they stand there."""

import json
import re
import shlex
import shutil
from pathlib import Path

import hospital_files
import pytest

from focal_app.__main__ import main
from focal_app.explore.reading.bundled_cases import CASES, load_case

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "docs/command.md")
COMMAND = r"^ {4}python -m focal_app (.*)\n"
PRINTED = r"^ {4}\$ \S*python -m focal_app (.*)\n((?: {4}.*\n|\n(?= {4}))+)"
ELSEWHERE = {"gallery", "verify recording.hea --report 'Sinus rhythm. LBBB.' --llm"}
"""They ask servers: tests/explore/test_gallery_download.py and tests/test_verify_command.py do."""


def shown() -> list[str]:
    """Every command that a page shows, once."""
    texts = [(ROOT / page).read_text(encoding="utf-8") for page in PAGES]
    return list(dict.fromkeys(line for text in texts for line in re.findall(COMMAND, text, re.M)))


def run(line: str) -> int:
    """A command whose patterns stand for files, as a shell reads it."""
    words = [
        [str(path) for path in sorted(Path().glob(word))] if "*" in word else [word]
        for word in shlex.split(line)
    ]
    return main([word for several in words for word in several])


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with the files that the pages name."""
    monkeypatch.chdir(tmp_path)
    Path("assets").symlink_to(ROOT / "assets")
    for name, case in (("recording", "normal"), ("earlier", "normal"), ("later", "hypertrophy")):
        header = (CASES / f"{case}.hea").read_text().replace(f"{case}.dat", f"{name}.dat")
        Path(f"{name}.hea").write_text(header)
        shutil.copy(CASES / f"{case}.dat", f"{name}.dat")
    Path("recording.dcm").write_bytes(hospital_files.dicom(load_case("normal")))
    Path("recordings").mkdir()
    for end in ("hea", "dat"):
        shutil.copy(CASES / f"normal.{end}", "recordings")


def test_both_pages_show_commands():
    assert len(shown()) > 9


@pytest.mark.slow
@pytest.mark.parametrize("line", shown())
def test_a_command_runs_as_it_stands(line, capsys):
    if line.split()[0] in ELSEWHERE or shlex.join(shlex.split(line)) in ELSEWHERE:
        pytest.skip("it asks a server, in a test of its own")
    assert run(line) == 0
    told = capsys.readouterr()
    assert told.out or list(Path().glob("*.csv"))
    if "--json" in line:
        json.loads(told.out)


@pytest.mark.slow
def test_the_readme_shows_what_the_command_prints(capsys):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    ((line, printed),) = re.findall(PRINTED, text, re.M)
    assert run(line) == 0
    assert capsys.readouterr().out.startswith(re.sub("^ {4}", "", printed, flags=re.M))
