"""Measurements in a probability: only for the statement that has a curve, and said openly."""

import shutil
import sys
from dataclasses import replace
from math import log
from types import SimpleNamespace

import numpy as np
import pytest

from focal_app.ecg.files import read_recording
from focal_app.ecg.measured import QUANTITIES, Measured, Quantities
from focal_app.ecg.measurements import Measurements, Waves
from focal_app.ecg.recording import ECG
from focal_app.errors import CheckpointError
from focal_app.explore.reading import on_gpu
from focal_app.explore.reading.bundled_cases import load_case
from focal_app.explore.reading.document import document
from focal_app.explore.reading.explorer import EMBEDDED, Explorer
from focal_app.explore.reading.prompts import scored
from focal_app.explore.reading.reading import Finding, percent
from focal_app.explore.reading.told import Telling
from focal_app.explore.reading.zones import NOT_SUPPORTED, SUPPORTED, UNDECIDED, Zones
from focal_app.explore.report.verdicts import of_feature
from focal_app.lexicon import load_lexicon
from focal_app.model.combination import COMBINATION, END, Combined, Term, load_combination
from focal_app.ui.read.wording import MADE_OF_MODEL, made_of
from focal_app.ui.server import zero_gpu
from train.fit.combination import applied, fit

ASKED = ("first degree AV block", "atrial fibrillation", "slurred terminal S in V6")


@pytest.fixture(scope="module")
def plain(tiny_checkpoint) -> Explorer:
    return Explorer.load(tiny_checkpoint)


@pytest.fixture(scope="module")
def sinus_rhythm() -> ECG:
    case = EMBEDDED.parent / "cases" / "normal.hea"
    return read_recording([case, case.with_suffix(".dat")])


def odds(probability: float) -> float:
    return log(probability / (1 - probability))


def test_the_embedded_curves_are_of_statements_and_of_quantities_that_are_measured():
    found = load_combination(EMBEDDED, Explorer.load().model.fingerprint)
    assert found
    for name, one in found.items():
        assert name in load_lexicon() and one.model > 0
        assert {term.quantity for term in one.terms} <= set(QUANTITIES)


def test_a_measurement_moves_its_own_statement_and_no_other(plain, sinus_rhythm):
    before = plain.read(sinus_rhythm, ASKED)
    value = before.measured.value("pr_ms")
    plain.combination = {ASKED[0]: Combined(0.5, 0.1, (Term("pr_ms", value - 10, 20, 3.0),))}
    after = plain.read(sinus_rhythm, ASKED)
    plain.combination = {}
    first, *rest = after.findings
    own = before.findings[0].probability
    assert first.model_probability == pytest.approx(own)
    assert odds(first.probability) == pytest.approx(0.5 * odds(own) + 0.1 + 1.5, abs=1e-4)
    told = [one.probability for one in before.findings[1:]]
    assert [one.probability for one in rest] == told
    assert [one.model_probability for one in rest] == [None, None]


def test_who_shows_the_narrower_finding_shows_the_broader_whatever_else_is_asked(
    plain, sinus_rhythm
):
    narrow, broad = "left ventricular hypertrophy", "hypertrophy"
    own = {
        one.prompt: one.probability for one in plain.read(sinus_rhythm, [narrow, broad]).findings
    }
    value = plain.read(sinus_rhythm, [narrow]).measured.value("sokolow_lyon_mv")
    sure = {narrow: Combined(1.0, 20.0, (Term("sokolow_lyon_mv", value, 1.0, 1.0),))}
    unmeasured = {narrow: Combined(1.0, 20.0, (Term("p_before_spikes_percent", 50, 20, 1.0),))}
    told = []
    for combination, asked in ((sure, [broad]), (sure, [narrow, broad]), (unmeasured, [broad])):
        plain.combination = combination
        told.append(plain.read(sinus_rhythm, asked).findings)
    plain.combination = {}
    (alone,), (first, second), (nothing,) = told
    assert first.probability > own[broad]
    assert alone.probability == second.probability == pytest.approx(first.probability)
    assert alone.model_probability == pytest.approx(own[broad])
    assert alone.held_out is None or alone.held_out.by_own_prompt
    assert nothing.probability == pytest.approx(own[broad]) and nothing.model_probability is None


def test_a_value_that_is_missing_beside_others_counts_as_a_usual_one():
    terms = (Term("pr_ms", 200, 20, 1.0, -1.5), Term("qrs_ms", 120, 10, 0.5, -1.0))
    combined = Combined(0.8, 0.1, terms)
    usual = Quantities({"pr_ms": 170.0, "qrs_ms": 130.0})
    without = Quantities({"qrs_ms": 130.0})
    assert combined.log_odds(0.3, without) == pytest.approx(combined.log_odds(0.3, usual))
    assert combined.log_odds(0.3, Quantities({})) is None


