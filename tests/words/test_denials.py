"""Denials in every form that reports give them, and what only looks like one."""

import pytest

from focal_app.errors import PromptError
from focal_app.words.denials import answers_written_out, denials_first
from focal_app.words.prompts import asked
from focal_app.words.statements import understood


def said(report: str) -> list[tuple[str, bool]]:
    """Every statement with whether the report denies it."""
    return [(tag.tag, tag.denied) for tag in understood(report).tags]


@pytest.mark.parametrize(
    "report",
    [
        "LBBB not evident",
        "LBBB is not clearly seen",
        "LBBB could not be confirmed",
        "LBBB cannot be identified",
        "LBBB isn't present",
        "There isn’t any LBBB",
        "The ECG doesn't show LBBB",
        "LBBB never seen",
        "LBBB has disappeared",
        "Previously noted LBBB is gone",
        "Nothing to suggest LBBB",
        "inconsistent with LBBB",
        "fails to show LBBB",
        "Does not fulfil criteria for LBBB",
        "criteria for LBBB are not met",
        "LBBB: no",
        "LBBB: not seen",
        "LBBB: no evidence",
        "LBBB: unlikely",
        "LBBB (-)",
        "LBBB, not present",
        "Resolution of LBBB",
        "(LBBB) is no longer Present",
        "Patient is no longer in LBBB",
        "Nil LBBB",
        "non-LBBB",
        "LBBB (no)",
        "LBBB - none",
        "LBBB: negative",
        "LSB: nein",
        "Linksschenkelblock nicht nachweisbar",
        "Linksschenkelblock nicht sicher zu sehen",
        "Ein Linksschenkelblock liegt nicht vor",
        "Ein Linksschenkelblock besteht nicht mehr",
        "Linksschenkelblock fehlt",
    ],
)
def test_a_finding_that_a_report_denies_in_any_form_is_denied_and_nothing_is_left_over(report):
    found = understood(report)
    assert said(report) == [("left bundle branch block", True)]
    assert found.left_out == ()
    with pytest.raises(PromptError, match="denies a finding"):
        asked(report)


