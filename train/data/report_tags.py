"""From the statements of a report to tags: one a statement, but for compounds on a curated list.

    tag_report(["Sinus rhythm with PAC(s)", "Possible inferior infarct", "Abnormal ECG"], Counter())

In this order: clean, join fragments, drop what is technical, negated or generic, cut compounds,
take hedges off, and word the rest as the lexicon does where it knows the finding. What it does
not know stays as the report says it, in lower case with abbreviations written out. The lists
stand in `report_tags.yaml`, the hedges in `focal_app.words.hedges`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from focal_app.lexicon import Statement, load_lexicon
from focal_app.words.hedges import HEDGES

LISTS = Path(__file__).parent / "report_tags.yaml"

_ORNAMENT = re.compile(r"\*{2,}|-{2,}|^\W*summary:")
_FRAGMENT = ("with ", "or ", "and ", "in ", "due to ")
_PLURAL = re.compile(r"\((?:s|es)\)")


@dataclass(frozen=True)
class ReportTags:
    """Tags in the order of the report; `hedged` are those that it only suspects."""

    tags: tuple[str, ...]
    hedged: tuple[str, ...]


@dataclass(frozen=True)
class _Compound:
    """Where a statement may be cut: at one of `joints`, between a head and a tail."""

    joint: re.Pattern[str]
    head: re.Pattern[str]
    tail: re.Pattern[str]
    hedging: bool


@dataclass(frozen=True)
class _Lists:
    """`report_tags.yaml`, compiled; `hedge` stands before a finding, `doubt` anywhere in it."""

    words: dict[str, str]
    abbreviations: frozenset[str]
    dropped: dict[str, re.Pattern[str]]
    hedge: re.Pattern[str]
    doubt: re.Pattern[str]
    aside: re.Pattern[str]
    wordings: dict[str, str]
    degree: re.Pattern[str]
    compounds: tuple[_Compound, ...]


def tag_report(statements: Sequence[str], counted: Counter[str]) -> ReportTags:
    """The tags of a report, a statement a column; what becomes of each statement is counted."""
    certain: dict[str, bool] = {}
    for statement in _joined(filter(None, map(clean, statements)), counted):
        counted["statements"] += 1
        why = next((w for w, what in _lists().dropped.items() if what.fullmatch(statement)), None)
        if why is not None:
            counted[f"statements dropped: {why}"] += 1
            continue
        for tag, hedged in _tags(statement, counted):
            certain[tag] = certain.get(tag, False) or not hedged
    return ReportTags(tuple(certain), tuple(tag for tag, sure in certain.items() if not sure))


def clean(statement: str) -> str:
    """Lower case, without ornament (`***`, `---`), outer dashes, full stop and double spaces."""
    bare = _ORNAMENT.sub(" ", statement.lower())
    bare = " ".join(bare.split()).strip(" -.;:,")
    words = _lists().words
    return re.sub(r"[a-z0-9-]+", lambda found: words.get(found[0], found[0]), bare)


def _joined(statements: Iterable[str], counted: Counter[str]) -> list[str]:
    """A machine breaks long lines: what begins with "with" or "or" belongs to the one before."""
    result: list[str] = []
    for statement in statements:
        if result and statement.startswith(_FRAGMENT):
            counted["statements that go on in the next column"] += 1
            result[-1] = f"{result[-1]} {statement}"
        else:
            result.append(statement)
    return result


def _tags(statement: str, counted: Counter[str]) -> Iterable[tuple[str, bool]]:
    """The tags of one statement, each with whether it is only suspected."""
    lists = _lists()
    bare = lists.aside.sub("", statement).strip(" -,;") or statement
    finding = lists.hedge.sub("", bare) or bare
    parts = _cut(finding)
    counted["statements cut in two"] += len(parts) > 1
    for part, after_hedge in parts:
        hedged = finding != bare or after_hedge or lists.doubt.search(part) is not None
        counted["tags hedged"] += hedged
        yield _worded(part, counted), hedged


def _cut(finding: str) -> list[tuple[str, bool]]:
    """The parts of a compound of the list, each with whether a hedge stands before it."""
    for compound in _lists().compounds:
        for joint in compound.joint.finditer(finding):
            head, tail = finding[: joint.start()].strip(), finding[joint.end() :].strip()
            if compound.head.fullmatch(head) and compound.tail.fullmatch(tail):
                return [(head, False), (tail, compound.hedging)]
    return [(finding, False)]


def _worded(finding: str, counted: Counter[str]) -> str:
    """The lexicon's wording, or the report's own with abbreviations written out."""
    written = re.sub(r"[a-z]+", lambda word: _written_out(word[0]), finding)
    known = _known(finding) or _known(written)
    if known is None:
        counted["tags in the report's own wording"] += 1
        return written
    counted["tags in the lexicon's wording"] += 1
    return known.tag


def _known(finding: str) -> Statement | None:
    """The statement of a wording, of its singular, or of it without a degree."""
    lexicon, wordings = load_lexicon(), _lists().wordings
    for text in (finding, _lists().degree.sub("", finding)):
        singular = _PLURAL.sub("", text)
        forms = (text, singular, singular.removesuffix("s"), singular.removesuffix("es"))
        for form in forms:
            if statement := lexicon.resolve(wordings.get(form, form)):
                return statement
    return None


def _written_out(word: str) -> str:
    """The lexicon's statement for an abbreviation of the list, singular or plural; else the word.

    Lower case, since it stands in the middle of a sentence.
    """
    singular = word.removesuffix("s")
    if singular not in _lists().abbreviations:
        return word
    statement = load_lexicon().resolve(singular)
    return statement.tag if statement else word


@cache
def _lists() -> _Lists:
    raw = yaml.safe_load(LISTS.read_text(encoding="utf-8"))
    return _Lists(
        words=raw["words"],
        abbreviations=frozenset(raw["abbreviations"]),
        dropped={why: _any_of(raw[why]) for why in ("technical", "negated", "generic")},
        hedge=re.compile(rf"^(?:(?:{_either(HEDGES)}) +)+"),
        doubt=re.compile(rf"\b(?:{_either(HEDGES)})\b|\?$"),
        aside=re.compile(rf"(?:{_either(raw['asides'])})$"),
        wordings=raw["wordings"],
        degree=re.compile(rf"^(?:(?:{_either(raw['degrees'])}) +)+"),
        compounds=tuple(_compound(entry) for entry in raw["compounds"]),
    )


def _compound(entry: dict) -> _Compound:
    joints = "|".join(re.escape(joint) for joint in entry["joints"])
    return _Compound(
        joint=re.compile(rf"(?:(?<= )|(?=,))(?:{joints})(?= )"),
        head=_any_of(entry["heads"]),
        tail=_any_of(entry["tails"]),
        hedging=entry.get("hedging", False),
    )


def _any_of(patterns: list[str]) -> re.Pattern[str]:
    return re.compile(_either(patterns))


def _either(patterns: Sequence[str]) -> str:
    return "|".join(f"(?:{pattern})" for pattern in patterns)
