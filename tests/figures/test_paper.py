"""The page is paper: its scale, its traces and its words can be measured on the drawing."""

import re
import time
from dataclasses import replace

import numpy as np
import pytest
from reading_svg import drawn, lines, of_class, texts

from focal_app.ecg.measurements import Waves
from focal_app.ecg.recording import LEADS
from focal_app.errors import ConfigError
from focal_app.explore.reading.bundled_cases import load_case
from focal_app.figures import labels
from focal_app.figures.layout import THREE_BY_FOUR
from focal_app.figures.paper import ecg_svg
from focal_app.figures.paper_settings import GAINS, LAYOUTS, SPEEDS, PaperSettings

every = pytest.mark.parametrize("name", LAYOUTS)
ALL_LEADS = PaperSettings(layout="12x1", gain_mm_per_mv=10.0)


def spiked(ecg, lead, height_mv, *, seconds=0.08, at_s=0.4):
    """The ECG with a tall wave of a lead in every second."""
    signal = ecg.signal_mv.copy()
    for second in range(10):
        first = round((second + at_s) * 500)
        signal[LEADS.index(lead), first : first + round(seconds * 500)] += height_mv
    return replace(ecg, signal_mv=signal)


@every
@pytest.mark.parametrize("speed", SPEEDS)
@pytest.mark.parametrize("gain", GAINS)
def test_seconds_and_millivolts_have_the_scale_that_is_printed(ecg, name, speed, gain):
    settings = PaperSettings(layout=name, speed_mm_per_s=speed, gain_mm_per_mv=gain)
    svg = ecg_svg(ecg, settings=settings)
    twice = 2 if name == "one" else 1
    assert f"{speed * twice:g} mm/s · {gain * twice:g} mm/mV" in " ".join(texts(svg))
    line = lines(svg, "II")[-1]
    signal = ecg.signal_mv[1] - np.median(ecg.signal_mv[1])
    at = np.clip(np.rint(line.second * 500).astype(int), 2, 4997)
    around = np.stack([signal[at + shift] for shift in range(-2, 3)])
    read = line.height_mm / (gain * twice)
    assert (np.abs(around - read).min(axis=0) < 0.02 / gain + 1e-6).all()
    assert float(drawn(svg).get("data-speed")) == speed * twice


@every
def test_the_paper_is_drawn_in_true_millimetres(ecg, name):
    root = drawn(ecg_svg(ecg, settings=PaperSettings(layout=name)))
    _, _, wide, high = map(float, root.get("viewBox").split())
    assert (root.get("width"), root.get("height")) == (f"{wide:g}mm", f"{high:g}mm")


@every
def test_the_sheets_of_25_mm_a_second_fit_a4_across(ecg, name):
    wide = float(drawn(ecg_svg(ecg, settings=PaperSettings(layout=name))).get("data-wide"))
    assert wide <= 277 or name == "one"


def test_three_by_four_shows_a_quarter_of_each_lead_and_all_of_lead_ii():
    spans = {(s.lead, s.start_s, s.end_s) for s in THREE_BY_FOUR.strips}
    assert ("V1", 5.0, 7.5) in spans
    assert ("II", 0.0, 2.5) in spans and ("II", 0.0, 10.0) in spans
    assert len(spans) == 13


@every
def test_every_lead_stands_on_every_layout_and_is_named(ecg, name):
    svg = ecg_svg(ecg, settings=PaperSettings(layout=name))
    held = {strip.lead for strip in PaperSettings(layout=name).page_layout.strips}
    assert held == ({"II"} if name == "one" else set(LEADS))
    assert {lead.replace("aVR", "−aVR") if name == "cabrera" else lead for lead in held} <= set(
        texts(svg)
    )


@every
@pytest.mark.parametrize("gain", [5.0, 10.0, 20.0])
def test_a_lead_is_named_above_the_start_of_its_trace_clear_of_the_pulse(ecg, name, gain):
    settings = PaperSettings(layout=name, gain_mm_per_mv=gain)
    pitch = settings.page_layout.pitch_mm
    for strip in of_class(drawn(ecg_svg(ecg, settings=settings)), "strip"):
        label, *again = of_class(strip, "lead")
        assert [float(one.get("x")) for one in again] == ([250.8] if name == "one" else [])
        left = float(strip.get("data-from")) * 25.0 * settings.page_layout.magnified
        assert float(label.get("x")) == pytest.approx(left + 0.8, abs=0.01)
        above = float(strip.get("data-zero")) - float(label.get("y"))
        assert 0.3 * pitch < above < 0.5 * pitch and label.get("text-anchor") == "start"


