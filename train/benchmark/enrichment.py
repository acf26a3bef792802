"""Are generated waveform features right? Their text against reference labels, with and without
verification.

    python -m train evaluate enrichment-auc --checkpoint assets/checkpoint \
        --verified runs/NAME/verified --truth labels.csv

Labels of a csv file may be blank: of that record the feature is not judged. Of a drawn archive
(`data mimic-fixture`) a feature is judged where the report does not state it, since what a report
states is not proposed.

A record's score for a reference feature is the highest cosine, in the tag encoder's space, between
the feature's name and what was generated for the record (paper, section 4.5).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from focal_app.errors import ConfigError
from focal_app.lexicon import load_lexicon
from focal_app.model.focal import Focal
from focal_app.model.text import embed_tags
from train.benchmark.figures import FEW
from train.benchmark.metrics import Interval, auc, bootstrap, weighted_auc
from train.data.mimic_fixture import TRUTH, read_truth
from train.data.ptbxl_labels import read_table
from train.data.shards import Shards
from train.data.verified_files import Line, read_lines
from train.enrich.candidate_calibration import stated
from train.fit.numbers import refuse_no_numbers
from train.read_back import read_back

REFERENCE = (
    "ST elevation",
    "long QT interval",
    "abnormal QRS",
    "prolonged PR interval",
    "inverted T waves",
)
"""The features that the paper's readers annotated."""

THRESHOLDS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99)
NOTHING = -1.0
"""Score of a record for which nothing was generated: below any cosine."""


@dataclass(frozen=True)
class FeatureAuc:
    """AUC of one reference feature by all generated features, and by the accepted ones alone."""

    feature: str
    positives: int
    few: bool
    unverified: Interval
    verified: Interval


@dataclass(frozen=True)
class ThresholdAuc:
    """Mean AUC when features count from this probability on, and the share that does."""

    threshold: float
    kept: float
    mean_auc: float | None


@dataclass(frozen=True)
class EnrichmentAuc:
    """Figures over the records that have both generated features and a reference label.

    `reference` is `labels`, as the paper's readers gave them, `shards`: what reports state, or
    the simulator drew, or `drawn`: the same where a report leaves it out.
    """

    reference: str
    records: int
    without_reference: int
    features: tuple[FeatureAuc, ...]
    thresholds: tuple[ThresholdAuc, ...]


@dataclass(frozen=True)
class Labels:
    """The reference features of a record, and those that are not judged of it."""

    present: frozenset[str]
    unjudged: frozenset[str] = frozenset()


def enrichment_auc(model: Focal, verified: Path, truth: Path) -> EnrichmentAuc:
    """Figures of a verified folder against reference labels: a csv file, a folder of shards, or
    what a drawn archive shows."""
    held = reference_labels(truth)
    lines = list(read_lines(verified))
    known = [line for line in lines if line["key"] in held]
    if not known:
        raise ConfigError(
            f"found no record of {verified.name!r} among the {len(held)} keys of {truth.name!r}; "
            "needed labels under the keys of the records"
        )
    columns, labels = _labelled(held), [held[line["key"]] for line in known]
    truths = np.array([[c in one.present for c in columns] for one in labels])
    judged = np.array([[c not in one.unjudged for c in columns] for one in labels])
    wording = [one["feature"] for line in known for one in _generated(line)]
    encoder = _Similar(model, [*columns, *wording])
    accepted = [[one["feature"] for one in line["accepted"]] for line in known]
    above = {level: [_features(line, level) for line in known] for level in THRESHOLDS}
    score = {level: encoder.scores(features, columns) for level, features in above.items()}
    by_side = score[0.0], encoder.scores(accepted, columns)
    rows = tuple(
        _feature(c, *(of[judged[:, i], i] for of in (truths, *by_side)))
        for i, c in enumerate(columns)
    )
    levels = []
    for level in THRESHOLDS:
        kept = sum(map(len, above[level])) / max(1, len(wording))
        levels.append(ThresholdAuc(level, kept, _mean_auc(truths, score[level], judged)))
    drawn = (truth / TRUTH).is_file()
    reference = "drawn" if drawn else "shards" if truth.is_dir() else "labels"
    return EnrichmentAuc(reference, len(known), len(lines) - len(known), rows, tuple(levels))


