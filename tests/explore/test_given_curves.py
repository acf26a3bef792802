"""Curves that are given, not fitted: measurements that define or bound a statement, or are rare."""

import numpy as np
import pytest

from focal_app.ecg.measured import Quantities
from focal_app.explore.reading.bundled_cases import load_case
from focal_app.explore.reading.explorer import EMBEDDED, Explorer
from focal_app.explore.reading.told import Telling
from focal_app.model.combination import load_combination
from train.fit.combination import (
    BETWEEN,
    BOUNDED,
    DEFINED,
    GIVEN,
    SPOKEN_AGAINST,
    candidates,
)


def test_the_curves_that_are_given_lie_beside_the_embedded_weights():
    found = load_combination(EMBEDDED, Explorer.load().model.fingerprint)
    assert {name: found[name] for name in GIVEN} == GIVEN


@pytest.mark.parametrize("name", ["paced rhythm", "pacing spikes"])
def test_spikes_tell_of_a_pacemaker_and_their_absence_says_nothing(name):
    curve = GIVEN[name]
    assert curve.log_odds(-1.2, Quantities({"spikes": 1.0})) == pytest.approx(-1.2 + 4.5)
    assert curve.log_odds(2.9, Quantities({"spikes": 0.0})) == pytest.approx(2.9)
    assert curve.log_odds(-1.2, Quantities({"qrs_ms": 160.0})) is None, "the rate holds no spike"


def test_where_a_curve_adds_nothing_the_model_alone_is_told_to_the_last_digit():
    own = np.array([[0.060793]])
    silent = Telling(GIVEN).told(["pacing spikes"], own, [Quantities({"spikes": 0.0})])
    assert silent.tolist() == own.tolist()


@pytest.mark.parametrize("name", DEFINED)
def test_what_a_measurement_defines_is_told_by_it_away_from_its_bound(name):
    """Even against a model that is sure; at the bound the model has half its say."""
    terms = GIVEN[name]
    (term,) = terms.terms
    for far, own in ((2, -4.0), (-2, 4.0)):
        value = Quantities({term.quantity: term.centre + far * term.scale})
        assert terms.log_odds(own, value) == pytest.approx(own / 2 + 2 * far)
    at_the_bound = Quantities({term.quantity: term.centre})
    assert terms.log_odds(1.0, at_the_bound) == 0.5
    assert terms.log_odds(1.0, Quantities({"early_beats": 0.0})) is None


@pytest.mark.parametrize("name", BETWEEN)
def test_what_lies_between_two_bounds_is_told_as_what_lies_past_one(name):
    quantity, low, high, off = BETWEEN[name]
    values = (low - 2 * off, low, (low + high) / 2, high, high + 2 * off)
    told = [GIVEN[name].log_odds(1.0, Quantities({quantity: value})) for value in values]
    assert told == pytest.approx([-3.5, 0.5, 4.5, 0.5, -3.5])


@pytest.mark.parametrize(
    ("name", "told"), [("long RR intervals", [6, 3, 0]), ("short RR intervals", [0, 0, 6])]
)
def test_a_rate_tells_of_long_and_short_rr_and_never_against_a_single_one(name, told):
    found = [GIVEN[name].log_odds(-1.0, Quantities({"rate_per_min": r})) for r in (40, 56, 120)]
    assert found == pytest.approx([-1.0 + one for one in told])


def test_a_qt_is_long_where_bazett_and_fridericia_say_so_and_qrs_is_narrow():
    def told(bazett: float, fridericia: float, **beside: float) -> float | None:
        found = {"qtc_bazett_ms": bazett, "qtc_fridericia_ms": fridericia, **beside}
        return GIVEN["long QT interval"].log_odds(0.0, Quantities(found))

    assert told(500, 500) == pytest.approx(4)
    assert told(500, 420) == told(420, 500) == pytest.approx(-4)
    assert told(500, 500, qrs_ms=140) is None


def test_every_axis_is_told_as_one_of_four():
    names = [f"{side} axis deviation" for side in ("left", "right", "extreme")]
    names.append("normal QRS axis")
    for axis in range(-180, 181, 5):
        found = Quantities({"axis_degrees": float(axis)})
        told = Telling(GIVEN).told(names, np.full((1, 4), 0.2), [found])[0]
        assert (told > 0.5).sum() == (axis not in (-90, -30, 90))


