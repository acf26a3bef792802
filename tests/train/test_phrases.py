"""Free phrases: the same finding in other words is no negative, and a bound is measured."""

import numpy as np
import pytest
import torch

from focal_app.lexicon import load_lexicon
from focal_app.model.focal import Focal
from tests.train.test_objective import TAGS
from train.data.batch import Batch
from train.fit.asked import Asked
from train.fit.distributed import Processes
from train.fit.objective import Objective
from train.fit.phrases import NEVER, Bounds, Phrases, bounds_of
from train.fit.soft_targets import Knowledge, Speech, Tags, Vocabulary
from train.recipe import ObjectiveConfig

LEXICON = load_lexicon()
FREE = ("t wave inversion laterally", "lateral t waves upside down", "a wandering thing")
STATEMENT = "inverted T waves"


def said(rows, columns, *, cosines, hedged=None, hedge: float = 1.0, speech: Speech | None = None):
    """Similarity and known of rows (each the tags of a report), by cosines between phrases."""
    words = {*FREE, STATEMENT, *columns, *(tag for row in rows for tag in row)}
    vocabulary = Vocabulary.of(words, LEXICON)
    phrases = None
    if cosines is not None:
        every = [*LEXICON.statements, *vocabulary.meanings]
        gram = np.eye(len(every))
        for (one, other), cosine in cosines.items():
            i, j = every.index(one), every.index(other)
            gram[i, j] = gram[j, i] = cosine
        z = torch.from_numpy(np.linalg.cholesky(gram)).float()
        phrases = Phrases(z, len(LEXICON.statements), Bounds(0.8, 0.4))
    knowledge = Knowledge(LEXICON, [speech or Speech()])
    knowledge.phrases = phrases
    entries = torch.from_numpy(vocabulary.entries)
    flat = [tag for row in rows for tag in row]
    suspected = hedged or [[False] * len(row) for row in rows]
    tags = Tags(
        entries[vocabulary.numbers(flat)],
        torch.tensor([i for i, row in enumerate(rows) for _ in row]),
        torch.tensor([one for row in suspected for one in row]),
    )
    found = knowledge.of_hedged(
        tags,
        torch.zeros(len(rows), dtype=torch.long),
        entries[vocabulary.numbers(columns)],
        hedge=hedge,
    )
    return found.similarity.tolist(), found.known.tolist()


COSINES = {(FREE[0], FREE[1]): 0.82, (FREE[0], STATEMENT): 0.5, (FREE[0], FREE[2]): 0.1}


def test_the_same_finding_in_other_words_is_present_a_far_one_absent_and_between_unknown():
    similarity, known = said([[FREE[0]]], [*FREE, STATEMENT], cosines=COSINES)
    assert similarity == [[1, 1, 0, 0]]
    assert known == [[1, 1, 1, 0]]


def test_by_equal_words_all_others_are_negatives():
    similarity, known = said([[FREE[0]]], [*FREE, STATEMENT], cosines=None)
    assert similarity == [[1, 0, 0, 0]] and known == [[1, 1, 1, 1]]


def test_what_the_lexicon_knows_it_says_itself():
    """Cosines between two of its statements have no say, however near."""
    pair = {("sinus rhythm", "atrial fibrillation"): 0.95}
    similarity, known = said([["sinus rhythm"]], ["atrial fibrillation"], cosines=pair)
    assert (similarity, known) == ([[0]], [[1]])


def test_what_is_stated_stays_present_though_another_phrase_is_unclear():
    similarity, known = said([[FREE[0], STATEMENT]], [STATEMENT], cosines=COSINES)
    assert (similarity, known) == ([[1]], [[1]])


