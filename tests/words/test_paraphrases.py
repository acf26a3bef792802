"""Findings in clinicians' own words, written down before the grammar learnt any of them."""

import pytest
from paraphrased import RIGHT, WRONG, outcome, paraphrases

from focal_app.errors import PromptError
from focal_app.lexicon import load_lexicon
from focal_app.words.leads import notation
from focal_app.words.numbers import quantities
from focal_app.words.own_words import criterion, mechanism, own_words
from focal_app.words.prompts import asked
from focal_app.words.statements import understood

SEEN, FINAL = 0.9, 0.65
"""Shares of those that rules were made on and of the third that was kept back."""


@pytest.mark.parametrize(("final", "share"), [(False, SEEN), (True, FINAL)])
def test_most_own_words_are_taken_as_meant(final, share):
    found = [outcome(one) for one in paraphrases() if one.final == final]
    assert found.count(RIGHT) >= share * len(found) and len(paraphrases()) >= 150


def test_no_own_words_are_taken_for_something_else():
    wrong = [one.words for one in paraphrases() if not one.final and outcome(one) == WRONG]
    assert not wrong


def test_no_line_of_the_test_is_a_name_that_the_tag_encoder_has_learnt():
    assert [one.words for one in paraphrases() if load_lexicon().resolve(one.words)] == []


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
        ("no ST elevation in V1, but ST elevation in V2", "denies a finding"),
    ],
)
def test_what_is_denied_in_its_midst_is_never_scored_as_if_affirmed(words, said):
    with pytest.raises(PromptError, match=said):
        asked(words)


@pytest.mark.parametrize(
    ("words", "means"),
    [
        ("QRS < 5 mm in limb leads", "low QRS voltage in limb leads"),
        ("QRS complexes are wider than 0.12 s", "wide QRS complex"),
        ("QRS narrower than 120 ms", "narrow QRS complex"),
        ("Q > 2 mm in III", "pathological Q waves in III"),
        ("T taller than 1 mV", "peaked T waves"),
        ("PR > 5 small squares", "prolonged PR interval"),
        ("QRS positive in I and negative in aVF", "left axis deviation"),
        ("T waves > 5 mm in II", "peaked T waves in II"),
        ("T waves taller than 11 mm in V2-V4", "peaked T waves in V2-V4"),
        ("Q wave duration > 30 ms in II", "pathological Q waves in II"),
        ("QRS amplitude < 5 mm in limb leads", "low QRS voltage in limb leads"),
        ("inverted T waves > 3 mm", "inverted T waves"),
        ("V3 T waves > 10 mm", "peaked T waves in V3"),
        ("find Q waves larger than 40 ms", "pathological Q waves"),
        ("PR > 0.2 second", "prolonged PR interval"),
        ("(T waves > 5 mm in II)", "peaked T waves in II"),
        ("any T waves > 5 mm in II", "peaked T waves in II"),
        ("deep Q waves > 1 mm", "pathological Q waves"),
        ("sinus bradycardia in old age", "sinus bradycardia"),
        ("anterior T inversion in V1-V5", "inverted T waves in V1-V4"),
        ("atrial fibrillation as on previous ECG", "atrial fibrillation"),
        ("axis -30 to -60", "left axis deviation"),
        ("atrial fibrillation not excluded", "atrial fibrillation"),
        ("atrial fibrillation cannot be excluded", "atrial fibrillation"),
    ],
)
def test_an_amount_that_defines_a_finding_asks_for_it(words, means):
    assert asked(words).text == means


@pytest.mark.parametrize(
    "words",
    [
        *("Q waves < 1 mm", "QRS less than 30 mm", "T waves taller than 1 mm", "QRS > 80 ms"),
        *("QRS 100-130 ms", "QRS > 2 small squares", "R waves less than 5 mm in limb leads"),
        *("P wave < 120 ms", "LBBB and QRS > 80 ms", "T waves taller than 6 mm in V2-V4"),
        *(
            "normal Q waves < 40 ms",
            "P waves wider than 2.5 mm",
            "S taller than 12 mm",
            "QRS duration not > 120 ms",
            "QRS < 8 mm",
        ),
    ],
)
def test_an_amount_that_defines_no_finding_is_refused_as_a_measurement(words):
    with pytest.raises(PromptError, match="is a measurement, which no prompt can ask for"):
        asked(words)


