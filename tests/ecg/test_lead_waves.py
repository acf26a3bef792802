"""From probabilities to beats, by hand-made probabilities."""

import numpy as np
import pytest

from focal_app.ecg.intervals import measurements, p_share
from focal_app.ecg.lead_waves import beat_table
from focal_app.ecg.pacing import paced_beats, spike_times_s, without_spikes

RATE = 250
P, QRS, T = 1, 2, 3


def probabilities(
    leads=6, seconds=10.0, period_s=0.8, *, waves=((P, -0.16, 0.09), (QRS, 0, 0.1), (T, 0.24, 0.16))
):
    """Sure waves at the same times in every lead."""
    rows = np.zeros((leads, 4, int(seconds * RATE)))
    for at in np.arange(0.5, seconds - 0.6, period_s):
        for kind, after, long in waves:
            first = round((at + after) * RATE)
            rows[:, kind, first : first + round(long * RATE)] = 1
    rows[:, 0] = 1 - rows[:, 1:].sum(axis=1)
    return rows


def test_known_waves_are_measured_exactly():
    found = measurements(beat_table(probabilities(), RATE))
    assert found.rate_per_min.value == pytest.approx(75)
    assert found.qrs_ms.value == pytest.approx(100, abs=0.1)
    assert found.pr_ms.value == pytest.approx(160, abs=0.1)
    assert found.qt_ms.value == pytest.approx(400, abs=0.1)
    assert found.rr_variation_percent.value == pytest.approx(0, abs=0.1)


def test_a_beat_that_few_leads_show_is_none():
    rows = probabilities()
    rows[:4, :, 1000:1200] = np.array([1, 0, 0, 0])[:, None]
    assert len(beat_table(rows, RATE).qrs_s) == len(beat_table(probabilities(), RATE).qrs_s) - 1


def test_without_p_waves_there_is_no_pr():
    table = beat_table(probabilities(waves=((QRS, 0, 0.1), (T, 0.24, 0.16))), RATE)
    assert p_share(table) == 0 and measurements(table).pr_ms.value is None


def test_leads_that_disagree_leave_a_value_blank():
    rows = probabilities()
    for lead in range(6):
        rows[lead] = probabilities(1, waves=((QRS, 0, 0.06 + 0.03 * lead), (T, 0.3, 0.16)))[0]
    assert measurements(beat_table(rows, RATE)).qrs_ms.value is None


def test_p_waves_of_their_own_rate_are_no_pr():
    rows = probabilities(waves=((QRS, 0, 0.1), (T, 0.24, 0.16)))
    for number, at in enumerate(np.arange(0.5, 9.4, 0.8)):
        first = round((at - 0.12 - 0.03 * (number % 5)) * RATE)
        rows[:, P, first : first + 20] = 1
        rows[:, 0, first : first + 20] = 0
    assert measurements(beat_table(rows, RATE)).pr_ms.value is None


@pytest.mark.parametrize("period_s", [4.0])
def test_a_rate_that_no_heart_has_measures_nothing(period_s):
    assert measurements(beat_table(probabilities(period_s=period_s), RATE)).qrs_ms.value is None


def test_a_later_start_moves_every_wave():
    moved = beat_table(probabilities(), RATE, start_s=3.0).qrs_s
    assert np.allclose(moved, beat_table(probabilities(), RATE).qrs_s + 3)


def test_no_lead_and_no_beat_are_an_empty_table():
    empty = beat_table(np.tile([[[1.0], [0], [0], [0]]], (3, 1, 500)), RATE)
    assert len(empty.qrs_s) == 0 and measurements(empty).rate_per_min.value is None


def spiked(rate_hz=500, every_s=1.0):
    time = np.arange(10 * rate_hz) / rate_hz
    rows = np.tile(0.1 * np.sin(2 * np.pi * time), (12, 1))
    at = np.arange(0.5, 9.5, every_s)
    for spike in at:
        rows[:, round(spike * rate_hz) : round(spike * rate_hz) + 2] += 0.4
    return rows, at


def test_narrow_edges_are_spikes_and_can_be_taken_out():
    rows, at = spiked()
    found = spike_times_s(rows, 500.0)
    assert np.allclose(found, at, atol=0.006)
    bare = without_spikes(rows, 500.0, found)
    assert len(spike_times_s(bare, 500.0)) == 0 and np.abs(bare).max() < 0.11


def test_spikes_that_keep_no_distance_to_the_beats_are_an_artefact():
    rng = np.random.default_rng(0)
    onsets = np.arange(0.5, 9.5, 0.8)
    assert len(paced_beats(onsets - 0.02, onsets)) == len(onsets)
    assert len(paced_beats(rng.uniform(0, 9, 4), onsets)) == 0
    assert len(paced_beats(np.zeros(0), onsets)) == 0
