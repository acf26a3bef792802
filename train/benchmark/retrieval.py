"""Retrieval: from an ECG to the description that fits it, and from a description to its ECGs.

    python -m train evaluate retrieval --checkpoint assets/checkpoint --data DIR

A description is the set of statements under which PTB-XL files a recording. Its score against an
ECG is the mean similarity of its statements, each routed on its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Float

from focal_app.errors import ConfigError
from focal_app.model.focal import Focal
from focal_app.model.text import embed_tags
from train.benchmark.embeddings import embed
from train.benchmark.metrics import Interval, mean_interval
from train.benchmark.ptbxl_statements import Reported
from train.benchmark.zeroshot import cosines

RANKS = (1, 5, 10)


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
    score = similarity @ _weights(texts, tags)
    own = np.array([texts.index(tuple(sorted(one))) for one in described])
    right = own[:, None] == np.arange(len(texts))
    return Retrieval(
        len(described),
        int((~readable).sum()),
        len(texts),
        direction(score, right, seed=seed),
        direction(score.T, right.T, seed=seed),
    )


def direction(score: Float[np.ndarray, "Q K"], right: np.ndarray, *, seed: int = 0) -> Direction:
    """Recall and median rank of queries; the rank of a query is that of its first right answer.

    An answer that scores the same as the right one counts as half a place before it.
    """
    ranks = first_ranks(score, right)
    found = (ranks[:, None] <= np.array(RANKS)).astype(float)
    chance = first_ranks_by_chance(right)
    return Direction(
        queries=len(score),
        candidates=score.shape[1],
        recall={str(k): mean_interval(found[:, i], seed=seed) for i, k in enumerate(RANKS)},
        median_rank=float(np.median(ranks)),
        chance_recall={str(k): float(_chance_recall(right, k)) for k in RANKS},
        chance_median_rank=float(np.median(chance)),
    )


def first_ranks(score: Float[np.ndarray, "Q K"], right: np.ndarray) -> Float[np.ndarray, " Q"]:
    """Rank of the best right answer of every query, from 1."""
    best = np.where(right, score, -np.inf).max(1, keepdims=True)
    above = ((score > best) & ~right).sum(1)
    level = ((score == best) & ~right).sum(1)
    return 1.0 + above + level / 2


def first_ranks_by_chance(right: np.ndarray) -> Float[np.ndarray, " Q"]:
    """Expected rank of the first of m right answers among K in random order, (K + 1) / (m + 1)."""
    return (right.shape[1] + 1) / (right.sum(1) + 1.0)


def _chance_recall(right: np.ndarray, k: int) -> float:
    total, held = right.shape[1], right.sum(1)
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
