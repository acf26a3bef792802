"""What a report says, as tags: names of the lexicon found in free text, denied and suspected ones.

    report_tags("Atrial fibrillation without LBBB. Possible infarct.")
    # ReportTag("Atrial fibrillation", "atrial fibrillation"),
    # ReportTag("LBBB", "left bundle branch block", denied=True)
    # ReportTag("infarct", "myocardial infarction", suspected=True)

The longest name wins, so that "incomplete RBBB" is not read as "RBBB". What the lexicon does not
know stays a tag in its own words.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from focal_app.errors import PromptError
from focal_app.explore.reading.prompts import LONGEST, tidy
from focal_app.hedges import HEDGES
from focal_app.lexicon import load_lexicon

MOST_TAGS = 60
LONGEST_REPORT = 10_000
"""Characters: a long discharge letter, and far more than a report of one ECG."""

_SENTENCE = re.compile(
    r"[;!\n\r]+|[;!?\n\r]*\?[;!?\n\r]*|(?<!\bposs)(?<!\bprob)\.(?=\s|$)|:(?=\s|$)", re.IGNORECASE
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+|['’])*|,")
_DENIALS = frozenset(["no", "not", "without", "never", "nor", "denies", "absent", "excludes"])
_DENIALS_OF_TWO = frozenset([("negative", "for"), ("absence", "of"), ("free", "of")])
_LATE_DENIALS = frozenset(["absent", "excluded"])
_LATE_DENIALS_OF_TWO = frozenset([("ruled", "out"), ("not", "seen"), ("not", "present")])
_TURNS = frozenset(["but", "however", "although", "though", "except", "yet"])
_PARTS = frozenset([",", "and", "or", "with", "plus", *_TURNS])
_IDLE_WORDS = """
a an the is are was were be been has have had there this that these of in at on to for from by as it
its rate bpm min per minute beats lead leads ecg ekg electrocardiogram tracing shows showing seen
noted present evidence ruled excluded acute mild moderate marked severe old new age undetermined
definite other otherwise also compared previous prior report finding findings impression
interpretation diagnosis clinical sign signs change changes
i ii iii avr avl avf v1 v2 v3 v4 v5 v6
"""
_HEDGES = frozenset(tuple(hedge.split()) for hedge in HEDGES)
_LONGEST_HEDGE = max(map(len, _HEDGES))
_IDLE = frozenset([*_IDLE_WORDS.split(), *(word for hedge in _HEDGES for word in hedge)])
"""Words that carry no finding of their own when the lexicon knows none around them."""


@dataclass(frozen=True)
class ReportTag:
    """One statement of a report: its words, its tag, and whether the report denies or suspects it.

    `known` says that the lexicon has it; else the tag is the words themselves. What is neither
    denied nor suspected is affirmed.
    """

    text: str
    tag: str
    known: bool = True
    denied: bool = False
    suspected: bool = False

    @property
    def words(self) -> str:
        """The tag as a report would say it: "no ...", "possible ..." or the tag alone."""
        before = "no " if self.denied else "possible " if self.suspected else ""
        return before + self.tag

    @property
    def certainty(self) -> int:
        """0 where it is denied, 1 where it is suspected, 2 where it is affirmed."""
        return 0 if self.denied else 1 if self.suspected else 2


@dataclass(frozen=True)
class _Span:
    """Words `[first, last)` of a sentence that name a statement."""

    first: int
    last: int
    tag: str


def report_tags(report: str) -> tuple[ReportTag, ...]:
    """Every statement of a report in its order, each tag once.

    Of what it says in several ways, affirmed wins over suspected, and suspected over denied.
    """
    if len(report) > LONGEST_REPORT:
        raise PromptError(
            f"found a report of {len(report)} characters; needed at most {LONGEST_REPORT}. Paste "
            "the part that describes this ECG."
        )
    found: dict[str, ReportTag] = {}
    for sentence, asked in _sentences(report):
        for tag in _of_sentence(sentence, asked=asked):
            before = found.get(tag.tag)
            if before is None or tag.certainty > before.certainty:
                found[tag.tag] = tag
    return tuple(found.values())[:MOST_TAGS]


def own_tag(text: str, *, denied: bool = False, suspected: bool = False) -> ReportTag:
    """A tag as somebody words it, under the lexicon's name where that knows it."""
    words = tidy(text)
    if not any(character.isalnum() for character in words):
        raise PromptError("found no words; name a finding, such as 'atrial fibrillation'.")
    if len(words) > LONGEST:
        raise PromptError(
            f"found a tag of {len(words)} characters; needed at most {LONGEST}. Name one finding "
            "at a time."
        )
    statement = load_lexicon().resolve(words)
    tag = statement.tag if statement else words
    known = statement is not None
    return ReportTag(words, tag, known=known, denied=denied, suspected=suspected and not denied)


