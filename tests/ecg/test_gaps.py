"""Gaps, flat leads and stretches that hold still."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from focal_app.ecg.gaps import fill_gaps, flat_rows, runs, still


def test_runs_are_the_stretches_where_the_mask_holds() -> None:
    mask = np.array([1, 1, 0, 1, 0, 0, 1], dtype=bool)
    assert runs(mask) == [(0, 2), (3, 4), (6, 7)]
    assert runs(mask, shortest=2) == [(0, 2)]


def test_a_short_gap_lies_on_the_line_between_its_neighbours() -> None:
    line = np.linspace(0, 1, 1000)[None].copy()
    holed = line.copy()
    holed[0, 400:450] = np.nan
    filled = fill_gaps(holed, 500.0, maximum_gap_s=0.2)
    np.testing.assert_allclose(filled.signal_mv, line, atol=1e-12)
    assert filled.real.all()
    assert (filled.repaired.sum(), filled.lost.sum()) == (50, 0)


def test_a_long_gap_and_an_open_end_are_bridged_but_not_real() -> None:
    signal = np.linspace(0, 1, 1000)[None].copy()
    signal[0, 300:450] = np.nan
    signal[0, 990:] = np.nan
    filled = fill_gaps(signal, 500.0, maximum_gap_s=0.2)
    assert np.isfinite(filled.signal_mv).all()
    assert not filled.real[0, 300:450].any()
    assert not filled.real[0, 990:].any()
    assert filled.real.sum() == 840
    assert (filled.repaired.sum(), filled.lost.sum()) == (0, 160)


def test_a_gap_of_one_lead_leaves_the_others_alone() -> None:
    signal = np.random.default_rng(0).normal(size=(3, 500))
    holed = signal.copy()
    holed[1, 100:120] = np.nan
    filled = fill_gaps(holed, 500.0, maximum_gap_s=0.2).signal_mv
    np.testing.assert_array_equal(filled[[0, 2]], signal[[0, 2]])


def test_infinite_samples_count_as_missing() -> None:
    signal = np.zeros((1, 100))
    signal[0, 50] = np.inf
    assert fill_gaps(signal, 500.0, maximum_gap_s=0.2).signal_mv[0, 50] == 0.0


def test_flat_means_no_movement_whatever_the_offset() -> None:
    signal = np.stack([np.full(100, 3.0), np.full(100, np.nan), np.linspace(0, 1, 100)])
    np.testing.assert_array_equal(flat_rows(signal), [True, True, False])


def test_still_marks_only_long_repetitions_of_one_value() -> None:
    signal = np.random.default_rng(0).normal(size=(1, 1000))
    signal[0, 100:199] = 1.0
    signal[0, 500:700] = -2.0
    marked = still(signal, 100)
    assert marked.sum() == 200
    assert marked[0, 500:700].all()


@given(st.integers(0, 2**32 - 1), st.integers(2, 120))
def test_still_marks_every_long_repetition_wherever_it_begins(seed: int, samples: int) -> None:
    rng = np.random.default_rng(seed)
    steps = rng.integers(0, 2, size=(2, 40)).repeat(rng.integers(1, 60, size=40), axis=1)
    signal = np.where(rng.random(steps.shape) < 0.002, np.nan, steps)
    expected = np.zeros(signal.shape, dtype=bool)
    for row, lead in enumerate(signal):
        for first in range(len(lead) - samples + 1):
            one = lead[first : first + samples]
            expected[row, first : first + samples] |= (one == one[0]).all()
    np.testing.assert_array_equal(still(signal, samples), expected)