@every
@pytest.mark.parametrize("gain", [None, *GAINS])
def test_pulses_and_names_lie_on_the_paper_even_of_a_lead_that_is_nearly_flat(ecg, name, gain):
    low = replace(ecg, signal_mv=ecg.signal_mv * np.float32(0.1))
    root = drawn(ecg_svg(low, settings=PaperSettings(layout=name, gain_mm_per_mv=gain)))
    for pulse in of_class(root, "pulse"):
        _, foot, _, rise, *_ = map(float, re.findall(r"-?[\d.]+", pulse.get("d")))
        assert foot + rise >= 1
    for label in of_class(root, "lead"):
        assert float(label.get("y")) >= float(label.get("font-size"))


@pytest.mark.parametrize(("name", "count"), [("3x4", 1), ("3x4+3", 3), ("cabrera", 1)])
def test_the_rhythm_lead_is_whatever_is_chosen(name, count):
    strips = PaperSettings(layout=name, rhythm="V5").page_layout.strips
    whole = [strip.lead for strip in strips if strip.full]
    assert len(set(whole)) == count and whole[0] == "V5"


def test_cabrera_goes_by_angle_with_avr_upside_down(ecg):
    settings = PaperSettings(layout="cabrera", gain_mm_per_mv=10.0)
    order = [s.lead for s in settings.page_layout.strips][:6]
    assert order == ["aVL", "I", "aVR", "II", "aVF", "III"]
    upside_down = lines(ecg_svg(ecg, settings=settings), "−aVR")[0]
    upright = lines(ecg_svg(ecg, settings=ALL_LEADS), "aVR")[0]
    within = upright.second < upside_down.second[-1] + 1e-6
    np.testing.assert_allclose(upside_down.height_mm, -upright.height_mm[within], atol=0.021)


def test_chest_leads_are_half_as_tall_on_request_and_the_paper_says_so(ecg):
    half = ecg_svg(ecg, settings=replace(ALL_LEADS, half_chest=True))
    whole = ecg_svg(ecg, settings=ALL_LEADS)
    for lead, part in (("V3", 0.5), ("I", 1.0)):
        tall = np.ptp(lines(whole, lead)[0].height_mm)
        assert np.ptp(lines(half, lead)[0].height_mm) == pytest.approx(part * tall, abs=0.05)
    assert "V1–V6: 5" in " ".join(texts(half))
    pulse = of_class(drawn(half), "pulse")[0].get("d")
    assert "v-10h2.5v5h2.5v5" in pulse


def scale(ecg, **settings):
    return of_class(drawn(ecg_svg(ecg, settings=PaperSettings(**settings))), "scale")[0].text


def test_automatic_gain_is_the_largest_at_which_rows_keep_apart(ecg):
    assert " 10 mm/mV ·" in scale(ecg)
    chest = spiked(spiked(ecg, "V1", -2.0), "V2", 2.0)
    assert "10 mm/mV (V1–V6: 5)" in scale(chest)
    limbs = spiked(spiked(ecg, "I", -2.0), "II", 2.0)
    assert " 5 mm/mV ·" in scale(limbs)
    assert "5 mm/mV (V1–V6: 2.5)" in scale(limbs, half_chest=True)
    assert "v-5h5v5" in of_class(drawn(ecg_svg(limbs)), "pulse")[0].get("d")
    once = replace(ecg, signal_mv=ecg.signal_mv.copy())
    once.signal_mv[6, 3000:3002] -= 4.0
    assert " 10 mm/mV ·" in scale(once)


@pytest.mark.parametrize("per_min", [120, 200, 300])
def test_a_fast_wide_rhythm_is_no_lone_artefact(ecg, per_min):
    """Its waves touch, so that all of them counted as one tangle, and the paper stayed at 10."""
    turns = np.where(np.arange(len(ecg.leads)) % 2, 2.5, -2.5)[:, None]
    seconds = np.arange(ecg.signal_mv.shape[1]) / ecg.sampling_rate_hz
    wide = (turns * np.sin(2 * np.pi * per_min / 60 * seconds)).astype(np.float32)
    assert " 5 mm/mV ·" in scale(replace(ecg, signal_mv=wide))


@pytest.mark.parametrize(("later_s", "tangled"), [(0.0, True), (0.03, True), (0.2, False)])
def test_an_s_wave_and_the_r_wave_of_the_lead_below_tangle_side_by_side_too(ecg, later_s, tangled):
    """PTB-XL 409: S of V2 ran down beside R of V3, 20 ms apart and never above it."""
    r_wave = spiked(ecg, "V2", 2.0, seconds=0.02)
    beside = spiked(r_wave, "V1", -2.0, seconds=0.02, at_s=0.4 + later_s)
    assert ("V1–V6: 5" in scale(beside)) is tangled


