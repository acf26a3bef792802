"""The page on security is true: what it names is there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")


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
