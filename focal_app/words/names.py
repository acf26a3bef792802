"""Where the names of findings stand in a sentence.

[(one.first, one.last, one.tag) for one in names("AF, T low in V5", tokens("AF, T low in V5"), ())]
# [(0, 1, "atrial fibrillation"), (2, 4, "low amplitude T waves")]
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from focal_app.words.leads import REGIONS
from focal_app.words.numbers import Value
from focal_app.words.reach import ADVERBS, DENIALS, LATE_DENIALS, SEEN, TURNS
from focal_app.words.regions import NON
from focal_app.words.spared import INTO, JOINING
from focal_app.words.tokens import COMMA, Token, tokens
from focal_app.words.vocabulary import longest_name, statement_of
from focal_app.words.wordings import wordings

PARTS = frozenset([COMMA, "with", "mit", "sowie", "while", "whereas", *JOINING, *TURNS])
WAVES = frozenset(["p", "q", "r", "s", "t", "u", "st", "qt", "qrs", "pr"])
_LED = DENIALS.union(["abnormal"])
"""A name that begins so gives way to a longer one behind the word."""
_QUALIFYING = frozenset(["paroxysmal", "respiratory", "phasic", "sustained", "specific"])
"""What is not so is there all the same."""
_MOST = frozenset(["maximal", "most", "about", "approx", "up", "to", "mm", "mainly"])
_FARTHEST = 6
"""Words behind an adjective among which its part may end."""
_WAVE, _SEGMENT = tokens("wave"), tokens("segment")
_AGES = {
    "old": """old older history previous prior remote healed former zn alt alter alten älter älterer
        älterem abgelaufen abgelaufener stattgehabt zustand""",
    "new": """new newly now acute recent recently fresh evolving onset neu neuer neue akut akuter
        akute akuten frisch frischer frische frischen""",
    "undetermined": "undetermined indeterminate unbestimmt unbestimmtes",
}
AGE_OF = {word: age for age, words in _AGES.items() for word in words.split()}
"""How old a finding is, by the words that say it."""
_IDLE = wordings().idle.union(AGE_OF, ADVERBS, SEEN, DENIALS, LATE_DENIALS, (COMMA,))
"""Words that carry no finding of their own when the lexicon knows none around them."""


@dataclass(frozen=True)
class Span:
    """Tokens `[first, last)` that say one thing: a `tag`, a measured `value`, or the unknown."""

    first: int
    last: int
    tag: str = ""
    value: Value | None = None
    leads: tuple[str, ...] = ()
    age: str = ""
    either: bool = False


def idle(word: str) -> bool:
    """Whether a word carries no finding of its own."""
    return word in _IDLE or word.isdigit()


def telling(word: str) -> bool:
    """Whether a word would carry a finding of its own."""
    return not idle(word) and word not in PARTS


def names(text: str, words: Sequence[Token], passed: Collection[int]) -> Iterator[Span]:
    """The longest name at every place, from left to right, and what shares its last words.

    `passed` are places of words that say where a finding is not.
    """
    return _Names(text, words, passed).all()


def _how_far(word: str) -> bool:
    """Whether a word says how much or where most: "depressed predominantly in III"."""
    return word in _MOST or word.isdigit() or (word.endswith("ly") and len(word) > 4)


class _Names:
    def __init__(self, text: str, words: Sequence[Token], passed: Collection[int]) -> None:
        self.text = text
        self.tokens = words
        self.lower = [token.lower for token in words]
        self.passed = passed

    def all(self) -> Iterator[Span]:
        at, free, subject = 0, 0, None
        while at < len(self.tokens):
            last, tag = self._longest(at, subject)
            if tag:
                yield from self._shared(at, last, tag, free=free)
                yield Span(at, last, tag)
                waves = [token for token in self.tokens[at:last] if token.stem in WAVES]
                free, subject = last, waves[0] if waves else subject
            at = last

    def _longest(self, at: int, subject: Token | None) -> tuple[int, str | None]:
        """Where the longest name from here ends, and its statement.

        A single word may speak of the wave that was named before: "T waves low, inverted in V6".
        """
        last, tag = self._longest_name(at)
        if tag and self.lower[max(0, at - 1)] in NON and self.tokens[at].stem in REGIONS:
            return at + 1, None  # "non-anterior ST elevation" is not one in anterior leads
        if tag and self.lower[at] in _LED:
            behind = self._longest_name(at + 1)[0]
            if behind > last and COMMA not in self.lower[last:behind]:
                return at + 1, None  # "no P wave abnormality" is not "no P wave"
        qualified = self.lower[max(0, at - 1) : at] == ["non"] and self.lower[at] in _QUALIFYING
        if qualified and tag and self._statement(at + 1, last):
            return at + 1, None  # "non-paroxysmal AF" is AF
        if tag:
            return last, tag
        token = self.tokens[at]
        alone = self._telling(at) and not token.leads and token.stem not in WAVES
        if subject is None or not alone or not self._ends_behind(at):
            return at + 1, None
        beside = ([], _WAVE, _SEGMENT)
        return at + 1, next(
            filter(None, (statement_of([token, subject, *one]) for one in beside)), None
        )

    def _leads_behind_comma(self, at: int) -> bool:
        if self.lower[at] != COMMA:
            return False
        first = at + 1 + (self.lower[at + 1] in INTO)
        return first < len(self.tokens) and self.tokens[first].list

    def _ends_behind(self, at: int) -> bool:
        """Whether an adjective stands for itself: its part ends there, or its leads follow."""
        behind = at + 1 + sum(1 for _ in takewhile(_how_far, self.lower[at + 1 : at + _FARTHEST]))
        if behind >= len(self.lower) or self.tokens[behind].leads:
            return True
        word, after = self.lower[behind], self.tokens[behind + 1 : behind + 3]
        if word in INTO:
            return any(one.leads or one.lower in INTO for one in after)
        return word in PARTS or idle(word)

    def _longest_name(self, at: int) -> tuple[int, str | None]:
        if at < len(self.tokens) and self.lower[at] == COMMA:
            return at, None
        for last in range(min(len(self.tokens), at + longest_name()), at, -1):
            if tag := self._statement(at, last):
                return last, tag
        return at, None

    def _statement(self, first: int, last: int) -> str | None:
        """The statement that tokens name; AT is a rhythm, `at` is none."""
        token = self.tokens[first]
        if last < len(self.tokens) and self.lower[last] == "than":
            return None  # "PR longer than 200" is a number
        if last == first + 1:
            typed = self.text[token.start : token.end]
            short = typed.isupper() and not self.text.isupper()
            if token.leads or (token.lower in _IDLE and not short):
                return None
        if COMMA in self.lower[first:last] and last - first == 3:
            return None  # "ECG, normal axis" is not "ECG normal"
        if any(self._leads_behind_comma(at) for at in range(first + 1, last - 1)):
            return None  # they are those of what follows
        return statement_of(self.tokens[first:last])

    def _shared(self, first: int, last: int, tag: str, *, free: int) -> Iterator[Span]:
        """What stands before an "and" and shares the name's last words: "left and right ..."."""
        before = first - 2 if first > 1 and self.lower[first - 1] in JOINING else first - 1
        if before < free or last - first < 2 or self.tokens[before].leads:
            return
        slash = self.text[self.tokens[before].end : self.tokens[first].start].strip() == "/"
        if before == first - 1 and not slash:
            return
        other = statement_of([self.tokens[before], *self.tokens[first + 1 : last]])
        if other and other != tag and statement_of([self.tokens[before]]) is None:
            yield Span(before, before + 1, other)

    def _telling(self, at: int) -> bool:
        return at not in self.passed and telling(self.lower[at])
