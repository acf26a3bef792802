"""Logits of candidate features, each on the ECG of its record, and how they become probabilities.

logits = candidate_logits(model, shards, [0, 1], [["ST elevation"], []], Embedded.of(model, ...))
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from focal_app.ecg.preprocess import Prepared, prepare
from focal_app.ecg.signal_spec import SignalSpec
from focal_app.errors import RecordingError
from focal_app.model.focal import Focal
from focal_app.model.places import by_leads, within
from focal_app.model.text import embed_tags
from focal_app.words.prompts import Asked
from focal_app.words.proposals import named_in
from train.data.prepared import PreparedStore
from train.data.shards import Shards
from train.fit.numbers import refuse_no_numbers


@dataclass(frozen=True)
class Curve:
    """A calibrated probability: sigma(scale * logit + shift), and what it was fitted on.

    With `stated`, how often reports state a feature that shows, it is that of a feature which a
    report does not state (`train.enrich.unstated`).
    """

    name: str
    meaning: str
    scale: float
    shift: float
    fitted: dict[str, Any] = field(default_factory=dict)
    stated: dict[str, float] = field(default_factory=dict)

    def of(
        self, logit: Float[np.ndarray, " P"], features: Sequence[str]
    ) -> Float[np.ndarray, " P"]:
        """Probabilities of these features; NaN where nothing is known of how they are stated."""
        p = self(logit)
        if not self.stated:
            return p
        rate = np.array([self.stated.get(feature, np.nan) for feature in features])
        return np.minimum((1 - rate) / rate * p / (1 - p), 1.0)

    def __call__(self, logit: Float[np.ndarray, "*P"]) -> Float[np.ndarray, "*P"]:
        """Probabilities in [0, 1] of logits t cos + b."""
        return 0.5 * (1 + np.tanh(0.5 * (self.scale * logit.astype(float) + self.shift)))


def own_curve(model: Focal) -> Curve:
    """The curve that is saved with the model: one for all statements on all recordings."""
    calibration = model.config.calibration
    meaning = "that the finding is in a recording of which nothing else is known"
    return Curve("probability", meaning, calibration.scale, calibration.shift)


def confidence() -> Curve:
    """The model's own sigmoid of t cos + b, as the publication has it: not calibrated."""
    meaning = "what the loss was trained on: the sigmoid of the scaled cosine, not calibrated"
    return Curve("confidence", meaning, 1.0, 0.0)


@dataclass(frozen=True)
class Embedded:
    """Embeddings (U, d) of distinct features, the row of each, and where each is looked for.

    "ST elevation in V1-V3" is embedded as the statement and looked for in these leads alone, as a
    prompt of the app is.
    """

    z: Tensor
    row: dict[str, int]
    placed: dict[str, Asked]

    @classmethod
    def of(cls, model: Focal, features: Sequence[str]) -> "Embedded":
        """Every distinct feature encoded once."""
        unique = sorted(set(features))
        placed = {feature: _placed(feature) for feature in unique}
        words = [placed[feature].words for feature in unique]
        z = embed_tags(model.text, words) if unique else torch.zeros(0, model.config.embed_dim)
        return cls(z, {feature: row for row, feature in enumerate(unique)}, placed)


def _placed(feature: str) -> Asked:
    """The statement and the leads that a feature names; any other words as they stand."""
    found = named_in(feature)
    return found[0] if found and len(found) == 1 and found[0].text == feature else Asked(feature)


def candidate_logits(
    model: Focal,
    shard: Shards,
    rows: Sequence[int],
    asked: Sequence[Sequence[str]],
    embedded: Embedded,
) -> list[np.ndarray | None]:
    """Logit of every feature asked of every record, each routed alone; None where none can be read.

    One encoder pass over the records together; the distinct features of the batch are scored at
    once, and another feature in the batch changes nothing.
    """
    records = read_records(shard, rows, list(map(bool, asked)), model.config.signal)
    return logits_of(model, records, asked, embedded)


def read_records(
    shard: Shards,
    rows: Sequence[int],
    wanted: Sequence[bool],
    spec: SignalSpec,
    store: PreparedStore | None = None,
) -> list[Prepared | None]:
    """The records that are wanted, prepared, from a store where there is one; None for the others
    and for what cannot be used."""
    read = partial(_prepared, shard, spec) if store is None else partial(_stored, store)
    return [read(row) if want else None for row, want in zip(rows, wanted, strict=True)]


def logits_of(
    model: Focal,
    records: Sequence[Prepared | None],
    asked: Sequence[Sequence[str]],
    embedded: Embedded,
) -> list[np.ndarray | None]:
    """The same of records that were read; None for one that could not be and is asked."""
    result = [None if features else np.zeros(0) for features in asked]
    ready = [(place, one) for place, one in enumerate(records) if one is not None and asked[place]]
    if not ready:
        return result
    features = sorted({f for place, _ in ready for f in asked[place]})
    device = model.device
    with torch.inference_mode():
        seen = torch.from_numpy(np.stack([p.seen for _, p in ready])).to(device)
        signal = torch.from_numpy(np.stack([p.signal for _, p in ready])).to(device).float()
        patches = model.encode_ecg(signal, seen)
        logits = _by_leads(model, patches, seen.flatten(1), features, embedded)
    refuse_no_numbers(logits, features)
    column = {feature: number for number, feature in enumerate(features)}
    for (place, _), logit in zip(ready, logits, strict=True):
        result[place] = logit[[column[f] for f in asked[place]]]
    return result


def _prepared(shard: Shards, spec: SignalSpec, row: int) -> Prepared | None:
    try:
        return prepare(shard.ecg(row), spec)
    except RecordingError:
        return None


def _stored(store: PreparedStore, row: int) -> Prepared:
    signal, seen = store[row]
    return Prepared(signal, seen, start_s=0.0, notes=())


def _by_leads(
    model: Focal,
    patches: Float[Tensor, "B N d"],
    kept: Bool[Tensor, "B N"],
    features: Sequence[str],
    embedded: Embedded,
) -> Float[np.ndarray, "B U"]:
    """Logits of features, each in the leads that it names or in all."""
    found = np.empty((len(patches), len(features)), np.float32)
    for leads, columns in by_leads(embedded.placed[one].leads for one in features).items():
        rows = [embedded.row[features[column]] for column in columns]
        z = embedded.z[rows].to(model.device)
        found[:, columns] = _logits(model, patches, z, within(kept, leads))
    return found


def _logits(
    model: Focal,
    patches: Float[Tensor, "B N d"],
    z: Float[Tensor, "U d"],
    kept: Bool[Tensor, "B N"],
    *,
    at_once: int = 256,
) -> Float[np.ndarray, "B U"]:
    """Logits, `at_once` features at a time: the plans of thousands would fill the memory."""
    parts = [model.route(patches, some, kept)[0] for some in z.split(at_once)]
    return model.logits(torch.cat(parts, dim=1)).float().cpu().numpy()
