"""Claims about the probability of a candidate, on models whose errors are known."""

import dataclasses

import numpy as np
import pytest

from focal_app.errors import ConfigError
from focal_app.lexicon import load_lexicon
from focal_app.model.focal import Focal
from train.data.shard_index import Index
from train.data.verified_files import read_verified
from train.enrich import candidate_calibration as calibration
from train.enrich.candidate_calibration import Pairs, fit_candidates, planted_pairs, threshold_curve
from train.enrich.verify import verify
from train.fit.calibration import expected_error

RHYTHM = frozenset({"sinus rhythm"})


@pytest.fixture
def known(features):
    """Features of the lexicon that imply no other feature, with their leads."""
    lexicon = load_lexicon()
    signs = {feature for statement in lexicon for feature in statement.features}
    named = [(lead, f) for lead, f in enumerate(features) if f in signs]
    return [(lead, f) for lead, f in named if not lexicon.ancestors(f) & signs]


@pytest.fixture
def enriched(make_shards, known):
    """Training records without their features in the report, validation records with them."""
    rng = np.random.default_rng(0)
    records = [("train", RHYTHM, (lead,)) for lead in range(4)]
    for _ in range(40):
        some = [known[i] for i in rng.choice(len(known), 3, replace=False)]
        records.append(("validation", [f for _, f in some], [lead for lead, _ in some]))
    return make_shards(records)


def test_half_of_the_pairs_are_planted_and_none_of_them_is_there(enriched, oracle):
    pairs = planted_pairs(oracle, [enriched], {})
    assert pairs.present.mean() == pytest.approx(0.5, abs=0.1)
    assert (pairs.logit[~pairs.present] < -4.8).all()
    curve = fit_candidates(oracle, [enriched], {})
    assert curve.fitted["records"] == 40
    assert curve(np.array([5.0])) > 0.95 and curve(np.array([-5.0])) < 0.05


