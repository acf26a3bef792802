"""Verification on simulated ECGs whose findings are known: false features out, true ones in."""

from pathlib import Path

import pytest

from focal_app.lexicon import load_lexicon
from focal_app.model.focal import Focal
from train.enrich.candidate_calibration import excluded, stated
from train.enrich.planted import KINDS, measure_planted, plant

CHECKPOINT = Path(__file__).parents[3] / "assets" / "checkpoint"


@pytest.fixture(scope="module")
def planted():
    """Some simulated patients with their candidates."""
    return list(plant(range(40), load_lexicon()))


def test_planted_features_are_absent_and_lost_ones_present(planted):
    lexicon = load_lexicon()
    for one in planted:
        present = stated(one.drawn.tags, (), lexicon)
        assert set(one.true) <= present
        for kind in KINDS:
            assert not set(one.false[kind]) & present
    assert sum(len(one.true) for one in planted) > 100


def test_no_candidate_is_decided_by_the_report_alone(planted):
    lexicon = load_lexicon()
    for one in planted:
        decided = stated(one.report, (), lexicon) | excluded(one.report, lexicon)
        assert not {*one.true, *one.false["random"], *one.false["suggested"]} & decided


def test_suggested_features_are_those_that_the_lexicon_expects(planted):
    lexicon = load_lexicon()
    some = [one for one in planted if one.false["suggested"]]
    assert some
    for one in some:
        said = stated(one.report, (), lexicon)
        expected = {feature for tag in said for feature in lexicon[tag].features}
        assert set(one.false["suggested"]) <= expected


@pytest.mark.slow
def test_the_embedded_model_rejects_planted_features_and_keeps_true_ones():
    figures = measure_planted(Focal.load(CHECKPOINT), records=200)
    assert figures.threshold == 0.95
    assert all(figures.rejected[kind] >= 0.95 for kind in KINDS)
    assert figures.kept >= 0.60