def reference_labels(truth: Path) -> dict[str, Labels]:
    """Which reference features hold for each key; `key` and a column a feature, or drawn ones."""
    if (truth / TRUTH).is_file():
        return dict(_drawn(truth))
    if truth.is_dir():
        shards = Shards.open(truth)
        lexicon = load_lexicon()
        return {
            key: Labels(lexicon.with_implied(tags) & frozenset(REFERENCE))
            for key, tags in zip(shards.keys, shards.tags, strict=True)
        }
    rows = read_table(truth)
    if not rows or "key" not in rows[0]:
        raise ConfigError(
            f"found no column `key` in {truth.name}; needed key and a column a feature"
        )
    held = {row["key"]: _labels(row, truth.name) for row in rows}
    if len(held) < len(rows):
        raise ConfigError(
            f"found {len(rows) - len(held)} keys twice in {truth.name}; needed a line a record"
        )
    return held


def _labels(row: Mapping[str, Any], file: str) -> Labels:
    """A line of a csv file: a feature is there above 0, not there at 0, not judged where blank."""
    present, unjudged = [], []
    for name, value in row.items():
        try:
            share = 0.0 if name == "key" or not value else float(value)
            if not 0 <= share < inf:
                raise ValueError
        except (TypeError, ValueError):
            raise ConfigError(
                f"found {value!r} under {name!r} for the key {row['key']!r} in {file}; needed 1 "
                "where the record has the feature, 0 where not, nothing where that is unknown"
            ) from None
        if share > 0:
            present.append(name)
        elif not value:
            unjudged.append(name)
    return Labels(frozenset(present), frozenset(unjudged))


def _drawn(archive: Path) -> Iterator[tuple[str, Labels]]:
    lexicon, asked = load_lexicon(), frozenset(REFERENCE)
    truth = read_truth(archive)
    with read_back(archive / TRUTH, "draw it again with `python -m train data mimic-fixture`"):
        for key, line in truth.items():
            shown, said = (stated(line["tags"], less, lexicon) for less in ((), line["left_out"]))
            yield key, Labels(shown & asked, said & asked)


def _labelled(held: Mapping[str, Labels]) -> list[str]:
    """The features that some record has and some record lacks, the paper's first."""
    found = sorted(frozenset().union(*(one.present for one in held.values())))
    columns = [c for c in REFERENCE if c in found] + [c for c in found if c not in REFERENCE]
    if not columns:
        raise ConfigError("found no reference feature that holds for any record; needed one")
    return columns


def _generated(line: Line) -> list[dict]:
    return [*line["accepted"], *line["rejected"]]


def _features(line: Line, least: float) -> list[str]:
    return [o["feature"] for o in _generated(line) if (o["probability"] or 0.0) >= least]


class _Similar:
    """Cosines between texts, each encoded once."""

    def __init__(self, model: Focal, texts: Sequence[str]) -> None:
        unique = list(dict.fromkeys(texts))
        self._row = {text: row for row, text in enumerate(unique)}
        self._z = embed_tags(model.text, unique).numpy()

    def scores(
        self, features: Sequence[Sequence[str]], columns: Sequence[str]
    ) -> Float[np.ndarray, "R C"]:
        """Highest cosine of every record's features with every column."""
        targets = self._z[[self._row[c] for c in columns]]
        made = np.full((len(features), len(columns)), NOTHING)
        for row, texts in enumerate(features):
            if texts:
                made[row] = (self._z[[self._row[t] for t in texts]] @ targets.T).max(0)
        refuse_no_numbers(made, columns)
        return made


def _feature(
    name: str, truth: np.ndarray, unverified: np.ndarray, verified: np.ndarray
) -> FeatureAuc:
    few = bool(min(truth.sum(), (~truth).sum()) < FEW)
    both = [bootstrap(weighted_auc, truth[:, None], one[:, None]) for one in (unverified, verified)]
    return FeatureAuc(name, int(truth.sum()), few, both[0], both[1])


def _mean_auc(truth: np.ndarray, score: np.ndarray, judged: np.ndarray) -> float | None:
    """Over the features that some of the records have, and some lack; None where there is none."""
    each = [auc(t[known], s[known]) for t, s, known in zip(truth.T, score.T, judged.T, strict=True)]
    numbers = [value for value in each if not np.isnan(value)]
    return float(np.mean(numbers)) if numbers else None
