"""Features as a model words them, through the lexicon: one wording a meaning, nothing twice.

    normalise(["Absent P waves.", "sharp Q"], tags=["atrial fibrillation"], lexicon=load_lexicon())

A known wording becomes the lexicon's preferred tag, an unknown one is kept as cleaned text. What
is left out is counted by reason; what contradicts a tag is kept and marked, for verification to
reject with that reason.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from focal_app.lexicon import Lexicon, Statement, normalize_name

LONGEST = 160
"""Characters of a feature; more is prose."""

_ASIDE = re.compile(r"\s*\([^()]*\)")
_MARKS = re.compile(r"[*_`#\"“”]+")
_NUMBER = re.compile(r"^\s*(?:\d{1,2}[.)]\s+|[-•–]\s+)")


@dataclass(frozen=True)
class Features:
    """Features of one tag set; `already` stood among its tags, `unusable` are no features.

    `known` of the kept ones are statements of the lexicon, `contradictory` of them exclude a tag.
    """

    kept: tuple[str, ...]
    known: tuple[str, ...]
    contradictory: tuple[str, ...]
    already: tuple[str, ...]
    repeated: int
    unusable: int


def normalise(said: Iterable[str], *, tags: Collection[str], lexicon: Lexicon) -> Features:
    """The features of an answer, without those that the tags say already."""
    named = [_preferred(text, lexicon) for text in said]
    usable = [name for name in named if name]
    distinct: dict[str, str] = {}
    for name in usable:
        distinct.setdefault(normalize_name(name), name)
    known_tags = [s for s in map(lexicon.resolve, tags) if s]
    present = {normalize_name(tag) for tag in (*tags, *(s.tag for s in known_tags))}
    in_order = [name for key, name in distinct.items() if key not in present]
    excluded = frozenset[str]().union(*(lexicon.exclusions(s.tag) for s in known_tags))
    return Features(
        kept=tuple(in_order),
        known=tuple(name for name in in_order if name in lexicon),
        contradictory=tuple(name for name in in_order if name in excluded),
        already=tuple(name for key, name in distinct.items() if key in present),
        repeated=len(usable) - len(distinct),
        unusable=len(named) - len(usable),
    )


def clean(text: str) -> str:
    """A wording without list numbers, marks of emphasis, outer punctuation and a capital."""
    bare = _MARKS.sub("", _NUMBER.sub("", text))
    bare = "".join(letter if letter.isprintable() else " " for letter in bare)
    bare = " ".join(bare.split()).strip(" .,;:'")
    first, _, rest = bare.partition(" ")
    is_word = len(first) > 1 and first.isalpha() and first[1:].islower()
    return f"{first.lower()} {rest}".strip() if is_word else bare


def _preferred(text: str, lexicon: Lexicon) -> str | None:
    """The lexicon's wording, or the cleaned text; None for what can be no feature."""
    cleaned = clean(text)
    if len(cleaned) > LONGEST or sum(letter.isalpha() for letter in cleaned) < 3:
        return None
    found = _statement(cleaned, lexicon)
    return found.tag if found else cleaned


def _statement(cleaned: str, lexicon: Lexicon) -> Statement | None:
    return next(filter(None, map(lexicon.resolve, _variants(cleaned))), None)


def _variants(cleaned: str) -> Iterator[str]:
    """A wording, then without its asides in brackets, each also in the other number."""
    for text in (cleaned, _ASIDE.sub("", cleaned)):
        yield text
        yield text.removesuffix("es")
        yield text.removesuffix("s")
        yield f"{text}s"
