"""Rules by which measurements contradict a finding: each with its limits."""

from dataclasses import replace

import numpy as np
import pytest

from focal_app.ecg.early_beats import EarlyBeats
from focal_app.ecg.measured import Measured
from focal_app.ecg.measurements import Measurement, Measurements, Waves
from focal_app.errors import LexiconError
from focal_app.explore.measured.contradictions import Judgement, judged
from focal_app.explore.measured.rules import load_rules, rules_of
from focal_app.explore.measured.sentences import rule_in_words
from focal_app.explore.measured.unnamed import NOTABLE, unnamed
from focal_app.explore.reading.bundled_cases import load_case
from focal_app.lexicon import load_lexicon
from focal_app.model.measuring import measured

NORMAL = {
    "rate_per_min": 70.0,
    "rr_variation_percent": 2.0,
    "pr_ms": 150.0,
    "qrs_ms": 90.0,
    "qt_ms": 380.0,
    "qtc_bazett_ms": 410.0,
    "qtc_fridericia_ms": 405.0,
    "axis_degrees": 40.0,
}
BLANK = Measured(Measurements(), Waves(*np.zeros((3, 0, 2)), np.zeros(0)))


def made(*, p_share=1.0, spike_s=None, beats=12, spread=2.0, device=None, **changes):
    """Beats a second apart with P 0.15 s before QRS, and a spike so long before it."""
    unrelated, early = changes.pop("unrelated", None), changes.pop("early", None)
    values = {**NORMAL, **changes}
    measurements = Measurements(
        **{
            k: Measurement(v, None if v is None else spread, (device or {}).get(k))
            for k, v in values.items()
        }
    )
    onsets = 1.0 + np.arange(beats)
    spans = onsets[:, None] + np.array([0.0, 0.1])
    p_s = spans - 0.15
    p_s[round(p_share * beats) :] = np.nan
    spikes_s = np.zeros(0) if spike_s is None else onsets - spike_s
    waves = Waves(p_s, spans, spans, spikes_s)
    return Measured(measurements, waves, p_share, bool(len(spikes_s)), unrelated, early)


AF = {"p_share": 0.0, "rr_variation_percent": 22.0, "pr_ms": None}
PAC, PVC = "premature atrial complex", "premature ventricular complex"
ALIKE = {"early": EarlyBeats(1, 92.0, 2.0), "rr_variation_percent": 12.0}
WIDE = {"early": EarlyBeats(2, 150.0, 60.0), "rr_variation_percent": 20.0}
BLOCKED = {"unrelated": 72.0, "p_share": 0.4, "pr_ms": None, "rate_per_min": 38.0}
IRBBB = "incomplete right bundle branch block"
RVR = "atrial fibrillation with rapid ventricular response"


