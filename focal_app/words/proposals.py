"""What a language model proposes for a report, sorted by meaning: statements, echoes, free text.

    found = proposals(["Absent P waves.", "AF waveform", "golden spike"], ["atrial fibrillation"])
    found.features, found.echoes, found.apart
    # ("absent P waves",), ("AF waveform",), ("golden spike",)

The grammar of reports decides what a wording names, and after it that of prompts, which knows
mechanisms, plain words and measured values; leads are kept. What only repeats a tag, in whatever
words, would be verified wherever the tag is right, and adds nothing. What names no statement cannot
be held against anything: its probability is calibrated on nothing.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from focal_app.lexicon import Lexicon, load_lexicon, normalize_name
from focal_app.words.amounts import in_ms
from focal_app.words.leads import notation, places
from focal_app.words.own_words import in_terms, mechanism
from focal_app.words.prompts import Asked, findings_of
from focal_app.words.reach import DENIALS
from focal_app.words.statements import ReportTag, understood
from focal_app.words.tokens import tokens
from focal_app.words.vocabulary import FILL, named

LONGEST = 160
"""Characters of a feature; more is prose."""
MOST = 24
"""Features of one answer; what a model that babbles adds is counted."""
MOST_LOOKED_AT = 200
"""Wordings of one answer that are read at all."""

_ASIDE = re.compile(r"\s*\([^()]*\)")
_MARKS = re.compile(r"[*_`#\"“”]+")
_NUMBER = re.compile(r"^\s*(?:\d{1,2}[.)]\s+|[-•–]\s+)")
_LETTERS, _DIFFERENT = 3, 2
_SHARED = 6
"""Letters that make one word a form of another: "irregularly", "irregular"."""
_TELLS_NOTHING = FILL | frozenset(
    [
        *("waveform", "wave", "feature", "sign", "pattern", "finding", "morphology", "appearance"),
        *("characteristic", "typical", "classic", "classical", "presence", "present", "evidence"),
    ]
)

Outcome = Literal["features", "free text", "echoes", "unusable", "none proposed"]
"""What comes of an answer: features, or why there are none."""


@dataclass(frozen=True)
class Proposals:
    """Every wording of an answer, in one of these places.

    `features` are statements that the report does not say, each once; `echoes` only repeat it;
    `apart` are wordings that name no statement. Counted alone: wordings that add nothing to the
    features (`repeated`), that can be no feature or deny one (`unusable`), that come after the most
    that are taken (`beyond`). `contradictory` of the features exclude a tag.
    """

    features: tuple[str, ...] = ()
    contradictory: tuple[str, ...] = ()
    echoes: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()
    repeated: int = 0
    unusable: int = 0
    beyond: int = 0

    @property
    def outcome(self) -> Outcome:
        """The best that is among the wordings; `none proposed` where there are none."""
        if self.features:
            return "features"
        if self.apart:
            return "free text"
        if self.echoes:
            return "echoes"
        return "unusable" if self.unusable or self.beyond else "none proposed"


def proposals(said: Iterable[str], tags: Collection[str]) -> Proposals:
    """The wordings of one answer about these tags, sorted."""
    sorting = _Sorting(_Report.of(tags))
    for number, wording in enumerate(said):
        if number < MOST_LOOKED_AT:
            sorting.add(wording)
        else:
            sorting.beyond += 1
    lexicon, found = load_lexicon(), sorting.features
    excluded = frozenset[str]().union(
        *(lexicon.exclusions(tag) for tag in sorting.report.tags if tag in lexicon)
    )
    return Proposals(
        features=tuple(found),
        contradictory=tuple(name for name, tag in found.items() if tag in excluded),
        echoes=tuple(sorting.echoes.values()),
        apart=tuple(sorting.apart.values()),
        repeated=sorting.repeated,
        unusable=sorting.unusable,
        beyond=sorting.beyond,
    )


def named_in(wording: str) -> tuple[Asked, ...] | None:
    """The statements that a wording names and nothing beside them; None for any other words."""
    found = _read(clean(wording))
    return found.named if found.whole and found.named else None


def denies(wording: str) -> bool:
    """Whether a wording says that something is absent, of whatever it speaks."""
    cleaned = clean(wording)
    return _read(cleaned).denied or _has_denial(cleaned)


def clean(text: str) -> str:
    """A wording without list numbers, marks of emphasis, outer punctuation and a capital."""
    bare = _MARKS.sub("", _NUMBER.sub("", text[: 4 * LONGEST]))
    bare = "".join(letter if letter.isprintable() else " " for letter in bare)
    bare = " ".join(bare.split()).strip(" .,;:'")
    first, _, rest = bare.partition(" ")
    is_word = len(first) > 1 and first.isalpha() and first[1:].islower()
    return f"{first.lower()} {rest}".strip() if is_word else bare


@dataclass(frozen=True)
class _Report:
    """What the tags of a report say: `tags`, what is `said` by these (the same in certain leads is
    not), and every wording as it stands."""

    tags: frozenset[str]
    said: frozenset[str]
    words: frozenset[str]

    @classmethod
    def of(cls, tags: Iterable[str]) -> "_Report":
        listed, lexicon = list(tags), load_lexicon()
        own = [one for tag in listed for one in _read(tag).named]
        known = frozenset(one.words for one in own)
        implied = frozenset[str]().union(*(lexicon.ancestors(tag) for tag in known))
        words = {_bare(name) for name in (*listed, *known, *implied)}
        return cls(known, known | implied | {one.text for one in own}, frozenset(words))


@dataclass
class _Sorting:
    """The wordings so far, each where it belongs."""

    report: _Report
    features: dict[str, str] = field(default_factory=dict)
    echoes: dict[str, str] = field(default_factory=dict)
    apart: dict[str, str] = field(default_factory=dict)
    repeated: int = 0
    unusable: int = 0
    beyond: int = 0

    def add(self, wording: str) -> None:
        cleaned = clean(wording)
        key = normalize_name(cleaned)
        if not _is_wording(cleaned):
            self.unusable += 1
        elif key in self.echoes or key in self.apart:
            self.repeated += 1
        else:
            self._sort(cleaned, key, _read(cleaned))

    def _sort(self, cleaned: str, key: str, found: "_Wording") -> None:
        new = [one for one in found.named if one.text not in self.report.said]
        if found.denied:
            self.unusable += 1
        elif _bare(cleaned) in self.report.words or (found.named and not new):
            self.echoes[key] = cleaned
        elif not (found.whole and new):
            self._keep(self.apart, {key: cleaned})
        else:
            self._keep(self.features, {one.text: one.words for one in new})

    def _keep(self, kept: dict[str, str], more: dict[str, str]) -> None:
        if more.keys() <= kept.keys():
            self.repeated += 1
        elif len(kept) >= MOST:
            self.beyond += 1
        else:
            kept |= more


@dataclass(frozen=True)
class _Wording:
    """What the grammar finds in a wording; `whole`: nothing stands beside the statements."""

    named: tuple[Asked, ...] = ()
    whole: bool = False
    denied: bool = False


@lru_cache(maxsize=50_000)
def _read(cleaned: str) -> _Wording:
    """A wording by the grammar of reports, or of prompts; without its asides where that helps."""
    found, bare = _read_as_it_stands(cleaned), _ASIDE.sub("", cleaned)
    if found.denied or (found.whole and found.named):
        return found
    if bare not in ("", cleaned):
        without = _read_as_it_stands(bare)
        if without.whole and without.named:
            return without
    return _in_own_words(cleaned) or found


def _in_own_words(cleaned: str) -> _Wording | None:
    """Mechanisms, plain words and values that define a finding, as a prompt may have them.

    Not as far as a prompt goes: what a wave exceeds, signs of QRS for an axis and comparisons with
    another ECG are left, since nobody reads what is made of a proposal.
    """
    if tag := mechanism(cleaned):
        return None if any(places(cleaned)) else _Wording((Asked(tag),), whole=True)
    if _has_denial(cleaned):
        return None
    for words in dict.fromkeys((cleaned, in_terms(in_ms(cleaned)))):
        found = understood(words)
        told = None if found.asides else findings_of(found)
        if told:
            return _Wording(tuple(_named(one.words, one.leads) for one in told.each), whole=True)
    return None


def _named(tag: str, leads: tuple[str, ...]) -> Asked:
    """A statement that names its own place has no other beside it."""
    return Asked(tag, () if any(places(tag)) else leads)


def _has_denial(cleaned: str) -> bool:
    return any(token.lower in DENIALS for token in tokens(cleaned))


def _read_as_it_stands(cleaned: str) -> _Wording:
    if tag := named(cleaned):
        return _Wording((Asked(tag),), whole=True)
    found = understood(cleaned)
    statements = [tag for tag in found.tags if tag.known and tag.value is None]
    if any(tag.denied for tag in statements):
        return _Wording(denied=True)
    told = _narrowest(statements, load_lexicon())
    names = tuple(_named(tag.tag, tag.narrower) for tag in told)
    beside = [*found.left_out, *(tag.text for tag in found.tags if not tag.known)]
    aside = [one.text for one in found.asides]
    parted = any(tag.elsewhere or (tag.placed and tag.narrower) for tag in statements)
    more = aside or parted or any(_tells(words, names) for words in beside)
    return _Wording(names, whole=not more)


def _narrowest(statements: Sequence[ReportTag], lexicon: Lexicon) -> Iterator[ReportTag]:
    """Without what the others imply: "left bundle branch block (BBB)" names one finding."""
    implied = frozenset[str]().union(*(lexicon.ancestors(one.tag) for one in statements))
    return (one for one in statements if one.tag not in implied or one.leads)


def _tells(words: str, names: Sequence[Asked]) -> bool:
    """Whether words beside a statement say more than it does."""
    own = {token.stem for one in names for token in tokens(one.words)}
    for token in tokens(words):
        form_of_own = any(
            token.stem[:_SHARED] == stem[:_SHARED] for stem in own if stem[_SHARED - 1 :]
        )
        if not token.leads and not form_of_own and not _tells_nothing(token.lower):
            return True
    return False


def _tells_nothing(word: str) -> bool:
    return word in _TELLS_NOTHING or word.removesuffix("s") in _TELLS_NOTHING or not word.isalnum()


def _bare(wording: str) -> str:
    """A wording without what tells nothing, for a tag that no lexicon knows."""
    told = [token.stem for token in tokens(wording) if not _tells_nothing(token.lower)]
    leads = [notation(token.leads) for token in tokens(wording) if token.leads]
    return " ".join([*told, *leads]) or normalize_name(wording)


def _is_wording(cleaned: str) -> bool:
    letters = [letter.lower() for letter in cleaned if letter.isalpha()]
    enough = len(letters) >= _LETTERS and len(set(letters)) >= _DIFFERENT
    return enough and len(cleaned) <= LONGEST
