"""Retrieval: from an ECG to the description that fits it, and from a description to its ECGs.

    python -m train evaluate retrieval --checkpoint assets/checkpoint --data DIR

A description is the set of statements under which PTB-XL files a recording. Its score against an
ECG is the mean similarity of its statements, each routed on its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Float, Int

from focal_app.errors import ConfigError
from focal_app.model.focal import Focal
from focal_app.model.text import embed_tags
from train.benchmark.embeddings import embed
from train.benchmark.metrics import Interval, mean_interval
from train.benchmark.ptbxl_statements import Reported
from train.benchmark.zeroshot import cosines
from train.fit.numbers import refuse_no_numbers

RANKS, AT_ONCE = (1, 5, 10), 512


@dataclass(frozen=True)
class Direction:
    """`recall` at k by k, the middle rank of the first right answer, and what chance would give."""

    queries: int
    candidates: int
    recall: dict[str, Interval]
    median_rank: float
    chance_recall: dict[str, float]
    chance_median_rank: float


@dataclass(frozen=True)
class Retrieval:
    """Both directions over some recordings with `descriptions` distinct descriptions."""

    recordings: int
    unreadable: int
    descriptions: int
    ecg_to_text: Direction
    text_to_ecg: Direction


def retrieval(
    model: Focal, reported: Sequence[Reported], *, cache: Path | None = None, seed: int = 0
) -> Retrieval:
    """Rank every description for every ECG, and every ECG for every description."""
    held = embed(model, [one.header for one in reported], cache=cache)
    readable = held.readable
    described = [one.tags for one, ok in zip(reported, readable, strict=True) if ok]
    texts = sorted({tuple(sorted(tags)) for tags in described})
    if len(texts) < 2:
        raise ConfigError(
            f"found {len(texts)} distinct description(s) among {len(described)} recordings; "
            "retrieval needs at least two. Evaluate more recordings"
        )
    tags = sorted({tag for text in texts for tag in text})
    similarity = cosines(model, held, embed_tags(model.text, tags))[readable]
    refuse_no_numbers(similarity, tags)
    number = {text: i for i, text in enumerate(texts)}
    own = np.array([number[tuple(sorted(one))] for one in described])
    every = np.arange(len(texts))
    ecgs, weights = similarity.astype(np.float32), _weights(texts, tags)
    return Retrieval(
        len(described),
        int((~readable).sum()),
        len(texts),
        direction(ecgs, weights, own, every, seed=seed),
        direction(weights.T, ecgs.T, every, own, seed=seed),
    )


def direction(
    queries: Float[np.ndarray, "Q K"],
    answers: Float[np.ndarray, "K A"],
    asked: Int[np.ndarray, " Q"],
    held: Int[np.ndarray, " A"],
    *,
    seed: int = 0,
) -> Direction:
    """Recall and median rank of queries, scored by their product with the answers.

    An answer is right where it holds what the query asks for, both by number. The rank of a query
    is that of its first right answer; one that scores the same counts as half a place before it.
    Scores are made for `AT_ONCE` queries at a time: never all of them are held.
    """
    parts = np.array_split(np.arange(len(queries)), max(1, -(-len(queries) // AT_ONCE)))
    ranks = np.concatenate(
        [first_ranks(queries[p] @ answers, asked[p][:, None] == held) for p in parts]
    )
    right = np.bincount(held, minlength=int(asked.max()) + 1)[asked]
    found = (ranks[:, None] <= np.array(RANKS)).astype(float)
    chance = first_ranks_by_chance(right, answers.shape[1])
    return Direction(
        queries=len(queries),
        candidates=answers.shape[1],
        recall={str(k): mean_interval(found[:, i], seed=seed) for i, k in enumerate(RANKS)},
        median_rank=float(np.median(ranks)),
        chance_recall={str(k): float(_chance_recall(right, answers.shape[1], k)) for k in RANKS},
        chance_median_rank=float(np.median(chance)),
    )


def first_ranks(score: Float[np.ndarray, "Q K"], right: np.ndarray) -> Float[np.ndarray, " Q"]:
    """Rank of the best right answer of every query, from 1."""
    best = np.where(right, score, -np.inf).max(1, keepdims=True)
    above = ((score > best) & ~right).sum(1)
    level = ((score == best) & ~right).sum(1)
    return 1.0 + above + level / 2


def first_ranks_by_chance(right: Int[np.ndarray, " Q"], candidates: int) -> Float[np.ndarray, " Q"]:
    """Expected rank of the first of m right answers among K in random order, (K + 1) / (m + 1)."""
    return (candidates + 1) / (right + 1.0)


def _chance_recall(held: Int[np.ndarray, " Q"], total: int, k: int) -> float:
    missed = np.ones(len(held))
    for taken in range(min(k, total)):
        missed *= np.clip((total - held - taken) / (total - taken), 0, 1)
    return float((1 - missed).mean())


def _weights(texts: Sequence[tuple[str, ...]], tags: Sequence[str]) -> Float[np.ndarray, "T K"]:
    """Mean over the tags of every text, as a matrix."""
    place = {tag: row for row, tag in enumerate(tags)}
    made = np.zeros((len(tags), len(texts)), np.float32)
    for column, text in enumerate(texts):
        for tag in text:
            made[place[tag], column] = 1 / len(text)
    return made