def test_statements_that_exclude_each_other_are_defined_by_opposite_sides_of_one_bound():
    for one, other in (
        ("regular RR intervals", "irregular RR intervals"),
        ("wide QRS complex", "narrow QRS complex"),
    ):
        (quantity, bound, far), (same, other_bound, opposite) = DEFINED[one], DEFINED[other]
        assert (quantity, bound, far) == (same, other_bound, -opposite)


Q_INFERIOR, Q_ANTERIOR = "Q waves in inferior leads (II, III, aVF)", "Q waves in V1-V4"


@pytest.mark.parametrize(
    ("name", "value"),
    [(Q_INFERIOR, {"inferior_q_percent": 60.0}), (Q_ANTERIOR, {"anterior_q_ms": 60.0})],
)
def test_measured_q_waves_are_pathological_ones_but_in_a_left_bundle_branch_block(name, value):
    asked = [name, "pathological Q waves", "abnormal QRS"]
    own, blocked = np.array([[0.2, 0.01, 0.02]]), {"qrs_ms": 150.0, "v6_s_mv": 0.1}
    told = Telling(GIVEN).told(asked, own, [Quantities(value)])
    assert told[0, 0] > 0.9
    assert told[0] == pytest.approx(told[0, 0])
    beside = Telling(GIVEN).told(asked, own, [Quantities({**value, **blocked})])
    assert beside[0] == pytest.approx(0.2), "as the model alone tells them"


@pytest.mark.parametrize("name", BOUNDED)
def test_a_value_past_its_bound_speaks_against_a_statement_and_never_for_it(name):
    quantity, from_here, to_here = BOUNDED[name]
    curve = GIVEN[name]
    for part, lost in ((-3, 0), (0, 0), (0.5, 0.5), (1, 1), (9, 1)):
        value = Quantities({quantity: from_here + part * (to_here - from_here)})
        for own in (-4.0, 0.3, 5.0):
            assert curve.log_odds(own, value) == pytest.approx(own - lost * SPOKEN_AGAINST)
    assert curve.only_lowers and curve.log_odds(0.3, Quantities({"spikes": 0.0})) is None


def test_what_only_speaks_against_a_statement_raises_none_that_it_implies():
    slow, broad = "sinus bradycardia", "sinus rhythm"
    own, found = np.array([[0.9, 0.2]]), [Quantities({"rate_per_min": 45.0})]
    assert Telling(GIVEN).told([slow, broad], own, found).tolist() == own.tolist()
    assert slow not in Telling(GIVEN).beside(broad)
    assert {name for name, one in GIVEN.items() if one.only_lowers} == set(BOUNDED)


def test_what_is_lowered_keeps_how_well_its_own_prompt_told_it():
    (slow,) = Explorer.load().read(load_case("inferior-infarction"), ["sinus bradycardia"]).findings
    assert slow.probability < slow.own_probability and slow.held_out.by_own_prompt


def test_no_curve_is_both_given_and_judged():
    assert not set(GIVEN) & set(candidates())


@pytest.mark.parametrize("name", ["premature atrial complex", "supraventricular premature complex"])
def test_early_beats_like_the_others_tell_of_atrial_ones_and_wide_ones_say_nothing(name):
    curve = GIVEN[name]
    told = [curve.log_odds(-2.0, Quantities({"early_wider_ms": ms})) for ms in (-3.0, 15.0, 60.0)]
    assert told == pytest.approx([-2.0 + 3.0, -2.0 + 1.5, -2.0])
    assert curve.log_odds(-2.0, Quantities({"early_beats": 0.0})) is None
    in_a_block = Quantities({"early_qrs_ms": 150.0, "early_wider_ms": 2.0})
    assert curve.log_odds(-2.0, in_a_block) is None


def test_the_width_of_early_beats_moves_ventricular_ones_as_far_as_it_is_given():
    curve = load_combination(EMBEDDED, Explorer.load().model.fingerprint)[
        "premature ventricular complex"
    ]
    uneven = {"rr_variation_percent": 15.0, "p_share_percent": 90.0}
    without = curve.log_odds(0.0, Quantities(uneven))
    for ms, moved in ((90.0, 2.0), (15.0, 0.0), (0.0, -2.0)):
        told = curve.log_odds(0.0, Quantities({**uneven, "early_wider_ms": ms}))
        assert told - without == pytest.approx(moved)