@pytest.mark.parametrize(
    ("prompt", "found", "decided", "word"),
    [
        ("atrial fibrillation", made(), True, "RR varies by 2 %, P waves before each QRS"),
        ("AF", made(), True, "P waves"),
        ("atrial fibrillation", made(**AF), False, "RR varies by 22 %, no P waves before QRS"),
        ("atrial fibrillation", made(rr_variation_percent=15.0), None, "RR varies"),
        (RVR, made(rate_per_min=130.0), True, "P waves"),
        (RVR, made(**AF), True, "rate 70/min"),
        (RVR, made(**AF, rate_per_min=130.0), False, "rate 130/min"),
        (RVR, made(**AF, rate_per_min=96.0), None, "rate 96/min"),
        ("sinus rhythm", made(), False, "P waves before each QRS"),
        ("sinus rhythm", made(pr_ms=None), None, "P waves before each QRS"),
        ("sinus rhythm", made(spike_s=0.02, p_share=0.0), True, "spikes, no P waves before"),
        ("sinus rhythm", made(spike_s=0.02), None, "P waves before each spike: the ventricles are"),
        ("sinus rhythm", made(spike_s=0.17), True, "pacing spikes, no P waves before them"),
        ("sinus rhythm", made(spike_s=0.02, p_share=0.5), None, "the atria are uncertain"),
        ("sinus rhythm", made(**AF), True, "no P waves"),
        ("sinus tachycardia", made(), True, "rate 70/min"),
        ("sinus tachycardia", made(rate_per_min=112.0), False, "rate 112/min"),
        ("sinus tachycardia", made(rate_per_min=93.0), None, "rate 93/min"),
        ("supraventricular tachycardia", made(), True, "rate 70/min"),
        ("ventricular tachycardia", made(rate_per_min=150.0), True, "QRS 90 ms"),
        ("sinus bradycardia", made(), True, "rate 70/min"),
        ("sinus bradycardia", made(rate_per_min=48.0), False, "rate 48/min"),
        ("sinus bradycardia", made(rate_per_min=61.0), None, "rate 61/min"),
        ("first degree AV block", made(), True, "PR 150 ms"),
        ("first degree AV block", made(pr_ms=240.0), False, "PR 240 ms"),
        ("first degree AV block", made(pr_ms=196.0), None, "PR 196 ms"),
        ("first degree AV block", made(pr_ms=None, p_share=0.0), None, "no P waves"),
        ("complete left bundle branch block", made(), True, "QRS 90 ms"),
        (
            "complete right bundle branch block",
            made(qrs_ms=140.0, v1_late_r_mv=0.6),
            False,
            "late R V1 0.60 mV, QRS 140 ms",
        ),
        ("complete right bundle branch block", made(qrs_ms=140.0), None, "QRS 140 ms"),
        (IRBBB, made(v1_late_r_mv=0.2), False, "late R V1"),
        (IRBBB, made(v1_late_r_mv=0.2, qrs_ms=140.0), True, "QRS 140 ms"),
        (IRBBB, made(v1_late_r_mv=0.2, qrs_ms=124.0), None, "too wide for an incomplete block"),
        ("RBBB", made(v1_late_r_mv=0.2), False, "late R V1 0.20 mV"),
        ("complete right bundle branch block", made(qrs_ms=114.0), None, "QRS 114 ms"),
        ("RBBB", made(), None, "QRS 90 ms: too narrow for a complete block, which needs 120 ms"),
        ("right bundle branch block", made(qrs_ms=70.0), True, "QRS 70 ms"),
        ("LBBB", made(), True, "QRS 90 ms"),
        ("LBBB", made(qrs_ms=104.0), None, "too narrow for a complete block"),
        ("wide QRS complex", made(), True, "QRS 90 ms"),
        ("narrow QRS complex", made(qrs_ms=150.0), True, "QRS 150 ms"),
        ("left anterior fascicular block", made(), True, "axis 40°"),
        ("left anterior fascicular block", made(axis_degrees=-60.0), False, "axis −60°"),
        ("left axis deviation", made(axis_degrees=-20.0), None, "axis −20°"),
        ("left axis deviation", made(axis_degrees=70.0), True, "axis 70°"),
        ("ventricular fibrillation", made(), True, "QRS 90 ms"),
        (
            "ventricular fibrillation",
            made(qrs_ms=160.0, rr_variation_percent=20.0),
            None,
            "QRS 160 ms",
        ),
        ("ventricular fibrillation", made(qrs_ms=160.0), True, "RR varies by 2 %"),
        (
            "right bundle branch block",
            made(v1_late_r_mv=0.4),
            False,
            "late R V1 0.40 mV (QRS 90 ms: too narrow for a complete block, which needs 120 ms)",
        ),
        ("left axis deviation", made(axis_degrees=-128.0), True, "axis −128°"),
        ("extreme axis deviation", made(axis_degrees=-128.0), False, "axis −128°"),
        ("short RR intervals", made(rate_per_min=123.0), False, "rate 123/min"),
        ("long RR intervals", made(rate_per_min=80.0), None, "rate 80/min"),
        ("right axis deviation", made(), True, "axis 40°"),
        ("normal QRS axis", made(axis_degrees=-60.0), True, "axis −60°"),
        ("long QT interval", made(), True, "QTc 410 ms (Bazett)"),
        (
            "long QT interval",
            made(qtc_bazett_ms=510.0, qtc_fridericia_ms=490.0),
            False,
            "QTc 490 ms (Fridericia)",
        ),
        ("short QT interval", made(), True, "QTc 405 ms"),
        ("paced rhythm", made(spike_s=0.02), False, "spikes of a pacemaker"),
        ("paced rhythm", made(), None, None),
        ("premature ventricular complex", made(), True, "RR varies by 2 %"),
        (
            PVC,
            made(**WIDE),
            False,
            "2 early beats, QRS there up to 150 ms, 60 ms wider than in the others",
        ),
        (PVC, made(**ALIKE), True, "1 early beat, QRS there up to 92 ms, as in the other beats"),
        (PVC, made(**ALIKE, qrs_ms=150.0), True, "as in the other beats"),
        (
            PVC,
            made(early=EarlyBeats(1, 114.0, 12.0), rr_variation_percent=9.0),
            None,
            "12 ms wider",
        ),
        (
            PAC,
            made(**{**ALIKE, "early": EarlyBeats(1, 80.0, -10.0)}),
            False,
            "10 ms narrower than in",
        ),
        (PVC, made(early=EarlyBeats(0), rr_variation_percent=9.0), None, "no early beats"),
        ("multiform premature ventricular complexes", made(**ALIKE), True, "1 early beat"),
        (PAC, made(**ALIKE), False, "1 early beat, QRS there up to 92 ms"),
        (PAC, made(**WIDE), None, "60 ms wider"),
        (PAC, made(rr_variation_percent=9.0), None, None),
        ("premature complex", made(**WIDE), False, "2 early beats"),
        ("third degree AV block", made(), True, "P waves before each QRS"),
        ("normal ECG", made(qrs_ms=150.0), True, "QRS 150 ms"),
        ("normal ECG", made(**BLOCKED), True, "P waves at 72/min, unrelated to QRS"),
        ("third degree AV block", made(**BLOCKED), False, "unrelated to QRS, rate 38/min"),
        ("AV dissociation", made(**BLOCKED), False, "P waves at 72/min, unrelated to QRS"),
        ("sinus rhythm", made(**BLOCKED), None, "of the atria, which the ventricles do not follow"),
        ("first degree AV block", made(**BLOCKED), True, "unrelated to QRS"),
        ("normal ECG", made(), None, None),
        ("normal ECG", made(cornell_mv=3.6, qrs_ms=90.0), True, "Cornell 3.6 mV, QRS 90 ms"),
        ("normal ECG", made(cornell_mv=3.3, qrs_ms=90.0), None, None),
        ("normal ECG", made(rate_per_min=36.0), True, "36/min"),
        ("normal ECG", made(rate_per_min=45.0), None, "slower than 50/min"),
        ("normal ECG", made(qtc_bazett_ms=486.0), None, "QTc 486 ms (Bazett): long, from 460"),
        ("normal ECG", made(qtc_bazett_ms=461.0), None, None),
        (
            "normal ECG",
            made(qtc_bazett_ms=482.0, qtc_fridericia_ms=481.0),
            None,
            "QTc 482 ms (Bazett), QTc 481 ms (Fridericia): long",
        ),
        (
            "normal ECG",
            made(rate_per_min=110.0, qtc_bazett_ms=520.0, qtc_fridericia_ms=490.0),
            None,
            "many call normal otherwise; QTc 520 ms (Bazett), QTc 490 ms (Fridericia): long",
        ),
        ("absent P waves", made(), True, "P waves before each QRS"),
        ("regular RR intervals", made(rr_variation_percent=20.0), True, "RR varies by 20 %"),
        ("inferior myocardial infarction", made(), None, None),
        ("words of my own", made(), None, None),
    ],
)
def test_a_measurement_decides_within_its_limits(prompt, found, decided, word):
    judgement = judged(found, prompt)
    assert judgement.contradicted is decided
    assert (judgement.measured is None) if word is None else (word in judgement.measured)


