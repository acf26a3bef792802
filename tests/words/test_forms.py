"""Reports that are forms: a label or leads before a colon, and what is said under it."""

import pytest

from focal_app.words.labels import labels_joined
from focal_app.words.statements import understood


def prompts(report: str) -> list[str]:
    """What the model would be asked for every statement that is not denied."""
    return [tag.prompt for tag in understood(report).tags if not tag.denied]


@pytest.mark.parametrize(
    ("report", "means"),
    [
        ("Rhythm: sinus", ["sinus rhythm"]),
        ("Rhythm: atrial fibrillation", ["atrial fibrillation"]),
        ("Rhythm: sinus with PVCs", ["sinus rhythm", "premature ventricular complex"]),
        ("Axis: normal", ["normal QRS axis"]),
        ("Axis: left", ["left axis deviation"]),
        ("QRS: wide. PR: prolonged.", ["wide QRS complex", "prolonged PR interval"]),
        ("QRS: 130 ms", ["QRS duration 130 ms"]),
        ("T waves: inverted in V1-V3", ["inverted T waves in V1-V3"]),
        (
            "ST: depressed in V5; Conduction: LBBB",
            ["ST depression in V5", "left bundle branch block"],
        ),
        ("Q waves: in II, III, aVF", ["Q waves in inferior leads (II, III, aVF)"]),
        ("AV block: first degree", ["first degree AV block"]),
        ("Block: no RBBB", []),
        ("ECG: normal", ["normal ECG"]),
        ("The ECG is normal.", ["normal ECG"]),
        ("ST: no elevation. QTc: not prolonged", []),
        ("Lagetyp: Linkstyp", ["left axis deviation"]),
    ],
)
def test_what_stands_under_a_label_is_read_with_it(report, means):
    found = understood(report)
    assert prompts(report) == means
    assert all(tag.known for tag in found.tags) and found.left_out == ()


def test_a_label_that_is_none_of_a_form_stays_in_sight():
    report = "Comparison of 2019: LBBB"
    assert labels_joined(report) == report
    assert [tag.tag for tag in understood(report).tags if not tag.known]


@pytest.mark.parametrize(
    ("report", "means"),
    [
        (
            "lateral leads: ST depression, inferior leads: ST elevation",
            ["ST depression in I, aVL, V5-V6", "ST elevation in inferior leads (II, III, aVF)"],
        ),
        (
            "V1-V3: ST elevation, inverted T waves. Sinus rhythm",
            ["ST elevation in V1-V3", "inverted T waves in V1-V3", "sinus rhythm"],
        ),
        ("Leads V4-V6: flat T waves", ["low amplitude T waves in V4-V6"]),
        (
            "Ableitungen V1-V3: ST-Hebung, II, III, aVF: ST-Senkung",
            ["ST elevation in V1-V3", "ST depression in inferior leads"],
        ),
        (
            "ST elevation in V1-V3: anterior STEMI",
            ["ST elevation in V1-V3", "acute anterior myocardial infarction"],
        ),
        ("limb leads: sinus rhythm", ["sinus rhythm"]),
        ("- AF\n- V1-V3: ST elevation", ["atrial fibrillation", "ST elevation in V1-V3"]),
        ("1. AF\n2) V1-V3: ST elevation", ["atrial fibrillation", "ST elevation in V1-V3"]),
        (
            "aVR: ST elevation, diffuse ST depression",
            ["ST elevation in aVR", "diffuse ST depression"],
        ),
        ("Lead III: left axis deviation", ["left axis deviation"]),
        (
            "T inversion in I, aVL and in V5, V6 with LVH",
            ["inverted T waves in lateral leads (I, aVL, V5-V6)", "left ventricular hypertrophy"],
        ),
        (
            "ST elevated in V1-V4, depressed predominantly in III",
            ["ST elevation in V1-V4", "ST depression in III"],
        ),
        ("ST elevation with concave ST in V2-V4", ["ST elevation in V2-V4", "concave ST"]),
        ("Abnormal ECG, normal sinus rhythm", ["abnormal ECG", "sinus rhythm"]),
        ("abnormal QRS, abnormal T waves", ["abnormal QRS", "T wave abnormality"]),
        ("Vertical axis, left atrial enlargement", ["Vertical axis", "left atrial enlargement"]),
        (
            "Indication: chest pain, sinus rhythm, LBBB",
            ["sinus rhythm", "left bundle branch block"],
        ),
        ("Indication: syncope ECG shows AF", ["atrial fibrillation"]),
        ("Fragestellung: Ischämie? Befund: SR", ["sinus rhythm"]),
        ("Previous ECG showed AF, now sinus rhythm", ["sinus rhythm"]),
        ("Changes from previous ECG: new T inversion", ["inverted T waves"]),
        ("V1-V3 : 2 mm ST elevation", ["ST elevation in V1-V3"]),
        (
            "Leads V1-V3 show ST elevation while I and aVL show ST depression",
            ["ST elevation in V1-V3", "ST depression in I, aVL"],
        ),
        (
            "ST elevation V1-V3, V4-V6 ST depression",
            ["ST elevation in V1-V3", "ST depression in V4-V6"],
        ),
        ("ST elevation in V1-V3, not evident in V4", ["ST elevation in V1-V3"]),
        ("ST elevation in V1-V3 with reciprocal changes in aVL", ["ST elevation in V1-V3"]),
    ],
)
def test_leads_as_a_heading_are_those_of_what_stands_under_them(report, means):
    assert prompts(report) == means


