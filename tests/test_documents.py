"""Documents name what is there: the paths in the pages that lead through the code, links in all."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LINKS = re.compile(r"\]\(([^)\s]+)\)")
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("assets/**/*.md")]
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


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_every_link_leads_somewhere(page):
    for link in LINKS.findall(page.read_text(encoding="utf-8")):
        if not link.startswith(("https://", "http://")):
            path, _, heading = link.partition("#")
            there = (page.parent / path).resolve() if path else page
            assert there.exists() and there.is_relative_to(ROOT), link
            assert not heading or heading in _headings(there), link


def _headings(page: Path) -> set[str]:
    """The names under which a page's headings are linked to."""
    told = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in told}