def typed_tag(text: str) -> ReportTag:
    """A tag as typed: "no LBBB" denies it, "possible LBBB" suspects it, "no P waves" is a name."""
    words = text.split()
    if load_lexicon().resolve(text) is None:
        if words and words[0].casefold() in {"no", "without"}:
            return own_tag(" ".join(words[1:]), denied=True)
        if length := _hedge_at([word.casefold() for word in words], 0):
            return own_tag(" ".join(words[length:]), suspected=True)
    return own_tag(text)


def _sentences(report: str) -> Iterator[tuple[str, bool]]:
    """Every sentence, and whether it only asks: a question mark stands behind or before it."""
    at, asked = 0, False
    for end in _SENTENCE.finditer(report):
        sentence, questioned = report[at : end.start()], "?" in end.group()
        yield sentence, asked or questioned
        at, asked = end.end(), questioned and not sentence.strip()
    yield report[at:], asked


def _of_sentence(sentence: str, *, asked: bool) -> Iterator[ReportTag]:
    places = list(_WORD.finditer(sentence))
    words = [place.group() for place in places]
    if sentence.isupper():
        words = [word.lower() for word in words]
    named = list(_named(words))
    lower = [word.casefold() for word in words]
    hedges = list(_hedges(lower))
    hedged = frozenset(at for first, last in hedges for at in range(first, last))
    denied = _denied(lower, hedged | _inside(named))
    suspected = range(len(words)) if asked else _suspected(lower, hedges, named)

    def said(first: int, last: int) -> str:
        return tidy(sentence[places[first].start() : places[last - 1].end()])

    unknown = (_Span(first, last, "") for first, last in _rests(words, named))
    for span in sorted([*named, *unknown], key=lambda span: span.first):
        text = said(span.first, span.last)
        tag = span.tag or text[:LONGEST]
        no, maybe = span.first in denied, span.first in suspected
        yield ReportTag(text, tag, known=bool(span.tag), denied=no, suspected=maybe and not no)


def _named(words: Sequence[str]) -> Iterator[_Span]:
    """The longest name of the lexicon at every place, from left to right."""
    at = 0
    while at < len(words):
        for last in range(min(len(words), at + _longest_name()), at, -1):
            statement = _statement(words[at:last])
            if statement:
                yield _Span(at, last, statement)
                at = last
                break
        else:
            at += 1


def _statement(words: Sequence[str]) -> str | None:
    """The statement that words name, in singular or plural; AT is a rhythm, `at` is none."""
    name = "".join(words)
    if "," in (words[0], words[-1]) or (name.casefold() in _IDLE and not name.isupper()):
        return None
    lexicon = load_lexicon()
    other = name[:-1] if name[-1] in "sS" else f"{name}s"
    statement = lexicon.resolve(name) or (lexicon.resolve(other) if len(name) > 4 else None)
    return statement.tag if statement else None


@cache
def _longest_name() -> int:
    names = (name for statement in load_lexicon() for name in statement.names)
    return max(len(_WORD.findall(name)) for name in names)