def test_the_sign_of_another_wave_is_no_axis():
    with pytest.raises(PromptError, match="no ECG term"):
        asked("P waves positive in I and negative in aVF")
    both = asked("T waves: positive in I and negative in aVF")
    assert both.text == "upright T waves in I, inverted T waves in aVF"
    assert asked("P waves normal, QRS positive in I and negative in aVF").text.startswith(
        "left axis"
    )
    for wave in ("F waves", "delta wave"):
        assert not asked(f"{wave} positive in I and negative in aVF").known


@pytest.mark.parametrize(
    ("words", "instead"),
    [
        ("history of atrial fibrillation", "atrial fibrillation"),
        ("previous VT", "ventricular tachycardia"),
        ("history of AF, now sinus rhythm", "sinus rhythm"),
        ("LBBB, old AF", "left bundle branch block"),
    ],
)
def test_a_rhythm_of_the_past_is_refused_since_no_ecg_shows_it(words, instead):
    with pytest.raises(PromptError, match=f'asks for what was.*ask for "{instead}"'):
        asked(words)
    assert asked("old inferior infarction").known


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (
            "PR > 0.2 seconds or second degree AV block",
            ["prolonged PR interval", "second degree AV block"],
        ),
        ("rate 120 and 2 mm ST depression", ["tachycardia", "ST depression"]),
    ],
)
def test_an_amount_ends_where_the_next_finding_begins(words, parts):
    assert [one.text for one in asked(words).each] == parts


def test_degrees_of_a_block_are_no_seconds_of_the_interval_before_them():
    found = asked("PR 240 second degree AV block")
    assert [one.text for one in found.each] == ["prolonged PR interval", "second degree AV block"]


@pytest.mark.parametrize(
    ("words", "leads"),
    [
        ("ST elevation except in V1", "I, II, III, aVR, aVL, aVF, V2-V6"),
        ("ST elevation in the inferior leads but not III", "II, aVF"),
        ("ST elevation in V1-V4 not involving V2", "V1, V3-V4"),
        ("ST depression in V2-V4 without involvement of V1", "V2-V4"),
        ("ST depression in V2-V4 without reciprocal changes in II", "V2-V4"),
        ("ST elevation in V1-V6 except for V2", "V1, V3-V6"),
        ("everywhere but aVR ST depression", "I, II, III, aVL, aVF, V1-V6"),
        ("T waves inverted in all leads except III", "I, II, aVR, aVL, aVF, V1-V6"),
        ("ST elevation except in V1 and in aVR", "I, II, III, aVL, aVF, V2-V6"),
        ("ST elevation in V1-V6 but not in V2 nor in V3", "V1, V4-V6"),
        ("ST depression apart from V1", "I, II, III, aVR, aVL, aVF, V2-V6"),
        ("ST elevation with the exception of aVR", "I, II, III, aVL, aVF, V1-V6"),
        ("T inversion in all chest leads but V1", "V2-V6"),
        ("ST-Hebung außer V1", "I, II, III, aVR, aVL, aVF, V2-V6"),
        ("ST elevation neither in V1 nor in V2", "I, II, III, aVR, aVL, aVF, V3-V6"),
        ("ST elevation not in V1 and V2, in V3 and V4", "V3-V4"),
        ("T inversion is seen in V1, not in V2, also in V3", "V1, V3"),
    ],
)
def test_leads_that_a_finding_spares_are_not_its_own(words, leads):
    assert notation(asked(words).leads) == leads