@pytest.mark.parametrize(
    ("small_r", "term"),
    [
        ({"anterior_r_mv": 0.05}, Term("anterior_r_mv", 0.3, -0.15, 1.0, -0.9)),
        ({"anterior_q_ms": 60.0}, Term("anterior_q_ms", 20.0, 15.0, 1.0, -0.9)),
    ],
)
def test_small_r_and_q_tell_of_no_infarct_where_the_left_bundle_is_blocked(small_r, term):
    curve = Combined(1.0, 0.0, (term,))
    narrow = {"qrs_ms": 90.0, "v6_s_mv": 0.05}
    for beside in (
        {},
        narrow,
        {"qrs_ms": 119.0, "v6_s_mv": 0.1},
        {"qrs_ms": 150.0, "v6_s_mv": 0.4},
    ):
        assert curve.log_odds(-3.0, Quantities({**small_r, **beside})) > -1.5
    left = {**small_r, "qrs_ms": 150.0, "v6_s_mv": 0.1}
    assert curve.log_odds(-3.0, Quantities(left)) is None
    of_unknown_width = Quantities({**small_r, "v6_s_mv": 0.1})
    assert curve.log_odds(-3.0, of_unknown_width) is None
    width = Combined(1.0, 0.0, (*curve.terms, Term("qrs_ms", 150.0, 10.0, 0.5)))
    assert width.log_odds(-3.0, Quantities(left)) == pytest.approx(-3.0 - 0.9)


def test_s_after_a_small_r_counts_as_much_as_q_does_where_the_axis_turns_left_or_is_unknown():
    curve = Combined(1.0, 0.0, (Term("inferior_qs_percent", 25.0, 15.0, 1.0, -1.2),))
    deep = {"inferior_qs_percent": 150.0, "inferior_q_percent": 10.0}
    for axis in ({"axis_degrees": -20.0}, {"axis_degrees": -150.0}):
        assert curve.log_odds(-3.0, Quantities({**deep, **axis})) == pytest.approx(-1.0)
    left = {**deep, "axis_degrees": -50.0}
    for axis in (left, deep):
        assert curve.log_odds(-3.0, Quantities(axis)) == pytest.approx(-4.0)
    frank = Quantities({**left, "inferior_q_percent": 150.0})
    assert curve.log_odds(-3.0, frank) == pytest.approx(-1.0)


def test_s_that_fills_a_wide_qrs_in_v2_tells_of_no_infarct_unless_v1_ends_in_r():
    curve = Combined(1.0, 0.0, (Term("anterior_q_ms", 20.0, 15.0, 1.0, -1.0),))
    filled = {"anterior_q_ms": 110.0, "qrs_ms": 135.0, "v6_s_mv": 0.9}
    assert curve.log_odds(-3.0, Quantities({**filled, "v1_late_r_mv": 0.0})) is None
    for other in ({"v1_late_r_mv": 0.5}, {"v1_late_r_mv": 0.0, "qrs_ms": 100.0}):
        assert curve.log_odds(-3.0, Quantities({**filled, **other})) == pytest.approx(-1.0)


def test_t_that_a_left_bundle_branch_block_turns_tells_of_no_infarct_and_stays_an_inverted_t():
    t = Term("lateral_t_mv", 0.1, -0.1, 0.5, -1.2)
    infarct, inverted = (
        Combined(1.0, 0.0, (Term("anterior_r_mv", 0.3, -0.15, 1.0, -0.9), t)),
        Combined(1.0, 0.0, (t,)),
    )
    turned = {"anterior_r_mv": 0.3, "lateral_t_mv": -0.1, "v6_s_mv": 0.1}
    narrow, left = (Quantities({**turned, "qrs_ms": width}) for width in (90.0, 150.0))
    assert infarct.log_odds(-3.0, narrow) == pytest.approx(-3.0 + 0.5 * 2)
    assert infarct.log_odds(-3.0, left) is None
    assert inverted.log_odds(-3.0, left) == pytest.approx(-3.0 + 0.5 * 2)


def test_t_beside_a_wide_qrs_is_not_told_against_r():
    curve = Combined(1.0, 0.0, (Term("lowest_t_percent", 10.0, -5.0, 1.0, -1.0),))
    low = {"lowest_t_percent": 5.0}
    for other in ({}, {"qrs_ms": 119.0}):
        assert curve.log_odds(-3.0, Quantities({**low, **other})) == pytest.approx(-2.0)
    assert curve.log_odds(-3.0, Quantities({**low, "qrs_ms": 120.0})) is None


