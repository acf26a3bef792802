"""What a finding teaches in a line, and in whom it is usual, from `assets/teaching.yaml`.

from focal_app.teaching_lines import line_of, usual_patient
line_of(["complete left bundle branch block"]).text
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from focal_app.errors import LexiconError
from focal_app.lexicon import load_lexicon
from focal_app.strict_yaml import read_yaml

_FILE = Path(__file__).parents[1] / "assets" / "teaching.yaml"
_SOURCES = "sources"
_FIELDS = {"ages", "women", "line", "source"}
_YOUNGEST, _OLDEST = 18, 92
"""Years of the patients that the simulator draws."""


@dataclass(frozen=True)
class Line:
    """A sentence or two for a learner, and where its fact stands; a description has no source."""

    text: str
    source: str = ""


@dataclass(frozen=True)
class Usual:
    """In whom a finding is usual: `ages` in years, both included, and the share of women."""

    ages: tuple[int, int]
    women: float


def line_of(tags: Sequence[str]) -> Line | None:
    """The line of the first of these statements that has one, else its description.

    A statement without a line of its own takes the nearest one of what it implies.
    """
    lexicon = load_lexicon()
    written = _nearest(tags)
    if written is not None:
        return _entries()[written][1]
    described = next((lexicon[tag].description for tag in tags if tag in lexicon), None)
    return None if described is None else Line(described)


def usual_patient(tags: Sequence[str]) -> Usual | None:
    """In whom the first of these statements is usual; None where nothing is said of any."""
    written = _nearest(tags)
    return None if written is None else _entries()[written][0]


def _nearest(tags: Sequence[str]) -> str | None:
    """The first statement with an entry: one of these, or what it implies, generation by one."""
    lexicon, entries = load_lexicon(), _entries()
    for tag in tags:
        generation = [tag]
        while generation:
            if found := next((one for one in generation if one in entries), None):
                return found
            generation = [p for one in generation if one in lexicon for p in lexicon[one].parents]
    return None


@cache
def _entries(path: Path = _FILE) -> dict[str, tuple[Usual, Line]]:
    problems: list[str] = []
    raw = dict(read_yaml(path))
    named = raw.pop(_SOURCES, {})
    sources = {str(k): str(v) for k, v in named.items()} if isinstance(named, dict) else {}
    found = {str(tag): _parsed(str(tag), raw[tag], sources, problems) for tag in raw}
    if problems:
        listed = "".join(f"\n- {problem}" for problem in problems)
        raise LexiconError(f"{path.name} holds {len(problems)} problem(s); mend them:{listed}")
    return {tag: entry for tag, entry in found.items() if entry}


def _parsed(
    tag: str, entry: object, sources: Mapping[str, str], problems: list[str]
) -> tuple[Usual, Line] | None:
    if tag not in load_lexicon():
        problems.append(f"{tag!r} is no statement of the lexicon")
    if not isinstance(entry, dict) or {*entry} != _FIELDS:
        problems.append(f"{tag!r} needs exactly {', '.join(sorted(_FIELDS))}")
        return None
    ages, women = entry["ages"], entry["women"]
    span = isinstance(ages, list) and len(ages) == 2 and all(type(one) is int for one in ages)
    if not span or not _YOUNGEST <= ages[0] < ages[1] <= _OLDEST:
        problems.append(f"{tag!r}: ages are two whole years from {_YOUNGEST} to {_OLDEST}")
        return None
    if not isinstance(women, float) or not 0 <= women <= 1:
        problems.append(f"{tag!r}: women is a share from 0.0 to 1.0")
        return None
    text, source = entry["line"], entry["source"]
    if not isinstance(text, str) or not text.strip() or source not in sources:
        problems.append(f"{tag!r} needs a line, and one of the sources")
        return None
    return Usual((ages[0], ages[1]), women), Line(text, sources[source])