def test_an_uncertain_measurement_decides_nothing():
    assert judged(made(pr_ms=180.0), "first degree AV block").contradicted is True
    assert judged(made(pr_ms=180.0, spread=8.0), "first degree AV block").contradicted is None


def test_where_the_device_measured_otherwise_nothing_is_decided():
    assert judged(made(device={"qrs_ms": 94.0}), "complete LBBB").contradicted is True
    assert judged(made(device={"qrs_ms": 135.0}), "complete LBBB").contradicted is None
    assert judged(made(qrs_ms=125.0, device={"qrs_ms": 90.0}), "LBBB").contradicted is None


def test_what_was_not_measured_decides_nothing():
    for statement in load_lexicon():
        assert judged(BLANK, statement.tag).contradicted is None
    assert judged(BLANK, "words of my own") == Judgement()


def test_few_beats_say_nothing_of_a_rhythm():
    assert judged(made(beats=3), "atrial fibrillation").contradicted is None


def test_no_measurement_both_contradicts_and_supports():
    """Of one statement: over a grid of what may be measured, one of the two at most holds."""
    rng = np.random.default_rng(0)
    spikes = (None, 0.02, 0.17)
    low = np.array([30, 0, 90, 60, 250, 300, 300, -180])
    high = np.array([180, 30, 320, 200, 600, 600, 600, 180])
    for _ in range(60):
        drawn = dict(zip(NORMAL, rng.uniform(low, high), strict=True))
        found = made(p_share=rng.uniform(0, 1), spike_s=spikes[rng.integers(3)], **drawn)
        contradicted = {n for n in load_rules() if judged(found, n).contradicted}
        for name in load_rules():
            parents = load_lexicon().ancestors(name)
            if contradicted & parents:
                assert judged(found, name).contradicted


