"""The probability of a feature that a report does not state, where reports leave features out.

    curve = fit_unstated(model, [Shards.open(folder)])
    curve.of(logit, features)

A coarse model learns what reports *state*. Of a feature that they state in one case of five it says
0.2 at the most where the feature is plain to see, and 0.95 is never reached; of one that they
always state, and do not state here, 0.5 is far too much. Elkan and Noto (Learning classifiers from
only positive and unlabeled data, KDD 2008, section 2) give what is asked: with p the probability
that the feature is stated, and c how often it is where it shows,

    P(it shows | not stated) = (1 - c) / c * p / (1 - p)

c is the mean p over validation records that state it. It assumes that a report leaves a feature out
for reasons of its own, not because it is faint. Of features that hardly any report states nothing
is known: they are not judged.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float

from focal_app.lexicon import FEATURE_GROUPS, load_lexicon
from focal_app.model.focal import Focal
from train.data.shards import Shards
from train.enrich.candidate_calibration import RECORDS, TooFew, stated
from train.enrich.scoring import Curve, own_curve
from train.fit.judging import logits

LEAST = 3
"""Validation records that state a feature; with fewer nothing is known of it."""
SHARED = 2.0
"""So many records of the mean over all features are added to those of each."""
MEANING = "that a feature is there which the report does not state"


def fit_unstated(model: Focal, shards: Sequence[Shards]) -> Curve:
    """The curve on the validation records of these shards, with c of every feature."""
    own, sums, counts = own_curve(model), dict[str, float](), dict[str, int]()
    for shard in shards:
        for feature, p in _where_stated(model, shard, own).items():
            sums[feature] = sums.get(feature, 0.0) + float(p.sum())
            counts[feature] = counts.get(feature, 0) + len(p)
    enough = sorted(feature for feature, count in counts.items() if count >= LEAST)
    if not enough:
        raise TooFew(
            f"found no feature that {LEAST} validation records state; name more shards with "
            "--calibrate, or take --score probability"
        )
    mean = sum(sums.values()) / sum(counts.values())
    rates = {f: (sums[f] + SHARED * mean) / (counts[f] + SHARED) for f in enough}
    found = {"features": len(enough), "stated": sum(counts[f] for f in enough)}
    return Curve("unstated", MEANING, own.scale, own.shift, found, rates)


def _where_stated(model: Focal, shard: Shards, own: Curve) -> Mapping[str, Float[np.ndarray, " R"]]:
    """The probability that each feature is stated, on the validation records that do state it."""
    lexicon, rows = load_lexicon(), shard.rows("validation")[:RECORDS]
    said = [stated(shard.tags[row], shard.hedged[row], lexicon) for row in rows.tolist()]
    spoken = frozenset[str]().union(*said)
    features = sorted(f for f in spoken if f in lexicon and lexicon[f].group in FEATURE_GROUPS)
    if not features:
        return {}
    p = own(logits(model, shard, rows, features))
    states = np.array([[feature in one for feature in features] for one in said])
    return {feature: p[states[:, i], i] for i, feature in enumerate(features)}