@pytest.mark.parametrize(
    ("report", "means"),
    [
        ("ST depression laterally", ["ST depression in I, aVL, V5-V6"]),
        ("Q waves inferiorly", ["Q waves in inferior leads (II, III, aVF)"]),
        ("ST elevation anteriorly and inferiorly", ["ST elevation in II, III, aVF, V1-V4"]),
        ("non-inferior ST depression", ["ST depression in I, aVR, aVL, V1-V6"]),
        ("infero-lateral ST depression", ["ST depression in II, III, aVF, V5-V6"]),
        ("ST elevation in 2, 3, aVF", ["ST elevation in inferior leads (II, III, aVF)"]),
        ("horizontally depressed ST", ["horizontal ST depression"]),
    ],
)
def test_a_region_as_an_adverb_is_its_leads_and_one_with_non_is_all_others(report, means):
    assert prompts(report) == means


@pytest.mark.parametrize(
    ("report", "tag", "state"),
    [
        ("w/o LBBB", "left bundle branch block", "denied"),
        ("c/w ischemia", "myocardial ischemia", "suspected"),
        ("s/p anterior MI", "anterior myocardial infarction", "old"),
        ("Z.n. VWI", "anterior myocardial infarction", "old"),
        ("w/ LBBB", "left bundle branch block", ""),
    ],
)
def test_a_short_form_is_what_it_stands_for(report, tag, state):
    found = understood(report)
    (one,) = found.tags
    told = "denied" if one.denied else "suspected" if one.suspected else one.age
    assert (one.tag, told, found.left_out) == (tag, state, ())


def test_leads_of_a_wave_that_is_no_finding_are_given_to_none():
    found = understood("Q in III and aVF, T inversion in V1")
    assert [(tag.prompt, tag.known) for tag in found.tags] == [
        ("Q", False),
        ("inverted T waves in V1", True),
    ]


@pytest.mark.parametrize(
    "report", ["Indication: AF", "History: AF, LBBB", "Previous ECG: AF", "Family history of AF"]
)
def test_what_is_asked_or_was_before_is_told_of_no_ecg(report):
    found = understood(report)
    assert not found.tags and found.asides


@pytest.mark.parametrize("report", ["LBBB is not new", "infarct, not acute"])
def test_what_is_not_new_has_no_age(report):
    (tag,) = understood(report).tags
    assert (tag.age, tag.denied) == ("", False)


@pytest.mark.parametrize(
    "report", ["T inversion due to high lead placement", "T inversion, low risk"]
)
def test_an_adjective_of_something_else_says_nothing_of_a_wave(report):
    assert prompts(report)[0] == "inverted T waves"
    assert not {"peaked T waves", "low amplitude T waves"}.intersection(prompts(report))


@pytest.mark.parametrize(
    ("report", "tag", "denied"),
    [
        ("nonspecific ST-T abnormalities", "nonspecific ST-T change", False),
        ("Nonspecific ST and T wave abnormality", "nonspecific ST-T change", False),
        ("unspecific ST-T wave abnormalities", "nonspecific ST-T change", False),
        ("No ST-T wave abnormalities", "ST-T change", True),
        ("ST/T abnormalities", "ST-T change", False),
        ("ST abnormalities", "ST segment abnormality", False),
        ("T wave abnormalities", "T wave abnormality", False),
    ],
)
def test_abnormalities_of_st_and_t_are_those_of_both(report, tag, denied):
    (found,) = understood(report).tags
    assert (found.tag, found.known, found.denied) == (tag, True, denied)
