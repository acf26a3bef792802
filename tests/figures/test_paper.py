"""The page is paper: its scale, its traces and its words can be measured on the figure."""

import base64
import json
import time
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from focal_app.figures import labels
from focal_app.figures.layout import LAYOUTS, THREE_BY_FOUR, TWELVE_BY_ONE
from focal_app.figures.paper import PX_PER_MM, ecg_page

both = pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)


def lines(page, lead):
    return [t for t in page["data"] if t.get("name") == lead and t["type"] == "scatter"]


def unpack(line):
    return np.frombuffer(base64.b64decode(line["y"]["bdata"]), dtype="<" + line["y"]["dtype"])


def texts(page):
    return [note["text"] for note in page["layout"]["annotations"]]


@both
def test_plotly_accepts_every_attribute_of_the_page(ecg, reading, layout):
    page = ecg_page(ecg, layout=layout, heatmap=reading.heatmap(reading.findings[0]))
    go.Figure(page)


@pytest.mark.parametrize("px_per_mm", [3, PX_PER_MM])
@both
def test_a_millimetre_is_the_same_number_of_pixels_both_ways(ecg, layout, px_per_mm):
    sheet = ecg_page(ecg, layout=layout, px_per_mm=px_per_mm)["layout"]
    across = sheet["xaxis"]["range"][1] - sheet["xaxis"]["range"][0]
    up = (sheet["yaxis"]["range"][1] - sheet["yaxis"]["range"][0]) / 100
    assert sheet["width"] == across * px_per_mm
    assert sheet["height"] == up * px_per_mm
    assert set(sheet["margin"].values()) == {0}


@both
def test_ten_seconds_are_250_mm_and_a_millivolt_is_10_mm(ecg, layout):
    line = lines(ecg_page(ecg, layout=layout), "II")[-1]
    drawn = unpack(line).astype(float)
    assert line["dx"] * len(drawn) == pytest.approx(250)
    signal = ecg.signal_mv[1]
    assert np.ptp(drawn) / 100 == pytest.approx(np.ptp(signal) * 10, abs=0.02)


@both
def test_every_drawn_point_lies_on_the_signal_at_its_second(ecg, layout):
    page = ecg_page(ecg, layout=layout)
    line = lines(page, "V6")[-1]
    strip = [s for s in layout.strips if s.lead == "V6"][-1]
    drawn = unpack(line) / 1000 - layout.baseline_mm(strip.row) / 10
    seconds = (line["x0"] + line["dx"] * np.arange(len(drawn))) / 25
    signal = ecg.signal_mv[11] - np.median(ecg.signal_mv[11])
    nearest = np.clip(np.rint(seconds * 500).astype(int), 2, 4997)
    around = np.stack([signal[nearest + shift] for shift in range(-2, 3)])
    assert (np.abs(around - drawn).min(axis=0) < 0.001).all()


def test_three_by_four_shows_a_quarter_of_each_lead_and_all_of_lead_ii():
    spans = {(s.lead, s.start_s, s.end_s) for s in THREE_BY_FOUR.strips}
    assert ("V1", 5.0, 7.5) in spans
    assert ("II", 0.0, 2.5) in spans and ("II", 0.0, 10.0) in spans
    assert len(spans) == 13


@both
def test_scale_filter_and_every_lead_are_printed(ecg, layout):
    said = " ".join(texts(ecg_page(ecg, layout=layout)))
    for word in (labels.PAPER_SPEED, labels.PAPER_GAIN, "no display filter"):
        assert word in said
    for strip in layout.strips:
        assert f"<b>{strip.lead}</b>" in said


def test_calibration_pulse_is_one_millivolt_and_a_fifth_of_a_second(ecg):
    pulse = lines(ecg_page(ecg, layout=TWELVE_BY_ONE), "calibration")[0]
    heights = [y for y in pulse["y"] if y is not None]
    assert max(heights[:6]) - min(heights[:6]) == 1000
    assert pulse["x"][3] - pulse["x"][2] == 0.2 * 25


@both
def test_a_missing_lead_is_called_not_recorded(layout, make_ecg):
    ecg = make_ecg(leads=("I", "II", "V1"))
    page = ecg_page(ecg, layout=layout)
    assert labels.NOT_RECORDED in texts(page)
    assert not lines(page, "V4")


def test_a_limb_lead_that_two_others_determine_is_drawn(make_ecg):
    ecg = make_ecg(leads=("I", "II", "V1", "V2", "V3", "V4", "V5", "V6"))
    page = ecg_page(ecg, layout=TWELVE_BY_ONE)
    third = unpack(lines(page, "III")[0]) / 1000 - TWELVE_BY_ONE.baseline_mm(2) / 10
    wave = ecg.signal_mv[1] - ecg.signal_mv[0]
    assert np.ptp(third) == pytest.approx(np.ptp(wave), abs=0.002)
    assert labels.NOT_RECORDED not in texts(page)


def test_gaps_stay_gaps(ecg):
    signal = ecg.signal_mv.copy()
    signal[0, 2000:2500] = np.nan
    drawn = unpack(lines(ecg_page(replace(ecg, signal_mv=signal), layout=TWELVE_BY_ONE), "I")[0])
    assert drawn.dtype == np.float32
    assert np.isnan(drawn).mean() == pytest.approx(0.1, abs=0.001)


def test_a_short_recording_says_where_it_ends(make_ecg):
    page = ecg_page(make_ecg(seconds=6.0), layout=TWELVE_BY_ONE)
    note = next(n for n in page["layout"]["annotations"] if n["text"] == labels.RECORDING_ENDS)
    assert note["x"] == pytest.approx(150)


def test_a_later_window_shows_later_samples(make_ecg):
    ecg = make_ecg(seconds=25.0)
    early, late = (ecg_page(ecg, layout=TWELVE_BY_ONE, start_s=s) for s in (0.0, 12.3))
    assert unpack(lines(early, "II")[0]).max() > unpack(lines(late, "II")[0]).max()


def test_a_trace_that_leaves_the_paper_is_cut_and_said_so(ecg):
    signal = ecg.signal_mv.copy()
    signal[7, 3000] = 9.0
    said = " ".join(texts(ecg_page(replace(ecg, signal_mv=signal), layout=TWELVE_BY_ONE)))
    assert "V2: cut at 3.5 mV" in said


def test_a_tall_wave_in_the_top_row_gets_room(ecg):
    signal = ecg.signal_mv.copy()
    signal[9, 4500] += 3.0
    page = ecg_page(replace(ecg, signal_mv=signal), layout=THREE_BY_FOUR)
    assert page["layout"]["yaxis"]["range"][1] >= unpack(lines(page, "V4")[0]).max()


@both
def test_the_page_stays_small(ecg, reading, layout):
    page = ecg_page(ecg, layout=layout, heatmap=reading.heatmap(reading.findings[0]))
    assert len(json.dumps(page)) < 130_000


def test_a_page_is_drawn_in_a_moment(ecg, reading):
    start = time.perf_counter()
    ecg_page(ecg, layout=TWELVE_BY_ONE, heatmap=reading.heatmap(reading.findings[0]))
    assert time.perf_counter() - start < 0.5
