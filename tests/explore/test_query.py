"""Claims about how a text is read: synonyms, negation, alternatives and places."""

import pytest

from focal_app.errors import PromptError
from focal_app.explore.cases.query import parse
from focal_app.words.prompts import asked
from focal_app.words.statements import report_tags


@pytest.mark.parametrize(
    ("text", "wanted", "unwanted"),
    [
        ("RSR' pattern in V1-V3", ["RSR' pattern in V1-V3"], []),
        ("inverted T waves", ["inverted T waves"], []),
        ("low QRS voltages", ["low QRS voltage"], []),
        ("AF without LBBB", ["atrial fibrillation"], ["left bundle branch block"]),
        (
            "AF, no LBBB or RBBB",
            ["atrial fibrillation"],
            ["left bundle branch block", "right bundle branch block"],
        ),
        ("no LBBB", [], ["left bundle branch block"]),
        ("absent P waves", ["absent P waves"], []),
        ("LVH with strain", ["left ventricular hypertrophy with strain"], []),
        ("ST elevation and AF", ["ST elevation", "atrial fibrillation"], []),
        ("LVH but not AF", ["left ventricular hypertrophy"], ["atrial fibrillation"]),
    ],
)
def test_terms_are_found_by_any_name_and_denied_ones_apart(text, wanted, unwanted):
    terms = parse(text).terms
    assert [term.tag for term in terms if not term.denied] == wanted
    assert [term.tag for term in terms if term.denied] == unwanted


@pytest.mark.parametrize(
    ("text", "leads"),
    [
        ("inverted T waves in V2-V3", ("V2", "V3")),
        ("ST elevation in leads II, III and aVF", ("II", "III", "aVF")),
        ("st depression in v4 to v6", ("V4", "V5", "V6")),
        ("T wave inversion in the lateral leads", ("I", "aVL", "V5", "V6")),
        ("notched P waves", ()),
        ("AF in a young man", ()),
    ],
)
def test_a_place_restricts_the_term_before_it(text, leads):
    assert parse(text).terms[0].leads == leads


def test_a_place_is_that_of_its_own_term_alone():
    places = [term.narrower for term in parse("ST elevation in V1 and peaked T waves").terms]
    assert places == [("V1",), ()]


def test_alternatives_are_told_from_what_must_hold_together():
    terms = parse("AF or atrial flutter and LBBB").terms
    assert [term.either for term in terms] == [False, True, False]


def test_the_reading_is_said_in_words():
    said = parse("AF or delta waves in women, without LBBB, inverted T waves in V1").understood
    assert said == (
        'With atrial fibrillation ("AF") or delta wave ("delta waves") and inverted T waves '
        '(in V1 alone), without left bundle branch block ("LBBB"), in women.'
    )


def test_words_that_are_left_out_are_named():
    assert parse("AF and wobbly LBBB in V1").warnings == ('Left out, not understood: "wobbly".',)
    assert parse("Cases showing AF in the inferior leads or no LBBB").warnings == ()


def test_a_term_that_no_lexicon_knows_is_warned_of():
    assert parse("slurred terminal S").warnings == (
        '"slurred terminal S" is not a known ECG term; ranked by likeness of words alone.',
    )
    assert parse("AF and asdf").warnings == ('Left out, not understood: "asdf".',)
    assert parse("RSR'").warnings == parse("AF without LBBB").warnings == ()


@pytest.mark.parametrize("denial", ["no ST elevation in V5", "no RSR' in V6"])
def test_a_denial_beside_what_is_asked_of_the_same_finding_is_named_in_its_own_leads(denial):
    asked = denial.removeprefix("no ").rpartition(" in ")[0]
    assert parse(f"{asked} in V2, {denial}").warnings == (
        f'Left out, as the same finding is asked for too: "{denial}".',
    )


RSR = "RSR' pattern in V1-V3"


@pytest.mark.parametrize("text", ["RSR'", "rsr’", "RsR′ pattern", "rSR'", "RSR prime", "RSR"])
def test_the_educators_own_word_is_known_in_any_spelling(text):
    (term,) = parse(text).terms
    assert (term.tag, term.text, term.narrower, term.known) == (RSR, text, (), True)


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("STEMI anterior", "acute anterior myocardial infarction"),
        ("STEMI of the inferior wall", "acute inferior myocardial infarction"),
        ("elevation of ST", "ST elevation"),
        ("AV block first degree", "first degree AV block"),
        ("second degree AV block type II", "second degree AV block type 2"),
        ("LVH strain", "left ventricular hypertrophy with strain"),
        ("P waves absent", "absent P waves"),
    ],
)
def test_the_order_of_words_does_not_matter(text, tag):
    query = parse(text)
    assert [(term.tag, term.text) for term in query.terms] == [(tag, text)]
    assert query.warnings == ()


