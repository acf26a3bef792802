"""What a report says to be normal is checked, as what that denies or affirms."""

import pytest

from focal_app.errors import PromptError
from focal_app.words.normals import normals_judged
from focal_app.words.prompts import asked
from focal_app.words.statements import understood

PR, QT = ("prolonged PR interval", True), ("long QT interval", True)
QRS, AXIS = ("narrow QRS complex", False), ("normal QRS axis", False)
RATE = [("bradycardia", True), ("tachycardia", True)]
VOLTAGE = [("low QRS voltage", True), ("high QRS voltage", True)]


def said(report: str) -> list[tuple[str, bool]]:
    """Every statement with whether the report denies it; all of them are known."""
    assert all(tag.known for tag in understood(report).tags)
    return [(tag.tag, tag.denied) for tag in understood(report).tags]


@pytest.mark.parametrize(
    ("report", "statements"),
    [
        ("Normal QTc", [QT]),
        ("QT/QTc within normal limits", [QT]),
        ("PR interval is normal.", [PR]),
        ("(normal PR)", [PR]),
        ("Intervals: normal", [PR, QRS, QT]),
        ("All intervals are within normal limits", [PR, QRS, QT]),
        ("PR, QRS and QT intervals normal", [PR, QRS, QT]),
        ("Normal PR/QRS/QT", [PR, QRS, QT]),
        ("PQ-Zeit und QT-Zeit im Normbereich", [PR, QT]),
        ("Normale PQ-Zeit, QRS-Breite und QT-Zeit", [PR, QRS, QT]),
        ("Unauffällige Erregungsrückbildung", [("ST-T change", True)]),
        (
            "normal P, QRS and T waves",
            [("P wave abnormality", True), QRS, ("upright T waves", False)],
        ),
        ("QRS voltage normal", VOLTAGE),
        ("Normal axis, intervals and voltage", [AXIS, PR, QRS, QT, *VOLTAGE]),
        ("normal rate and rhythm", [*RATE, ("regular RR intervals", False)]),
        ("AF with normal ventricular rate", [("atrial fibrillation", False), *RATE]),
        ("normal AV conduction, no delta wave", [("AV block", True), ("delta wave", True)]),
        ("normal T waves in V1-V3", [("upright T waves", False)]),
    ],
)
def test_what_is_normal_is_a_statement_that_can_be_checked(report, statements):
    assert sorted(said(report)) == sorted(statements)
    assert understood(report).left_out == ()


def test_intervals_are_those_beside_a_block_that_the_report_tells():
    block = ("right bundle branch block", False)
    assert said("RBBB. Intervals normal.") == [block, QT]
    assert said("RBBB. QRS normal.") == [block, QRS]


def test_a_value_beside_it_is_kept():
    assert said("QTc normal at 410 ms") == [QT, ("QTc 410 ms", False)]
    assert said("Normal axis, QTc normal at 410 ms") == [AXIS, QT, ("QTc 410 ms", False)]
    beside = [tag for tag in understood("normal PR interval (160 ms)").tags if tag.value]
    assert [tag.tag for tag in beside] == ["PR interval 160 ms"]


@pytest.mark.parametrize(
    ("report", "statements"),
    [
        ("normal QTc, prolonged PR", [QT, ("prolonged PR interval", False)]),
        ("Normal PR and QRS prolonged", [PR, ("wide QRS complex", False)]),
        (
            "normal QTc, PR and QRS prolonged",
            [QT, ("prolonged PR interval", False), ("wide QRS complex", False)],
        ),
        (
            "prolonged PR, QRS and QT normal",
            [("prolonged PR interval", False), QRS, QT],
        ),
        ("Axis: normal\nPR normal\nLBBB", [AXIS, PR, ("left bundle branch block", False)]),
        (
            "LVH and normal PR and AF",
            [("left ventricular hypertrophy", False), PR, ("atrial fibrillation", False)],
        ),
        (
            "no LBBB, normal QTc, ST elevation",
            [("left bundle branch block", True), QT, ("ST elevation", False)],
        ),
    ],
)
def test_it_reaches_neither_into_what_follows_nor_into_what_precedes(report, statements):
    assert sorted(said(report)) == sorted(statements)


