"""What holds the repository together: a Space's front matter, version ranges, provenance, sizes."""

import re
import subprocess

import pytest
import yaml
from packaging.requirements import Requirement

from tests import house
from tests.house import ROOT

TO_BE_SPLIT = {"tests/browser/test_paper_page.py", "tests/browser/test_cases_page.py"}
"""Tests that outgrew a file; nothing joins them."""
NOT_FOR_A_SPACE = {"vllm", "ray", "wandb", "pytest", "scikit-learn", "pot"}


@pytest.fixture(scope="module")
def requirements() -> dict[str, Requirement]:
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    parsed = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {requirement.name: requirement for requirement in parsed}


@pytest.fixture(scope="module")
def front_matter() -> dict[str, object]:
    return yaml.safe_load((ROOT / "README.md").read_text(encoding="utf-8").split("---\n")[1])


def test_the_front_matter_makes_a_space(front_matter, requirements) -> None:
    assert front_matter["sdk"] == "gradio"
    assert requirements["gradio"].specifier.contains(str(front_matter["sdk_version"]))
    assert front_matter["python_version"] == "3.12"
    assert (ROOT / str(front_matter["app_file"])).is_file()
    assert len(str(front_matter["short_description"])) <= 60


@pytest.mark.parametrize("version", ["2.8.0", "2.11.0", "2.13.0"])
def test_every_torch_that_a_space_may_bring_is_admitted(requirements, version: str) -> None:
    assert requirements["torch"].specifier.contains(version)


def test_no_torch_beyond_the_tried_ones_is_admitted(requirements) -> None:
    for version in ("2.7.1", "2.14.0", "2.14.0a0", "3.0"):
        assert not requirements["torch"].specifier.contains(version, prereleases=True)


def test_every_requirement_has_a_floor_and_a_ceiling(requirements) -> None:
    for requirement in requirements.values():
        assert {one.operator for one in requirement.specifier} == {">=", "<"}
    assert not NOT_FOR_A_SPACE & {name.lower() for name in requirements}


def test_every_asset_says_where_it_comes_from() -> None:
    told = (ROOT / "assets" / "README.md").read_text(encoding="utf-8")
    assets = [path.name for path in (ROOT / "assets").iterdir() if path.name != "README.md"]
    assert not [name for name in assets if f"`{name}" not in told]


def test_files_hold_one_idea_each() -> None:
    assert not house.long_files()
    assert set(house.long_files(packages=("tests",))) <= TO_BE_SPLIT
    assert house.lines(ROOT / "app.py") < 25


def test_every_room_stands_in_the_drawing_and_in_both_lists() -> None:
    page, readme = ((ROOT / n).read_text("utf-8") for n in ("docs/architecture.md", "README.md"))
    drawing, table = page.split("```")[1], page.split("```")[2].split("## ")[0]
    listed = readme.split("## How the code lies")[1].split("## ")[0]
    for room in house.folders():
        name = room.split(".")[1]
        assert re.search(rf"^ +{name}\b|-> {name}\b", drawing, re.MULTILINE), room
        assert re.search(rf"\b{name}\b", listed), room
    for room in house.rooms():
        package, name = room.split(".")
        assert f"{package}/{name}" in table or f"`{name}.py`" in table, room


def test_every_arrow_of_the_drawing_is_an_import() -> None:
    drawing = (ROOT / "docs/architecture.md").read_text("utf-8").split("```")[1]
    drawn = re.findall(r"^ +(\w+)(?:\[.*?\])? --> (\w+)", drawing, re.MULTILINE)
    of = {one.split(".")[1]: one for one in house.rooms()}
    arrows = house.arrows_between_rooms(house.graph_of())
    assert len(drawn) > 25
    assert not [(a, b) for a, b in drawn if a != "app" and (of[a], of[b]) not in arrows]


def test_every_run_script_stands_on_the_contents_page() -> None:
    contents = (ROOT / "train/runs/__init__.py").read_text("utf-8")
    scripts = [path.name for path in (ROOT / "train/runs").glob("[!_]*.py")]
    listed = re.findall(r"^ {4}(\w+\.py)  +\w", contents, re.MULTILINE)
    assert sorted(listed) == sorted(scripts)


def test_no_module_imports_itself_through_others() -> None:
    assert not house.circles(house.graph_of())


def test_no_module_takes_a_private_name_of_another() -> None:
    assert not house.private_names()


def test_no_function_takes_more_than_eight_parameters() -> None:
    assert not house.crowded_functions()


def test_every_wording_is_said_somewhere() -> None:
    """Vulture does not see templates, and leaves the wording modules to this."""
    rooms = ROOT / "focal_app" / "ui"
    text = "\n".join(p.read_text("utf-8") for p in rooms.rglob("*") if p.suffix in {".py", ".html"})
    named = re.compile(r"^(?:def )?(\w+(?:, \w+)*)(?: = |\()", re.MULTILINE)
    wordings = [name for p in rooms.rglob("wording.py") for name in named.findall(p.read_text())]
    names = [one for name in wordings for one in name.split(", ")]
    assert len(names) > 150
    assert not [name for name in names if len(re.findall(rf"\b{name}\b", text)) < 2]


def test_no_recording_but_the_simulated_cases_is_tracked() -> None:
    listing = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listing.returncode:
        pytest.skip("this is no git checkout")
    recorded = [p for p in listing.stdout.split() if p.endswith((".hea", ".dat", ".mat", ".edf"))]
    assert all(path.startswith("assets/cases/") for path in recorded)
