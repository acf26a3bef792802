"""P waves that keep their own time: found where they do, and nowhere else."""

import numpy as np
import pytest

from focal_app.ecg.complete import completed
from focal_app.ecg.dissociation import dissociated_p_per_min
from focal_app.model.measuring import measured
from train.simulate import simulate


def beating(per_min: float, *, lasting_s: float = 10.0, start_s: float = 0.1) -> np.ndarray:
    return np.arange(start_s, lasting_s, 60 / per_min)


@pytest.mark.parametrize(("p_per_min", "qrs_per_min"), [(72, 38), (90, 33), (100, 47), (65, 50)])
def test_atria_that_beat_on_their_own_are_told_with_their_rate(p_per_min, qrs_per_min):
    p_s, qrs_s = beating(p_per_min), beating(qrs_per_min, start_s=0.5)
    assert dissociated_p_per_min(p_s, qrs_s) == pytest.approx(p_per_min, rel=0.01)
    apart_s = np.abs(p_s[:, None] - qrs_s).min(axis=1)
    seen = p_s[apart_s > 0.12]
    assert len(seen) < len(p_s), "QRS hides some"
    assert dissociated_p_per_min(seen, qrs_s) == pytest.approx(p_per_min, rel=0.02)


@pytest.mark.parametrize("blocked", [1, 2, 3])
def test_a_fixed_pr_is_a_relation_also_where_only_some_p_are_conducted(blocked):
    p_s = beating(80)
    assert dissociated_p_per_min(p_s, p_s[::blocked] + 0.18) is None


def test_uneven_rr_says_that_beats_are_conducted():
    p_s = beating(80)
    wenckebach = np.concatenate([p_s[0::4] + 0.16, p_s[1::4] + 0.24, p_s[2::4] + 0.32])
    assert dissociated_p_per_min(p_s, np.sort(wenckebach)) is None


def test_ventricles_that_are_faster_than_the_atria_and_few_waves_say_nothing():
    assert dissociated_p_per_min(beating(60), beating(150)) is None
    assert dissociated_p_per_min(beating(72)[:4], beating(38)) is None
    assert dissociated_p_per_min(np.zeros(0), np.zeros(0)) is None


def test_waves_at_any_time_keep_no_time():
    rng = np.random.default_rng(0)
    told = 0
    for _ in range(300):
        p_s = np.sort(rng.uniform(0, 10, rng.integers(5, 13)))
        told += dissociated_p_per_min(p_s, beating(rng.uniform(35, 90))) is not None
    assert told <= 6


def test_it_moves_with_time_and_knows_no_zero():
    p_s, qrs_s = beating(72), beating(38, start_s=0.5)
    assert dissociated_p_per_min(p_s + 7, qrs_s + 7) == pytest.approx(
        dissociated_p_per_min(p_s, qrs_s)
    )


def test_drawn_third_degree_blocks_show_it_and_have_no_pr():
    blocks = [measured(_drawn(seed, "third degree AV block")) for seed in range(900, 912)]
    told = [one.unrelated_p_per_min for one in blocks]
    assert sum(rate is not None for rate in told) >= 6
    assert all(50 <= rate <= 110 for rate in told if rate)
    assert not any(one.value("pr_ms") for one in blocks if one.unrelated_p_per_min)


@pytest.mark.parametrize("state", ["normal ECG", "first degree AV block", "atrial flutter"])
def test_other_drawn_rhythms_do_not(state):
    assert not any(measured(_drawn(seed, state)).unrelated_p_per_min for seed in range(900, 906))


def _drawn(seed, state):
    return completed(simulate(seed, states=(state,)).ecg)
