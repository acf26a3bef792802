"""A heatmap finer than a patch is the mean of readings over shifted windows, and no more."""

import time
from dataclasses import replace

import numpy as np
import pytest

from focal_app.explore.reading.bundled_cases import load_case
from focal_app.explore.reading.explorer import Explorer
from focal_app.explore.reading.heatmap import Heatmap

PROMPT = "atrial fibrillation"


@pytest.fixture(scope="module")
def ecg():
    return load_case("atrial-fibrillation")


@pytest.mark.parametrize("tau", [None, 0.1])
def test_it_equals_the_mean_of_the_shifted_readings(explorer, ecg, tau):
    fine = explorer.fine(ecg, PROMPT, tau=tau)
    assert fine.weights.shape == (12, 50)
    sums, counts = np.zeros((12, 50)), np.zeros((12, 50))
    for shift in range(5):
        reading = explorer.read(ecg, [PROMPT], start_s=0.2 * shift, tau=tau)
        for column in range(50):
            patch = (column - shift) // 5
            if patch < 0:
                continue
            weights = reading.findings[0].weights[:, patch]
            sums[:, column] += np.nan_to_num(weights)
            counts[:, column] += np.isfinite(weights)
    np.testing.assert_allclose(fine.weights, sums / counts, rtol=1e-4)


def test_a_step_of_a_patch_is_the_reading_itself(explorer, ecg):
    whole = explorer.fine(ecg, PROMPT, step_s=1.0)
    read = explorer.read(ecg, [PROMPT])
    np.testing.assert_allclose(whole.weights, read.findings[0].weights, rtol=1e-5)
    np.testing.assert_allclose(whole.edges_s, read.edges_s)


def test_an_even_heatmap_stays_even_and_what_nobody_saw_stays_unseen():
    weights = np.ones((12, 10))
    weights[3] = np.nan
    maps = [Heatmap(weights, 0.2 * shift + np.arange(11.0)) for shift in range(5)]
    fine = Heatmap.averaged(maps, step_s=0.2)
    assert np.isnan(fine.weights[3]).all()
    np.testing.assert_array_equal(np.delete(fine.weights, 3, axis=0), 1.0)


def test_it_covers_the_window_of_the_coarse_one(explorer, ecg):
    fine, read = explorer.fine(ecg, PROMPT), explorer.read(ecg, [PROMPT])
    assert (fine.edges_s[0], fine.edges_s[-1]) == pytest.approx((read.edges_s[0], read.edges_s[-1]))


def test_the_embedded_model_answers_in_a_moment(ecg):
    """The quickest of a few, for other work on the machine is no fault of ours."""
    explorer, took = Explorer.load(), []
    for _ in range(5):
        fresh = replace(ecg)
        assert not explorer.has_fine(fresh)
        start = time.perf_counter()
        explorer.fine(fresh, PROMPT, tau=0.1)
        took.append(time.perf_counter() - start)
    assert min(took) < 1.5