def test_where_no_gain_parts_the_rows_nothing_is_shrunk_for_it(ecg):
    assert " 10 mm/mV ·" in scale(spiked(spiked(ecg, "V1", -60.0), "V2", 60.0))


def test_the_chest_is_halved_once_more_where_its_rows_still_run_into_each_other():
    """An LBBB with S waves of 6 mV on twelve rows: V1 to V3 were a tangle."""
    bundle = load_case("left-bundle-branch-block")
    tall = replace(bundle, signal_mv=bundle.signal_mv * np.float32(6 / np.ptp(bundle.signal_mv)))
    assert "5 mm/mV (V1–V6: 2.5)" in scale(tall, layout="12x1")
    assert "10 mm/mV (V1–V6: 5)" in scale(tall)


def test_what_is_too_tall_is_broken_with_a_mark_and_its_height_never_flat(ecg):
    settings = PaperSettings(layout="3x4", gain_mm_per_mv=10.0)
    svg = ecg_svg(spiked(ecg, "V2", -5.9), settings=settings)
    marks = of_class(drawn(svg), "break")
    assert len(marks) >= 2 and any(said.startswith("−5.") for said in texts(svg))
    line = lines(svg, "V2")[0]
    assert np.abs(line.height_mm).max() <= 35.0
    assert line.runs == len(marks) + 1
    low = line.height_mm < -34.9
    assert not (low[1:] & low[:-1]).any()
    assert "V2: broken" in drawn(svg).get("aria-label")


def test_a_broken_wave_is_drawn_up_to_its_mark_and_its_height_stays_on_the_paper(ecg):
    """PTB-XL 330 at 20 mm/mV: R of V4 stopped 9 mm below the bars, and "+1.8 mV" was cut off."""
    settings = PaperSettings(layout="3x4", gain_mm_per_mv=20.0)
    quiet = replace(ecg, signal_mv=0.1 * ecg.signal_mv)
    root = drawn(ecg_svg(spiked(quiet, "V4", 4.0, at_s=0.85), settings=settings))
    left, _, width, _ = map(float, root.get("viewBox").split())
    zero = next(float(one.get("data-zero")) for one in of_class(root, "strip"))
    marks, heights = of_class(root, "break"), of_class(root, "peak")
    assert len(marks) == len(heights) == 3
    for mark, height in zip(marks, heights, strict=True):
        tops = re.findall(r"L\S+ (\S+?)(?=M|$)", mark.get("d"))
        assert [float(top) for top in tops] == pytest.approx([zero - 35.0] * 2, abs=0.01)
        long_mm = 0.62 * float(height.get("font-size")) * len(height.text)
        start = float(height.get("x")) - long_mm * (height.get("text-anchor") == "end")
        assert left <= start and start + long_mm <= left + width
    assert heights[-1].get("text-anchor") == "end"
    assert float(heights[-1].get("y")) - float(heights[-2].get("y")) > 3.0  # below its neighbour


def test_nothing_is_broken_at_the_gain_that_the_paper_chooses_for_6_mv(ecg):
    svg = ecg_svg(spiked(ecg, "V2", -5.9))
    assert not of_class(drawn(svg), "break")


def test_calibration_pulse_is_one_millivolt_and_a_fifth_of_a_second(ecg):
    pulse = of_class(drawn(ecg_svg(ecg, settings=ALL_LEADS)), "pulse")[0]
    assert "v-10h5v10" in pulse.get("d")


@every
def test_a_missing_lead_is_called_not_recorded(name, make_ecg):
    ecg = make_ecg(leads=("I", "III", "V1"))
    svg = ecg_svg(ecg, settings=PaperSettings(layout=name, enlarged="V4"))
    assert labels.NOT_RECORDED in texts(svg)
    assert not lines(svg, "V4")


def test_a_lead_whose_seconds_come_after_the_end_is_not_called_missing(ecg):
    samples = round(7.0 * ecg.sampling_rate_hz)
    short = replace(ecg, signal_mv=ecg.signal_mv[:, :samples])
    said = texts(ecg_svg(short))
    assert said.count(labels.ELSEWHERE) == 3 and labels.NOT_RECORDED not in said
    assert labels.ELSEWHERE not in texts(ecg_svg(short, settings=ALL_LEADS))


def test_a_limb_lead_that_two_others_determine_is_drawn(make_ecg):
    ecg = make_ecg(leads=("I", "II", "V1", "V2", "V3", "V4", "V5", "V6"))
    svg = ecg_svg(ecg, settings=ALL_LEADS)
    wave = ecg.signal_mv[1] - ecg.signal_mv[0]
    assert np.ptp(lines(svg, "III")[0].height_mm) == pytest.approx(10 * np.ptp(wave), abs=0.05)
    assert labels.NOT_RECORDED not in texts(svg)


