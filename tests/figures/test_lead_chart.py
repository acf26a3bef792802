"""The chart of one lead holds every sample as recorded, the finding's places and the waves."""

import numpy as np
import pytest

from focal_app.ecg.measurements import Waves
from focal_app.explore.reading.heatmap import Heatmap
from focal_app.figures.lead_chart import lead_chart


@pytest.fixture
def ecg(make_ecg):
    """Twenty seconds of twelve leads."""
    return make_ecg(seconds=20.0)


def test_every_sample_stands_at_its_second_in_millivolts(ecg):
    chart = lead_chart(ecg, "V2", start_s=5.0)
    trace = chart.data[0]
    rows = ecg.signal_mv[ecg.leads.index("V2")]
    np.testing.assert_array_equal(trace.y, rows[2500:7500])
    assert (trace.x[0], trace.x[-1], len(trace.x)) == (5.0, 14.998, 5000)


def test_the_strip_holds_what_the_finding_weighs_on_this_lead(ecg):
    weights = np.arange(120, dtype=float).reshape(12, 10)
    weights[7, 3] = np.nan
    heatmap = Heatmap(weights, np.linspace(0, 10, 11))
    strip = lead_chart(ecg, "V2", heatmap=heatmap).data[1]
    np.testing.assert_array_equal(strip.z, [weights[7]])
    assert strip.zmin == 1 and list(strip.x) == list(range(11))


def test_waves_are_washed_from_onset_to_offset_and_absent_ones_are_not(ecg):
    none = np.full((2, 2), np.nan)
    qrs = np.array([[1.0, 1.1], [2.0, 2.1]])
    p = np.array([[0.8, 0.9], [np.nan, np.nan]])
    chart = lead_chart(ecg, "I", waves=Waves(p, qrs, none, np.zeros(0)))
    assert [(s.x0, s.x1) for s in chart.layout.shapes] == [(0.8, 0.9), (1.0, 1.1), (2.0, 2.1)]
    assert [note.text for note in chart.layout.annotations] == ["P", "QRS", "QRS"]