@pytest.mark.parametrize(
    ("report", "means"),
    [
        ("LBBB: yes", [("left bundle branch block", False)]),
        ("meets criteria for LBBB", [("left bundle branch block", False)]),
        (
            "RBBB or LBBB not evident",
            [(f"{s} bundle branch block", True) for s in ("right", "left")],
        ),
        (
            "Sinus rhythm, LBBB not evident",
            [("sinus rhythm", False), ("left bundle branch block", True)],
        ),
        ("T wave inversion has not normalized", [("inverted T waves", False)]),
        ("AF not yet resolved", [("atrial fibrillation", False)]),
        ("Partial resolution of T inversion", [("inverted T waves", False)]),
        ("Converted to sinus rhythm", [("sinus rhythm", False)]),
        (
            "AF has not converted to sinus rhythm",
            [("atrial fibrillation", False), ("sinus rhythm", True)],
        ),
        ("Pacing spikes not visible in all leads", [("pacing spikes", False)]),
        ("No acute changes of ischemia", [("acute myocardial ischemia", True)]),
        (
            "SR / no ischemia / LBBB",
            [
                ("sinus rhythm", False),
                ("myocardial ischemia", True),
                ("left bundle branch block", False),
            ],
        ),
        (
            "Aortic valve replaced, LBBB",
            [("Aortic valve", False), ("left bundle branch block", False)],
        ),
        ("non-paroxysmal AF", [("atrial fibrillation", False)]),
        ("AF: no RVR", [("atrial fibrillation", False), ("RVR", True)]),
        ("delta wave in V1: negative", [("delta wave", False), ("negative", False)]),
        ("SR, keine ES", [("sinus rhythm", False), ("premature complex", True)]),
        ("Criteria for LVH: not fulfilled", [("left ventricular hypertrophy", True)]),
        ("LBBB (+)", [("left bundle branch block", False)]),
        ("No change in the LBBB", [("left bundle branch block", False)]),
        ("No abnormalities other than LBBB", [("left bundle branch block", False)]),
        (
            "No LVH/RVH",
            [("left ventricular hypertrophy", True), ("right ventricular hypertrophy", True)],
        ),
        ("Keine ST-Hebungen/-Senkungen", [("ST elevation", True), ("ST depression", True)]),
        ("No ST-T changes/ischemia", [("ST-T change", True), ("myocardial ischemia", True)]),
        ("No abnormal ST elevation", [("ST elevation", True)]),
        (
            "AF with RVR is no longer present",
            [("atrial fibrillation with rapid ventricular response", True)],
        ),
        ("sinus rhythm not AF", [("sinus rhythm", False), ("atrial fibrillation", True)]),
        ("Sinus rhythm replaced AF", [("sinus rhythm", False), ("atrial fibrillation", True)]),
        ("NSTEMI", [("acute myocardial infarction", False)]),
        ("non-pathological Q waves", [("pathological Q waves", True)]),
        (
            "Sokolow-Lyon 21 mm",
            [("voltage criteria for left ventricular hypertrophy", True)],
        ),
        (
            "Sokolow-Lyon index 4.1 mV",
            [("voltage criteria for left ventricular hypertrophy", False)],
        ),
        ("T waves: negative", [("inverted T waves", False)]),
        ("P waves: none", [("absent P waves", False)]),
        ("P waves not seen", [("absent P waves", False)]),
        ("P waves cannot clearly be identified", [("absent P waves", False)]),
        ("no discernible P waves", [("absent P waves", False)]),
        ("P-Wellen nicht erkennbar", [("absent P waves", False)]),
        ("T waves are no longer inverted", [("inverted T waves", True)]),
        (
            "AF has been replaced by sinus rhythm",
            [("atrial fibrillation", True), ("sinus rhythm", False)],
        ),
        ("the cause of the bradycardia is not evident", [("bradycardia", False)]),
    ],
)
def test_what_is_there_is_told_from_what_is_not(report, means):
    assert said(report) == means


@pytest.mark.parametrize(
    "report",
    [
        "ischaemia cannot be excluded",
        "ischaemia can't be ruled out",
        "ischaemia cannot be definitively excluded",
        "This does not rule out ischaemia",
        "ischaemia cannot be assessed",
        "ischaemia: possible",
        "ischaemia (?)",
        "DD: ischaemia",
        "Consider: ischaemia",
        "möglicher Septuminfarkt",
    ],
)
def test_what_cannot_be_excluded_is_suspected(report):
    (tag,) = understood(report).tags
    assert tag.suspected and not tag.denied


@pytest.mark.parametrize(
    "report",
    [
        "T wave changes, likely nonspecific",
        "LVH, probably mild",
        "Prolonged QT, consider repeat ECG",
        "ST elevation, unlikely acute",
    ],
)
def test_a_hedge_of_what_stands_behind_it_doubts_nothing_before_its_comma(report):
    (tag,) = (tag for tag in understood(report).tags if tag.known)
    assert not tag.suspected and not tag.denied


@pytest.mark.parametrize(
    "report",
    ["QT cannot be measured due to LBBB", "Cannot assess ischaemia due to LBBB"],
)
def test_why_something_cannot_be_told_is_there(report):
    (block,) = (t for t in understood(report).tags if t.tag == "left bundle branch block")
    assert not block.suspected and not block.denied


def test_why_a_finding_cannot_be_excluded_is_no_doubt_of_its_own():
    ischemia, block = understood("Ischaemia cannot be excluded in the presence of LBBB").tags
    assert ischemia.suspected and not block.suspected and not block.denied


@pytest.mark.parametrize("text", ["Wellens", "Sinus rhythm.", "V1-V3: no", "can", "n't", "(no)"])
def test_what_denies_no_finding_names_none(text):
    assert not any(tag.denied and tag.known for tag in understood(text).tags)


