"""Findings in words that are no name of them: mechanisms, criteria, plain words for terms.

    mechanism("the left bundle does not conduct")      # "left bundle branch block"
    criterion(quantities("QRS over 130 ms")[0].value)  # "wide QRS complex"
    plainly("flipped T waves inferiorly")              # "inverted T waves in inferior leads"

What combines with what is data, `assets/own_words.yaml`; no sentence stands there.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import inf
from pathlib import Path
from typing import cast

from focal_app.errors import LexiconError
from focal_app.lexicon import load_lexicon
from focal_app.strict_yaml import read_yaml
from focal_app.words.amounts import compared, in_ms, quadrant, without_amounts
from focal_app.words.numbers import Value
from focal_app.words.tokens import COMMA, tokens

OWN_WORDS = Path(__file__).parents[2] / "assets" / "own_words.yaml"
_OPEN_AXIS = {(-inf, -30.0): (-90.0, -30.0), (90.0, inf): (90.0, 180.0)}
_WHOLE = frozenset(["whole"])
_DEGREE = re.compile(
    r"^(?:known|bekannte?[rsn]?|coarse|fine|subtle|persist(?:ent|ing))\s+(?!.*\bQ\b)"
    r"|(?<!not )\bmaximal\s+(?=in\b|over\b)",
    re.IGNORECASE,
)
"""Words that leave a finding what it is: at the head of a prompt, and before where it is most."""


@dataclass(frozen=True)
class OwnWords:
    """What the file holds: phrases by their term, statements by their terms, values' bounds."""

    plain: Mapping[str, Sequence[str]]
    terms: Mapping[tuple[str, ...], frozenset[str]]
    between: frozenset[str]
    meanings: Mapping[frozenset[str], str]
    criteria: Mapping[str, Mapping[str, tuple[float, float]]]


@cache
def own_words() -> OwnWords:
    """The file, read once; a `LexiconError` where it names what is no statement or no term."""
    raw = cast(Mapping[str, Mapping], read_yaml(OWN_WORDS))
    terms: dict[tuple[str, ...], set[str]] = {}
    for term, phrases in raw["terms"].items():
        for phrase in phrases:
            terms.setdefault(_words(phrase), set()).add(term)
    meanings = {frozenset(one): tag for tag, lines in raw["meanings"].items() for one in lines}
    criteria = {
        name: {tag: _bounds(*limits) for tag, limits in bounds.items()}
        for name, bounds in raw["criteria"].items()
    }
    told = {*meanings.values(), *(tag for bounds in criteria.values() for tag in bounds)}
    if strangers := [tag for tag in told if tag not in load_lexicon()]:
        raise LexiconError(f"{OWN_WORDS.name} means no statement by {', '.join(strangers)}")
    if unknown := {term for one in meanings for term in one} - set(raw["terms"]):
        raise LexiconError(f"{OWN_WORDS.name} has no term {', '.join(sorted(unknown))}")
    held = {phrase: frozenset(names) for phrase, names in terms.items()}
    between = frozenset(cast(Iterable[str], raw["between"]))
    return OwnWords(raw["plain"], held, between, meanings, criteria)


def mechanism(text: str) -> str | None:
    """The statement that a mechanism means: its terms, and nothing beside them that tells more."""
    words = [t.lower for t in tokens(text) if t.lower != COMMA and not t.surely_leads]
    found = _terms_in(words)
    return None if found is None else _meant(found)


def _terms_in(words: Sequence[str]) -> list[frozenset[str]] | None:
    """The terms of a sentence, the longest at every place; None where a word belongs to none."""
    own, found, at = own_words(), [], 0
    longest = max(map(len, own.terms))
    while at < len(words):
        lengths = range(min(longest, len(words) - at), 0, -1)
        length = next((n for n in lengths if tuple(words[at : at + n]) in own.terms), 0)
        if length:
            found.append(own.terms[tuple(words[at : at + length])])
        elif words[at] not in own.between:
            return None
        at += length or 1
    return found


def _meant(found: Sequence[frozenset[str]]) -> str | None:
    """The statement whose terms are exactly those found, each in one of its senses.

    "Every" and "each" count only where a statement is told with them.
    """
    for kept in (found, [one for one in found if one != _WHOLE]):
        for terms, tag in own_words().meanings.items():
            told = all(terms & one for one in kept)
            if told and all(any(term in one for one in kept) for term in terms):
                return tag
    return None


def criterion(value: Value) -> str | None:
    """The statement within whose bounds a value lies whole; None where it defines none."""
    low, high = _OPEN_AXIS.get((value.low, value.high), (value.low, value.high))
    for tag, (least, most) in own_words().criteria.get(value.name, {}).items():
        if least <= low and high <= most:
            return tag
    return None


def plainly(text: str) -> Iterator[str]:
    """The text in terms of the lexicon, as far as its words stand for some, step by step."""
    squared = in_ms(text)
    if axis := quadrant(squared):
        yield axis
    told = compared(_DEGREE.sub("", squared))
    yield told
    worded = in_terms(told)
    yield worded
    yield without_amounts(worded)


def in_terms(text: str) -> str:
    """The text with terms of the lexicon for the plain words that stand for them."""
    return " ".join(_plain_words().sub(_term, text).split())


@cache
def _plain_words() -> re.Pattern[str]:
    phrases = sorted((p for ps in own_words().plain.values() for p in ps), key=len, reverse=True)
    any_phrase = "|".join(map(re.escape, phrases))
    return re.compile(rf"(?<![\w'-])(?:{any_phrase})(?![\w'/]|\swaves?\b)", re.IGNORECASE)


def _term(found: re.Match[str]) -> str:
    said, plain = found.group().casefold(), own_words().plain
    return next(term for term, phrases in plain.items() if said in map(str.casefold, phrases))


def _words(phrase: str) -> tuple[str, ...]:
    return tuple(token.lower for token in tokens(phrase))


def _bounds(low: float | None, high: float | None) -> tuple[float, float]:
    return (-inf if low is None else float(low), inf if high is None else float(high))
