"""Ranks: by hand, by chance, and on ties."""

import numpy as np
import pytest

from train.benchmark.retrieval import direction, first_ranks, first_ranks_by_chance


def test_the_rank_is_that_of_the_first_right_answer_and_ties_cost_half_a_place():
    score = np.array([[0.9, 0.8, 0.1], [0.9, 0.8, 0.1], [0.5, 0.5, 0.5]])
    right = np.array([[1, 0, 0], [0, 0, 1], [0, 1, 0]], bool)
    assert first_ranks(score, right).tolist() == [1, 3, 2]
    right[1, 1] = True
    assert first_ranks(score, right).tolist() == [1, 2, 2]


def test_perfect_scores_find_all_and_reversed_ones_nothing():
    every, right = np.arange(40), np.eye(40)
    best = direction(right, right, every, every)
    worst = direction(right, -right, every, every)
    assert (best.recall["1"].value, best.median_rank) == (1, 1)
    assert (worst.recall["10"].value, worst.median_rank) == (0, 40)


@pytest.mark.parametrize("held", (1, 3))
def test_random_scores_reach_what_is_said_of_chance(held):
    rng, candidates = np.random.default_rng(0), 30
    right = np.zeros((4000, candidates), bool)
    right[:, :held] = True
    asked, holds = np.zeros(4000, int), np.where(np.arange(candidates) < held, 0, 1)
    score = rng.random(right.shape)
    found = direction(score, np.eye(candidates), asked, holds)
    for k in ("1", "5", "10"):
        assert found.recall[k].value == pytest.approx(found.chance_recall[k], abs=0.03)
    mean = first_ranks(rng.random(right.shape), right).mean()
    assert mean == pytest.approx(first_ranks_by_chance(right.sum(1), candidates).mean(), rel=0.05)


def test_scores_made_in_parts_give_the_ranks_of_the_whole(monkeypatch):
    rng = np.random.default_rng(1)
    queries, answers = rng.normal(size=(50, 7)), rng.normal(size=(7, 30))
    asked, held = rng.integers(0, 9, 50), np.r_[np.arange(9), rng.integers(0, 9, 21)]
    whole = direction(queries, answers, asked, held)
    wanted = np.median(first_ranks(queries @ answers, asked[:, None] == held))
    monkeypatch.setattr("train.benchmark.retrieval.AT_ONCE", 7)
    assert direction(queries, answers, asked, held) == whole
    assert whole.median_rank == wanted