def test_a_long_text_of_denials_is_written_out_once_over():
    text = "LBBB isn't seen, P waves: none, QTc not prolonged; " * 200
    plain = denials_first(answers_written_out(text))
    assert plain.count("absent") == plain.count("no QTc") == 200


OF_AF = ["absent P waves", "irregular RR intervals", "atrial fibrillation"]


@pytest.mark.parametrize(
    ("report", "told"),
    [
        ("No STE, STD, TWI", []),
        ("Without ST elevation, ST depression, T wave inversion.", []),
        ("AF, no STE, STD, TWI", ["atrial fibrillation"]),
        ("No LVH, RVH, LAE", []),
        (
            "No STE, STD, TWI but LBBB",
            ["ST depression", "inverted T waves", "left bundle branch block"],
        ),
        ("No STE, nonspecific ST-T changes", ["nonspecific ST-T change"]),
        ("No P waves, irregular RR, atrial fibrillation", OF_AF),
        ("No STE, STD, TWI in V4", ["ST depression", "inverted T waves"]),
        ("STD, TWI, no LVH", ["ST depression", "inverted T waves"]),
        (
            "No ischemia, ST depression, TWI, STE",
            ["ST depression", "inverted T waves", "ST elevation"],
        ),
        ("No STE, STD, flat T waves", ["ST depression", "low amplitude T waves"]),
        (
            "STD without STE, TWI, flat T waves",
            ["ST depression", "inverted T waves", "low amplitude T waves"],
        ),
        (
            "No STE, early repolarisation, peaked T waves",
            ["early repolarization", "peaked T waves"],
        ),
        (
            "No RVH, LVH with strain, LAE",
            ["left ventricular hypertrophy with strain", "left atrial enlargement"],
        ),
        ("No STE, STD, TWI?", ["ST depression", "inverted T waves"]),
    ],
)
def test_a_denial_goes_on_over_a_bare_list_of_one_kind_to_the_end(report, told):
    assert [tag for tag, denied in said(report) if not denied] == told


@pytest.mark.parametrize(
    ("report", "there", "denied"),
    [
        ("Keine ST-Hebung in V1, aber in V2.", ("V2",), ["no ST elevation in V1"]),
        ("No ST elevation in II but only in V2", ("V2",), ["no ST elevation in II"]),
        ("ST elevation in V2. No ST elevation in V5", ("V2",), ["no ST elevation in V5"]),
        ("RSR' in V2. No RSR' in V6", ("V2",), ["no RSR' in V6"]),
        ("RSR' in V2. No RSR' in V1 and V6", ("V2",), ["no RSR' in V1, V6"]),
        ("No LBBB. Kein Linksschenkelblock. LBBB.", (), ["no left bundle branch block"]),
        ("no Q waves in V1-V3 except V1", ("V1",), ["no pathological Q waves in V2-V3"]),
        ("No ST elevation in II or III except in III", ("III",), ["no ST elevation in II"]),
        ("Keine ST-Hebung in V1-V3 außer in V2", ("V2",), ["no ST elevation in V1, V3"]),
        ("No ST elevation in V1-V2, except in V2", ("V2",), ["no ST elevation in V1"]),
        ("No  Q waves in V1-V3 (except V1)", ("V1",), ["no pathological Q waves in V2-V3"]),
        ("No Q waves in V1-V2 (except minimal in V1)", ("V1",), ["no pathological Q waves in V2"]),
        ("Keine ST-Hebung in V1-V2 (mit Ausnahme von V2)", ("V2",), ["no ST elevation in V1"]),
        ("No sign of ST elevation in II or III excepting III", ("III",), ["no ST elevation in II"]),
        ("Keine ST\u2011Hebung in V1-V2 mit Ausnahme von V2", ("V2",), ["no ST elevation in V1"]),
    ],
)
def test_what_is_denied_in_some_leads_and_there_in_others_is_both(report, there, denied):
    found = understood(report)
    (tag,) = found.tags
    assert (tag.denied, tag.leads, found.left_out) == (False, there, ())
    assert [one.denial for one in found.overruled] == denied


