"""What a text says of an ECG, by statements: the one grammar of reports, searches and prompts.

    understood("Possible old inferior infarct. T waves inverted in V5,6. PR 210 ms.").tags
    # ReportTag("inferior infarct", "inferior myocardial infarction", suspected=True, age="old")
    # ReportTag("T waves inverted", "inverted T waves", leads=("V5", "V6"))
    # ReportTag("PR 210 ms", "PR interval 210 ms", value=Value("pr_ms", 210.0, 210.0))

The longest name wins, so that "incomplete RBBB" is not read as "RBBB". What the lexicon does not
know stays a tag in its own words.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from focal_app.errors import PromptError
from focal_app.lexicon import load_lexicon
from focal_app.words.asides import Aside, without_asides
from focal_app.words.denials import answers_written_out, denials_first
from focal_app.words.indices import indices_judged
from focal_app.words.labels import labels_joined
from focal_app.words.leads import in_order, notation, places
from focal_app.words.names import Span
from focal_app.words.normals import normals_judged
from focal_app.words.numbers import Value
from focal_app.words.sentence import Sentence
from focal_app.words.spellings import spelt_alike
from focal_app.words.vocabulary import named
from focal_app.words.wordings import wordings

LONGEST = 200
"""Characters of one tag or prompt."""
MOST_TAGS = 60
LONGEST_REPORT = 10_000
"""Characters: a long discharge letter, and far more than a report of one ECG."""
MOST_WORDS = 1_000
"""Of one sentence, commas counted: five pages without a full stop."""

_END = re.compile(r"[;!\n\r]+|[;!?\n\r]*\?[;!?\n\r]*|\.(?=\s|$)|:(?=\s+[^\s\d+−-]|\s*$)")
_BEGINS = re.compile(
    r"(?:^|(?<=[:.;\n])|,|\band)\s*(?:(?:in|the|leads?|abl|ableitung(?:en)?)\s+)*$", re.IGNORECASE
)
_BEFORE = 30
"""Characters before leads in which something may say that a part of a sentence begins there."""
_BEFORE_STOP = re.compile(r"(?:[^\W\d_]\.)?\w+$")
_ORDINAL = re.compile(r"\.\s*grad", re.IGNORECASE)
_NUMBER = re.compile(r"\d")


@dataclass(frozen=True)
class ReportTag:
    """One statement: its words, its tag, and whether the text denies or suspects it.

    `known` says that the lexicon has it, or that it is a measured `value`; else the tag is the
    words themselves. What is neither denied nor suspected is affirmed. `leads` are those that are
    named with it; `age` is "old", "new", "undetermined" or, where nothing is said of it, empty.
    """

    text: str
    tag: str
    known: bool = True
    denied: bool = False
    suspected: bool = False
    leads: tuple[str, ...] = ()
    age: str = ""
    value: Value | None = None
    either: bool = False

    @property
    def prompt(self) -> str:
        """What the model is asked: the tag, and the leads that it is restricted to."""
        return f"{self.tag} in {notation(self.narrower)}" if self.narrower else self.tag

    @property
    def narrower(self) -> tuple[str, ...]:
        """Its leads where they restrict the statement; a tag that names its own place keeps it."""
        if not self.placed:
            return self.leads
        return self.leads if self._own > set(self.leads) else ()

    @property
    def elsewhere(self) -> bool:
        """Whether its leads are none of the place that its tag names."""
        return self.placed and bool(self.leads) and self._own.isdisjoint(self.leads)

    @property
    def denial(self) -> str:
        """Its denial in words, in the leads that were named: "no RSR' in V6"."""
        if not self.leads or not self.placed or self._own == set(self.leads):
            return f"no {self.prompt}"
        where = notation(self.leads)
        return f"no {self.text}" if self.text.endswith(where) else f"no {self.text} in {where}"

    @property
    def _own(self) -> frozenset[str]:
        return frozenset(load_lexicon()[self.tag].leads)

    @property
    def placed(self) -> bool:
        """Whether its tag names its own place."""
        return self.tag in load_lexicon() and any(places(self.tag))

    @property
    def certainty(self) -> int:
        """0 where it is denied, 1 where it is suspected, 2 where it is affirmed."""
        return 0 if self.denied else 1 if self.suspected else 2


@dataclass(frozen=True)
class Understood:
    """The statements of a text, each tag once, and what of it is none.

    `asides` compare with another ECG, speak of the device, or stand in a language that is not
    read; `left_out` are words beside a statement that nothing is known of; `overruled` are denials
    of what the text also affirms or suspects, perhaps in other leads or of another time.
    """

    tags: tuple[ReportTag, ...]
    asides: tuple[Aside, ...] = ()
    left_out: tuple[str, ...] = ()
    overruled: tuple[ReportTag, ...] = ()


def tidy(text: str) -> str:
    """A text as typed, without needless space."""
    return " ".join(text.split())


def report_tags(report: str) -> tuple[ReportTag, ...]:
    """Every statement of a report, or a `PromptError` for one that is too long for a report."""
    return understood_report(report).tags


def understood_report(report: str) -> Understood:
    """A report as it is understood, or a `PromptError` for one that is too long."""
    _check_length(report)
    found = understood(report)
    if len(found.tags) > MOST_TAGS:
        raise PromptError(
            f"found {len(found.tags)} findings in the report; needed at most {MOST_TAGS}. Paste "
            "the part that describes this ECG."
        )
    return found


def understood(text: str) -> Understood:
    """A text as it is understood.

    Of what it says in several ways, affirmed wins over suspected, and suspected over denied.
    """
    rest, asides = without_asides(answers_written_out(indices_judged(spelt_alike(text))))
    found: dict[str, ReportTag] = {}
    left_out: list[str] = []
    denied: list[ReportTag] = []
    for words, asked, heading in _sentences(denials_first(labels_joined(normals_judged(rest)))):
        sentence = Sentence(words, heading, asked=asked)
        left_out += sentence.left_out
        if not sentence.spans and not sentence.left_out and _NUMBER.search(words):
            left_out.append(tidy(words))  # a value that cannot be, a date
        for span in sentence.spans:
            tag = _tag(sentence, span, asked=asked)
            found[tag.tag] = _surer(found.get(tag.tag), tag)
            if tag.denied:
                denied.append(tag)
    overruled = {tag.denial.casefold(): tag for tag in denied if not found[tag.tag].denied}
    return Understood(tuple(found.values()), asides, tuple(left_out), tuple(overruled.values()))


def own_tag(text: str) -> ReportTag:
    """A tag as somebody words it, under the lexicon's name where that knows it."""
    words = tidy(text)
    if not any(character.isalnum() for character in words):
        raise PromptError("found no words; name a finding, such as 'atrial fibrillation'.")
    if len(words) > LONGEST:
        raise PromptError(
            f"found a tag of {len(words)} characters; needed at most {LONGEST}. Name one finding "
            "at a time."
        )
    tag = named(words)
    return ReportTag(words, tag or words, known=tag is not None)


