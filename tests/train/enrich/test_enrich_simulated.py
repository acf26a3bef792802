"""A stand-in for a language model, of which is known what its proposals are worth."""

from pathlib import Path

import pytest

from focal_app.lexicon import load_lexicon
from train.enrich.backends.simulated import SimulatedModel, features_of
from train.enrich.candidate_calibration import stated
from train.enrich.candidates import read_candidates
from train.enrich.generate import enrich
from train.simulate import simulate

TAGS = ("atrial fibrillation", "left axis deviation")


@pytest.fixture(scope="module")
def model() -> SimulatedModel:
    """Knows few recordings, which is enough for frequent statements."""
    return SimulatedModel(recordings=200)


def test_it_looks_at_the_report_alone_and_always_says_the_same(model):
    assert model.proposed(TAGS) == model.proposed(tuple(reversed(TAGS)))
    assert model.proposed(TAGS) != model.proposed(("sinus rhythm",))


def test_nothing_that_the_report_says_is_proposed(model):
    said = stated(TAGS, (), load_lexicon())
    proposed = {one.feature for one in model.proposed(TAGS)}
    assert proposed <= features_of(load_lexicon()) - said


def test_expected_features_show_far_more_often_than_random_ones(model):
    lexicon = load_lexicon()
    shown: dict[str, list[bool]] = {"expected": [], "random": []}
    for seed in range(150):
        present = stated(simulate(seed, sampling_rate_hz=100).tags, (), lexicon)
        report = [tag for tag in present if tag not in features_of(lexicon)]
        for one in model.proposed(report):
            shown[one.kind].append(one.feature in present)
    share = {kind: sum(found) / len(found) for kind, found in shown.items()}
    assert share["expected"] > 0.4 and share["random"] < 0.15


def test_enrichment_understands_what_it_proposes_in_other_words(model, tmp_path: Path):
    reports = [sorted(simulate(seed, sampling_rate_hz=100).tags) for seed in range(30)]
    enrich(reports, model, out=tmp_path)
    candidates = read_candidates(tmp_path)
    proposed = [(frozenset(tags), one) for tags in reports for one in model.proposed(tags)]
    reworded = [(tags, one) for tags, one in proposed if one.wording != one.feature]
    assert len(reworded) > 20
    understood = [one.feature in candidates[tags] for tags, one in reworded]
    assert sum(understood) / len(understood) > 0.9