def test_every_rule_names_a_statement_its_limits_and_a_source():
    for name, rule in load_rules().items():
        assert name in load_lexicon() and rule.source
        words = rule_in_words(rule)
        assert words.startswith(("Contradicted where", "Supported where")) and rule.source in words


@pytest.mark.parametrize(
    "table",
    [
        "banana: {source: x, contradicted: [{pr_ms: [1, 2]}]}",
        "sinus rhythm: {contradicted: [{pr_ms: [1, 2]}]}",
        "sinus rhythm: {source: x}",
        "sinus rhythm: {source: x, contradicted: [{pr: [1, 2]}]}",
        "sinus rhythm: {source: x, contradicted: [{pr_ms: [null, null]}]}",
        "sinus rhythm: {source: x, contradicted: [{pr_ms: [2, 1]}]}",
    ],
)
def test_a_table_that_cannot_be_right_is_refused(tmp_path, table):
    (tmp_path / "rules.yaml").write_text(table, encoding="utf-8")
    with pytest.raises(LexiconError):
        load_rules(tmp_path / "rules.yaml")


def test_what_contradicts_a_statement_contradicts_all_that_imply_it():
    assert next(rules_of("sinus tachycardia")).statement == "sinus tachycardia"
    assert {rule.statement for rule in rules_of("sinus tachycardia")} >= {"sinus rhythm"}
    assert judged(made(spike_s=0.02, p_share=0.0), "sinus tachycardia").contradicted


def test_the_bundled_fibrillation_fits_and_the_normal_case_refutes_it():
    assert judged(measured(load_case("atrial-fibrillation")), "AF").contradicted is False
    assert judged(measured(load_case("normal")), "AF").contradicted is True


def test_a_reading_carries_what_was_measured_and_keeps_its_probabilities(explorer):
    reading = explorer.read(load_case("normal"), ["atrial fibrillation", "sinus rhythm", "U waves"])
    assert reading.measured is not None
    assert [finding.contradicted for finding in reading.findings] == [True, False, None]
    bare = [replace(f, measured=None, contradicted=None).probability for f in reading.findings]
    assert bare == [finding.probability for finding in reading.findings]


