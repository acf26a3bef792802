"""Claims about how a text is read: synonyms, negation, alternatives and places."""

import pytest

from focal_app.errors import PromptError
from focal_app.explore.query import parse


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
    assert [term.prompt for term in terms if term.wanted] == wanted
    assert [term.prompt for term in terms if not term.wanted] == unwanted


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
    places = [term.leads for term in parse("ST elevation in V1 and peaked T waves").terms]
    assert places == [("V1",), ()]


def test_alternatives_are_told_from_what_must_hold_together():
    terms = parse("AF or atrial flutter and LBBB").terms
    assert [term.either for term in terms] == [False, True, False]


def test_the_reading_is_said_in_words():
    said = parse("AF or flubbery waves, without LBBB, inverted T waves in V1").understood
    assert said == (
        'With atrial fibrillation ("AF") or flubbery waves and inverted T waves (in V1 alone), '
        'without left bundle branch block ("LBBB"). The lexicon does not know "flubbery waves": '
        "asked in these words."
    )


def test_words_that_are_left_out_are_named():
    said = parse("AF and wobbly LBBB in V1").understood
    assert said.endswith('Left out, not understood: "wobbly".')
    assert "Left out" not in parse("Cases showing AF in the inferior leads or no LBBB").understood


@pytest.mark.parametrize("text", ["", "   ", "...", "V1", "and or not", "x" * 301])
def test_a_text_without_a_finding_is_refused(text):
    with pytest.raises(PromptError):
        parse(text)
