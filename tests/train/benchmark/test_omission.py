"""What is found of features by how often reports said them, and what verification made of them."""

import math
from dataclasses import asdict

import numpy as np
import pytest

from focal_app.errors import ConfigError
from focal_app.lexicon import load_lexicon
from focal_app.model.focal import Focal
from train.benchmark.metrics import Interval, share_interval
from train.benchmark.omission_tables import omitted, verification
from train.benchmark.omitted import Found, Group, judge_features
from train.benchmark.results import Result, plain
from train.benchmark.verification import judge_verification
from train.data import verified_files as files
from train.data.stated_shares import ALWAYS, NEVER, SELDOM, group_of, stated_shares
from train.enrich.backends.simulated import SimulatedModel

SHARES = {"inverted T waves": 1.0, "ST depression": 0.2, "absent P waves": 0.0}


def test_a_feature_goes_with_what_it_implies():
    lexicon = load_lexicon()
    found = [
        group_of(feature, SHARES, lexicon)
        for feature in ("inverted T waves in V1-V4", "ST depression in V4-V6", "absent P waves")
    ]
    assert found == [ALWAYS, SELDOM, NEVER]
    assert group_of("peaked T waves", SHARES, lexicon) is None


def test_what_is_no_share_is_refused(tmp_path):
    file = tmp_path / "shares.yaml"
    file.write_text("inverted T waves: often\n")
    with pytest.raises(ConfigError, match=r"shares\.yaml.*often"):
        stated_shares(file)


def test_an_untrained_model_is_judged_on_every_group(tiny_checkpoint):
    found = judge_features(Focal.load(tiny_checkpoint), SHARES, recordings=60)
    assert found.recordings == 60 and ALWAYS in found.groups
    for group in found.groups.values():
        assert group.macro_auc.low <= group.macro_auc.value <= group.macro_auc.high
        assert len(group.draws) == 400


def test_a_share_and_its_interval():
    part, whole = np.array([1.0, 0.0] * 50), np.ones(100)
    found = share_interval(part, whole)
    assert found.value == 0.5 and 0.38 < found.low < 0.42 and 0.58 < found.high < 0.62


@pytest.fixture
def model():
    """Knows few recordings."""
    return SimulatedModel(recordings=200)


@pytest.mark.parametrize("wrong", [False, True])
def test_a_verification_that_knows_keeps_all_and_one_that_errs_nothing(wrong, model, tmp_path):
    tags, lines, shown = ["atrial fibrillation"], [], {}
    proposed = [one.feature for one in model.proposed(tags)]
    for number in range(20):
        key, present = f"r{number}", set(proposed[number % 3 :: 2])
        shown[key] = present
        kept = set(proposed) - present if wrong else present
        sides = {"accepted": sorted(kept), "rejected": sorted(set(proposed) - kept)}
        judged = {side: [{"feature": f} for f in found] for side, found in sides.items()}
        lines.append({"key": key, "tags": tags, **judged})
    files.start(tmp_path / "v", {"threshold": 0.8})
    files.write_part(tmp_path / "v" / files.part_name(0), lines)
    files.finish(tmp_path / "v", 1, {})
    found = judge_verification(tmp_path / "v", shown, SHARES, model)
    shares = [one.value for one in (*found.kept.values(), *found.refused.values(), found.true)]
    assert shares == [0.0 if wrong else 1.0] * len(shares) and len(shares) >= 3
    [table] = verification([_result("fine-0.80, seed 7", found)])
    assert table.rows[0][:2] == ("fine-0.80", "0.8")


def test_gains_are_taken_seed_by_seed_and_draw_by_draw():
    rng, results = np.random.default_rng(0), []
    for seed in (7, 8, 9):
        draws = rng.normal(0.7, 0.02, 400)
        for name, more in (("fine-plain", 0.0), ("fine-0.80", 0.1)):
            value = 0.7 + 0.05 * seed + more
            group = Group(("a",), Interval(value, value - 0.04, value + 0.04), tuple(draws + more))
            results.append(_result(f"{name}, seed {seed}", Found(100, {ALWAYS: group})))
    table, gain = omitted(results)
    assert [row[0] for row in table.rows] == ["fine-plain", "fine-0.80"]
    # However far seeds and recordings lie apart, the difference is the same in all of them.
    assert gain.rows == (("fine-0.80", "+10.0 (+10.0 to +10.0)"),)


def test_a_group_that_nothing_judged_shows_has_no_gain():
    nothing = Group(("a",), Interval(math.nan, math.nan, math.nan), (math.nan,) * 3)
    results = [_result(name, Found(3, {ALWAYS: nothing})) for name in ("fine-plain", "fine-0.80")]
    table, gain = omitted(results)
    assert gain.rows == (("fine-0.80", "-"),) and table.rows[0] == ("fine-plain", "-")


def test_runs_that_were_judged_on_other_data_are_left_out_and_counted():
    results = []
    for seed, data in ((7, "the same"), (8, "the same"), (9, "other")):
        for name, value, judged_on in (("fine-plain", 0.6, "the same"), ("fine-0.80", 0.7, data)):
            more = 0.3 if judged_on == "other" else 0.0
            group = Group(("a",), Interval(value, value, value), (value + more,) * 2)
            found = Found(100, {ALWAYS: group})
            results.append(_result(f"{name}, seed {seed}", found, data=judged_on))
    _, gain = omitted(results)
    assert gain.rows == (("fine-0.80", "+10.0 (+10.0 to +10.0)"),)
    assert gain.note.endswith("1 pair of runs was judged on other data and left out.")


def _result(name, figures, *, data=""):
    values = plain(asdict(figures))
    return Result("t", "", name, "", data, {}, "", 0, values)


def test_gains_are_taken_over_the_control_of_the_same_experiment():
    results = []
    for suffix, base in (("", 0.6), (" (2)", 0.7)):
        for name, value in (("fine-plain", base), ("fine-0.80", base + 0.1)):
            group = Group(("a",), Interval(value, value, value), (value, value))
            results.append(_result(name + suffix, Found(100, {ALWAYS: group})))
    _, gain = omitted(results)
    told = "+10.0 (+10.0 to +10.0)"
    assert gain.rows == (("fine-0.80", told), ("fine-0.80 (2)", told))
