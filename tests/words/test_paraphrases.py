"""Findings in clinicians' own words, written down before the grammar learnt any of them."""

import pytest
from paraphrased import RIGHT, WRONG, outcome, paraphrases

from focal_app.errors import PromptError
from focal_app.words.numbers import quantities
from focal_app.words.own_words import criterion, mechanism, own_words
from focal_app.words.prompts import asked

SEEN, FINAL = 0.9, 0.65
"""Shares of those that rules were made on and of the third that was kept back."""


@pytest.mark.parametrize(("final", "share"), [(False, SEEN), (True, FINAL)])
def test_most_own_words_are_taken_as_meant(final, share):
    found = [outcome(one) for one in paraphrases() if one.final == final]
    assert found.count(RIGHT) >= share * len(found) and len(paraphrases()) >= 150


def test_no_own_words_are_taken_for_something_else():
    wrong = [one.words for one in paraphrases() if not one.final and outcome(one) == WRONG]
    assert not wrong


def test_no_sentence_of_the_test_stands_in_the_table_of_terms():
    phrases = {" ".join(words) for words in own_words().terms}
    assert not phrases & {one.words for one in paraphrases() if one.kind == "mechanism"}


@pytest.mark.parametrize(
    ("words", "means"),
    [
        ("right bundle fails to conduct", "right bundle branch block"),
        ("the lateral wall is scarred", "lateral myocardial infarction"),
        ("a pacemaker stimulates the right ventricle", "ventricular pacing"),
        ("the left bundle conducts", None),
        ("no scar of the anterior wall", None),
        ("the left atrium and the right atrium", None),
        ("", None),
    ],
)
def test_a_mechanism_is_its_terms_and_nothing_beside_them(words, means):
    assert mechanism(words) == means


@pytest.mark.parametrize(
    ("words", "means"),
    [
        ("PR 201 ms", "prolonged PR interval"),
        ("PR 160 ms", None),
        ("QRS over 110 ms", None),
        ("QRS over 120 ms", "wide QRS complex"),
        ("rate under 60", "bradycardia"),
        ("rate 60 to 100", None),
        ("axis -45 degrees", "left axis deviation"),
        ("axis below -30", "left axis deviation"),
    ],
)
def test_a_value_asks_for_a_finding_only_where_it_lies_whole_within_its_criterion(words, means):
    assert criterion(quantities(words)[0].value) == means


def test_findings_that_are_joined_are_asked_each_for_itself():
    found = asked("LBBB, AF and ST elevation in V2")
    assert [one.text for one in found.each] == [
        "left bundle branch block",
        "atrial fibrillation",
        "ST elevation in V2",
    ]


@pytest.mark.parametrize("prompt", ["LBBB without AF", "LBBB and no AF", "AF or LBBB banana"])
def test_a_prompt_that_denies_a_part_is_refused_and_a_stranger_beside_findings_is_no_part(prompt):
    try:
        assert not asked(prompt).parts
    except PromptError as error:
        assert "denies" in str(error)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("QTc not prolonged", 'ask for "long QT interval"'),
        ("T waves are not inverted in V1-V3", 'ask for "inverted T waves"'),
        ("no QRS wider than 120 ms", "denies a finding"),
        ("QRS not slurred", "gets no percentage"),
    ],
)
def test_what_is_denied_in_its_midst_is_never_scored_as_if_affirmed(words, said):
    with pytest.raises(PromptError, match=said):
        asked(words)