def typed_tag(text: str) -> ReportTag:
    """A tag as typed: "no LBBB" denies it, "possible LBBB" suspects it, "no P waves" is a name."""
    whole = own_tag(text)
    found = understood(text[:LONGEST]).tags
    return whole if whole.known or len(found) != 1 else found[0]


def _surer(before: ReportTag | None, tag: ReportTag) -> ReportTag:
    """Of two that say the same the surer one; the leads of both where they are equally sure."""
    if before is None or tag.certainty > before.certainty:
        return tag
    if tag.certainty < before.certainty:
        return before
    return replace(before, leads=in_order((*before.leads, *tag.leads)), age=before.age or tag.age)


def _tag(sentence: Sentence, span: Span, *, asked: bool) -> ReportTag:
    text = sentence.said(span)
    denied = span.first in sentence.denied
    suspected = asked or span.first in sentence.suspected
    return ReportTag(
        text,
        span.tag or (span.value.words if span.value else _shortened(text)),
        known=bool(span.tag or span.value),
        denied=denied,
        suspected=suspected and not denied,
        leads=span.leads,
        age="" if denied else span.age,
        value=span.value,
        either=span.either,
    )


def _check_length(report: str) -> None:
    if len(report) > LONGEST_REPORT:
        raise PromptError(
            f"found a report of {len(report)} characters; needed at most {LONGEST_REPORT}. Paste "
            "the part that describes this ECG."
        )
    words = max(len(re.findall(r"\w+|,", sentence)) for sentence, *_ in _sentences(report))
    if words > MOST_WORDS:
        raise PromptError(
            f"found a sentence of {words} words and commas; needed at most {MOST_WORDS}. End "
            "sentences with a full stop or a line break."
        )


def _sentences(report: str) -> Iterator[tuple[str, bool, tuple[str, ...]]]:
    """Every sentence, whether it only asks, and the leads under which it stands as a heading.

    It asks where a question mark stands behind or before it.
    """
    at, asked, heading = 0, False, ()
    headings = {place.end: place for place in places(report) if report.startswith(":", place.end)}
    for end in _END.finditer(report):
        if end.group() == "." and _goes_on(report, end.start()):
            continue
        place = headings.get(end.start())
        begins = place and _BEGINS.search(report, max(at, place.start - _BEFORE), place.start)
        sentence = report[at : begins.start() if begins else end.start()]
        questioned = "?" in end.group()
        leads_on = questioned and report[end.start() - 1 : end.start()] in {"", " ", ",", "("}
        yield sentence, asked or (questioned and not leads_on), heading
        at, asked = end.end(), questioned and (leads_on or not sentence.strip())
        heading = place.leads if place and begins else ()
    yield report[at:], asked, heading


def _goes_on(report: str, stop: int) -> bool:
    """Whether a full stop ends a short form ("poss.", "I. Grades") and no sentence."""
    word = _BEFORE_STOP.search(report, max(0, stop - 12), stop)
    shortened = word is not None and word.group().casefold() in wordings().shortened
    return shortened or _ORDINAL.match(report, stop) is not None


def _shortened(text: str) -> str:
    """Words that no lexicon knows as a prompt; an ellipsis says that it is not all of them."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
