"""A feature that a report does not state: how probable it is, where reports leave features out."""

import numpy as np
import pytest

from train.data.verified_files import read_lines, read_verified
from train.enrich.candidate_calibration import TooFew
from train.enrich.scoring import Curve
from train.enrich.thresholds import accept_at
from train.enrich.unstated import fit_unstated
from train.enrich.verify import UNKNOWN, verify


def test_it_is_bayes_rule_where_reports_state_a_feature_at_random():
    rng, shows, c = np.random.default_rng(0), np.linspace(0.01, 0.99, 50), 0.2
    logit = np.log(c * shows / (1 - c * shows))  # of being stated
    curve = Curve("unstated", "", 1.0, 0.0, stated={"ST depression": c})
    found = curve.of(logit, ["ST depression"] * 50)
    # Drawn: of the recordings whose reports keep silent, the share that show it.
    present = rng.random((200_000, 50)) < shows
    silent = ~(present & (rng.random((200_000, 50)) < c))
    np.testing.assert_allclose(found, (present & silent).sum(0) / silent.sum(0), atol=0.01)


def test_what_is_always_stated_and_is_not_here_is_absent():
    curve = Curve("unstated", "", 1.0, 0.0, stated={"always": 0.999})
    assert curve.of(np.array([0.0]), ["always"])[0] < 0.002


def test_other_scores_do_not_ask_what_is_stated():
    curve, logit = Curve("candidate", "", 2.0, -1.0), np.array([0.3, -2.0])
    np.testing.assert_array_equal(curve.of(logit, ["a", "b"]), curve(logit))


def test_features_that_hardly_any_report_states_are_not_judged(
    oracle, make_shards, features, tmp_path
):
    often, once, tag = features[0], features[2], "myocardial infarction"
    records = [("validation", (tag, often), (0,))] * 4 + [("validation", (tag, once), (2,))]
    records += [("validation", (tag,), ())] * 4 + [("train", (tag,), (0, 2))]
    shards = make_shards(records)
    curve = fit_unstated(oracle, [shards])
    assert sorted(curve.stated) == [often] and 0 < curve.stated[often] < 1
    candidates = {frozenset([tag]): (often, once)}
    verify(oracle, [shards], candidates, tmp_path / "v", threshold=0.2, score="unstated")
    shown = list(read_lines(tmp_path / "v"))[-1]
    judged = {one["feature"]: one for one in (*shown["accepted"], *shown["rejected"])}
    assert judged[once] == {"feature": once, "probability": None, "reason": UNKNOWN}
    assert 0 <= judged[often]["probability"] <= 1
    lenient = tmp_path / "lenient"
    verify(oracle, [shards], candidates, lenient, threshold=0.2, score="unstated-lenient")
    accept_at(lenient, 0.9, tmp_path / "higher")
    for folder in (lenient, tmp_path / "higher"):
        assert once in read_verified(folder)["planted-9"]


def test_reports_that_state_no_feature_fit_nothing(oracle, make_shards):
    with pytest.raises(TooFew, match="found no feature"):
        fit_unstated(oracle, [make_shards([("validation", ("myocardial infarction",), ())] * 4)])
