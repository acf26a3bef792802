"""Beats that come early in a steady rhythm: told with their width, and nowhere else."""

from itertools import pairwise

import numpy as np
import pytest

from focal_app.ecg.early_beats import early_beats
from focal_app.ecg.leads import completed
from focal_app.model.measuring import measured
from train.simulate import simulate


def told(rr_s, early_ms=90.0, *, others_ms=90.0, p_between=1, p_before=1.0):
    """Early beats of these RR; every beat that a short one of them ends at has `early_ms`."""
    rr_s = np.array(rr_s, float)
    beats = len(rr_s) + 1
    short = np.append(False, rr_s < 0.7)
    p = np.arange(beats) < round(p_before * beats)
    p_waves = np.full(beats - 1, p_between)
    return early_beats(rr_s, p_waves, np.where(short, early_ms, others_ms) / 1000, p)


ONE = (1.0, 1.02, 0.6, 1.3, 0.98, 1.0, 1.01)


@pytest.mark.parametrize(("early_ms", "wider_ms"), [(92.0, 2.0), (160.0, 70.0)])
def test_an_early_beat_is_told_with_its_width_beside_that_of_the_others(early_ms, wider_ms):
    found = told(ONE, early_ms)
    assert (found.count, found.qrs_ms) == (1, pytest.approx(early_ms))
    assert found.wider_ms == pytest.approx(wider_ms)


def test_the_same_at_another_rate_and_backwards_in_what_surrounds_it():
    quick = early_beats(
        np.array(ONE) / 2, np.ones(7, int), np.full(8, 0.09), np.ones(8, dtype=bool)
    )
    assert quick == told(ONE)


def test_every_second_beat_may_be_early_where_the_coupling_is_fixed():
    assert told([0.6, 1.2] * 4, 150.0).count == 4
    assert told([0.6, 1.2, 0.45, 1.3, 0.69, 1.1, 0.5, 1.2], 150.0) is None


def test_a_steady_rhythm_has_none_and_says_so():
    found = told([1.0, 1.03, 0.97, 1.0, 0.95, 1.02])
    assert (found.count, found.qrs_ms, found.wider_ms) == (0, None, None)


@pytest.mark.parametrize(
    "nothing",
    [
        {"p_before": 0.3},
        {"p_between": 2},
        {"early_ms": 60.0},
    ],
    ids=["as in fibrillation", "blocked P waves", "narrower than any beat of the rhythm"],
)
def test_nothing_is_told_where_no_beat_is_earlier_than_it_should_be(nothing):
    assert told(ONE, **nothing) is None


def test_a_wide_beat_may_hide_a_p_wave_in_its_pause():
    assert told(ONE, 160.0, p_between=2).count == 1


def test_uneven_rr_and_few_beats_tell_nothing():
    rng = np.random.default_rng(0)
    uneven = [told(rng.uniform(0.4, 1.2, 12)) for _ in range(200)]
    assert sum(one is not None for one in uneven) <= 30
    assert told([1.0, 0.6, 1.3]) is None
    assert told([np.nan] * 7) is None


def test_a_distance_across_an_interruption_is_not_asked():
    whole = told(ONE)
    for lost in (0, 6):
        rr_s = np.array(ONE)
        rr_s[lost] = np.nan
        assert told(rr_s) == whole


def test_the_width_is_that_of_the_widest_and_grows_with_it():
    widths_s = np.full(8, 0.09)
    rr_s, p = np.array((1.0, 0.6, 1.3, 1.0, 0.6, 1.3, 1.0)), np.ones(8, dtype=bool)
    grown = []
    for ms in range(90, 200, 10):
        widths_s[2], widths_s[5] = 0.1, ms / 1000
        grown.append(early_beats(rr_s, np.ones(7, int), widths_s, p).qrs_ms)
    assert grown[-1] == pytest.approx(190) and all(a <= b for a, b in pairwise(grown))


@pytest.mark.parametrize(
    ("state", "wide"), [("premature atrial complex", 0), ("premature ventricular complex", 1)]
)
def test_drawn_premature_beats_show_from_where_they_come(state, wide):
    found = [measured(_drawn(seed, state)).early for seed in range(800, 810)]
    widths_ms = [one.wider_ms for one in found if one and one.count]
    assert len(widths_ms) >= 7
    assert all(width > 20 if wide else width < 6 for width in widths_ms)


@pytest.mark.parametrize(
    "state", ["normal ECG", "atrial fibrillation", "second degree AV block type 1"]
)
def test_other_drawn_rhythms_show_none(state):
    found = [measured(_drawn(seed, state)).early for seed in range(800, 806)]
    assert not any(one and one.count for one in found)


def _drawn(seed, state):
    return completed(simulate(seed, states=(state,)).ecg)