@pytest.mark.parametrize(
    "words",
    [
        "ST elevation in V2-V4, not in V1, in III ST depression",
        "ST elevation in all leads except aVR, and in III ST depression",
    ],
)
def test_leads_of_the_next_finding_are_none_that_the_one_before_spares(words):
    assert notation(asked(words).each[1].leads) == "III"


@pytest.mark.parametrize(
    "words", ["ST elevation in all leads other than aVR", "ST elevation in every lead but aVR"]
)
def test_leads_of_a_report_that_are_spared_are_never_the_finding_s_own(words):
    assert "aVR" not in understood(words).tags[0].leads


def test_a_type_of_block_that_is_ruled_out_is_no_lead():
    assert understood("Mobitz I not II").tags[0].leads == ()


@pytest.mark.parametrize(
    ("words", "leads"),
    [
        ("anterior ST depression", "V1-V4"),
        ("septal T wave inversion", "V1-V2"),
        ("anterolateral ST depression", "I, aVL, V3-V6"),
        ("ST depression anterolaterally", "I, aVL, V3-V6"),
        ("inferolateral T wave inversion", "II, III, aVF, V5-V6"),
        ("T wave inversion inferolaterally", "II, III, aVF, V5-V6"),
        ("anteroseptal T wave inversion", "V1-V3"),
        ("left precordial T wave inversion", "V4-V6"),
        ("right precordial ST elevation", "V1-V3"),
        ("high lateral T wave inversion", "I, aVL"),
        ("known anterior ST depression", "V1-V4"),
    ],
)
def test_a_region_before_a_wave_is_its_leads(words, leads):
    (one,) = asked(words).each
    assert one.known
    own = load_lexicon()[one.words].leads if not one.leads else one.leads
    assert notation(own) == leads


def test_a_region_before_several_findings_is_each_one_s_own():
    told = [one.text for one in asked("anterolateral ST depression and inferior Q waves").each]
    assert told == ["ST depression in I, aVL, V3-V6", "Q waves in inferior leads (II, III, aVF)"]


@pytest.mark.parametrize(
    ("words", "means"),
    [
        ("sinus tach", "sinus tachycardia"),
        ("atrial ectopics", "premature atrial complex"),
        ("wide premature beats", "premature ventricular complex"),
        ("narrow premature beats", "supraventricular premature complex"),
        ("coarse AF", "atrial fibrillation"),
        ("subtle inferior ST elevation", "ST elevation in inferior leads (II, III, aVF)"),
        ("ST depression maximal in V4-V6", "ST depression in V4-V6"),
        ("reciprocal depression in aVL", "ST depression in aVL"),
        ("3rd degree heart block", "third degree AV block"),
        ("J waves", "Osborn wave"),
        ("late R wave transition", "clockwise rotation"),
        ("early R wave transition", "counterclockwise rotation"),
        ("LV hypertrophy by voltage", "voltage criteria for left ventricular hypertrophy"),
    ],
)
def test_bedside_words_are_terms_of_the_lexicon(words, means):
    assert asked(words).text == means


@pytest.mark.parametrize(
    ("words", "leads"),
    [
        ("ST elevation without change in V2-V4", "V2-V4"),
        ("T inversion not reciprocal in V1-V3", "V1-V3"),
        ("ST elevation without reciprocal changes in V2-V4", ""),
        ("anterior ST depression in V2", "V2"),
        ("Brugada pattern type I not II", ""),
        ("axis left, not I", ""),
    ],
)
def test_leads_are_never_turned_into_all_the_others_by_what_denies_no_place(words, leads):
    assert notation(asked(words).leads) == leads


@pytest.mark.parametrize(
    "words",
    [
        *("anterior/lateral ST depression", "septal/anterior ST elevation"),
        *("horizontal T wave inversion", "anterior ST depression in II", "septal q waves"),
        *("anterior ST depression and V6", "ST elevation in leads adjacent to V2"),
        *("AF not known", "ST elevation not persistent", "early transition to VT"),
    ],
)
def test_what_may_mean_another_place_or_its_absence_is_no_name(words):
    assert not asked(words).known