def test_a_block_raises_what_it_implies_where_nothing_measured_tells_of_it():
    block, broad = "left bundle branch block", "conduction disturbance"
    curve = Combined(1.0, -4.0, (Term("qrs_ms", 110, 10, 1.0),))
    own = np.array([[0.9, 0.2]])
    found = Quantities({"qrs_ms": 110.0})
    told = Telling({broad: curve}).told([block, broad], own, [found])
    assert told.tolist() == [[0.9, 0.9]]
    assert block in Telling({broad: curve}).beside(broad)
    assert Telling().told([block, broad], own, [found]).tolist() == own.tolist()
    unmeasured = Telling({broad: curve, block: Combined(1.0, 0.0, (Term("v6_s_mv", 0, 1, 1.0),))})
    assert unmeasured.told([block, broad], own, [found]).tolist() == [[0.9, 0.9]]


def test_a_percentage_that_a_block_raises_names_the_block_and_no_measurement():
    case = load_case("left-bundle-branch-block")
    second = replace(case, signal_mv=case.signal_mv[:, : round(1.3 * case.sampling_rate_hz)])
    block_of = "left bundle branch block"
    asked = [f"complete {block_of}", "conduction disturbance", block_of, "wide QRS complex"]
    reading = Explorer.load().read(second, asked)
    block, raised, broader, alone = reading.findings
    assert reading.measured.value("qrs_ms") is None and block.raised_by is None
    assert raised.probability == block.probability and raised.raised_by == block.prompt
    assert "measure" not in made_of(raised) + raised.made_of
    assert f"by {block.prompt}" in of_feature(raised, Zones()).why
    assert raised.held_out.by_own_prompt
    assert broader.raised_by == block.prompt and alone.raised_by is None


def test_the_left_block_that_is_bundled_is_no_infarct():
    asked = ["left bundle branch block", "myocardial infarction"]
    block, infarct = Explorer.load().read(load_case("left-bundle-branch-block"), asked).findings
    assert block.likely and infarct.improbable


def test_a_percentage_that_a_measured_narrower_finding_raises_names_that_finding():
    broad, narrow = "hypertrophy", "left ventricular hypertrophy"
    explorer = Explorer.load()
    explorer.combination = explorer.telling.combination | {
        broad: Combined(1.0, -9.0, (Term("sokolow_lyon_mv", 3.5, 0.7, 0.0),))
    }
    raised, raising = explorer.read(load_case("hypertrophy"), [broad, narrow]).findings
    assert raising.model_probability is not None and raising.raised_by is None
    assert (raised.probability, raised.raised_by) == (raising.probability, narrow)
    assert made_of(raised).startswith(f"Made of the percentage of {narrow};")


def test_a_weight_that_is_given_is_not_fitted_and_moves_nothing_where_nothing_was_measured():
    rng = np.random.default_rng(1)
    present = rng.random(60) < 0.3
    own = rng.normal(present, 1.0)
    distances = np.column_stack([rng.normal(size=60), np.where(rng.random(60) < 0.5, np.nan, 2.0)])
    terms = (Term("pr_ms", 200, 20), Term("early_wider_ms", 15, 7.5, 1.0))
    combined = fit(terms, own, distances, present)
    assert [one.weight == 1.0 for one in combined.terms] == [False, True]
    assert combined.terms[1].usual == 0
    with_it, unmeasured = distances.copy(), distances.copy()
    with_it[:, 1], unmeasured[:, 1] = 0.0, np.nan
    told = applied(combined, own, unmeasured)
    assert told == pytest.approx(applied(combined, own, with_it))
    assert applied(combined, own, np.nan_to_num(distances, nan=2.0)) == pytest.approx(told + 2)


def test_curves_are_fitted_with_what_is_usual_in_the_place_of_what_is_missing():
    distances = np.array([[1.0], [np.nan], [-2.0], [-2.0]] * 5)
    own, present = np.array([1.0, 0.5, -1.0, -2.0] * 5), np.array([True, False, False, False] * 5)
    combined = fit((Term("pr_ms", 200, 20),), own, distances, present)
    assert combined.terms[0].usual == pytest.approx(-1.0)
    told = applied(combined, own, distances)
    assert told[1] == pytest.approx(own[1]), "nothing was measured: the model alone"
    filled = fit((Term("pr_ms", 200, 20),), own, np.nan_to_num(distances, nan=-1.0), present)
    assert combined.terms[0].weight == pytest.approx(filled.terms[0].weight)


def test_what_a_percentage_is_made_of_stands_in_words_and_in_json(plain, sinus_rhythm):
    plain.combination = {ASKED[0]: Combined(1.0, 3.0, (Term("pr_ms", 200, 20, 1.0),))}
    reading = plain.read(sinus_rhythm, ASKED)
    plain.combination = {}
    both, own = document(reading, heatmap=False)["findings"][:2]
    assert (both["made_of"], own["made_of"]) == ("model and measurements", "model")
    assert both["model_probability"] != both["probability"]
    assert own["model_probability"] == own["probability"]
    assert "the model alone" in made_of(reading.findings[0])
    assert made_of(reading.findings[1]) == MADE_OF_MODEL


