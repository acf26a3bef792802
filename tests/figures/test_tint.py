"""The tint shows the weights of the reading, where they are and on a scale that is said."""

import numpy as np
import pytest

from focal_app.explore.reading.heatmap import Heatmap
from focal_app.figures import labels
from focal_app.figures.layout import LAYOUTS, THREE_BY_FOUR, TWELVE_BY_ONE
from focal_app.figures.paper import ecg_page
from focal_app.figures.tint import cells, legend_ticks, scale_top


def deepest(tint):
    """How much colour the highest weight gets, 0 to 1."""
    return float(tint["colorscale"][-1][1].rstrip(")").rpartition(",")[2])


def heat(page):
    return next(t for t in page["data"] if t.get("name") == "tint")


def test_a_faint_tint_holds_the_same_weights_in_a_thinner_colour(ecg, reading):
    options = {"layout": TWELVE_BY_ONE, "heatmap": reading.heatmap(reading.findings[0])}
    full, faint = (heat(ecg_page(ecg, **options, faint=faint)) for faint in (False, True))
    assert full["z"] == faint["z"]
    assert deepest(faint) < 0.4 * deepest(full)


def test_twelve_by_one_shows_every_patch_once(reading):
    shown = cells(reading.heatmap(reading.findings[0]), TWELVE_BY_ONE)
    assert len(shown) == 120
    weights = np.array([cell.weight for cell in shown]).reshape(12, 10)
    np.testing.assert_array_equal(weights, reading.findings[0].weights)


def test_three_by_four_cuts_patches_to_the_quarter_of_their_lead(reading):
    shown = [
        c for c in cells(reading.heatmap(reading.findings[0]), THREE_BY_FOUR) if c.lead == "V1"
    ]
    assert [(c.left_mm / 25, c.right_mm / 25) for c in shown] == [(5, 6), (6, 7), (7, 7.5)]
    assert [c.weight for c in shown] == [3.0, 3.0, 0.9]


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_colour_at_a_place_is_the_weight_of_the_patch_there(ecg, reading, layout):
    heatmap = reading.heatmap(reading.findings[0])
    drawn = heat(ecg_page(ecg, layout=layout, heatmap=heatmap))
    for cell in cells(heatmap, layout):
        column = np.searchsorted(drawn["x"], (cell.left_mm + cell.right_mm) / 2) - 1
        row = np.searchsorted(drawn["y"], (cell.bottom_mm + cell.top_mm) * 50) - 1
        depth = drawn["z"][row][column]
        if np.isnan(cell.weight):
            assert depth is None
        else:
            assert depth == pytest.approx(np.log2(max(cell.weight, 1)), abs=0.006)


def test_a_later_window_puts_its_first_patch_at_the_left_edge(make_ecg, make_reading):
    ecg = make_ecg(seconds=20.0)
    reading = make_reading(ecg, np.ones((12, 10)), start_s=10.0)
    shown = cells(reading.heatmap(reading.findings[0]), TWELVE_BY_ONE)
    assert (shown[0].left_mm, shown[0].start_s) == (0.0, 10.0)


def test_unseen_patches_are_hatched(ecg, reading):
    page = ecg_page(ecg, layout=TWELVE_BY_ONE, heatmap=reading.heatmap(reading.findings[0]))
    hatch = next(t for t in page["data"] if t.get("name") == "unseen")
    assert hatch["fillpattern"]["shape"] == "/"
    assert [x for x in hatch["x"] if x is not None][0::4] == [200.0, 225.0]


def test_nothing_is_tinted_before_a_finding_is_chosen(ecg):
    page = ecg_page(ecg, layout=TWELVE_BY_ONE)
    assert not [t for t in page["data"] if t["type"] == "heatmap"]


@pytest.mark.parametrize(
    ("greatest", "top"), [(0.5, 2), (1.9, 2), (2.0, 2), (2.1, 3), (3.5, 4), (4.1, 6), (9, 12)]
)
def test_scale_ends_at_the_next_round_number(greatest, top):
    assert scale_top(np.array([[0.1, greatest, np.nan]])) == top


def test_legend_begins_at_the_even_share_and_ends_at_the_top(reading):
    ticks = legend_ticks(reading.heatmap(reading.findings[0]), legend_mm=(250.0, 0.0))
    assert ticks[0] == (210.0, "1×")
    assert ticks[-1] == (250.0, "3×")


@pytest.mark.parametrize("top", [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96])
def test_marks_of_the_legend_never_touch(reading, top):
    weights = np.ones((12, 10))
    weights[0, 0] = top
    ticks = legend_ticks(Heatmap(weights, reading.edges_s), legend_mm=(250.0, 0.0))
    assert (ticks[0][1], ticks[-1]) == ("1×", (250.0, f"{top}×"))
    places = [at for at, _ in ticks]
    assert np.diff(places).min() >= 9.0 - 1e-9
    assert len(ticks) <= 5


def test_legend_and_tint_share_one_scale(ecg, reading):
    page = ecg_page(ecg, layout=TWELVE_BY_ONE, heatmap=reading.heatmap(reading.findings[0]))
    legend = next(t for t in page["data"] if t.get("name") == "legend")
    for key in ("colorscale", "zmin", "zmax"):
        assert legend[key] == heat(page)[key]
    assert labels.EVEN_SHARE in [n["text"] for n in page["layout"]["annotations"]]
