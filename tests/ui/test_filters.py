"""The controls of the filters stand for what they say, and untouched they filter nothing."""

import pytest

from focal_app.ui.cases.filters import OLDEST, ages, filters_of


def test_untouched_controls_filter_nothing():
    assert filters_of([], "Any", 0, OLDEST, None) is None
    assert filters_of(None, None, None, None, "Any") is None


@pytest.mark.parametrize(
    ("bounds", "meant"),
    [((40, None), (40, OLDEST)), ((None, 30), (0, 30)), ((0, OLDEST), None), ((0, 0), (0, 0))],
)
def test_one_bound_of_an_age_is_enough(bounds, meant):
    assert ages(*bounds) == meant


def test_every_control_is_taken():
    found = filters_of(["LBBB"], "Female", 40, 60, "PTB-XL")
    assert (found.labels, found.sex, found.age_years) == (("LBBB",), "female", (40, 60))
    assert found.source == "PTB-XL"
