"""Beats that come early in a steady rhythm: told with their width, and nowhere else."""

import numpy as np
import pytest

from focal_app.ecg.complete import completed
from focal_app.ecg.early_beats import Beats, early_beats
from focal_app.model.measuring import measured
from train.simulate import simulate

ONE = (1.0, 1.02, 0.6, 1.3, 0.98, 1.0, 1.01)


def told(rr_s, early_ms=90.0, *, p_between=1, p_before=1.0, widths_ms=None, without_t=()):
    """Early beats of these RR, between beats of 90 ms; one that ends a short RR has `early_ms`."""
    rr_s = np.array(rr_s, float)
    beats = len(rr_s) + 1
    short = np.append(False, rr_s < 0.7)
    widths = np.where(short, early_ms, 90.0) if widths_ms is None else np.array(widths_ms)
    found = Beats(
        rr_s=rr_s,
        p_between=np.full(beats - 1, p_between),
        qrs_width_s=widths / 1000,
        has_p=np.arange(beats) < round(p_before * beats),
        has_t=~np.isin(np.arange(beats), without_t),
    )
    return early_beats(found)


@pytest.mark.parametrize(("early_ms", "wider_ms"), [(92.0, 2.0), (160.0, 70.0)])
def test_an_early_beat_is_told_with_its_width_beside_that_of_the_others(early_ms, wider_ms):
    found = told(ONE, early_ms)
    assert (found.count, found.qrs_ms) == (1, pytest.approx(early_ms))
    assert found.wider_ms == pytest.approx(wider_ms)


@pytest.mark.parametrize("wide", [False, True])
def test_the_rate_does_not_matter(wide):
    widths = [90, 90, 90, 160 if wide else 90, 90, 90, 90, 90]
    assert told(np.array(ONE) / 2, widths_ms=widths) == told(ONE, widths_ms=widths)


def test_every_second_beat_may_be_early_where_it_is_wide_and_the_coupling_is_fixed():
    assert told([0.6, 1.2] * 4, 150.0).count == 4
    assert told([0.6, 1.2, 0.45, 1.3, 0.69, 1.1, 0.5, 1.2], 150.0) is None
    assert told([0.6, 1.2] * 4) is None, "two of three beats conducted look so too"


def test_a_steady_rhythm_has_none_and_says_so():
    found = told([1.0, 1.03, 0.97, 1.0, 0.95, 1.02])
    assert (found.count, found.qrs_ms, found.wider_ms) == (0, None, None)


@pytest.mark.parametrize(
    ("rr_s", "nothing"),
    [
        (ONE, {"p_before": 0.3}),
        (ONE, {"p_between": 2}),
        (ONE, {"early_ms": 60.0}),
        (ONE, {"widths_ms": [90, 90, 90, 150, 90, 90, 90, 90], "without_t": (3,)}),
        (ONE, {"widths_ms": [90, 90, 90, 90, 90, 90, 150, 90]}),
        ([0.6] * 3 + [1.0] * 8, {}),
        ([1.0] * 6 + [0.5] * 4 + [1.0] * 3, {"early_ms": 150.0}),
        ([0.58, 0.59, 0.61, 0.67, 0.78, 0.8, 0.82, 0.84, 0.85, 0.85, 0.86], {}),
        (ONE, {"widths_ms": [90, 90, 90, np.nan, 90, 90, 90, 90]}),
    ],
    ids=[
        *("as in fibrillation", "blocked P waves", "narrower than any beat", "a wave without T"),
        *("another beat is wide", "a faster rhythm ends", "a run", "the sinus node slows"),
        "a width that is unknown",
    ],
)
def test_nothing_is_told_where_no_beat_is_earlier_than_it_should_be(rr_s, nothing):
    assert told(rr_s, **nothing) is None


def test_a_wide_beat_may_hide_a_p_wave_in_its_pause():
    assert told(ONE, 160.0, p_between=2).count == 1


@pytest.mark.parametrize("first", [0, 3])
def test_the_beat_behind_an_interpolated_or_a_first_wide_one_is_on_time(first):
    rr_s = [1.0] * 8
    rr_s[first] = 0.5
    if first:
        rr_s[first - 1] = 0.5
    widths = [90.0] * 9
    widths[first] = 150.0
    found = told(rr_s, widths_ms=widths)
    assert (found.count, found.qrs_ms, found.wider_ms) == (1, 150.0, 60.0)


def test_uneven_rr_and_few_beats_tell_nothing():
    rng = np.random.default_rng(0)
    uneven = [told(rng.uniform(0.4, 1.2, 12)) for _ in range(200)]
    assert sum(one is not None and one.count > 0 for one in uneven) <= 20
    assert told([1.0, 0.6, 1.3]) is None
    assert told([np.nan] * 7) is None


def test_a_distance_across_an_interruption_is_not_asked():
    whole = told(ONE)
    for lost in (0, 6):
        rr_s = np.array(ONE)
        rr_s[lost] = np.nan
        assert told(rr_s) == whole


def test_the_width_is_that_of_the_widest():
    rr_s = (1.0, 0.6, 1.3, 1.0, 0.6, 1.3, 1.0)
    for ms in range(110, 200, 10):
        widths = [90.0] * 8
        widths[2], widths[5] = 100.0, ms
        assert told(rr_s, widths_ms=widths).qrs_ms == pytest.approx(ms)


@pytest.mark.parametrize(
    ("state", "wide"), [("premature atrial complex", 0), ("premature ventricular complex", 1)]
)
def test_drawn_premature_beats_show_from_where_they_come(state, wide):
    found = [measured(_drawn(seed, state)).early for seed in range(800, 810)]
    widths_ms = [one.wider_ms for one in found if one and one.count]
    assert len(widths_ms) >= 7
    assert all(width > 20 if wide else width < 6 for width in widths_ms)


@pytest.mark.parametrize(
    "state",
    [
        *("normal ECG", "atrial fibrillation", "second degree AV block type 1"),
        "paroxysmal supraventricular tachycardia",
    ],
)
def test_other_drawn_rhythms_show_none(state):
    found = [measured(_drawn(seed, state)).early for seed in range(800, 806)]
    assert not any(one and one.count for one in found)


def _drawn(seed, state):
    return completed(simulate(seed, states=(state,)).ecg)
