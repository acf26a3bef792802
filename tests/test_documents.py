"""Documents name what is there: every path between backticks, in the pages that lead through it."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PATHS = re.compile(r"`((?:[a-z_0-9]+/)+(?:[a-z_0-9]+\.[a-z]+)?|[a-z_0-9]+\.(?:py|md))`")


@pytest.mark.parametrize("page", ["architecture", "adding"])
def test_every_path_that_a_page_names_is_there(page):
    named = PATHS.findall((ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8"))
    assert len(named) > 15
    there = ["/" + str(path.relative_to(ROOT)) + "/" * path.is_dir() for path in _paths()]
    assert not [one for one in named if not any(f"/{one}" in path for path in there)]


def _paths() -> list[Path]:
    rooms = ("focal_app", "train", "tests", "assets", "docs", "examples")
    return [*ROOT.glob("*"), *(path for room in rooms for path in (ROOT / room).rglob("*"))]
