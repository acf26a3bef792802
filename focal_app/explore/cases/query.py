"""A text query, read through the lexicon: what is wanted, what is not, where, and in whom.

parse("AF without LBBB in women over 60").understood
# 'With atrial fibrillation ("AF"), without left bundle branch block ("LBBB"), in women, age over
# 60 years.'
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from focal_app.ecg.leads import listed
from focal_app.errors import PromptError
from focal_app.lexicon import load_lexicon
from focal_app.words.numbers import Value, persons, quantities
from focal_app.words.prompts import no_finding, speaks_of_an_ecg
from focal_app.words.statements import ReportTag, Understood, tidy, understood

LONGEST_QUERY, MOST_TERMS = 300, 12
OLDEST = 120
_DIGIT = re.compile(r"\d")
_SEXES = {"female": "women", "male": "men"}
_JOINING = frozenset(
    [
        "plus",
        "with",
        "without",
        "and",
        "or",
        "nor",
        "not",
        "no",
        "never",
        "neither",
        "of",
        "on",
        "at",
        "in",
        "for",
    ]
)


@dataclass(frozen=True)
class Query:
    """The terms of a query in their order, and how they were understood, in words.

    `either` of a term says that it is an alternative to the term before it.
    `values` bound what is measured, `sex` and `age` say in whom. `warnings` say what was left out,
    is no known term, or is looked for in more places.
    """

    terms: tuple[ReportTag, ...]
    understood: str
    warnings: tuple[str, ...] = ()
    values: tuple[Value, ...] = ()
    sex: str | None = None
    age: Value | None = None

    @property
    def age_years(self) -> tuple[int, int] | None:
        """The bounds of the age as the filters of a gallery have them."""
        if self.age is None:
            return None
        return int(max(self.age.low, 0)), int(min(self.age.high, OLDEST))


def parse(text: str) -> Query:
    """Reads a query; a `PromptError` for one in which nothing can be asked."""
    asked = tidy(text)
    if len(asked) > LONGEST_QUERY:
        raise PromptError(
            f"found a query of {len(asked)} characters; shorten it to {LONGEST_QUERY} or fewer"
        )
    query = query_of(asked, understood(asked))
    if len(query.terms) > MOST_TERMS:
        raise PromptError(
            f"found {len(query.terms)} findings; search for at most {MOST_TERMS} at once"
        )
    return query


def query_of(asked: str, found: Understood) -> Query:
    """The query of what a text says; a `PromptError` where that is nothing."""
    tags = [tag for tag in found.tags if tag.value is None]
    told = [tag for tag in tags if tag.known or speaks_of_an_ecg(tag.text)]
    bounds = _bounds(found.tags)
    values = tuple(filter(None, bounds.values()))
    sex, age = _whom(asked)
    if not (told or values or sex or age):
        raise no_finding([tag.text for tag in tags] or [one.text for one in found.asides])
    before = [None, *told][: len(told)]
    terms = tuple(
        replace(tag, either=bool(tag.either and last and not (tag.denied or last.denied)))
        for tag, last in zip(told, before, strict=True)
    )
    said = _understood(terms, values, sex, age)
    refused = [tag.text for tag in tags if tag not in told]
    refused += [tag.prompt for tag, value in bounds.items() if value is None]
    return Query(terms, said, _warnings(terms, found, refused), values, sex, age)


def _bounds(tags: Sequence[ReportTag]) -> dict[ReportTag, Value | None]:
    """The bounds of every measured value; of a denied one what is left, None where nothing is.

    A denial of findings does not reach the number behind them: "no LBBB, with a rate over 100".
    """
    before = [None, *tags]
    return {
        tag: tag.value.turned if tag.denied and not (last and last.denied) else tag.value
        for last, tag in zip(before, tags, strict=False)
        if tag.value
    }


def _whom(asked: str) -> tuple[str | None, Value | None]:
    """The sex and the age of whom a query is about."""
    who = list(persons(asked))
    ages = [one.value for one in quantities(asked) if one.value.name == "age_years"]
    ages += [person.age for person in who if person.age]
    return next((person.sex for person in who if person.sex), None), next(iter(ages), None)


def _warnings(
    terms: Sequence[ReportTag], found: Understood, refused: Sequence[str]
) -> tuple[str, ...]:
    """What was not understood, or not as it was typed."""
    unknown = [
        f'"{term.text}" is not a known ECG term; ranked by likeness of words alone.'
        for term in terms
        if not term.known
    ]
    left_out = [word for word in found.left_out if word not in _JOINING and not _of_whom(word)]
    odd = [f'"{words}"' for words in (*refused, *([" ".join(left_out)] if left_out else []))]
    odd += [f'"{one.text}" ({one.language or one.kind})' for one in found.asides]
    denied = [f'"{tag.denial}"' for tag in found.overruled]
    return (
        *unknown,
        *([f"Left out, not understood: {listed(odd)}."] if odd else []),
        *([f"Left out, as the same finding is asked for too: {listed(denied)}."] if denied else []),
        *_of_any_age(terms),
        *_wider(terms),
        *_all_of(found.tags),
    )


def _of_whom(words: str) -> bool:
    """Whether words that name no finding say whom the search is about, and nothing else."""
    ages = [one for one in quantities(words) if one.value.name == "age_years"]
    people = [one for one in persons(words) if one.age or not _DIGIT.search(words)]
    rest = words
    for one in (*ages, *people):
        rest = rest[: one.start] + " " * (one.end - one.start) + rest[one.end :]
    return bool(ages or people) and not set(rest.casefold().split()) - _JOINING


def _all_of(tags: Sequence[ReportTag]) -> list[str]:
    """Alternatives of which one is a number: filters hold for all that is found."""
    pairs = pairwise(tags)
    if not any(tag.either and (tag.value or last.value) for last, tag in pairs):
        return []
    return ['"or" is not read beside a number: all that is named has to hold.']


def _of_any_age(terms: Sequence[ReportTag]) -> list[str]:
    """Findings of a certain age: the model is asked for them at any."""
    return [
        f'"{term.text}" is searched at any age of the finding: old and new look alike here.'
        for term in terms
        if term.age and not {"acute", "old"}.intersection(term.tag.split())
    ]


def _wider(terms: Sequence[ReportTag]) -> list[str]:
    """Terms whose own words name other leads than those of their statement."""
    return [
        f'"{term.text}" is searched as "{term.tag}", in other leads than those named.'
        for term in terms
        if term.known and term.leads and not term.narrower
        if set(term.leads) != set(load_lexicon()[term.tag].leads)
    ]


def _understood(
    terms: Sequence[ReportTag], values: Sequence[Value], sex: str | None, age: Value | None
) -> str:
    wanted, unwanted = ([t for t in terms if t.denied == denied] for denied in (False, True))
    parts = []
    if wanted:
        parts.append("with " + _joined(wanted))
    if unwanted:
        parts.append("without " + _joined(unwanted))
    if sex:
        parts.append(f"in {_SEXES[sex]}")
    parts += [value.words for value in (age, *values) if value]
    sentence = ", ".join(parts)
    return f"{sentence[0].upper()}{sentence[1:]}."


def _joined(terms: list[ReportTag]) -> str:
    said = _in_words(terms[0])
    for term in terms[1:]:
        said += (" or " if term.either else " and ") + _in_words(term)
    return said


def _in_words(term: ReportTag) -> str:
    words = term.tag
    if term.text.casefold() != term.tag.casefold():
        words += f' ("{term.text}")'
    if term.narrower:
        words += f" (in {listed(term.narrower)} alone)"
    return words