WIDE, LONG = "wide QRS complex", "long QT interval"
TURNED = {"qtc_bazett_ms": 495.0, "qtc_fridericia_ms": 480.0, "axis_degrees": -72.0}


@pytest.mark.parametrize(
    ("probable", "values", "told"),
    [
        ([], {}, []),
        (["sinus rhythm"], {"qrs_ms": 154.0}, [WIDE]),
        (["LBBB"], {"qrs_ms": 154.0}, []),
        (["ventricular tachycardia"], {"qrs_ms": 154.0, "rate_per_min": 170.0}, []),
        (["AF"], {**AF, "rate_per_min": 169.0}, ["tachycardia"]),
        (["sinus tachycardia"], {"rate_per_min": 121.0}, []),
        (["sinus rhythm"], {"rate_per_min": 56.0}, []),
        (["sinus rhythm"], {"rate_per_min": 44.0}, ["bradycardia"]),
        (["left anterior fascicular block"], {"axis_degrees": -60.0}, []),
        (["normal ECG", "banana"], {"axis_degrees": -60.0}, ["left axis deviation"]),
        (["first degree AV block"], {"pr_ms": 240.0}, []),
        (["paced rhythm"], {"qrs_ms": 160.0, "spike_s": 0.02, "pr_ms": None}, []),
        (["paced rhythm"], {**TURNED, "qrs_ms": 160.0, "spike_s": 0.02}, []),
        (["paced rhythm"], {**TURNED, "spike_s": 0.17}, [LONG, "left axis deviation"]),
        (["sinus rhythm"], {"limb_qrs_mv": 0.4}, ["low QRS voltage"]),
        (["low QRS voltage in limb leads"], {"limb_qrs_mv": 0.4}, []),
        (["sinus rhythm"], {"lowest_st_mv": -0.15}, ["ST depression"]),
        (["myocardial ischemia"], {"lowest_st_mv": -0.15}, []),
        (["LBBB"], {"lowest_st_mv": -0.15, "qrs_ms": 154.0}, []),
        (
            ["sinus rhythm"],
            {"cornell_mv": 3.95},
            ["voltage criteria for left ventricular hypertrophy"],
        ),
        (["sinus rhythm"], {"cornell_mv": 3.2}, []),
        (["sinus rhythm"], {"cornell_mv": 3.95, "qrs_ms": None}, []),
        (["left ventricular hypertrophy"], {"cornell_mv": 3.95}, []),
        (["hypertrophy"], {"cornell_mv": 3.95}, []),
        (
            ["right ventricular hypertrophy"],
            {"cornell_mv": 3.95},
            ["voltage criteria for left ventricular hypertrophy"],
        ),
        (["LBBB"], {"cornell_mv": 4.7, "qrs_ms": 158.0}, []),
        (["LBBB"], {"cornell_mv": 4.7, "qrs_ms": 118.0}, []),
        ([], {"qrs_ms": 125.0, "spread": 12.0}, []),
        ([], {"qrs_ms": 154.0, "device": {"qrs_ms": 96.0}}, []),
    ],
)
def test_what_is_measured_and_no_probable_finding_accounts_for_is_told(probable, values, told):
    assert [one.statement for one in unnamed(made(**values), probable)] == told


def test_it_is_told_with_its_value_and_nothing_where_nothing_was_measured():
    (one,) = unnamed(made(qrs_ms=154.0), ["sinus rhythm"])
    assert one.measured == "QRS 154 ms"
    assert unnamed(BLANK, ["sinus rhythm"]) == ()


def test_all_that_can_be_told_has_a_rule_by_which_it_is_supported():
    rules = load_rules()
    assert not [name for name in NOTABLE if not (name in rules and rules[name].supported)]


def test_a_note_of_both_qtc_is_not_followed_by_one_of_bazett_alone():
    both = judged(made(qtc_bazett_ms=482.0, qtc_fridericia_ms=481.0), "normal ECG")
    assert str(both.measured).count("long") == 1
