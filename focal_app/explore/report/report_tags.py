"""What a report says, as tags: names of the lexicon found in free text, denied and suspected ones.

    report_tags("Atrial fibrillation without LBBB. Possible infarct.")
    # ReportTag("Atrial fibrillation", "atrial fibrillation"),
    # ReportTag("LBBB", "left bundle branch block", denied=True)
    # ReportTag("infarct", "myocardial infarction", suspected=True)

The longest name wins, so that "incomplete RBBB" is not read as "RBBB". What the lexicon does not
know stays a tag in its own words.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from focal_app.errors import PromptError
from focal_app.explore.reading.prompts import LONGEST, tidy
from focal_app.explore.report.reach import (
    DENIALS,
    HEDGE_WORDS,
    TURNS,
    denied,
    hedge_at,
    hedges_in,
    suspected,
)
from focal_app.lexicon import load_lexicon

MOST_TAGS = 60
LONGEST_REPORT = 10_000
"""Characters: a long discharge letter, and far more than a report of one ECG."""
MOST_WORDS = 1_000
"""Of one sentence, commas counted: five pages without a full stop."""

_SENTENCE = re.compile(
    r"[;!\n\r]+|[;!?\n\r]*\?[;!?\n\r]*|(?<!\bposs)(?<!\bprob)\.(?=\s|$)|:(?=\s|$)", re.IGNORECASE
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+|['’])*|,")
_PARTS = frozenset([",", "and", "or", "with", "plus", *TURNS])
_IDLE_WORDS = """
a an the is are was were be been has have had there this that these of in at on to for from by as it
its rate bpm min per minute beats lead leads ecg ekg electrocardiogram tracing shows showing seen
noted present evidence ruled excluded acute mild moderate marked severe old new age undetermined
definite other otherwise also compared previous prior report finding findings impression
interpretation diagnosis clinical sign signs change changes
i ii iii avr avl avf v1 v2 v3 v4 v5 v6
"""
_IDLE = HEDGE_WORDS.union(_IDLE_WORDS.split())
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
    """Every statement of a report, or a `PromptError` for one that is too long for a report."""
    _check_length(report)
    found = tags_in(report)
    if len(found) > MOST_TAGS:
        raise PromptError(
            f"found {len(found)} findings in the report; needed at most {MOST_TAGS}. Paste the "
            "part that describes this ECG."
        )
    return found


def tags_in(text: str) -> tuple[ReportTag, ...]:
    """Every statement of a text in its order, each tag once.

    Of what it says in several ways, affirmed wins over suspected, and suspected over denied.
    """
    found: dict[str, ReportTag] = {}
    for sentence, asked in _sentences(text):
        for tag in _of_sentence(sentence, asked=asked):
            before = found.get(tag.tag)
            if before is None or tag.certainty > before.certainty:
                found[tag.tag] = tag
    return tuple(found.values())


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
        if length := hedge_at([word.casefold() for word in words], 0):
            return own_tag(" ".join(words[length:]), suspected=True)
    return own_tag(text)


def _check_length(report: str) -> None:
    if len(report) > LONGEST_REPORT:
        raise PromptError(
            f"found a report of {len(report)} characters; needed at most {LONGEST_REPORT}. Paste "
            "the part that describes this ECG."
        )
    words = max(len(_WORD.findall(sentence)) for sentence, _ in _sentences(report))
    if words > MOST_WORDS:
        raise PromptError(
            f"found a sentence of {words} words and commas; needed at most {MOST_WORDS}. End "
            "sentences with a full stop or a line break."
        )


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
    hedges = list(hedges_in(lower))
    name_at = {at: span.first for span in named for at in range(span.first, span.last)}
    hedged = (at for first, last in hedges for at in range(first, last))
    no = denied(lower, frozenset(name_at).union(hedged))
    maybe = suspected(lower, hedges, name_at=name_at, idle=_idle)

    def said(first: int, last: int) -> str:
        return tidy(sentence[places[first].start() : places[last - 1].end()])

    unknown = (_Span(first, last, "") for first, last in _rests(words, frozenset(name_at)))
    for span in sorted([*named, *unknown], key=lambda span: span.first):
        text = said(span.first, span.last)
        is_denied, is_suspected = span.first in no, asked or span.first in maybe
        yield ReportTag(
            text,
            span.tag or _shortened(text),
            known=bool(span.tag),
            denied=is_denied,
            suspected=is_suspected and not is_denied,
        )


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


def _shortened(text: str) -> str:
    """Words that no lexicon knows as a prompt; an ellipsis says that it is not all of them."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _rests(words: Sequence[str], inside: frozenset[int]) -> Iterator[tuple[int, int]]:
    """Parts of a sentence, between commas and conjunctions, in which the lexicon knows nothing.

    `inside` are the places of the words that belong to a name.
    """
    first = 0
    for at in range(len(words) + 1):
        if at < len(words) and (at in inside or words[at].casefold() not in _PARTS):
            continue
        part = range(first, at)
        first = at + 1
        telling = [place for place in part if not _idle(words[place])]
        if telling and not inside.intersection(part):
            yield telling[0], telling[-1] + 1


def _idle(word: str) -> bool:
    lower = word.casefold()
    return lower in _IDLE or lower in DENIALS or lower.isdigit()
