"""What is said of a heatmap is what it holds."""

import numpy as np
import pytest

from focal_app.figures.places import Place, lead_shares, top_places


def test_a_planted_block_is_named_as_one_place(reading):
    assert top_places(reading.heatmap(reading.findings[0])) == (
        Place(("V1", "V2", "V3"), 5.0, 7.0, 3.0),
    )


def test_an_even_heatmap_names_no_place(ecg, make_reading):
    reading = make_reading(ecg, np.ones((12, 10)))
    assert top_places(reading.heatmap(reading.findings[0])) == ()


def test_limb_and_chest_leads_are_not_run_together(ecg, make_reading):
    weights = np.ones((12, 10))
    weights[5:7, 2] = 4.0
    reading = make_reading(ecg, weights)
    assert {p.leads for p in top_places(reading.heatmap(reading.findings[0]))} == {
        ("aVF",),
        ("V1",),
    }


def test_places_with_most_weight_are_named_and_the_strongest_first(ecg, make_reading):
    weights = np.ones((12, 10))
    weights[0, 0], weights[7, 4:8], weights[9, 3] = 4.0, 3.5, 2.5
    reading = make_reading(ecg, weights)
    named = top_places(reading.heatmap(reading.findings[0]), count=2)
    assert [(p.leads, p.share) for p in named] == [(("I",), 4.0), (("V2",), 3.5)]


def test_seconds_are_those_of_the_recording(make_ecg, make_reading):
    weights = np.ones((12, 10))
    weights[1, 3] = 5.0
    reading = make_reading(make_ecg(seconds=20.0), weights, start_s=10.0)
    assert top_places(reading.heatmap(reading.findings[0])) == (Place(("II",), 13.0, 14.0, 5.0),)


def test_patches_without_signal_are_never_named(ecg, make_reading):
    weights = np.full((12, 10), np.nan)
    reading = make_reading(ecg, weights)
    assert top_places(reading.heatmap(reading.findings[0])) == ()
    assert lead_shares(reading.heatmap(reading.findings[0])) == ()


def test_lead_shares_are_means_over_what_was_seen(reading):
    shares = dict(lead_shares(reading.heatmap(reading.findings[0])))
    assert shares["V1"] == pytest.approx((8 * 0.9 + 2 * 3.0) / 10)
    assert shares["V6"] == pytest.approx(0.9)
    assert list(shares)[:3] == ["V1", "V2", "V3"]
