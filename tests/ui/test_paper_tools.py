"""The toolbar shows the settings as they are and takes only what a paper has."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from focal_app.ecg.measurements import Waves
from focal_app.ecg.signal_spec import SignalSpec
from focal_app.errors import FocalError
from focal_app.figures.overview import HALF, overview_svg
from focal_app.figures.paper_settings import AT_FIRST, LAYOUTS, SPEEDS, PaperSettings
from focal_app.ui.read import wording_paper as wording
from focal_app.ui.read.showing import reading_paper
from focal_app.ui.read.tools import asked, overview, toolbar


def told(name, value):
    return SimpleNamespace(name=name, value=value)


@pytest.mark.parametrize(
    ("name", "value", "after"),
    [
        ("layout", "6x2", "6x2"),
        ("gain_mm_per_mv", "20", 20.0),
        ("gain_mm_per_mv", "auto", None),
        ("speed_mm_per_s", "50", 50.0),
        ("half_chest", "true", True),
        ("half_chest", "false", False),
        ("rhythm", "V1", "V1"),
        ("enlarged", "aVL", "aVL"),
        ("fiducials", "true", True),
    ],
)
def test_a_setting_is_taken_and_the_others_stay(name, value, after):
    before = PaperSettings(layout="cabrera", gain_mm_per_mv=5.0, half_chest=True)
    assert asked(before, told(name, value)) == replace(before, **{name: after})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("layout", "<b>"),
        ("speed_mm_per_s", "auto"),
        ("speed_mm_per_s", "1e9"),
        ("rhythm", "X"),
        ("px_per_mm", "1"),
        ("__class__", "x"),
    ],
)
def test_what_no_paper_has_is_refused(name, value):
    with pytest.raises(FocalError) as refused:
        asked(AT_FIRST, told(name, value))
    assert value not in str(refused.value)


def test_the_toolbar_shows_what_is_set(view):
    paper = PaperSettings(layout="3x4+3", gain_mm_per_mv=20.0, rhythm="V1", half_chest=True)
    said = toolbar(replace(view, paper=paper))
    assert '<option value="3x4+3" selected>' in said
    assert '<option value="20" selected>' in said
    assert "<option selected>V1</option>" in said
    assert 'name="half_chest" checked' in said
    assert 'name="enlarged"' not in said


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("speed", SPEEDS)
def test_the_toolbar_tells_the_scale_that_is_written_on_the_paper(layout, speed, view):
    paper = PaperSettings(layout=layout, gain_mm_per_mv=10.0, speed_mm_per_s=speed)
    shown = replace(view, paper=paper)
    chosen = " ".join(re.findall(r"<option[^>]* selected>([^<]*)<", toolbar(shown))).split()
    gain, rate = chosen[chosen.index("mm/mV") - 1], chosen[chosen.index("mm/s") - 1]
    assert f"{rate} mm/s · {gain} mm/mV · " in reading_paper(shown)


def test_waves_are_offered_where_they_were_measured(view):
    assert wording.FIDUCIALS not in toolbar(replace(view, reading=None))
    none = np.full((1, 2), np.nan)
    waves = Waves(none, np.array([[0.4, 0.5]]), none, np.array([]))
    reading = SimpleNamespace(measured=SimpleNamespace(waves=waves), findings=())
    measured = replace(view, reading=reading, paper=PaperSettings(fiducials=True))
    assert wording.FIDUCIALS in toolbar(measured)
    assert 'data-wave="QRS"' in reading_paper(measured)


def test_a_recording_of_one_window_has_no_overview(view):
    assert overview(view, SignalSpec()) == ""


def test_a_long_recording_is_shown_whole_with_its_window(view, ecg):
    long = replace(ecg, signal_mv=np.tile(ecg.signal_mv, (1, 180)))
    said = overview(replace(view, ecg=long, start_s=630.0), SignalSpec())
    assert 'max="1790.0"' in said and 'value="630.0"' in said
    assert "630–640 s" in said
    assert len(said) < 20_000


@pytest.mark.parametrize("seconds", [20, 1800])
def test_the_overview_shows_a_short_burst_where_it_was(ecg, seconds):
    signal = np.zeros((12, 500 * seconds), dtype=np.float32)
    signal[1, 500 * seconds // 2] = 5.0
    drawn = overview_svg(replace(ecg, signal_mv=signal))
    level, _, rest = drawn.partition('d="M0 0l')[2].partition(" 0 1-")
    assert int(level) == pytest.approx(800, abs=3)
    assert rest


@pytest.mark.parametrize("seconds", [11, 20, 600])
def test_no_beat_is_cut_in_the_overview_and_one_artefact_makes_none_small(ecg, seconds):
    signal = np.tile(ecg.signal_mv, (1, seconds // 10 + 1))[:, : 500 * seconds]
    signal[1, 2000:2010] = 60.0
    (path,) = re.findall(' d="M(.*?)"', overview_svg(replace(ecg, signal_mv=signal)))
    half, height = HALF, -np.cumsum([int(step) for step in re.findall(r"-?\d+", path)[1::2]])
    beats = height[height < half]
    assert (height == half).sum() <= 3 and 0.6 * half < beats.max() < half


def test_an_overview_of_nothing_is_empty(ecg):
    assert "NaN" not in overview_svg(replace(ecg, signal_mv=np.full_like(ecg.signal_mv, np.nan)))
