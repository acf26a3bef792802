"""Several seeds are one figure, with an interval for seeds and recordings."""

import math

import numpy as np
import pytest

from train.benchmark.metrics import Interval
from train.benchmark.seeds import (
    control_of,
    gain_of_seeds,
    pooled,
    pooled_gain,
    row_of,
    seed_of,
    with_seed,
)


def test_one_training_keeps_its_interval():
    one = Interval(0.8, 0.7, 0.85)
    assert pooled([one]) == one


def test_seeds_that_agree_leave_the_interval_of_the_recordings():
    one = Interval(0.8, 0.7, 0.85)
    found = pooled([one] * 3)
    assert (found.value, found.low, found.high) == pytest.approx((0.8, 0.7, 0.85))


def test_without_doubt_about_recordings_the_interval_is_students():
    values = (0.75, 0.80, 0.85)
    found = pooled([Interval(value, value, value) for value in values])
    half = 4.3027 * np.std(values, ddof=1) / math.sqrt(3)
    assert (found.low, found.high) == pytest.approx((0.8 - half, 0.8 + half), abs=1e-4)


def test_no_edge_of_a_share_lies_beyond_0_and_1_and_a_gain_may_be_a_loss():
    apart = [Interval(value, value, value) for value in (0.2, 0.5, 0.95)]
    assert (pooled(apart).low, pooled(apart).high) == (0, 1)
    assert -1 <= pooled_gain(apart).low < 0 and pooled_gain(apart).high == 1


def test_a_gain_is_of_the_same_seed_and_does_not_hold_what_all_rows_share():
    control = [Interval(value, value - 0.1, value + 0.1) for value in (0.6, 0.7, 0.8)]
    better = [Interval(one.value + 0.02, 0, 1) for one in control]
    found = gain_of_seeds(list(zip(better, control, strict=True)))
    assert (found.value, found.low, found.high) == pytest.approx((0.02, 0.02, 0.02))


def test_a_row_is_held_against_training_of_its_own_kind():
    assert control_of("tau-1 coarse") == control_of("base coarse") == "base coarse"
    assert control_of("fine-0.80") == control_of("threshold-0.7") == "fine-plain"
    assert control_of("global-fine-0.80") == "global-fine-plain"
    assert control_of("from-scratch-0.95 coarse") == "from-scratch-plain coarse"
    assert control_of("fine-0.80 (2)") == "fine-plain (2)"
    assert control_of("tau-1 coarse (2)") == "base coarse (2)"


def test_the_pooled_interval_holds_the_truth_as_often_as_it_says():
    rng, held = np.random.default_rng(0), 0
    for _ in range(2000):
        recordings = rng.normal(0, 0.02)  # the same for all seeds, as they share the recordings
        values = 0.8 + recordings + rng.normal(0, 0.01, 3)
        found = pooled([Interval(v, v - 1.96 * 0.02, v + 1.96 * 0.02) for v in values])
        held += found.low <= 0.8 <= found.high
    assert 0.95 <= held / 2000 <= 0.99


def test_an_unknown_value_stays_unknown_and_null_is_read():
    assert math.isnan(pooled([{"value": None, "low": None, "high": None}] * 2).value)


def test_names_say_their_seed_and_rows_do_not():
    assert with_seed("base coarse", 7) == "base coarse, seed 7"
    assert row_of("base coarse, seed 7") == "base coarse" and row_of("base") == "base"
    assert seed_of("base, seed 12") == 12 and seed_of("base") is None
