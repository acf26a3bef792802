"""A query in the lexicon's words: short forms, and names whose words stand in another order.

    in_known_words("STEMI anterior").text   # "anterior STEMI"

What the tag encoder learnt stays as it is: only the query is put into words that it knows.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from focal_app.lexicon import load_lexicon, normalize_name

SHORT_FORMS = {
    "RSR": "RSR' pattern in V1-V3",
    "RSR pattern": "RSR' pattern in V1-V3",
    "RSR complex": "RSR' pattern in V1-V3",
    "RSR prime": "RSR' pattern in V1-V3",
    "rabbit ears": "RSR' pattern in V1-V3",
    "M-shaped QRS": "RSR' pattern in V1-V3",
    "flipped T waves": "inverted T waves",
    "long PR": "prolonged PR interval",
    "short PR": "short PR interval",
    "wide QRS": "wide QRS complex",
    "low voltage": "low QRS voltage",
    "Q waves": "pathological Q waves",
    "irregular RR": "irregular RR intervals",
    "regular RR": "regular RR intervals",
}
"""What is said at the bedside, and the name that the lexicon has for it."""
LONGEST_WINDOW = 8
_WORD = re.compile(r"[^\W_]+(?:['’′´`][^\W_]+|['’′´`])*|[,;.:!?]")
_LEAD = re.compile(r"(?:avr|avl|avf|v[1-6])", re.IGNORECASE)
_FILL = frozenset(["a", "an", "the", "of"])
_ALONGSIDE = frozenset(["wall", "lead", "leads"])
"""Words of a name that tell nothing beside the region that they follow."""
_APART = frozenset(["and", "or", "nor", "with", "without", "plus", "but", "not", "no"])
_ROMAN = {"i": "1", "ii": "2", "iii": "3"}


@dataclass(frozen=True)
class Phrased:
    """A query in known words; `typed` gives back what stood there, by what stands there now."""

    text: str
    typed: Mapping[str, str]

    def as_typed(self, words: str) -> str:
        """Words of the text as they were typed."""
        for name, said in self.typed.items():
            words = words.replace(name, said)
        return words


def in_known_words(asked: str) -> Phrased:
    """The query with short forms and turned-round names put as the lexicon has them."""
    places = list(_WORD.finditer(asked))
    words = [place.group() for place in places]
    pieces, typed, at, copied = [], {}, 0, 0
    while at < len(words):
        last, name = _found(words, at)
        if name:
            first, end = places[at].start(), places[last - 1].end()
            typed[name] = asked[first:end]
            pieces += [asked[copied:first], name]
            copied = end
        at = last
    return Phrased("".join([*pieces, asked[copied:]]), typed)


def _found(words: Sequence[str], at: int) -> tuple[int, str]:
    """Where the longest name from here ends, and what to write for it; "" leaves it as it is."""
    for last in range(min(len(words), at + LONGEST_WINDOW), at, -1):
        window = words[at:last]
        if _known("".join(window)):
            return last, ""
        name = _short_forms().get(_key(window)) or _turned().get(_key(window))
        if name and window[0].casefold() not in _FILL and window[-1].casefold() not in _FILL:
            return last, name
    return at + 1, ""


def _known(name: str) -> bool:
    other = name[:-1] if name[-1] in "sS" else f"{name}s"
    return any(load_lexicon().resolve(one) for one in (name, other))


def _key(words: Sequence[str]) -> tuple[str, ...]:
    """The words that tell, in singular and in alphabetical order; none where two names meet."""
    told = [normalize_name(word) for word in words if word.casefold() not in _FILL | _ALONGSIDE]
    if not all(told) or _APART.intersection(told):
        return ()
    told = [_ROMAN.get(word, word) for word in told]
    return tuple(sorted(word.removesuffix("s") if len(word) > 3 else word for word in told))


@cache
def _short_forms() -> dict[tuple[str, ...], str]:
    return {_key(_WORD.findall(said)): name for said, name in SHORT_FORMS.items()}


@cache
def _turned() -> dict[tuple[str, ...], str]:
    """Names of two words and more by their words; none that two statements would share."""
    found: dict[tuple[str, ...], dict[str, str]] = {}
    for statement in load_lexicon():
        for name in statement.names:
            words = [word for word in _WORD.findall(name) if word != "with"]
            key = _key(words)
            if len(key) > 1 and not any(_LEAD.fullmatch(word) for word in words):
                found.setdefault(key, {}).setdefault(statement.tag, name)
    return {key: next(iter(names.values())) for key, names in found.items() if len(names) == 1}