@pytest.mark.parametrize(
    ("report", "suspected", "age"),
    [
        ("No ST elevation except possibly in V2", True, ""),
        ("Keine ST-Hebung, außer vielleicht in V2", True, ""),
        ("No ST elevation except for minimal changes in V2", False, ""),
        ("No clear evidence of ST elevation aside from V2", False, ""),
        ("Keine ST-Hebung außer fraglich in V2", True, ""),
        ("Keine ST-Hebung außer möglicherweise in V2", True, ""),
        ("Keine ST-Hebung, ausgenommen 0,5 mm in der Ableitung V2", False, ""),
        ("No ST elevation except in V2?", True, ""),
        ("No new ST elevation with the exception of V2", False, "new"),
    ],
)
def test_how_sure_and_how_old_an_exception_is_goes_with_it(report, suspected, age):
    found = understood(report)
    (tag,) = found.tags
    assert (tag.prompt, tag.denied) == ("ST elevation in V2", False)
    assert (tag.suspected, tag.age, found.left_out) == (suspected, age, ())


@pytest.mark.parametrize(
    ("report", "stated"),
    [
        ("Keine ST-Hebung (außer in V2), T-Negativierung oder LSB", ["ST elevation in V2"]),
        ("No ST elevation (except in V2), T wave inversion or LBBB", ["ST elevation in V2"]),
        ("No ST elevation (except in V2, J take-off)", ["ST elevation in V2", "J take-off"]),
        (
            "LVH, no ST elevation (except in V2)",
            ["left ventricular hypertrophy", "ST elevation in V2"],
        ),
    ],
)
def test_a_denial_goes_on_behind_an_exception_in_brackets(report, stated):
    assert [one.prompt for one in understood(report).tags if not one.denied] == stated


def test_what_is_denied_in_some_leads_but_something_else_in_others_stays_denied():
    assert said("No LBBB in V1 but AF in V2") == [
        ("left bundle branch block", True),
        ("atrial fibrillation", False),
    ]


def test_what_stands_behind_an_exception_is_told_of_itself():
    assert said("No ST elevation except in aVR, sinus rhythm") == [
        ("ST elevation", True),
        ("ST elevation in aVR", False),
        ("sinus rhythm", False),
    ]
    assert said("No ST elevation except in the presence of LBBB")[0] == ("ST elevation", True)


@pytest.mark.parametrize(
    "report",
    [
        "No ST elevation in V1, no ST depression except in V5",
        "Keine ST-Hebung in V1, keine ST-Senkung außer in V5",
        "No ST elevation in V1-V3, T waves inverted except in V1",
        "No ST elevation, except in V2 where the trace is noisy",
        "No ST elevation, save V2 (lost)",
        "Keine ST-Hebung außer in Ableitung V2, dort Artefakt",
        "No ST elevation except probably artefact in V2",
        "No ST elevation in V1 to V6, diffuse ST depression except in aVR and V1",
        "No Q waves in V1-V3 and normal T waves other than in III",
        "No ST elevation in V1 and no Q waves except in III",
        "no ST elevation in V1-V3 except V2, V5 has ST depression",
        "No LBBB in any lead, ST elevation except in V2",
        "No ST elevation in V1, no ST depression but in V5",
        "no ST elevation in V1-V3 but in V4-V6 there is ST depression",
        "No ST elevation in V1-V3, but in III Q waves.",
        "no T wave inversion in V1-V3 but in V4-V6 T waves are flat",
        "keine ST-Hebung in V1-V3, aber in II, III, aVF Q-Zacken",
        "no ST elevation in V1-V3 but in this context LBBB",
        "no ST elevation in V1-V3 but in V4 no ST depression",
        "No LBBB except in V1",
        "No AF except in V1",
    ],
)
def test_an_exception_states_no_finding_that_another_one_parts_from_it(report):
    first = understood(report).tags[0]
    assert first.denied and not understood(report).overruled
