"""A report becomes tags: longest names, denials, and words that the lexicon does not know."""

import pytest

from focal_app.errors import PromptError
from focal_app.explore.reading.prompts import LONGEST, checked
from focal_app.explore.report.table import in_words
from focal_app.explore.report.verification import scorable
from focal_app.lexicon import load_lexicon
from focal_app.words.hedges import HEDGES
from focal_app.words.statements import (
    LONGEST_REPORT,
    MOST_TAGS,
    own_tag,
    report_tags,
    typed_tag,
)


def said(report):
    """Affirmed and denied tags of a report."""
    tags = [tag for tag in report_tags(report) if not tag.value]
    return [t.tag for t in tags if not t.denied], [t.tag for t in tags if t.denied]


@pytest.mark.parametrize(
    ("report", "affirmed", "denied"),
    [
        (
            "Atrial fibrillation without LBBB.",
            ["atrial fibrillation"],
            ["left bundle branch block"],
        ),
        ("AF; no acute ST elevation", ["atrial fibrillation"], ["ST elevation"]),
        (
            "No ST elevation, pathological Q waves or T wave inversion.",
            [],
            ["ST elevation", "pathological Q waves", "inverted T waves"],
        ),
        ("No ST elevation, sinus rhythm", ["sinus rhythm"], ["ST elevation"]),
        ("no LBBB but RBBB", ["right bundle branch block"], ["left bundle branch block"]),
        (
            "LBBB is ruled out. Sinus rhythm.",
            ["sinus rhythm"],
            ["left bundle branch block"],
        ),
        ("SINUS RHYTHM AT 75 BPM", ["sinus rhythm"], []),
        ("no P waves", ["absent P waves"], []),
        ("No abnormality detected", ["normal ECG"], []),
        ("2:1 AV block", ["2:1 AV block"], []),
    ],
)
def test_what_is_affirmed_and_what_is_denied(report, affirmed, denied):
    assert said(report) == (affirmed, denied)


LBBB, AF, INFARCT = (
    "left bundle branch block",
    "atrial fibrillation",
    "anterior myocardial infarction",
)


@pytest.mark.parametrize(
    ("report", "suspected", "affirmed"),
    [
        ("Possible anterior infarct, age undetermined", [INFARCT], []),
        ("Cannot rule out anterior infarct", [INFARCT], []),
        ("Can not exclude anterior infarct. AF", [INFARCT], [AF]),
        ("Anterior infarct cannot be ruled out", [INFARCT], []),
        ("AF, LBBB possible", [LBBB], [AF]),
        ("Probable LBBB, AF", [LBBB], [AF]),
        ("Possible LBBB, AF or anterior infarct", [LBBB, AF, INFARCT], []),
        ("AF. Poss. LBBB.", [LBBB], [AF]),
        ("LBBB? AF.", [LBBB], [AF]),
        ("AF; ?LBBB", [LBBB], [AF]),
        ("Consider LBBB but AF", [LBBB], [AF]),
        ("Possible LBBB. LBBB.", [], [LBBB]),
        ("No LBBB. Possible LBBB.", [LBBB], []),
    ],
)
def test_what_a_report_suspects_is_not_affirmed(report, suspected, affirmed):
    tags = report_tags(report)
    assert [t.tag for t in tags if t.suspected] == suspected
    assert [t.tag for t in tags if not t.suspected and not t.denied] == affirmed


def test_no_evidence_of_a_suspicion_is_a_denial():
    (_, tag) = report_tags("No ST changes suggestive of ischemia")
    assert tag.denied and not tag.suspected


@pytest.mark.parametrize("hedge", HEDGES)
def test_every_hedge_suspects_from_before_and_from_behind(hedge):
    for report in (f"{hedge} LBBB", f"LBBB {hedge}."):
        assert [(t.tag, t.suspected) for t in report_tags(report)] == [(LBBB, True)]


def test_a_tag_typed_as_it_is_shown_stays_the_same():
    for tag in report_tags("AF, no LBBB. Possible anterior infarct."):
        typed = typed_tag(in_words(tag))
        assert (typed.tag, typed.denied, typed.suspected) == (tag.tag, tag.denied, tag.suspected)
    assert not typed_tag("no P waves").denied


@pytest.mark.parametrize("name", ["RSR' pattern in V1-V3", "inverted T waves", "low QRS voltages"])
def test_the_terms_that_educators_search_for_are_known(name):
    (tag,) = report_tags(name)
    assert tag.known and not tag.denied


def test_every_name_of_the_lexicon_is_found_alone_and_inside_a_report():
    lexicon = load_lexicon()
    names = {name: s.tag for s in lexicon for name in s.names if name.casefold() != "at"}
    lost = [n for n, tag in names.items() if [t.tag for t in report_tags(n)] != [tag]]
    assert lost == []
    inside = [
        n for n, tag in names.items() if tag not in said(f"Impression: {n}. Compared with 2019.")[0]
    ]
    assert inside == []


def test_the_longest_name_wins():
    assert said("incomplete right bundle branch block")[0] == [
        "incomplete right bundle branch block"
    ]


def test_unknown_words_stay_as_they_are():
    tags = report_tags("Sinus rhythm with LBBB, and a poor gadget complex in V3.")
    assert [t.text for t in tags if not t.known] == ["poor gadget complex"]


def test_affirmed_wins_over_denied_and_a_tag_stands_once():
    assert said("No LBBB. Later LBBB. left bundle branch block")[0] == ["left bundle branch block"]


def test_a_report_without_words_has_no_tags():
    assert report_tags(" \n .,;: 12 ") == ()


def test_a_very_long_report_is_refused_with_its_length():
    with pytest.raises(PromptError, match=str(LONGEST_REPORT)):
        report_tags("x" * (LONGEST_REPORT + 1))


def test_a_sentence_without_end_is_refused_with_its_words():
    with pytest.raises(PromptError, match=r"a sentence of 2280 words and commas.*at most 1000"):
        report_tags("sinus rhythm and LBBB or, " * 380)
    assert len(report_tags("sinus rhythm and LBBB or, " * 166)) == 2


def test_no_finding_of_a_report_is_left_out_in_silence():
    names = [s.tag for s in load_lexicon()][: MOST_TAGS + 1]
    assert len(report_tags(". ".join(names[:-1]))) == MOST_TAGS
    with pytest.raises(PromptError, match=rf"found {MOST_TAGS + 1} findings.*at most {MOST_TAGS}"):
        report_tags(". ".join(names))


def test_unknown_words_that_are_too_many_to_be_asked_say_so():
    (tag,) = report_tags("gadget " * 40)
    assert len(tag.tag) == LONGEST and tag.tag.endswith("…") and len(tag.text) == 279


def test_an_own_tag_takes_the_name_of_the_lexicon():
    assert own_tag(" AFIB ").tag == "atrial fibrillation"
    assert not own_tag("a gadget complex").known
    for wrong in ("", "…", "x" * 500):
        with pytest.raises(PromptError):
            own_tag(wrong)


@pytest.mark.parametrize(
    "report",
    [
        "Intervals normal except PR.",
        "Does not have normal intervals.",
        "Inferior leads: ST-T normal.",
        "Earlier ECG with normal QTc.",
        "LBBB, QTc normal?",
    ],
)
def test_words_that_are_refused_as_a_prompt_of_their_own_stop_no_report(report):
    tags = report_tags(f"Sinus rhythm. {report}")
    asked = [tag.prompt for tag in tags if scorable(tag)]
    assert "sinus rhythm" in checked(asked)
    assert any(not scorable(tag) for tag in tags)