def test_planting_is_the_same_every_time_and_follows_the_seed(enriched, tiny_checkpoint):
    model = Focal.load(tiny_checkpoint)
    one, same, other = (planted_pairs(model, [enriched], {}, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(one.logit, same.logit) and not np.array_equal(one.logit, other.logit)


@pytest.mark.parametrize("count", [1, 4, 7])
def test_up_to_half_of_the_false_ones_are_likely_ones(count):
    open_ = [f"feature {n}" for n in range(10)]
    likely = frozenset(open_[:3])
    drawn = calibration._false(open_, likely, count, np.random.default_rng(0))
    assert len(set(drawn)) == len(drawn) == count
    assert len(likely & set(drawn)) >= min(3, count // 2)
    assert calibration._false(open_, frozenset(), 10, np.random.default_rng(0)) == sorted(open_)


def test_likely_slips_are_planted_only_where_tags_are_complete(make_shards):
    """The lexicon expects a delta wave with preexcitation; elsewhere it may be there, unsaid."""
    said = ["ventricular preexcitation", "left axis deviation", "wide QRS complex"]
    others = ["delta wave", "prolonged PR interval", *(load_lexicon()["normal ECG"].features)]
    lexicon, planted = load_lexicon(), {}
    features = frozenset({*others, "left axis deviation", "wide QRS complex"})
    for name in ("simulated", "csn"):
        shards = make_shards([("validation", said, ()), ("validation", others, ())], name=name)
        draws = (np.random.default_rng(seed) for seed in range(40))
        found = [calibration._drawn(shards, features, lexicon, draw) for draw in draws]
        assert all(truths[0].tolist() == [True, True, False, False] for _, _, truths in found)
        planted[name] = sum("delta wave" in asked[0] for _, asked, _ in found)
    assert planted["simulated"] == 40 and 0 < planted["csn"] < 40


def test_training_records_calibrate_nothing(make_shards, oracle, features):
    shards = make_shards([("train", [features[0]], (0,)), ("test", [features[1]], (1,))])
    assert not len(planted_pairs(oracle, [shards], {}).logit)
    with pytest.raises(ConfigError, match="--calibrate"):
        fit_candidates(oracle, [shards], {})


def test_a_feature_of_which_no_report_speaks_is_never_planted(make_shards, oracle, features):
    """Silence about a feature that a source has no words for says nothing."""
    shards = make_shards(
        [("validation", [features[0]], (0, 4)), ("validation", [features[3]], (3, 4))]
    )
    pairs = planted_pairs(oracle, [shards], {})
    # Feature 4 is there both times; were it planted as a false one, its logit would be high.
    assert (pairs.logit[~pairs.present] < 0).all() and len(pairs.logit) == 4


def test_a_suspected_feature_is_neither_true_nor_planted(make_shards, oracle, features):
    shards = make_shards(
        [("validation", [features[0], features[3]], (0, 3)), ("validation", [features[4]], (4,))]
    )
    suspected = dict(shards.line(0), hedged=[features[3]])
    index = Index.of([(0, suspected), (0, shards.line(1))])
    shards = dataclasses.replace(shards, index=index)
    pairs = planted_pairs(oracle, [shards], {})
    assert pairs.present.sum() == 2


def test_the_score_of_a_verification_is_the_candidates_own(enriched, oracle, features, tmp_path):
    verify(oracle, [enriched], {RHYTHM: features}, tmp_path / "out")
    found = read_verified(tmp_path / "out")
    assert [found[f"planted-{lead}"] for lead in range(4)] == [(f,) for f in features[:4]]


def _pairs(*, separation: float, count: int = 4000, seed: int = 0) -> Pairs:
    """Gaussian logits: the true log odds are `separation` times the logit."""
    rng = np.random.default_rng(seed)
    present = rng.random(count) < 0.5
    logit = rng.standard_normal(count) + separation * (present - 0.5)
    return Pairs(logit, present, np.arange(count) // 8)


@pytest.mark.parametrize("separation", [0.5, 1.0, 3.0])
def test_the_curve_finds_the_true_odds(separation):
    fitted = calibration._fit(_pairs(separation=separation))
    assert fitted.scale == pytest.approx(separation, rel=0.15)
    assert fitted.shift == pytest.approx(0, abs=0.15)


def test_few_pairs_vouch_for_no_high_probability():
    clear = Pairs(np.array([-5.0, 5.0] * 5), np.array([False, True] * 5), np.arange(10))
    assert 0.7 < calibration._fit(clear).scale * 5 + calibration._fit(clear).shift < 3
    many = Pairs(np.tile(clear.logit, 50), np.tile(clear.present, 50), np.arange(500))
    assert calibration._fit(many).scale * 5 + calibration._fit(many).shift > 3


def test_of_what_passes_the_threshold_at_least_that_share_is_there():
    pairs = _pairs(separation=2.5)
    probability = calibration._cross_fitted(pairs)
    assert pairs.present[probability >= 0.95].mean() >= 0.95
    assert expected_error(probability, pairs.present.astype(float)) < 0.03


def test_a_model_that_knows_nothing_accepts_nothing():
    probability = calibration._cross_fitted(_pairs(separation=0.0))
    assert (probability < 0.6).all()


def test_a_higher_threshold_keeps_fewer_and_rejects_more():
    pairs = _pairs(separation=2.0)
    rows = threshold_curve(calibration._cross_fitted(pairs), pairs.present)
    kept = [row["true_kept"] for row in rows]
    rejected = [row["false_rejected"] for row in rows]
    assert kept == sorted(kept, reverse=True) and rejected == sorted(rejected)


def test_the_numbers_of_true_and_false_do_not_move_the_curve():
    pairs = _pairs(separation=2.0, count=20000)
    keep = pairs.present | (np.arange(20000) % 5 == 0)
    fewer = Pairs(pairs.logit[keep], pairs.present[keep], pairs.record[keep])
    assert calibration._fit(fewer).shift == pytest.approx(calibration._fit(pairs).shift, abs=0.2)