def test_a_suspected_finding_is_a_soft_target_and_denies_nothing():
    columns = ["inferior myocardial infarction", "myocardial infarction", "sinus rhythm"]
    report = [["inferior myocardial infarction", "sinus rhythm"]]
    similarity, known = said(report, columns, cosines=None, hedged=[[True, False]], hedge=0.6)
    assert similarity[0] == pytest.approx([0.6, 0.6, 1]) and known == [[1, 1, 1]]
    labelled = Speech(("sinus rhythm",))
    for suspected, wanted in (([False], 1), ([True], 0)):
        _, known = said(
            [["atrial fibrillation"]],
            ["sinus tachycardia"],
            cosines=None,
            hedged=[suspected],
            hedge=0.6,
            speech=labelled,
        )
        assert known == [[wanted]]


def test_a_finding_that_is_stated_and_suspected_is_stated():
    similarity, _ = said(
        [["inferior myocardial infarction", "anterior myocardial infarction"]],
        ["myocardial infarction"],
        cosines=None,
        hedged=[[True, False]],
        hedge=0.6,
    )
    assert similarity == [[1]]


@pytest.mark.parametrize("routing", ("own", "cross"))
@pytest.mark.parametrize("targets", ("online", "frozen", "lexicon", "identity"))
def test_hedges_reach_the_loss_whatever_the_targets(tiny_checkpoint, routing, targets):
    names = sorted({tag for tags in TAGS for tag in tags})
    numbers = [[names.index(tag) for tag in tags] for tags in TAGS]
    hedged = [[True] * len(tags) for tags in TAGS]
    torch.manual_seed(1)
    signal, seen = torch.randn(4, 12, 5000), torch.ones(4, 12, 10, dtype=torch.bool)
    losses = []
    stated = [[False] * len(tags) for tags in TAGS]
    for hedge, signs in ((1.0, hedged), (0.5, hedged), (0.5, stated)):
        config = ObjectiveConfig(routing=routing, targets=targets, hedged=hedge)
        lexicon = LEXICON if targets == "lexicon" else None
        asked = Asked.by_tags(names, [Speech()], lexicon)
        batch = Batch.of(signal, seen, numbers).suspecting(signs)
        made = Objective(Focal.load(tiny_checkpoint), config, asked, processes=Processes())
        losses.append(made(batch)["tags"].item())
    assert losses[0] == pytest.approx(losses[2], abs=1e-6)
    assert abs(losses[1] - losses[0]) > 1e-3


def test_bounds_part_equal_meanings_from_others():
    rng = np.random.default_rng(0)
    same, other = rng.normal(0.8, 0.05, 200), rng.normal(0.1, 0.05, 5000)
    bounds = bounds_of(same, other)
    assert 0.1 < bounds.unlike <= bounds.alike < 0.8
    assert np.mean(same < bounds.unlike) <= 0.05
    kept = np.sum(same >= bounds.alike) / np.sum(np.r_[same, other] >= bounds.alike)
    assert kept >= 0.95


def test_an_encoder_that_tells_nothing_apart_makes_nothing_alike():
    rng = np.random.default_rng(0)
    bounds = bounds_of(rng.normal(0, 1, 50) / 9, np.r_[rng.normal(0, 1, 5000) / 9, 0.99])
    assert bounds.alike == NEVER and bounds.unlike < 0


def test_a_phrase_that_is_like_a_statement_says_all_that_it_implies(tiny_checkpoint, monkeypatch):
    """With any bounds: below every cosine the nearest statement is meant, above all none is."""
    phrase, encoder = "a phrase of no lexicon", Focal.load(tiny_checkpoint).text
    meant = []
    for alike in (-2.0, NEVER):
        monkeypatch.setattr(
            "train.fit.asked.measured_bounds", lambda *_, low=alike: Bounds(low, -2.0)
        )
        asked = Asked.by_tags([phrase, STATEMENT], [Speech()], LEXICON)
        asked.compare_phrases(encoder, LEXICON)
        batch = Batch.of(torch.zeros(1, 12, 5000), torch.ones(1, 12, 10).bool(), [[0]])
        question = asked.of(batch, Processes())
        meant.append(int(question.meanings[0]) < len(LEXICON.statements))
    assert meant == [True, False]
