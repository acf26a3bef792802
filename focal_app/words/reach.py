"""How far a denial or a hedge reaches in a sentence, worked out once for all of its words.

    denied(["no", "lbbb", ",", "af", "or", "rbbb", "but", "sinus"], frozenset())
    # places 1 to 5: a list that ends in "or" goes on over its commas, "but" ends it

Every function here passes a bounded number of times over the words, whatever they are: a report
comes from anybody, and what takes longer than its length stops everybody.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from focal_app.words.hedges import HEDGES, ONLY_IN_TEXT
from focal_app.words.wordings import wordings


def _words_and_pairs(phrases: Sequence[str]) -> tuple[frozenset[str], frozenset[tuple[str, ...]]]:
    """Those of one word, and those of two."""
    words = frozenset(phrase for phrase in phrases if " " not in phrase)
    return words, frozenset(tuple(one.split()) for one in phrases if one not in words)


DENIALS, _DENIALS_OF_TWO = _words_and_pairs(wordings().denials)
LATE_DENIALS, _LATE_DENIALS_OF_TWO = _words_and_pairs(wordings().late_denials)
TURNS, _TURNS_OF_TWO = _words_and_pairs(wordings().turns)
ADVERBS = wordings().adverbs
"""They may stand inside a hedge or a denial: "cannot be entirely excluded", "not clearly seen"."""
SEEN = wordings().seen
"""What a finding is that an ECG shows, and with "not" before it one that it does not."""
_GIVEN_WAY = frozenset(
    [
        *(("replaced", "by"), ("abgelöst", "durch")),
        *((word, "to") for word in ("converted", "changed", "reverted")),
    ]
)
"""Behind them stands what is there now."""
_NOT_WHOLLY = frozenset(
    [
        *("not", "nicht", "never", "partial", "partially", "incomplete", "incompletely"),
        *("nearly", "almost", "mostly"),
    ]
)
"""Before a late denial they leave something of the finding."""
_EVERYWHERE = (["in", "all"], ["in", "every"])
_BECAUSE = frozenset(["due", "because", "presence", "setting", "owing", "given", "wegen"])
_BETWEEN = frozenset(["be", "been", "zu", "longer", "out"])
_LIKELY = frozenset(
    [
        *("likely", "probable", "probably", "possible", "possibly", "wahrscheinlich", "möglich"),
        "möglicherweise",
    ]
)
"""Hedges that may follow a finding and its comma."""
_PASSIVE = frozenset(
    [
        *("excluded", "ausgeschlossen", "auszuschliessen", "assessed", "diagnosed"),
        *("measured", "interpreted", "evaluated", "determined"),
    ]
)
"""A hedge that ends so speaks of what stands before it."""
_CAUSES = frozenset(["cause", "reason", "origin", "mechanism", "ursache", "grund"])
_LIST_GOES_ON = frozenset(["or", "nor", "oder", "noch"])
_WITH = frozenset(["with", "mit"])
_LIST_ENDS = frozenset([*TURNS, *_WITH, "and", "und"])
_VERBS = frozenset(["is", "are", "was", "were", "has", "have", "which", "ist", "sind", "war"])
_LONG_ADVERB = 6
"""Letters from which on any word in -ly is one."""
_HEDGES = frozenset(tuple(hedge.split()) for hedge in (*HEDGES, *ONLY_IN_TEXT))
_LONGEST_HEDGE = max(map(len, _HEDGES))


@dataclass(frozen=True)
class _Reach:
    """Of every place: where what is said there ends, and where what is said before it began.

    It ends at the next turn ("but") or comma, unless a list follows that ends in "or"; it began
    after the last comma or turn.
    """

    ends: Sequence[int]
    starts: Sequence[int]

    def behind(self, at: int) -> range:
        return range(at, self.ends[at])

    def before(self, at: int) -> range:
        return range(self.starts[at], at)


@dataclass(frozen=True)
class _Said:
    """Of every place: how many words before it say something."""

    lower: Sequence[str]
    before: Sequence[int]

    @classmethod
    def of(cls, lower: Sequence[str], saying: Callable[[int], bool]) -> "_Said":
        return cls(lower, [0, *accumulate(int(saying(at)) for at in range(len(lower)))])

    def anything(self, words: range) -> bool:
        return self.before[words.stop] > self.before[words.start]

    def nearest(self, before: range, behind: range, reach: _Reach) -> range:
        """Of what stands before and behind what says something, else the part before a comma."""
        if self.anything(before) or self.anything(behind):
            return before if self.anything(before) else behind
        alone = before.start > 0 and all(self.lower[at] in _VERBS for at in before)
        ended = all(self.lower[at] in SEEN or self.lower[at] in _BETWEEN for at in behind)
        return reach.before(before.start - 1) if alone and ended else before or behind


def denied(
    lower: Sequence[str],
    taken: frozenset[int],
    breaks: frozenset[int] = frozenset(),
    saying: Callable[[int], bool] = lambda _: True,
) -> frozenset[int]:
    """Places of the words that a denial reaches; `taken` belong to names and hedges.

    "... is ruled out" reaches back to words of which one is `saying` something. At `breaks` one
    name follows directly on another.
    """
    reach, reached, cause = _reach_of(lower, breaks, taken), [], -1
    said, because = _Said.of(lower, saying), _next_of(lower, _BECAUSE)
    for at in range(len(lower)):
        cause = at if lower[at] in _CAUSES else cause
        if at in taken:
            continue
        two, before, behind = tuple(lower[at : at + 2]), reach.before(at), reach.behind(at + 1)
        unseen = _unseen(lower, at) and cause not in before
        late = lower[at] in LATE_DENIALS or two in _LATE_DENIALS_OF_TWO
        if two in _GIVEN_WAY:
            gone = said.anything(before) and not _half(lower, at)
            reached.append(before if gone else range(0))
        elif (late and not _half(lower, at)) or unseen:
            reached.append(said.nearest(before, behind, reach))
        elif late:
            continue
        elif lower[at] == "not" and lower[at - 1 : at] in (["can"], ["could"]):
            reached.append(range(behind.start, min(behind.stop, because[at])))
        elif lower[at] in DENIALS or two in _DENIALS_OF_TWO:
            reached.append(range(0) if _half(lower, at) else behind)
        elif lower[at] == "non":
            reached.append(range(at + 1, min(at + 2, len(lower))))
    return _covered(reached, len(lower))


def _half(lower: Sequence[str], at: int) -> bool:
    """Whether a finding is said to be not, or not wholly, gone."""
    before = [word for word in lower[max(0, at - 2) : at] if word not in _BETWEEN][-1:]
    return bool(before) and (before[0] in _NOT_WHOLLY or before == ["yet"])


def _next_of(lower: Sequence[str], words: frozenset[str]) -> Sequence[int]:
    """Of every place, where the next of these words stands; the end where none does."""
    found = [len(lower)] * (len(lower) + 1)
    for at in range(len(lower) - 1, -1, -1):
        found[at] = at if lower[at] in words else found[at + 1]
    return found


def _unseen(lower: Sequence[str], at: int) -> bool:
    """Whether "not seen" or the like begins there, and not "not seen in all leads"."""
    if lower[at] not in ("not", "never", "nicht"):
        return False
    behind = range(at + 1, min(at + 4, len(lower)))
    told = next((p for p in behind if not _adverb(lower[p]) and lower[p] not in _BETWEEN), None)
    return (
        told is not None and lower[told] in SEEN and lower[told + 1 : told + 3] not in _EVERYWHERE
    )


def suspected(
    lower: Sequence[str],
    hedges: Iterable[tuple[int, int]],
    *,
    name_at: Mapping[int, int],
    saying: Callable[[int], bool],
    breaks: frozenset[int] = frozenset(),
) -> frozenset[int]:
    """Places of the words that a hedge reaches: those behind it, or if they say nothing, before it.

    "... cannot be excluded" reaches back first. It goes as far as a denial would. A hedge within a
    name makes the whole name suspected: `name_at` gives the first place of the name at a place.
    """
    reach, said = _reach_of(lower, breaks, frozenset(name_at)), _Said.of(lower, saying)
    because, reached = _next_of(lower, _BECAUSE), list[range]()
    for first, last in hedges:
        before, behind = reach.before(first), reach.behind(last)
        if lower[first] == "not":
            behind = range(last, max(last, min(behind.stop, because[last])))
        if first in name_at:
            reached.append(range(name_at[first], name_at[first] + 1))
        elif said.anything(behind) and not (lower[last - 1] in _PASSIVE and said.anything(before)):
            reached.append(behind)
        elif lower[first] in _LIKELY:
            reached.append(said.nearest(before, behind, reach))
        else:
            reached.append(before)
    return _covered(reached, len(lower))


def hedges_in(lower: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where hedges stand, `[first, last)`, the longest at every place."""
    at = 0
    while at < len(lower):
        length = hedge_at(lower, at)
        if length:
            yield at, at + length
        at += length or 1


