"""The borders of Verify's zones: right enough on all data, and chosen apart from the report."""

import numpy as np
import pytest

from focal_app.errors import ConfigError
from focal_app.lexicon import load_lexicon
from train.__main__ import main
from train.benchmark.ptbxl_statements import Reported
from train.runs.zones import (
    RIGHT_ABOVE,
    RIGHT_BELOW,
    Judged,
    _of_others,
    as_text,
    borders,
    measure_zones,
)


def judged(true, false):
    return Judged("statements", "here", 1, np.array(true), np.array(false))


def test_borders_are_right_enough_on_all_of_the_data():
    rng = np.random.default_rng(0)
    easy = judged(rng.beta(9, 2, 300), rng.beta(1, 12, 300))
    hard = judged(rng.beta(3, 2, 300), rng.beta(1, 8, 300))
    low, high = borders([easy, hard])
    assert 0 < low < high < 1
    for one in (easy, hard):
        true, false = one.kept(high)
        assert true / (true + false) >= RIGHT_ABOVE
        true, false = one.kept(low)
        assert 1 - false >= RIGHT_BELOW * (2 - true - false)
    assert borders([easy])[1] < high


def test_a_share_of_nothing_is_a_dash():
    few = judged([0.001, 0.002], [0.001]).document()
    text = as_text({"low": 0.005, "high": 0.3, "measured": [few]})
    assert "| statements (here) | 1 | 2 | 1 | - | 0% |" in text


def test_no_simulated_recording_is_refused(tmp_path, capsys):
    asked = ["--checkpoint", str(tmp_path), "--data", str(tmp_path), "--records", "0"]
    assert main(["verify-zones", *asked]) != 0
    assert "records" in capsys.readouterr().err


def test_a_fold_is_not_both_chosen_on_and_reported(tmp_path):
    with pytest.raises(ConfigError, match="fold"):
        measure_zones(None, tmp_path, develop=(7,), report=(7, 8))


def test_false_statements_neither_follow_from_the_report_nor_specify_it(tmp_path):
    def of(patient, *tags):
        return Reported(patient, tmp_path, tags, 7, patient)

    one = of("a", "myocardial infarction", "sinus rhythm")
    others = [of("a", "AF"), of("b", "inferior myocardial infarction", "atrial fibrillation")]
    found = _of_others(one, [*others, of("c", "sinus rhythm")], load_lexicon())
    assert found == ("atrial fibrillation",)
