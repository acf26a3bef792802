"""What a model proposes, by meaning: statements are kept, echoes dropped, free text held apart."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from focal_app.lexicon import load_lexicon
from focal_app.words.proposals import MOST, MOST_LOOKED_AT, clean, named_in, proposals

SET = ("sinus bradycardia", "left bundle branch block", "premature atrial complex")
ECHOES = [
    *("normal sinus bradycardia", "sinus bradycardia", "LBBB", "LBBB pattern on ECG"),
    *("left bundle branch block (BBB) waveform", "bundle branch block", "slow heart rate"),
    *("premature atrial complex waveform", "signs of left bundle branch block", "Sinus Rhythm"),
    *("sinus bradycardia waveform feature", "normal sinus rhythm with a positive peak"),
]
"""As a small model worded them, most of them accepted when they were told by equal words."""
FREE = [
    *("golden spike", "positive peak", "LBBN", "sinus-rhythm9", "a prolonged QTII prolongation"),
    *("premature ventricular dilatation", "heartbeat", "R wave in V3 below 3 mm", "heart rate"),
    *("slurred terminal S in V6", "left-handed roll with a prominent left-handed delta wave"),
]


OWN_WORDS = {
    "QRS duration greater than 120 ms": ("wide QRS complex",),
    "the left bundle does not conduct": ("left bundle branch block",),
    "PR above 200 ms": ("prolonged PR interval",),
    "flipped T waves": ("inverted T waves",),
    "deep Qs in III and aVF": ("pathological Q waves in III, aVF",),
    "axis of -60 degrees": ("left axis deviation",),
}
"""As a prompt of the app may say it."""


def of(*said: str, tags: tuple[str, ...] = ()):
    return proposals(said, tags)


def test_every_synonym_becomes_the_preferred_tag() -> None:
    for statement in load_lexicon():
        assert of(statement.tag, *statement.synonyms).features == (statement.tag,)


@pytest.mark.parametrize("wording", OWN_WORDS)
def test_what_a_prompt_may_say_names_a_statement_here_too(wording):
    assert of(wording).features == OWN_WORDS[wording]
    assert of(f"{wording} and a golden spike").features == ()


@pytest.mark.parametrize(
    "wording",
    [
        *("no QRS duration over three small squares", "no positive QRS in I and negative in aVF"),
        *("P waves positive in I and negative in aVF", "LBBB, unchanged from previous ECG"),
        *("QRS 100-130 ms", "QRS > 80 ms", "T waves taller than 1 mm in V5"),
        *("loss of R wave in II, III, aVF", "abnormal repolarization in aVL"),
    ],
)
def test_what_a_proposal_does_not_plainly_say_is_no_statement(wording):
    assert of(wording).features == ()


def test_a_range_of_the_axis_may_have_signs():
    for words in ("axis -30 to +90", "axis -30° to +90°", "axis between -30 and +90 degrees"):
        assert of(words).features == ("normal QRS axis",)
    for words in ("axis -30 to -60", "axis -60° to -30°", "axis −40 – −80"):
        assert of(words).features == ("left axis deviation",)


@pytest.mark.parametrize("wording", ECHOES)
def test_a_tag_in_other_words_is_an_echo(wording: str) -> None:
    found = of(wording, tags=SET)
    assert (found.features, found.apart, len(found.echoes)) == ((), (), 1)
    assert found.outcome == "echoes"


@pytest.mark.parametrize("wording", FREE)
def test_what_names_no_statement_is_held_apart(wording: str) -> None:
    found = of(wording, tags=SET)
    assert (found.features, found.echoes, len(found.apart)) == ((), (), 1)
    assert (found.outcome, named_in(wording)) == ("free text", None)


@pytest.mark.parametrize(
    "wording",
    ["Absent P waves.", "**absent P waves**", "3. Absent P wave", "absent P waves (in all leads)"],
)
def test_wordings_of_one_feature_become_one(wording: str) -> None:
    found = of(wording, "P waves are absent")
    assert (found.features, found.repeated) == (("absent P waves",), 1)


@pytest.mark.parametrize(
    ("wording", "features"),
    [
        ("ST elevation in leads V1, V2 and V3", ("ST elevation in V1-V3",)),
        (
            "T wave inversion and ST depression in V4-V6",
            ("inverted T waves", "ST depression in V4-V6"),
        ),
        ("prolonged QRS duration (>120 ms)", ("wide QRS complex",)),
        ("Widened QRS complex (greater than 0.12 seconds)", ("wide QRS complex",)),
        ("irregularly irregular RR intervals", ("irregular RR intervals",)),
        ("broad notched R waves in lateral leads", ("broad notched R waves in I, aVL, V5-V6",)),
    ],
)
def test_leads_are_kept_and_two_findings_are_two(wording: str, features: tuple) -> None:
    assert of(wording).features == features


def test_a_finding_in_certain_leads_adds_to_a_report_that_names_none() -> None:
    found = of("ST elevation in V1-V3", "ST elevation", tags=("ST elevation",))
    assert (found.features, found.echoes) == (("ST elevation in V1-V3",), ("ST elevation",))
    placed = of("ST elevation in V1-V3", tags=("ST elevation in V1, V2, V3",))
    assert placed.outcome == "echoes"


def test_an_echo_of_a_tag_that_no_lexicon_knows_is_told_by_its_words() -> None:
    found = of("Slow upstroke", "slow upstroke pattern", tags=("slow upstroke",))
    assert (found.echoes, found.apart) == (("slow upstroke", "slow upstroke pattern"), ())


def test_a_feature_that_a_tag_excludes_is_kept_and_marked() -> None:
    found = of("P wave before every QRS complex", "absent P waves", tags=("AFIB",))
    assert set(found.features) == {"P wave before every QRS complex", "absent P waves"}
    assert found.contradictory == ("P wave before every QRS complex",)


@pytest.mark.parametrize(
    "nothing", ["", "  ", "1.", "[]", "12 34", "x" * 161, "xxxx", "V1.5", "no ST elevation"]
)
def test_what_can_be_no_feature_is_counted(nothing: str) -> None:
    found = of(nothing, "absent P waves")
    assert (found.features, found.apart, found.unusable) == (("absent P waves",), (), 1)


def test_a_model_that_babbles_is_bounded() -> None:
    every = [statement.tag for statement in load_lexicon()]
    assert len(of(*every).features) <= MOST
    endless = of(*(f"golden spike {number}" for number in range(5_000)))
    assert (len(endless.apart), endless.beyond) == (MOST, 5_000 - MOST)
    assert of(*["golden spike"] * 200).repeated == 199
    assert of(*["wide QRS complex"] * 200).features == ("wide QRS complex",)
    late = of(*["golden spike"] * MOST_LOOKED_AT, "wide QRS complex")
    assert (late.features, late.beyond) == ((), 1)


def test_none_proposed_is_another_outcome_than_none_that_can_be_kept() -> None:
    asked = {"none proposed": (), "echoes": ("LBBB",), "unusable": ("1.",), "free text": ("spike",)}
    for outcome, said in asked.items():
        assert of(*said, tags=SET).outcome == outcome
    assert of("wide QRS complex", "LBBB", "spike", "1.", tags=SET).outcome == "features"


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("ST depression in V5", "ST depression in V5"),
        ("QRS wide.", "QRS wide"),
        ("P waves absent", "P waves absent"),
        ("Tall T waves;", "tall T waves"),
        ("2) `U wave`", "U wave"),
        ("absent\x01\nP\x00 waves", "absent P waves"),
        ("anterior infarct, old", "anterior infarct, old"),
    ],
)
def test_cleaning_spares_names_of_waves(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


WORDINGS = st.one_of(st.text(max_size=40), st.sampled_from([*ECHOES, *FREE, "ST depression", ""]))


@given(st.lists(WORDINGS, max_size=8), st.lists(WORDINGS, max_size=3))
@example(["AFib", "1.", "absent P waves", "absent P waves", "spike", "Spike"], ["AF"])
def test_nothing_is_lost_uncounted_and_no_echo_is_a_feature(said, tags) -> None:
    found = proposals(said, tags)
    left_out = len(found.echoes) + len(found.apart) + found.repeated + found.unusable + found.beyond
    assert len(found.features) + left_out == len(said)
    assert proposals(found.features, tags).features == found.features
    assert not set(found.features) & set(tags)
