"""Thinning a trace loses nothing that an eye could see."""

import numpy as np
import pytest

from focal_app.figures.traces import thinned


def test_thinning_keeps_every_peak_of_its_bucket():
    values = np.random.default_rng(0).normal(size=5000)
    thin = thinned(values, every=4)
    buckets = values.reshape(-1, 4)
    np.testing.assert_array_equal(thin.reshape(-1, 2).max(axis=1), buckets.max(axis=1))
    np.testing.assert_array_equal(thin.reshape(-1, 2).min(axis=1), buckets.min(axis=1))


def test_thinning_keeps_the_order_of_time():
    rising = np.arange(400.0)
    assert (np.diff(thinned(rising, every=4)) > 0).all()
    assert (np.diff(thinned(rising[::-1], every=4)) < 0).all()


@pytest.mark.parametrize("every", [1, 2])
def test_coarse_recordings_are_drawn_as_they_are(every):
    values = np.random.default_rng(1).normal(size=100)
    assert thinned(values, every=every) is values


def test_a_gap_shorter_than_a_bucket_does_not_erase_the_bucket():
    values = np.array([1.0, np.nan, 3.0, 2.0])
    np.testing.assert_array_equal(thinned(values, every=4), [1.0, 3.0])


def test_a_bucket_without_signal_stays_a_gap():
    assert np.isnan(thinned(np.full(8, np.nan), every=4)).all()
