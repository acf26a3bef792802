"""What the sentences of the data files beside this one say: `reports.txt`, `queries.txt`.

Written before the parser; a statement is compared by its tag, its state, its leads and its age.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from focal_app.ecg.recording import LEADS
from focal_app.lexicon import load_lexicon

HERE = Path(__file__).parent
UNKNOWN = "~"
STATES = {"!": "no", "?": "possible", "": ""}


def lines(name: str) -> Iterator[str]:
    """The lines of a data file without its comments."""
    for line in (HERE / name).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("# "):
            yield line


def pairs(name: str) -> list[tuple[str, frozenset[str]]]:
    """Every sentence of a data file, and what it says."""
    split = (line.partition(" => ") for line in lines(name))
    return [(sentence, _items(said)) for sentence, _, said in split]


def item(
    tag: str, *, state: str = "", leads: tuple[str, ...] = (), age: str = "", either: bool = False
) -> str:
    """A statement as it is compared."""
    place = " ".join(lead for lead in LEADS if lead in leads)
    return f"{'or ' * either}{state} {tag} @{place} #{age}"


def _items(said: str) -> frozenset[str]:
    return frozenset(_item(one.strip()) for one in said.split(";") if one.strip() != "-")


def _item(one: str) -> str:
    number = re.fullmatch(r"(\w+)((?:[=<>][-\w.]+)+)", one)
    if number or one.startswith("("):
        return one
    name, _, rest = one.partition(" @")
    age = next(iter(re.findall(r"#(\w+)", one)), "")
    name = re.sub(r"\s*#\w+", "", name)
    either, name = name.startswith("|"), name.removeprefix("|")
    state, name = (name[0], name[1:]) if name[0] in "!?" else ("", name)
    statement = load_lexicon().resolve(name)
    assert statement or name == UNKNOWN, name
    tag = statement.tag if statement else UNKNOWN
    leads = tuple(_leads(rest.partition("#")[0]))
    return item(tag, state=STATES[state], leads=leads, age=age, either=either)


def _leads(place: str) -> Iterator[str]:
    for part in place.split():
        first, _, last = part.partition("-")
        yield from LEADS[LEADS.index(first) : LEADS.index(last or first) + 1]