def test_gaps_stay_gaps(ecg):
    signal = ecg.signal_mv.copy()
    signal[0, 2000:2500] = np.nan
    line = lines(ecg_svg(replace(ecg, signal_mv=signal), settings=ALL_LEADS), "I")[0]
    assert line.runs == 2
    assert not ((line.second > 4.01) & (line.second < 4.99)).any()


def test_a_short_recording_says_where_it_ends(make_ecg):
    root = drawn(ecg_svg(make_ecg(seconds=6.0), settings=ALL_LEADS))
    (note,) = of_class(root, "ends")
    assert (note.text, float(note.get("x"))) == (labels.RECORDING_ENDS, 151.0)


def test_a_later_window_shows_later_samples(make_ecg):
    ecg = make_ecg(seconds=25.0)
    early, late = (ecg_svg(ecg, settings=ALL_LEADS, start_s=s) for s in (0.0, 12.3))
    assert lines(early, "II")[0].height_mm.max() > lines(late, "II")[0].height_mm.max()


@pytest.mark.parametrize("factor", [0.1, 1.0, 3.0, 8.0])
@every
def test_no_wave_of_an_outer_row_leaves_the_paper(ecg, name, factor):
    loud = replace(ecg, signal_mv=factor * ecg.signal_mv)
    svg = ecg_svg(loud, settings=PaperSettings(layout=name))
    root = drawn(svg)
    strips = of_class(root, "strip")
    for strip in (strips[0], strips[-1]):
        zero = float(strip.get("data-zero"))
        for line in lines(svg, strip.get("data-lead")):
            assert zero - line.height_mm.max() > 0 or strip is not strips[0]
            assert zero - line.height_mm.min() < float(root.get("data-high"))


def test_measured_waves_are_marked_on_request_alone(ecg):
    spans = [np.array([[second, second + 0.1]]) for second in (0.5, 0.7, 0.9)]
    waves = Waves(*spans, spikes_s=np.array([5.2]))
    asked = replace(ALL_LEADS, fiducials=True)
    assert not of_class(drawn(ecg_svg(ecg, settings=ALL_LEADS, waves=waves)), "waves")
    root = drawn(ecg_svg(ecg, settings=asked, waves=waves))
    bars = [one for one in root.iter() if one.get("data-wave") == "QRS"]
    assert len(bars) == 12
    assert bars[0].get("d").startswith("M17.50 ") and bars[0].get("d").endswith("H20.00")
    assert len(of_class(root, "spike")) == 12


def test_a_wave_that_a_beat_lacks_is_not_marked(ecg):
    none = np.full((1, 2), np.nan)
    waves = Waves(none, np.array([[0.7, 0.8]]), none, np.array([]))
    svg = ecg_svg(ecg, settings=replace(ALL_LEADS, fiducials=True), waves=waves)
    assert "QRS" in texts(svg) and "P" not in texts(svg) and "T" not in texts(svg)


def test_a_wave_of_a_later_window_stands_at_its_second(make_ecg):
    ecg = make_ecg(seconds=30.0)
    none = np.full((1, 2), np.nan)
    waves = Waves(none, np.array([[12.0, 12.1]]), none, np.array([]))
    settings = replace(ALL_LEADS, fiducials=True)
    root = drawn(ecg_svg(ecg, settings=settings, waves=waves, start_s=10.0))
    bar = next(one for one in root.iter() if one.get("data-wave") == "QRS")
    assert bar.get("d").startswith("M50.00 ")


@pytest.mark.parametrize(
    "wrong",
    [
        {"layout": "4x3"},
        {"gain_mm_per_mv": 7.0},
        {"speed_mm_per_s": 30.0},
        {"rhythm": "V9"},
        {"enlarged": "<b>"},
    ],
)
def test_settings_that_no_paper_has_are_refused_without_repeating_them(wrong):
    with pytest.raises(ConfigError) as refused:
        PaperSettings(**wrong)
    assert str(*wrong.values()) not in str(refused.value)


@every
def test_the_page_stays_small(ecg, reading, name):
    heatmap = reading.heatmap(reading.findings[0])
    assert len(ecg_svg(ecg, settings=PaperSettings(layout=name), heatmap=heatmap)) < 200_000


def test_a_page_is_drawn_in_a_moment(ecg, reading):
    start = time.process_time()
    ecg_svg(ecg, settings=ALL_LEADS, heatmap=reading.heatmap(reading.findings[0]))
    assert time.process_time() - start < 0.5


def test_a_place_without_weight_may_be_noise_and_is_not_said_to_hold_no_signal_alone() -> None:
    assert "noise" in labels.NOT_SEEN_AT