@pytest.mark.parametrize(
    "report",
    [
        "borderline normal QTc",
        "high normal QTc",
        "QTc upper limit of normal",
        "QTc not normal",
        "QTc no longer normal",
        "abnormal QTc",
        "possible normal QTc",
        "Is the QTc normal?",
        "QTc normal or borderline",
        "QTc normal on prior ECG",
        "no normal P waves",
        "loss of normal R wave progression",
        "normal QRS > 120 ms",
        "Intervals normal except for QTc",
        "Normal intervals, save for PR",
        "Normal QTc (430)",
        "normal QRS (<120 ms)",
        "normal PR (120-200 ms)",
        "Normal rate (72)",
        "QTc normal, probably",
        "Presumably: PR normal",
        "QTc normal, slightly prolonged",
        "PR normal and progressively prolonged",
        "Normal QTc (Fridericia), prolonged by Bazett",
        "AF, normal P waves, absent",
        "LBBB, normal PR, unlikely",
        "Inferolateral: ST-T normal",
        "Extremitätenableitungen: normale Voltage",
        "Normal P, QRS and T axes",
        "PR 240 ms (normal PR 200 ms)",
        "Old ECG: normal QTc",
        "Baseline ECG: QTc normal, now 510 ms",
        "If the patient has normal QTc, discharge",
        "PACs with normal conduction",
        "Normal axis, PR (240 ms)",
        "normal axis, QTc 510 ms",
        "Axis: normal\nPR: 240 ms\nQTc: 510 ms",
        "PR and QRS normal at 160 ms and 90 ms",
        "QRS: normal QTc: 510 ms",
        "PR, QRS, QTc: normal, wide, prolonged",
        "normal P waves, PR, prolonged",
        "Limb leads: normal voltage",
        "does not have normal intervals",
        "LQT1 may have a normal QTc",
        "LBBB, normal QTc, Brugada?",
        "Earlier ECG with normal QTc, now 510 ms",
        "Atrial tachycardia with normal ventricular rate",
    ],
)
def test_what_is_bounded_doubted_denied_or_past_is_not_judged(report):
    assert normals_judged(report) == report


@pytest.mark.parametrize(
    ("report", "tag", "leads", "age"),
    [
        ("ST depression, normal QRS, in V4-V6", "ST depression in V4-V6", ("V4", "V5", "V6"), ""),
        ("V5-V6: PR normal, QRS normal, ST elevation", "ST elevation", ("V5", "V6"), ""),
        ("LBBB, normal PR, new", "left bundle branch block", (), "new"),
        (
            "Inferior infarct with normal QTc, age undetermined",
            "inferior myocardial infarction",
            (),
            "undetermined",
        ),
    ],
)
def test_leads_and_ages_around_it_reach_the_finding_that_they_are_of(report, tag, leads, age):
    (found,) = (one for one in understood(report).tags if one.tag == tag)
    assert (found.leads, found.age) == (leads, age)


def test_a_prompt_for_it_is_told_what_to_ask():
    with pytest.raises(PromptError, match='denies a finding; ask for "long QT interval" instead'):
        asked("QTc within normal limits")
    with pytest.raises(PromptError, match='ask for "prolonged PR interval" instead'):
        asked("normal intervals")
    assert asked("normal QRS").words == "narrow QRS complex"


@pytest.mark.parametrize("report", ["borderline normal PR", "abnormal QTc", "QTc not normal"])
def test_a_measure_that_is_not_judged_keeps_the_words_that_bound_it(report):
    (tag,) = understood(report).tags
    assert (tag.tag, tag.known, tag.denied) == (report, False, False)


def test_a_prompt_with_a_finding_beside_it_is_told_to_ask_that_alone():
    with pytest.raises(PromptError, match='ask for "Brugada pattern" alone'):
        asked("Brugada with normal QTc")
    with pytest.raises(PromptError, match='; ask for "ST elevation in V1" alone: what is improb'):
        asked("ST elevation with normal PR, in V1")


def test_a_denial_goes_on_behind_it():
    tags = {one.tag: one.denied for one in understood("No LBBB, normal PR, or AF").tags}
    assert tags["left bundle branch block"] and tags["atrial fibrillation"]
