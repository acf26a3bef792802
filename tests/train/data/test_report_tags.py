"""Statements of machines become tags: examples, and what holds for any statement."""

from collections import Counter

import pytest
import yaml

from focal_app.lexicon import load_lexicon
from train.data.report_tags import LISTS, clean, tag_report


def tags_of(*statements: str) -> tuple[str, ...]:
    return tag_report(statements, Counter()).tags


def hedged_of(*statements: str) -> tuple[str, ...]:
    return tag_report(statements, Counter()).hedged


CERTAIN = {
    "Sinus rhythm.": ("sinus rhythm",),
    "  SINUS   Bradycardia ": ("sinus bradycardia",),
    "Anterior infarct, old": ("anterior infarct, old",),
    "Old inferior infarct": ("old inferior infarct",),
    "Inferior infarct - age undetermined": ("inferior myocardial infarction",),
    "Septal infarct, age indeterminate": ("septal myocardial infarction",),
    "RBBB": ("right bundle branch block",),
    "Incomplete RBBB": ("incomplete right bundle branch block",),
    "Prolonged QT interval": ("long QT interval",),
    "Low QRS voltages in precordial leads": ("low QRS voltage in chest leads",),
    "Low voltage, extremity leads": ("low QRS voltage in limb leads",),
    "AV block, complete (third degree)": ("third degree AV block",),
    "2nd degree A-V block, Mobitz I (Wenckebach)": ("second degree AV block type 1",),
    "- frequent premature ventricular contractions": ("premature ventricular complex",),
    "Pacemaker rhythm - no further analysis": ("paced rhythm",),
    "Poor R wave progression - probable normal variant": ("poor R wave progression",),
    "Normal ECG": ("normal ECG",),
    "Nonspecific T abnrm, anterolateral leads": ("nonspecific t abnormality, anterolateral leads",),
    "Inferior/lateral ST-T changes are nonspecific": (
        "inferior/lateral st-t changes are nonspecific",
    ),
    "Nonspecific IVCD with LAD": (
        "nonspecific intraventricular conduction delay",
        "left axis deviation",
    ),
    "Sinus rhythm with PAC(s)": ("sinus rhythm", "premature atrial complex"),
    "Sinus rhythm with 1st degree A-V block": ("sinus rhythm", "first degree AV block"),
    "Normal sinus rhythm with frequent PVCs": ("sinus rhythm", "premature ventricular complex"),
    "RBBB with left anterior fascicular block": (
        "right bundle branch block",
        "left anterior fascicular block",
    ),
    "RBBB and LAFB": ("right bundle branch block", "left anterior fascicular block"),
    "LVH with secondary repolarization abnormality": (
        "left ventricular hypertrophy",
        "secondary repolarization abnormality",
    ),
    "LVH with repolarization abnormality": ("left ventricular hypertrophy with strain",),
    "Atrial fibrillation with rapid ventricular response": (
        "atrial fibrillation with rapid ventricular response",
    ),
}

SUSPECTED = {
    "Possible inferior infarct": (("inferior myocardial infarction",),) * 2,
    "Cannot rule out septal infarct - age undetermined": (("septal myocardial infarction",),) * 2,
    "*** Consider ACUTE ST ELEVATION MI ***": (("ST elevation myocardial infarction",),) * 2,
    "Probable left atrial enlargement": (("left atrial enlargement",),) * 2,
    "*** ANTERIOR INFARCT - POSSIBLY ACUTE ***": (("anterior infarct - possibly acute",),) * 2,
    "Lateral ST-T changes may be due to myocardial ischemia": (
        ("lateral st-t changes", "myocardial ischemia"),
        ("myocardial ischemia",),
    ),
    "Left axis deviation - possible left anterior fascicular block": (
        ("left axis deviation", "left anterior fascicular block"),
        ("left anterior fascicular block",),
    ),
    "ST elev, probable normal early repol pattern": (
        ("ST elevation", "early repolarization"),
        ("early repolarization",),
    ),
}

