"""A sentence as tokens: words, commas, and lists of leads as one token each."""

import re
from dataclasses import dataclass
from functools import cached_property

from focal_app.lexicon import normalize_name
from focal_app.words.leads import notation, places

COMMA = ","
_WORD = re.compile(
    r"[^\W_]+(?:['’′´`][^\W_]+|['’′´`])*|(?P<comma>[,;()]|\s[-–]+(?=\s|$))|(?P<and>&)"
)
_ENDINGS = re.compile(r"(?<=\w{4})(?:e[rsnm]|e|n){1,2}$")
_UMLAUT = re.compile(r"([aou])e")
"""Written without the dots: "ueberdreht"."""
_NO_PLURAL = frozenset(["wellens"])
"""Without its last letter it is German for waves."""
_ROMAN = {"i": "1", "ii": "2", "iii": "3", "iv": "4"}


@dataclass(frozen=True)
class Token:
    """A word, a comma or a place at `[start, end)`; `leads` is what it names, if any."""

    start: int
    end: int
    lower: str
    leads: tuple[str, ...] = ()

    @cached_property
    def list(self) -> bool:
        """Whether it lists leads in more than one word or by a region: no word of a language."""
        return len(self.leads) > 1

    @cached_property
    def surely_leads(self) -> bool:
        """Whether it names leads and is no Roman number: a list, or one as aVF or V1."""
        return self.list or bool(self.leads and self.lower[0] in "av")

    @cached_property
    def key(self) -> str:
        """What counts of it in a name."""
        return f"<{notation(self.leads)}>" if self.list else normalize_name(self.lower)

    @cached_property
    def singular(self) -> str:
        """Its key without the ending of a plural."""
        key = self.key
        plural = len(key) > 3 and not self.list and key not in _NO_PLURAL
        return key.removesuffix("s") if plural else key

    @cached_property
    def stem(self) -> str:
        """Its key without German endings and umlauts; Roman numbers as digits."""
        if self.list:
            return self.key
        key = _UMLAUT.sub(r"\1", self.key)
        return _ENDINGS.sub("", key) if len(key) > 4 else _ROMAN.get(key, key)


def tokens(text: str) -> list[Token]:
    """The tokens of a sentence in their order; a word inside a place belongs to it."""
    found: list[Token] = []
    lists, at = list(places(text)), 0
    for word in _WORD.finditer(text):
        while at < len(lists) and lists[at].end <= word.start():
            at += 1
        if at == len(lists) or word.end() <= lists[at].start:
            lower = COMMA if word["comma"] else "and" if word["and"] else word.group().casefold()
            found.append(Token(word.start(), word.end(), lower))
        elif word.start() <= lists[at].start:
            place = lists[at]
            lower = text[place.start : place.end].lower()
            found.append(Token(place.start, place.end, lower, place.leads))
    return found
