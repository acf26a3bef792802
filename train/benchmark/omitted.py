"""What a model finds of features that its reports said always, seldom or never.

    judge_features(model, stated_shares(FILE), recordings=1000).groups["never stated"].macro_auc

Judged on simulated ECGs that no training saw, of which everything is known. Draws of the bootstrap
are kept: equal seeds draw equal recordings, so that two models can be compared draw by draw.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from focal_app.ecg.preprocess import prepare
from focal_app.ecg.signal_spec import SignalSpec
from focal_app.lexicon import load_lexicon
from focal_app.model.focal import Focal
from focal_app.model.text import embed_tags
from train.benchmark.figures import FEW
from train.benchmark.metrics import Interval, bootstrap_draws, interval_of, weighted_auc
from train.data.stated_shares import GROUPS, group_of
from train.enrich.backends.simulated import features_of
from train.enrich.candidate_calibration import stated
from train.fit.judging import TOGETHER
from train.fit.numbers import refuse_no_numbers
from train.simulate import simulate

FIRST_SEED = 940_000_000
"""Far from the seeds of any training data."""
DRAWS = 400


@dataclass(frozen=True)
class Group:
    """Macro AUC over the features of a group, and the draws of its interval."""

    features: tuple[str, ...]
    macro_auc: Interval
    draws: tuple[float, ...]


@dataclass(frozen=True)
class Found:
    """What a model finds of the features, by how often its reports said them."""

    recordings: int
    groups: dict[str, Group]


def judge_features(model: Focal, shares: Mapping[str, float], *, recordings: int) -> Found:
    """Macro AUC of the features of every group that enough of the recordings show."""
    lexicon = load_lexicon()
    features = sorted(features_of(lexicon))
    signal, seen, present = _drawn(recordings, model.config.signal)
    truth = np.array([[f in shown for f in features] for shown in present])
    score = _scores(model, signal, seen, features)
    refuse_no_numbers(score, features)
    enough = np.minimum(truth.sum(0), (~truth).sum(0)) >= FEW
    groups = {}
    for name in GROUPS:
        columns = [
            i for i, f in enumerate(features) if enough[i] and group_of(f, shares, lexicon) == name
        ]
        if columns:
            of_group = truth[:, columns], score[:, columns]
            value, draws = bootstrap_draws(weighted_auc, *of_group, draws=DRAWS)
            groups[name] = Group(
                tuple(features[i] for i in columns),
                interval_of(value, draws),
                tuple(np.round(draws, 6).tolist()),
            )
    return Found(recordings, groups)


@lru_cache(maxsize=1)
def _drawn(count: int, spec: SignalSpec) -> tuple[Tensor, Tensor, list[frozenset[str]]]:
    """Prepared recordings (R, L, T), their seen patches, and all that holds in each.

    Drawn once for all models that take them alike.
    """
    lexicon, prepared, present = load_lexicon(), [], []
    for seed in range(FIRST_SEED, FIRST_SEED + count):
        drawn = simulate(seed)
        prepared.append(prepare(drawn.ecg, spec))
        present.append(stated(drawn.tags, (), lexicon))
    signal = torch.from_numpy(np.stack([one.signal for one in prepared])).float()
    seen = torch.from_numpy(np.stack([one.seen for one in prepared]))
    return signal, seen, present


@torch.inference_mode()
def _scores(model: Focal, signal: Tensor, seen: Tensor, features: list[str]) -> np.ndarray:
    """Cosine (R, C) of every feature with every recording, each routed alone."""
    device, found = model.device, []
    z = embed_tags(model.text, features).to(device)
    for some, kept in zip(signal.split(TOGETHER), seen.to(device).split(TOGETHER), strict=True):
        patches = model.encode_ecg(some.to(device), kept)
        found.append(model.route(patches, z, kept.flatten(1))[0].cpu())
    return torch.cat(found).numpy()