def test_without_any_measurement_the_model_alone_is_told():
    nothing = Combined(0.5, 1.0, (Term("pr_ms", 200, 20, 1.0),))
    assert nothing.log_odds(0.3, None) is None
    waves = Waves(*[np.zeros((0, 2))] * 3, np.zeros(0))
    assert nothing.log_odds(0.3, Measured(Measurements(), waves)) is None


@pytest.mark.parametrize(
    ("told", "name"), [(0.004, NOT_SUPPORTED), (0.1, UNDECIDED), (0.95, SUPPORTED)]
)
@pytest.mark.parametrize("own", [0.01, 0.9])
def test_verify_sorts_what_read_tells_whatever_the_model_says_alone(own, told, name):
    weights = np.ones((12, 10), np.float32)
    finding = Finding("sinus rhythm", "rhythm", 0.2, told, weights, model_probability=own)
    verdict = of_feature(finding, Zones())
    assert verdict.name == of_feature(replace(finding, model_probability=None), Zones()).name
    assert verdict.name == name and f"{percent(own)} without" in verdict.why


def test_what_a_measurement_defines_goes_one_zone_up_by_it_and_what_it_denies_one_down():
    weights = np.ones((12, 10), np.float32)
    at_59 = Finding("sinus bradycardia", "rhythm", 0.2, 0.3, weights, model_probability=0.05)
    fits = replace(at_59, measured="rate 59/min", contradicted=False)
    assert of_feature(fits, Zones()).name == SUPPORTED
    assert of_feature(replace(fits, contradicted=True), Zones()).name == NOT_SUPPORTED
    assert of_feature(replace(fits, probability=0.4, contradicted=None), Zones()).name == UNDECIDED
    other = replace(fits, prompt="sinus rhythm", measured="P waves before each QRS")
    assert of_feature(other, Zones()).name == UNDECIDED, "P waves alone define no sinus rhythm"


def test_two_findings_in_one_prompt_are_as_likely_as_the_less_likely(plain, sinus_rhythm):
    prompts = ("sinus rhythm and left bundle branch block", "sinus rhythm", "LBBB")
    both, *each = plain.read(sinus_rhythm, prompts).findings
    assert len(scored(prompts[0]).each) == 2
    assert both.probability == min(one.probability for one in each)
    coarse, fine = both.weights, plain.fine(sinus_rhythm, prompts[0]).weights
    assert coarse.shape[0] == fine.shape[0] == 12


def test_curves_that_cannot_be_read_are_refused(tmp_path):
    head = "a: {model: 1, shift: 0, measured: "
    strange = (
        f"{head}{{height: [1, 2, 3]}}}}",
        f"{head}{{pr_ms: [1, 0, 3]}}}}",
        f"{head}{{pr_ms: [{'9' * 400}, 1, 3]}}}}",
        f"{head}{{pr_ms: [{'59:' * 300}59.5, 1, 3]}}}}",
        *(
            f"{head}{{}}, unseen: {told}}}"
            for told in ("[.inf, 77, 0.9]", "[5, 7, 0.9]", "[7, 5, 9]")
        ),
    )
    for text in ("LBBB: 3", "a: {model: .nan, shift: 0, measured: {}}", "[", *strange):
        (tmp_path / COMBINATION).write_text(f"{text}\n{END}\n")
        with pytest.raises(CheckpointError, match="cannot be read"):
            load_combination(tmp_path, lambda: "any")


def test_a_file_that_ends_between_two_lines_is_refused(tmp_path):
    lines = (EMBEDDED / COMBINATION).read_text().splitlines(keepends=True)
    for kept in range(len(lines)):
        (tmp_path / COMBINATION).write_text("".join(lines[:kept]))
        with pytest.raises(CheckpointError, match="cannot be read"):
            load_combination(tmp_path, lambda: "any")


def test_curves_of_another_checkpoint_say_nothing_and_are_warned_of(
    tiny_checkpoint, tmp_path, caplog
):
    copied = shutil.copytree(tiny_checkpoint, tmp_path / "checkpoint")
    shutil.copyfile(EMBEDDED / COMBINATION, copied / COMBINATION)
    assert not Explorer.load(copied).combination
    assert "another checkpoint" in caplog.text


def test_a_lent_gpu_has_what_lies_beside_the_weights_too(monkeypatch):
    lent = SimpleNamespace(GPU=lambda **_: None)
    monkeypatch.setitem(sys.modules, "spaces", lent)
    monkeypatch.setattr(on_gpu, "GpuExplorer", lambda model, **_: Explorer(model))
    there, here = zero_gpu.load(None), Explorer.load()
    assert there.combination == here.combination and there.combination
    assert (there.card, there.zones) == (here.card, here.zones)