def hedge_at(lower: Sequence[str], at: int) -> int:
    """How many words the hedge has that begins there; 0 where none does."""
    lengths = range(min(_LONGEST_HEDGE + 1, len(lower) - at), 0, -1)
    return next((n for n in lengths if _bare(lower[at : at + n]) in _HEDGES), 0)


def _bare(words: Sequence[str]) -> tuple[str, ...]:
    """Words without the adverbs inside them."""
    inner = words[1:-1]
    return (*words[:1], *(word for word in inner if not _adverb(word)), *words[1:][-1:])


def _adverb(word: str) -> bool:
    return word in ADVERBS or (word.endswith("ly") and len(word) >= _LONG_ADVERB)


def _reach_of(
    lower: Sequence[str], breaks: frozenset[int], taken: frozenset[int] = frozenset()
) -> _Reach:
    ends, starts = [len(lower)] * (len(lower) + 1), [0] * (len(lower) + 1)
    goes_on = False
    for at in range(len(lower) - 1, -1, -1):
        word = lower[at]
        turns = word in TURNS or tuple(lower[at : at + 2]) in _TURNS_OF_TWO
        stops = turns or (word == "," and not goes_on)
        ends[at] = at if stops else at + 1 if at + 1 in breaks else ends[at + 1]
        goes_on = word in _LIST_GOES_ON or (goes_on and word not in _LIST_ENDS)
    for at, word in enumerate(lower):
        begins = at not in taken and (word == "," or word in TURNS or word in _WITH)
        starts[at + 1] = at + 1 if begins or at + 1 in breaks else starts[at]
    return _Reach(ends, starts)


def _covered(ranges: Iterable[range], length: int) -> frozenset[int]:
    """Every place that at least one of the ranges holds."""
    opened = [0] * (length + 1)
    for one in ranges:
        opened[one.start] += 1
        opened[one.stop] -= 1
    return frozenset(at for at, depth in enumerate(accumulate(opened[:length])) if depth)