TECHNICAL = (
    "--- Warning: Data quality may affect interpretation ---",
    "*** report made without knowing patient's sex ***",
    "Lead(s) unsuitable for analysis: V1",
    "Baseline artifact",
    "All 12 leads are missing",
    "--- Suspect arm lead reversal - only aVF, V1-V6 analyzed",
    "Age not entered, assumed to be 50 years old for purpose of ECG interpretation",
    "Pacer detection suspended due to external noise-REVIEW ADVISED",
    "--- Pediatric criteria used ---",
    "Since previous tracing, no significant change",
)


@pytest.mark.parametrize("statement", CERTAIN)
def test_a_plain_statement_becomes_these_tags(statement: str) -> None:
    assert tags_of(statement) == CERTAIN[statement]
    assert hedged_of(statement) == ()


@pytest.mark.parametrize("statement", SUSPECTED)
def test_a_hedge_is_taken_off_and_kept_as_an_attribute(statement: str) -> None:
    assert (tags_of(statement), hedged_of(statement)) == SUSPECTED[statement]


@pytest.mark.parametrize("statement", TECHNICAL)
def test_a_technical_statement_is_dropped_and_counted(statement: str) -> None:
    counted: Counter[str] = Counter()
    assert tag_report([statement, "Sinus rhythm"], counted).tags == ("sinus rhythm",)
    assert counted["statements dropped: technical"] == 1
    assert counted["statements"] == 2


@pytest.mark.parametrize("statement", ["Abnormal ECG", "borderline ecg.", "Summary: abnormal ECG"])
def test_a_generic_statement_is_dropped_and_counted(statement: str) -> None:
    counted: Counter[str] = Counter()
    assert tag_report([statement], counted).tags == ()
    assert counted["statements dropped: generic"] == 1


def test_a_statement_that_denies_is_dropped_and_counted() -> None:
    counted: Counter[str] = Counter()
    assert tag_report(["No evidence of inferior infarct"], counted).tags == ()
    assert counted["statements dropped: negated"] == 1


def test_what_a_machine_broke_over_two_columns_is_one_statement() -> None:
    said = tags_of("Atrial fibrillation", "with rapid ventricular response", "LVH")
    assert said == (
        "atrial fibrillation with rapid ventricular response",
        "left ventricular hypertrophy",
    )


def test_a_finding_said_twice_is_one_tag_and_certain_if_said_so_once() -> None:
    report = tag_report(["Possible LVH", "Left ventricular hypertrophy"], Counter())
    assert (report.tags, report.hedged) == (("left ventricular hypertrophy",), ())


@pytest.mark.parametrize("comma", [", old", ", acute", ", recent", " - possibly acute"])
@pytest.mark.parametrize("wall", ["anterior", "inferior", "lateral", "anteroseptal"])
def test_an_infarct_is_never_cut_from_its_age(wall: str, comma: str) -> None:
    assert tags_of(f"{wall} infarct{comma}") == (f"{wall} infarct{comma}",)


def test_cleaning_twice_is_cleaning_once() -> None:
    for statement in (*CERTAIN, *SUSPECTED, *TECHNICAL):
        assert clean(clean(statement)) == clean(statement)


def test_every_wording_and_abbreviation_of_the_lists_is_known_to_the_lexicon() -> None:
    lists = yaml.safe_load(LISTS.read_text())
    for name in (*lists["wordings"].values(), *lists["abbreviations"]):
        assert load_lexicon().resolve(name), name


COMPOUNDS = {"bifascicular block"}
"""Statements some of whose wordings stand on the list of compounds."""


def test_every_other_name_of_a_finding_becomes_its_statement() -> None:
    """Wordings of the lexicon go through: no list may drop, cut or change them."""
    found = {
        name: (statement.tag, tags_of(name))
        for statement in load_lexicon()
        if statement.group not in ("technical", "normal")
        for name in statement.names
    }
    changed = {name: was for name, was in found.items() if was[1] != (was[0],)}
    assert {was[0] for was in changed.values()} <= COMPOUNDS
    assert all(len(was[1]) == 2 for was in changed.values())