def test_a_turned_name_does_not_reach_over_a_conjunction():
    terms = parse("elevation of ST, AF and block of AV without QRS wide").terms
    assert [term.tag for term in terms] == [
        "ST elevation",
        "atrial fibrillation",
        "AV block",
        "wide QRS complex",
    ]
    assert [term.denied for term in terms] == [False, False, False, True]


@pytest.mark.parametrize(
    ("text", "leads"),
    [
        ("rsR' in V1", ("V1",)),
        ("RSR' in V2", ("V2",)),
        ("RSR' V1", ("V1",)),
        ("RSR' pattern in V1-V3", ()),
        ("M-shaped R waves in V5-V6", ("V5", "V6")),
        ("ST depression V5 V6", ("V5", "V6")),
        ("T inversion V1-3", ("V1", "V2", "V3")),
    ],
)
def test_a_place_is_never_widened_in_silence(text, leads):
    query = parse(text)
    assert query.terms[0].narrower == leads
    assert query.warnings == ()


def test_a_name_whose_place_cannot_be_kept_is_warned_of():
    (said,) = parse("tall R in right precordial leads").warnings
    assert '"tall R wave in V1"' in said and "other leads" in said


@pytest.mark.parametrize("text", ["", "   ", "...", "V1", "and or not", "x" * 301])
def test_a_text_without_a_finding_is_refused(text):
    with pytest.raises(PromptError):
        parse(text)


def test_numbers_bound_what_is_measured_and_whom_it_is_about_becomes_a_filter():
    query = parse("AF with a rate over 150 in women over 60")
    assert (query.sex, query.age_years) == ("female", (60, 120))
    assert [value.words for value in query.values] == ["heart rate over 150/min"]
    assert "heart rate over 150/min" in query.understood and query.warnings == ()


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("VF", "ventricular fibrillation"),
        ("Wellens", "Wellens pattern"),
        ("de Winter", "de Winter pattern"),
        ("hyperkalaemia", "hyperkalemia"),
        ("Sgarbossa", None),
        ("qwerty", None),
    ],
)
def test_a_term_is_known_or_unknown_alike_in_search_prompts_and_reports(text, tag):
    (said,) = report_tags(text)
    assert (said.tag if said.known else None) == tag
    if tag:
        assert parse(text).terms[0].prompt == asked(text).words == tag
        return
    for read in (parse, asked):
        with pytest.raises(PromptError, match="no ECG term"):
            read(text)


def test_the_age_of_a_finding_is_said_to_be_not_searchable():
    (said,) = parse("new LBBB").warnings
    assert "at any age of the finding" in said


@pytest.mark.parametrize("text", ["qwerty", "Sgarbossa", "banana split in V1"])
def test_what_is_no_ecg_term_is_refused_by_name(text):
    with pytest.raises(PromptError, match="no ECG term that this app knows, and gets no percent"):
        parse(text)


@pytest.mark.parametrize(
    ("text", "understood"),
    [
        ("no heart rate over 150", "Heart rate under 150/min."),
        (
            "no LBBB with rate > 100",
            'Without left bundle branch block ("LBBB"), heart rate over 100/min.',
        ),
        ("AF, but not QRS > 120 ms", 'With atrial fibrillation ("AF"), QRS duration under 120 ms.'),
    ],
)
def test_a_bound_that_is_denied_is_turned_round(text, understood):
    query = parse(text)
    assert query.understood == understood and query.warnings == ()


def test_a_value_that_cannot_be_denied_and_an_alternative_to_one_are_warned_of():
    assert "not QRS" not in parse("AF, no heart rate 150").understood
    assert any("heart rate 150/min" in line for line in parse("AF, no heart rate 150").warnings)
    for text in ("PR > 200 ms or LBBB", "LBBB or PR > 200 ms"):
        assert any('"or"' in line and "all" in line for line in parse(text).warnings)


@pytest.mark.parametrize("text", ["men under 30", "patients aged 20-30", "women over 60"])
def test_whom_a_search_is_about_is_not_called_left_out(text):
    query = parse(text)
    assert query.age and query.warnings == ()
    assert any("women over 200" in line for line in parse("women over 200").warnings)
    assert any('"foo"' in line for line in parse("patients aged 20-30 foo").warnings)
