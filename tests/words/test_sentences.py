"""What sentences, searches and nonsense are taken to say, against what was written down before."""

from math import inf

import pytest
from expected import UNKNOWN, item, lines, pairs

from focal_app.errors import PromptError
from focal_app.explore.cases.query import parse
from focal_app.lexicon import load_lexicon
from focal_app.words.leads import notation, places
from focal_app.words.numbers import Value
from focal_app.words.prompts import asked
from focal_app.words.statements import ReportTag, report_tags, understood
from focal_app.words.vocabulary import named

ENOUGH = 0.95


def number(value: Value) -> str:
    if value.low == value.high:
        return f"{value.name}={value.low:g}"
    above = f">{value.low:g}" if value.low != -inf else ""
    return value.name + above + (f"<{value.high:g}" if value.high != inf else "")


def statement(tag: ReportTag, *, either: bool = False) -> str:
    if tag.value:
        return number(tag.value)
    name = tag.tag if tag.known else UNKNOWN
    state = "no" if tag.denied else "possible" if tag.suspected else ""
    return item(name, state=state, leads=tag.leads, age=tag.age, either=either)


def of_report(sentence: str) -> frozenset[str]:
    found = understood(sentence)
    asides = (" ".join(filter(None, (one.kind, one.language))) for one in found.asides)
    return frozenset(map(statement, found.tags)).union(f"({aside})" for aside in asides)


def of_query(text: str) -> frozenset[str]:
    """A query; one that is refused asks for what is unknown."""
    try:
        query = parse(text)
    except PromptError:
        return frozenset([item(UNKNOWN)])
    said = {statement(term, either=term.either) for term in query.terms}
    said.update(number(value) for value in (*query.values, query.age) if value)
    return frozenset(said | ({f"sex={query.sex}"} if query.sex else set()))


@pytest.mark.parametrize(("name", "read"), [("reports.txt", of_report), ("queries.txt", of_query)])
def test_nearly_every_sentence_says_what_was_written_down_before_the_parser(name, read):
    wrong = [sentence for sentence, said in pairs(name) if read(sentence) != said]
    assert len(wrong) <= (1 - ENOUGH) * len(pairs(name)), wrong


@pytest.mark.parametrize("text", [*lines("nonsense.txt")])
def test_nonsense_is_refused_as_a_search_and_as_a_prompt_and_unknown_in_a_report(text):
    for read in (parse, asked):
        with pytest.raises(PromptError, match=r"no ECG term|no finding"):
            read(text)
    assert not any(tag.known for tag in report_tags(text))


def test_every_name_of_the_lexicon_is_the_same_in_every_notation_of_its_leads():
    for one in load_lexicon():
        for name in one.names:
            assert named(name) == one.tag, name
            for place in places(name):
                other = name[: place.start] + notation(place.leads) + name[place.end :]
                assert len(place.leads) < 2 or named(other) == one.tag, other


@pytest.mark.parametrize(
    ("prompt", "text"),
    [
        ("ST elevation in V1, V2 and V3", "ST elevation in V1-V3"),
        ("st elevation v1 to v3", "ST elevation in V1-V3"),
        ("elevated ST in V1-3", "ST elevation in V1-V3"),
        ("ST elevation V1, V2, V3, V4", "ST elevation in V1-V4"),
        ("ST depression in II and V6", "ST depression in II, V6"),
        ("LBBB", "left bundle branch block"),
        ("possible LBBB", "left bundle branch block"),
        ("Linksschenkelblock", "left bundle branch block"),
    ],
)
def test_a_prompt_is_asked_in_one_notation(prompt, text):
    assert asked(prompt).text == text


@pytest.mark.parametrize("prompt", ["no LBBB", "LBBB ruled out", "not AF", "kein Vorhofflimmern"])
def test_a_denied_prompt_is_refused_and_the_finding_named(prompt):
    with pytest.raises(PromptError, match="denies a finding; ask for"):
        asked(prompt)


def test_a_prompt_that_begins_with_no_may_be_a_name():
    assert asked("no P waves").text == "absent P waves"


@pytest.mark.parametrize("text", ["PR 20 s", "QRS > 140 s", "rate 60 ms", "QT 400 °"])
def test_a_number_in_a_unit_that_cannot_be_is_no_value(text):
    assert [tag.value for tag in understood(text).tags if tag.value] == []


@pytest.mark.parametrize(
    ("report", "said"),
    [
        ("RBBB is unlikely", "no"),
        ("no longer AF", "no"),
        ("AF no longer present", "no"),
        ("AF resolved", "no"),
        ("r/o MI", "possible"),
        ("history of MI", "old"),
    ],
)
def test_what_is_gone_unlikely_or_only_known_is_not_affirmed_now(report, said):
    (tag,) = understood(report).tags
    state = "no" if tag.denied else "possible" if tag.suspected else tag.age
    assert state == said


def test_what_stands_behind_rather_than_is_denied():
    sinus, fibrillation = understood("sinus rhythm rather than AF").tags
    assert not sinus.denied and fibrillation.denied
