"""The tint shows the weights of the reading, where they are and on a scale that is said."""

import numpy as np
import pytest
from reading_svg import drawn, of_class, texts

from focal_app.explore.reading.heatmap import Heatmap
from focal_app.figures import labels
from focal_app.figures.layout import THREE_BY_FOUR, TWELVE_BY_ONE
from focal_app.figures.paper import ecg_svg
from focal_app.figures.paper_settings import LAYOUTS, PaperSettings
from focal_app.figures.tint import EDGE, FAINT, cells, depth, legend_ticks, scale_top

ALL_LEADS = PaperSettings(layout="12x1")


def opacities(root, kind="edge"):
    return [float(one.get("opacity")) for one in of_class(root, kind)]


def test_a_faint_tint_holds_the_same_weights_in_a_thinner_colour(ecg, reading):
    heatmap = reading.heatmap(reading.findings[0])
    full, faint = (
        opacities(drawn(ecg_svg(ecg, settings=ALL_LEADS, heatmap=heatmap, faint=thin)))
        for thin in (False, True)
    )
    np.testing.assert_allclose(faint, np.multiply(full, FAINT), atol=0.001)


def test_twelve_by_one_shows_every_patch_once(reading):
    shown = cells(reading.heatmap(reading.findings[0]), TWELVE_BY_ONE)
    assert len(shown) == 120
    weights = np.array([cell.weight for cell in shown]).reshape(12, 10)
    np.testing.assert_array_equal(weights, reading.findings[0].weights)


def test_three_by_four_cuts_patches_to_the_quarter_of_their_lead(reading):
    every = cells(reading.heatmap(reading.findings[0]), THREE_BY_FOUR)
    shown = [cell for cell in every if cell.strip.lead == "V1"]
    assert [(c.start_s, c.end_s) for c in shown] == [(5, 6), (6, 7), (7, 7.5)]
    assert [c.weight for c in shown] == [3.0, 3.0, 0.9]


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("columns", [10, 50])
def test_colour_at_a_place_is_the_weight_of_the_patch_there(ecg, name, columns):
    weights = np.random.default_rng(3).gamma(1.0, 1.0, (12, columns))
    heatmap = Heatmap(weights, np.linspace(0, 10, columns + 1))
    settings = PaperSettings(layout=name, enlarged="V3", speed_mm_per_s=50.0)
    root = drawn(ecg_svg(ecg, settings=settings, heatmap=heatmap))
    speed, top = float(root.get("data-speed")), scale_top(weights)
    edges = of_class(root, "edge")
    wanted = [c for c in cells(heatmap, settings.page_layout) if depth(c.weight, top) > 0.004]
    assert len(edges) == len(wanted)
    for edge, cell in zip(edges, wanted, strict=True):
        assert float(edge.get("x")) == pytest.approx(speed * cell.start_s, abs=0.01)
        assert float(edge.get("opacity")) == pytest.approx(
            EDGE * depth(cell.weight, top), abs=0.001
        )


def test_what_lies_below_the_average_stays_paper(ecg):
    heatmap = Heatmap(np.full((12, 10), 0.99), np.arange(11.0))
    assert not of_class(drawn(ecg_svg(ecg, heatmap=heatmap)), "edge")


def test_grid_and_traces_lie_over_the_tint_and_the_wash_lets_them_through(ecg, reading):
    root = drawn(ecg_svg(ecg, heatmap=reading.heatmap(reading.findings[0])))
    order = [one.get("class") for one in root]
    assert order.index("tint") < order.index("grid") < order.index("strip")
    (tint,) = of_class(root, "tint")
    wash = [float(one.get("opacity")) for one in tint if one.get("opacity")]
    assert max(wash) <= 0.2


def test_a_later_window_puts_its_first_patch_at_the_left_edge(make_ecg, make_reading):
    ecg = make_ecg(seconds=20.0)
    reading = make_reading(ecg, np.ones((12, 10)), start_s=10.0)
    assert cells(reading.heatmap(reading.findings[0]), TWELVE_BY_ONE)[0].start_s == 0.0


@pytest.mark.parametrize("chosen", [True, False])
def test_what_the_model_did_not_look_at_is_hatched_with_and_without_a_finding(ecg, reading, chosen):
    heatmap = reading.heatmap(reading.findings[0])
    given = {"heatmap": heatmap} if chosen else {"masked": heatmap}
    root = drawn(ecg_svg(ecg, settings=ALL_LEADS, **given))
    assert len(of_class(root, "unseen")) == 2
    assert bool(of_class(root, "tint")) == chosen


def test_nothing_is_tinted_before_a_finding_is_chosen(ecg):
    root = drawn(ecg_svg(ecg, settings=ALL_LEADS))
    assert not of_class(root, "tint") and not of_class(root, "legend")


@pytest.mark.parametrize(
    ("greatest", "top"), [(0.5, 2), (1.9, 2), (2.0, 2), (2.1, 3), (3.5, 4), (4.1, 6), (9, 12)]
)
def test_scale_ends_at_the_next_round_number(greatest, top):
    assert scale_top(np.array([[0.1, greatest, np.nan]])) == top


def test_legend_begins_at_the_average_and_ends_at_the_top(reading):
    ticks = legend_ticks(reading.heatmap(reading.findings[0]), right_mm=250.0)
    assert ticks[0] == (210.0, "1×")
    assert ticks[-1] == (250.0, "3×")


@pytest.mark.parametrize("top", [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96])
def test_marks_of_the_legend_never_touch(reading, top):
    weights = np.ones((12, 10))
    weights[0, 0] = top
    ticks = legend_ticks(Heatmap(weights, reading.edges_s), right_mm=250.0)
    assert (ticks[0][1], ticks[-1]) == ("1×", (250.0, f"{top}×"))
    places = [at for at, _ in ticks]
    assert np.diff(places).min() >= 9.0 - 1e-9
    assert len(ticks) <= 5


def test_the_legend_says_what_it_is_and_ends_where_the_tint_does(ecg, reading):
    heatmap = reading.heatmap(reading.findings[0])
    svg = ecg_svg(ecg, settings=ALL_LEADS, heatmap=heatmap)
    (legend,) = of_class(drawn(svg), "legend")
    assert float(legend.get("data-top")) == scale_top(heatmap.weights)
    assert labels.LOOKED in texts(svg)


@pytest.mark.parametrize("text_mm", [3.2, 4.0, 4.8, 6.0])
def test_no_word_of_the_foot_lies_below_the_paper(ecg, reading, text_mm):
    heatmap = reading.heatmap(reading.findings[0])
    root = drawn(ecg_svg(ecg, heatmap=heatmap, text_mm=text_mm))
    lowest = max(float(one.get("y")) for one in root.iter() if one.tag.endswith("text"))
    assert lowest <= float(root.get("data-high")) - 0.5
