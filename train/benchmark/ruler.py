"""What pooled out-of-fold scores say: AUC of every finding, with intervals by patient.

Two folds are read by two models, whose scores have no common scale: only pairs of recordings of one
model count, over all models together. An interval draws patients again, not recordings.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np
from jaxtyping import Bool, Float, Int

from focal_app.errors import ConfigError
from focal_app.lexicon import load_lexicon, load_prompt_sets, normalize_code
from train.benchmark.metrics import DRAWS, Interval, interval_of, weighted_auc
from train.benchmark.out_of_fold import Scores
from train.benchmark.seeds import pooled as over_trainings
from train.benchmark.sets import load_set
from train.data.ptbxl_labels import COLUMNS

Kind = TypeVar("Kind", "Told", "Mean")
FEWEST = 5
"""Recordings that must have a finding, and lack it, for its AUC to count in a mean."""


@dataclass(frozen=True)
class Column:
    """A finding: what is asked, in which set, on which rows of the scores, and what is true."""

    of_set: str
    label: str
    prompt: str
    rows: Int[np.ndarray, " R"]
    truth: Bool[np.ndarray, " R"]

    @property
    def few(self) -> bool:
        """Whether too few have it, or lack it."""
        return min(self.truth.sum(), (~self.truth).sum()) < FEWEST


@dataclass(frozen=True)
class Told:
    """How well one finding was told, or by how much better."""

    of_set: str
    label: str
    prompt: str
    recordings: int
    positives: int
    auc: Interval


@dataclass(frozen=True)
class Mean:
    """The mean over the findings of a set with enough recordings of both kinds."""

    of_set: str
    recordings: int
    findings: int
    auc: Interval


@dataclass(frozen=True)
class Figures:
    """Every finding that some have and some lack, and the means over sets."""

    findings: tuple[Told, ...]
    means: tuple[Mean, ...]


def figures(scores: Scores, columns: Sequence[Column]) -> Figures:
    """AUC of every column, and the mean of each set, on the same draws of patients."""
    weights = patient_weights(scores, DRAWS)
    return _figures(columns, lambda column: column_auc(scores, column, weights))


def gains(before: Scores, after: Scores, columns: Sequence[Column]) -> Figures:
    """By how much the AUC of every column and each mean grow, of the same records."""
    weights = patient_weights(before, DRAWS)
    return _figures(
        columns,
        lambda column: column_auc(after, column, weights) - column_auc(before, column, weights),
    )


def over_seeds(found: Sequence[Figures], *, gain: bool = False) -> Figures:
    """The means over trainings that differ in their seed alone, judged on the same records."""
    least = -1.0 if gain else 0.0
    asked = [[(one.of_set, one.label, one.recordings) for one in each.findings] for each in found]
    if any(one != asked[0] for one in asked):
        raise ConfigError("found seeds that were judged on other recordings; needed the same")

    def mean(every: tuple[Kind, ...]) -> Kind:
        auc = over_trainings([one.auc for one in every], least=least)
        return replace(every[0], auc=auc)

    findings = zip(*(each.findings for each in found), strict=True)
    means = zip(*(each.means for each in found), strict=True)
    return Figures(tuple(map(mean, findings)), tuple(map(mean, means)))


def _figures(
    columns: Sequence[Column], drawn_for: Callable[[Column], Float[np.ndarray, " D"]]
) -> Figures:
    told, drawn = [], {}
    for column in columns:
        found = drawn_for(column)
        told.append(
            Told(
                column.of_set,
                column.label,
                column.prompt,
                len(column.rows),
                int(column.truth.sum()),
                interval_of(float(found[0]), found[1:]),
            )
        )
        if not column.few:
            drawn.setdefault(column.of_set, []).append((found, len(column.rows)))
    return Figures(tuple(told), tuple(_mean(name, parts) for name, parts in drawn.items()))


def column_auc(
    scores: Scores, column: Column, weights: Float[np.ndarray, "D _"]
) -> Float[np.ndarray, " D"]:
    """AUC of a column under every row of weights."""
    group = np.array([scores.records[row].group for row in column.rows])
    score = scores.log_odds[column.rows, scores.names.index(column.prompt)]
    return auc_within(column.truth, score, group, weights[:, column.rows])


def auc_within(
    truth: Bool[np.ndarray, " R"],
    score: Float[np.ndarray, " R"],
    group: Int[np.ndarray, " R"],
    weights: Float[np.ndarray, "D R"],
) -> Float[np.ndarray, " D"]:
    """The share of (positive, negative) pairs of one group in the right order; NaN without any."""
    right, pairs = np.zeros(len(weights)), np.zeros(len(weights))
    for one in np.unique(group):
        inside = group == one
        part = weights[:, inside]
        count = (part @ truth[inside]) * (part @ ~truth[inside])
        value = weighted_auc(truth[inside], score[inside].astype(float), part)
        right += np.where(count > 0, value * count, 0)
        pairs += count
    return np.divide(right, pairs, out=np.full(len(pairs), np.nan), where=pairs > 0)


def columns(scores: Scores, ptbxl: Path | None) -> Iterator[Column]:
    """The classes of PTB-XL's sets, and what the other sources name, each on its own.

    Of the other sources a statement counts as absent where a record names neither it nor what
    implies it, as in the published sets.
    """
    if ptbxl is not None:
        for name in COLUMNS:
            yield from _of_set(scores, name, ptbxl)
    for source in dict.fromkeys(one.source for one in scores.records):
        if source != "ptb-xl":
            yield from _of_source(scores, source)


def _of_set(scores: Scores, name: str, data: Path) -> Iterator[Column]:
    chosen, own = load_set(name, data), load_prompt_sets()[name]
    prompts = dict(zip(map(normalize_code, own.labels), own.prompts, strict=True))
    labels = {item.key: item.labels for item in chosen.items}
    rows = np.array(
        [r for r, one in enumerate(scores.records) if one.source == "ptb-xl" and one.key in labels],
        int,
    )
    for label in chosen.classes:
        truth = np.array([label in labels[scores.records[row].key] for row in rows], bool)
        if truth.any() and not truth.all():
            yield Column(name, label, prompts[label], rows, truth)


def _of_source(scores: Scores, source: str) -> Iterator[Column]:
    lexicon = load_lexicon()
    rows = np.array([r for r, one in enumerate(scores.records) if one.source == source], int)
    said = [lexicon.with_implied(scores.records[row].tags) for row in rows]
    for tag in lexicon.statements:
        column = Column(source, tag, tag, rows, np.array([tag in one for one in said], bool))
        if not column.few:
            yield column


def patient_weights(scores: Scores, draws: int) -> Float[np.ndarray, "D R"]:
    """A row of ones, then how often each record comes where patients are drawn again."""
    names, whose = np.unique([one.patient for one in scores.records], return_inverse=True)
    return drawn_again(len(names), draws)[:, whose]


def drawn_again(count: int, draws: int) -> Float[np.ndarray, "D N"]:
    """A row of ones, then how often each of so many comes where they are drawn again."""
    rng = np.random.default_rng(0)
    drawn = [np.bincount(rng.integers(0, count, count), minlength=count) for _ in range(draws)]
    return np.array([np.ones(count), *drawn], dtype=float)


def _mean(name: str, parts: Sequence[tuple[np.ndarray, int]]) -> Mean:
    each = np.array([found for found, _ in parts])
    known = np.maximum((~np.isnan(each)).sum(0), 1)
    over = np.nansum(each, axis=0) / known
    return Mean(name, max(n for _, n in parts), len(parts), interval_of(float(over[0]), over[1:]))
