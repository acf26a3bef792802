"""A sentence as tokens: words, commas, and lists of leads as one token each."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from focal_app.lexicon import normalize_name
from focal_app.words.leads import Place, notation, places

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
    """The tokens of a sentence in their order."""
    found: list[Token] = []
    lists = list(places(text))
    covered = _merged(_WORD.finditer(text), lists)
    for item in covered:
        if isinstance(item, Place):
            found.append(
                Token(item.start, item.end, text[item.start : item.end].lower(), item.leads)
            )
        elif item["comma"]:
            found.append(Token(item.start(), item.end(), COMMA))
        else:
            word = "and" if item["and"] else item.group().casefold()
            found.append(Token(item.start(), item.end(), word))
    return found


def _merged(
    words: Iterator[re.Match[str]], lists: Sequence[Place]
) -> Iterator["re.Match[str] | Place"]:
    """Words and places in the order of the text; a word inside a place belongs to it."""
    at = 0
    for word in words:
        while at < len(lists) and lists[at].end <= word.start():
            at += 1
        if at == len(lists) or word.end() <= lists[at].start:
            yield word
        elif word.start() <= lists[at].start:
            yield lists[at]
