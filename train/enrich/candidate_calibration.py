"""The probability of a candidate: how often a feature that was proposed is really there.

    curve = fit_candidates(model, [Shards.open(folder)], candidates)

The model's own probability is that of a finding in any recording: most features are rare, so it
hardly ever reaches 0.95. A candidate is no chance find: the report suggests it. So one logistic
curve is fitted on validation records, which training does not see, as if they had been enriched:
every feature that a report states counts as a true candidate, and for each one that it neither
states nor excludes is planted as a false one. Of such candidates half are true, and a probability
of 0.95 means that 19 of 20 are. What a report leaves unsaid may still be there: where reports are
not complete, the curve errs to the low side. Where they are complete, of simulated recordings, up
to half of the false ones are those that the lexicon expects with the diagnoses: the likely slips.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from focal_app.errors import ConfigError
from focal_app.lexicon import FEATURE_GROUPS, Lexicon, load_lexicon
from focal_app.model.config import Calibration
from focal_app.model.focal import Focal
from train.data.shards import Shards
from train.enrich.scoring import Curve, Embedded, candidate_logits
from train.fit import calibration as calibrate

RECORDS = 1000
"""Validation records that are used at the most."""
LEAST = 20
"""Fewer true or false pairs than this calibrate nothing.

With fewer than 18 true ones Platt's target in `_fit` is itself below the threshold of 0.95. On
drawn logits two deviations apart a curve of 20 of each errs by 0.055, of 5 by 0.12, of 100 by 0.02.
"""
THRESHOLDS = (0.05, *(step / 10 for step in range(1, 10)), 0.95, 0.97, 0.98, 0.99)
COMPLETE = frozenset({"simulated"})
"""Sources whose tags say everything that they could say."""
MEANING = "that a candidate is there, where half of the candidates are"


class TooFew(ConfigError):
    """Validation records that hold too few features to calibrate on."""


@dataclass(frozen=True)
class Pairs:
    """Logits of candidates of which is known whether they are there, in the order of records."""

    logit: Float[np.ndarray, " P"]
    present: Bool[np.ndarray, " P"]
    record: np.ndarray


def fit_candidates(
    model: Focal,
    shards: Sequence[Shards],
    candidates: Mapping[frozenset[str], Sequence[str]],
    *,
    batch: int = 64,
) -> Curve:
    """The curve of candidates on the validation records of these shards."""
    pairs = planted_pairs(model, shards, candidates, batch=batch)
    true, false = int(pairs.present.sum()), int((~pairs.present).sum())
    if min(true, false) < LEAST:
        raise TooFew(
            f"found {true} stated and {false} planted features in the validation records; at least "
            f"{LEAST} of each are needed to calibrate candidates. Name more shards with "
            "--calibrate, or take --score probability"
        )
    fitted = _fit(pairs)
    crossed = _cross_fitted(pairs)
    found = {
        "records": len(set(pairs.record.tolist())),
        "true": true,
        "false": false,
        "expected_error": calibrate.expected_error(crossed, pairs.present.astype(float)),
        "curve": threshold_curve(crossed, pairs.present),
    }
    return Curve("candidate", MEANING, fitted.scale, fitted.shift, found)


def planted_pairs(
    model: Focal,
    shards: Sequence[Shards],
    candidates: Mapping[frozenset[str], Sequence[str]],
    *,
    batch: int = 64,
    seed: int = 0,
) -> Pairs:
    """Stated and planted features of validation records, with their logits."""
    lexicon = load_lexicon()
    vocabulary = _features(lexicon, candidates)
    logits, present, record = [], [], []
    for number, shard in enumerate(shards):
        rng = np.random.default_rng([seed, number])
        rows, asked, truths = _drawn(shard, vocabulary, lexicon, rng)
        embedded = Embedded.of(model, [f for features in asked for f in features])
        for first in range(0, len(rows), batch):
            some = slice(first, first + batch)
            found = candidate_logits(model, shard, rows[some], asked[some], embedded)
            for row, logit, truth in zip(rows[some], found, truths[some], strict=True):
                if logit is not None:
                    logits.append(logit)
                    present.append(truth)
                    record.append(np.full(len(truth), number * 10**9 + row))
    if not logits:
        return Pairs(np.zeros(0), np.zeros(0, bool), np.zeros(0, int))
    return Pairs(np.concatenate(logits), np.concatenate(present), np.concatenate(record))


def threshold_curve(
    probability: Float[np.ndarray, " P"], present: Bool[np.ndarray, " P"]
) -> list[dict[str, float]]:
    """Share of true candidates kept and of false ones rejected, by threshold."""
    return [
        {
            "threshold": round(threshold, 2),
            "true_kept": float((probability[present] >= threshold).mean()),
            "false_rejected": float((probability[~present] < threshold).mean()),
        }
        for threshold in THRESHOLDS
    ]


def _features(
    lexicon: Lexicon, candidates: Mapping[frozenset[str], Sequence[str]]
) -> frozenset[str]:
    """Statements of the lexicon that may be proposed as a feature."""
    asked = {f for found in candidates.values() for f in found if f in lexicon}
    asked |= {feature for statement in lexicon for feature in statement.features}
    return frozenset(f for f in asked if lexicon[f].group in FEATURE_GROUPS)


def _drawn(
    shard: Shards, vocabulary: frozenset[str], lexicon: Lexicon, rng: np.random.Generator
) -> tuple[list[int], list[list[str]], list[np.ndarray]]:
    """Validation rows, the features asked of each, and which of these are true.

    There are as many false ones as the report states true ones, of those that it leaves open.
    """
    rows = [i for i, split in enumerate(shard.splits) if split == "validation"]
    if len(rows) > RECORDS:
        rows = sorted(rng.choice(rows, RECORDS, replace=False).tolist())
    said = {i: stated(shard.tags[i], shard.hedged[i], lexicon) & vocabulary for i in rows}
    # A source that never speaks of a feature does not say that it is absent.
    spoken = sorted(frozenset().union(*said.values()))
    used, asked, truths = [], [], []
    for i, true in said.items():
        outright = stated(shard.tags[i], (), lexicon)
        closed = outright | excluded(shard.tags[i], lexicon)
        open_ = [feature for feature in spoken if feature not in closed]
        if count := min(len(true), len(open_)):
            named = outright if shard.name in COMPLETE else ()
            likely = {f for tag in named if tag in lexicon for f in lexicon[tag].features}
            used.append(i)
            asked.append([*sorted(true), *_false(open_, likely, count, rng)])
            truths.append(np.arange(len(true) + count) < len(true))
    return used, asked, truths


def _false(
    open_: Sequence[str], likely: Set[str], count: int, rng: np.random.Generator
) -> list[str]:
    """`count` of the open features, up to half of them likely ones."""
    first = rng.permutation([f for f in open_ if f in likely])[: count // 2].tolist()
    rest = rng.permutation([f for f in open_ if f not in first])[: count - len(first)].tolist()
    return sorted(first + rest)


def stated(tags: Sequence[str], hedged: Sequence[str], lexicon: Lexicon) -> frozenset[str]:
    """What a report says outright: its tags but the suspected ones, and all that they imply."""
    return lexicon.with_implied(tag for tag in tags if tag not in hedged)


def excluded(tags: Sequence[str], lexicon: Lexicon) -> frozenset[str]:
    """What cannot hold beside the tags of a report."""
    return frozenset().union(*(lexicon.exclusions(tag) for tag in tags if tag in lexicon))


def _fit(pairs: Pairs, used: np.ndarray | None = None) -> Calibration:
    keep = np.ones(len(pairs.logit), bool) if used is None else used
    present = pairs.present[keep]
    true, false = present.sum(), (~present).sum()
    # Half of the weight on either side, whatever their numbers.
    weight = np.where(present, 0.5 / true, 0.5 / false) * len(present)
    # Platt's targets: few pairs, even well separated, cannot vouch for a high probability.
    target = np.where(present, (true + 1) / (true + 2), 1 / (false + 2))
    return calibrate.fit(pairs.logit[keep], target, weight)


def _cross_fitted(pairs: Pairs) -> np.ndarray:
    """Probabilities of every pair by the curve of the other half of the records."""
    half = np.unique(pairs.record, return_inverse=True)[1] % 2
    probability = np.zeros(len(pairs.logit))
    for one in (0, 1):
        curve = _fit(pairs, half != one)
        mine = half == one
        score = curve.scale * pairs.logit[mine] + curve.shift
        probability[mine] = 0.5 * (1 + np.tanh(0.5 * score))
    return probability