def _hedges(lower: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where hedges stand, `[first, last)`, the longest at every place."""
    at = 0
    while at < len(lower):
        length = _hedge_at(lower, at)
        if length:
            yield at, at + length
        at += length or 1


def _hedge_at(lower: Sequence[str], at: int) -> int:
    """How many words the hedge has that begins there; 0 where none does."""
    lengths = range(_LONGEST_HEDGE, 0, -1)
    return next((n for n in lengths if tuple(lower[at : at + n]) in _HEDGES), 0)


def _suspected(
    lower: Sequence[str], hedges: Sequence[tuple[int, int]], named: Sequence[_Span]
) -> frozenset[int]:
    """Places of the words that a hedge reaches: those behind it, or if they say nothing, before it.

    It goes as far as a denial would. A hedge within a name makes the whole name suspected.
    """
    reached: set[int] = set()
    inside = _inside(named)
    for first, last in hedges:
        if first in inside:
            reached.update(s.first for s in named if s.first <= first < s.last)
            continue
        behind = range(last, _end_of_denial(lower, last))
        says = any(at in inside or not _idle(lower[at]) for at in behind)
        reached.update(behind if says else _before(lower, first))
    return frozenset(reached)


def _denied(lower: Sequence[str], taken: frozenset[int]) -> frozenset[int]:
    """Places of the words that a denial reaches; `taken` belong to names and hedges.

    It goes to the next turn ("but") or to a comma, unless what follows is a list that ends in
    "or". "... is ruled out" reaches back to the last comma or turn.
    """
    free = [at for at in range(len(lower)) if at not in taken]
    reached: set[int] = set()
    for at in free:
        if lower[at] in _DENIALS or tuple(lower[at : at + 2]) in _DENIALS_OF_TWO:
            reached.update(range(at + 1, _end_of_denial(lower, at + 1)))
        if lower[at] in _LATE_DENIALS or tuple(lower[at : at + 2]) in _LATE_DENIALS_OF_TWO:
            reached.update(_before(lower, at))
    return frozenset(reached)


def _inside(named: Sequence[_Span]) -> frozenset[int]:
    """Places of the words that belong to a name."""
    return frozenset(at for span in named for at in range(span.first, span.last))


def _end_of_denial(lower: Sequence[str], start: int) -> int:
    for at in range(start, len(lower)):
        if lower[at] in _TURNS or (lower[at] == "," and not _goes_on(lower, at)):
            return at
    return len(lower)


def _goes_on(lower: Sequence[str], comma: int) -> bool:
    """Whether a list after a comma ends in `or`, so that a denial holds for all of it."""
    for word in lower[comma + 1 :]:
        if word in {"or", "nor"}:
            return True
        if word in _TURNS or word in {"and", "with"}:
            return False
    return False


def _before(lower: Sequence[str], at: int) -> Iterable[int]:
    first = at
    while first > 0 and lower[first - 1] not in _TURNS and lower[first - 1] != ",":
        first -= 1
    return range(first, at)


def _rests(words: Sequence[str], named: Sequence[_Span]) -> Iterator[tuple[int, int]]:
    """Parts of a sentence, between commas and conjunctions, in which the lexicon knows nothing."""
    inside = _inside(named)
    first = 0
    for at in range(len(words) + 1):
        if at < len(words) and (at in inside or words[at].casefold() not in _PARTS):
            continue
        part = range(first, at)
        first = at + 1
        if not inside.intersection(part) and (kept := _without_idle_ends(words, part)):
            yield kept[0], kept[-1] + 1


def _without_idle_ends(words: Sequence[str], part: Iterable[int]) -> list[int]:
    """The part without idle words at its ends; empty where nothing but such words is left."""
    kept = list(part)
    while kept and _idle(words[kept[0]]):
        kept.pop(0)
    while kept and _idle(words[kept[-1]]):
        kept.pop()
    return kept


def _idle(word: str) -> bool:
    lower = word.casefold()
    return lower in _IDLE or lower in _DENIALS or lower.isdigit()
