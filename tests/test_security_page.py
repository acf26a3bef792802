"""The page on security is true: what it names is there."""

import re
from pathlib import Path

import pytest

from focal_app.ui.server import settings

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def tests() -> set[str]:
    files = (ROOT / "tests").rglob("test_*.py")
    found = (
        re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.M) for path in files
    )
    return {name for names in found for name in names}


def test_every_test_that_a_promise_names_is_there(tests) -> None:
    named = set(re.findall(r"`(test_\w+)`", PAGE))
    assert len(named) > 30 and not named - tests


def test_every_promise_names_what_holds_it() -> None:
    promises = [
        line for line in PAGE.split("## How it is looked for")[0].splitlines() if "|" in line
    ]
    rows = [line for line in promises if not re.match(r"\| promise|\|---", line)]
    assert len(rows) > 25 and not [row for row in rows if "test" not in row.rpartition(" | ")[2]]


def test_every_command_and_file_of_the_page_is_there() -> None:
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    assert not set(re.findall(r"`make ([\w-]+)", PAGE)) - set(targets)
    for path in re.findall(r"`((?:tests/[\w/.]+|requirements\.lock))`", PAGE):
        assert (ROOT / path).exists()


def test_every_setting_of_the_page_is_read() -> None:
    named = set(re.findall(r"\b(FOCAL_[A-Z_]*[A-Z])\b", PAGE))
    assert named and not [name for name in named if name not in (settings.__doc__ or "")]
