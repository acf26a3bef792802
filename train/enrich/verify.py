"""Verification: the coarse model scores every candidate feature on the ECG of its report.

    python -m train verify --checkpoint runs/embedded/coarse/model --out runs/embedded/verified \
        --shards runs/embedded/data/simulated --candidates runs/embedded/candidates

Every score is a calibrated probability in [0, 1], never a cosine: the published "0.95" is a cosine
in one place and a confidence in another; sigma(10 cos) >= 0.95 would be cos >= 0.294. Accepted and
rejected candidates are both written, with their score and, where rejected, the reason.
"""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor
from tqdm import tqdm

from focal_app.ecg.preprocess import prepare
from focal_app.errors import ConfigError, RecordingError
from focal_app.lexicon import Lexicon, load_lexicon
from focal_app.model.focal import Focal, similarities
from focal_app.model.text import embed_tags
from train.enrich import verified
from train.enrich.verified import Line, read_verified
from train.fingerprint import fingerprint

if TYPE_CHECKING:
    from train.datasets.shards import Shards

__all__ = ["Score", "Summary", "candidate_logits", "read_verified", "verify"]

THRESHOLD = 0.95
PART = 2048
"""Records a part file: what a stopped run repeats at the most."""

BELOW = "below the threshold"
CONTRADICTS = "contradicts a tag of the report"
KNOWN = "already in the report"
UNREADABLE = "the recording cannot be used"


class Score(Protocol):
    """A calibrated probability of candidates, from the model's logits t cos + b."""

    def __call__(self, logit: Float[np.ndarray, " P"], features: Sequence[str]) -> np.ndarray:
        """Probability in [0, 1] of every (logit, feature)."""
        ...

    def about(self) -> dict[str, Any]:
        """What the probability means and how it was fitted, as plain values."""
        ...


@dataclass(frozen=True)
class ModelProbability:
    """The model's own probability: one logistic curve for all statements on all recordings."""

    scale: float
    shift: float

    def __call__(self, logit: Float[np.ndarray, " P"], features: Sequence[str]) -> np.ndarray:
        """Probability of every candidate."""
        return 0.5 * (1 + np.tanh(0.5 * (self.scale * logit + self.shift)))

    def about(self) -> dict[str, Any]:
        """Name and parameters."""
        return {"score": "probability", **asdict(self)}


@dataclass(frozen=True)
class Summary:
    """Counts of a verification; `rejected` by reason."""

    records: int
    without_candidates: int
    unreadable: int
    candidates: int
    accepted: int
    rejected: dict[str, int]


def verify(
    model: Focal,
    shards: Sequence["Shards"],
    candidates: Mapping[frozenset[str], Sequence[str]],
    out: Path,
    *,
    threshold: float = THRESHOLD,
    score: Score | None = None,
    batch: int = 64,
) -> Summary:
    """Score every candidate of every record and write both sides; goes on where it was stopped.

    `score` is the model's own calibrated probability where none is given. A record whose tag set
    has no candidates is counted and written without any.
    """
    if not 0 < threshold < 1:
        raise ConfigError(f"found threshold {threshold}; needed a probability between 0 and 1")
    score = score or own_probability(model)
    about = {
        "threshold": threshold,
        "unit": "calibrated probability, 0 to 1",
        **score.about(),
        "batch": batch,
        "made_from": _made_from(model, shards, candidates),
    }
    verified.start(out, about)
    judge = _Judge(model, candidates, score, threshold, load_lexicon())
    counts: Counter[str] = Counter()
    blocks = list(_blocks(shards))
    with tqdm(total=sum(map(len, shards)), desc="verify", unit="ECG") as bar:
        for number, (shard, rows) in enumerate(blocks):
            path, keys = out / verified.part_name(number), [shard.keys[i] for i in rows]
            lines = verified.whole_part(path, keys)
            if lines is None:
                lines = [line for some in _batches(rows, batch) for line in judge(shard, some)]
                verified.write_part(path, lines)
            counts.update(_counted(lines, candidates))
            bar.update(len(rows))
    summary = _summary(counts)
    verified.finish(out, len(blocks), asdict(summary))
    return summary


def own_probability(model: Focal) -> ModelProbability:
    """The calibration that is saved with the model."""
    return ModelProbability(model.config.calibration.scale, model.config.calibration.shift)


class _Judge:
    """Candidates of records to lines; every distinct feature is embedded once."""

    def __init__(
        self,
        model: Focal,
        candidates: Mapping[frozenset[str], Sequence[str]],
        score: Score,
        threshold: float,
        lexicon: Lexicon,
    ) -> None:
        self.model, self.score, self.threshold, self.lexicon = model, score, threshold, lexicon
        self.candidates = candidates
        self.embedded = Embedded.of(model, [f for found in candidates.values() for f in found])

    def __call__(self, shard: "Shards", rows: Sequence[int]) -> list[Line]:
        asked = [distinct(self.candidates.get(frozenset(shard.tags[i]), ())) for i in rows]
        logits = candidate_logits(self.model, shard, rows, asked, self.embedded)
        return [
            self._line(shard.keys[i], shard.tags[i], features, logit)
            for i, features, logit in zip(rows, asked, logits, strict=True)
        ]

    def _line(
        self, key: str, tags: Sequence[str], features: Sequence[str], logit: np.ndarray | None
    ) -> Line:
        line: Line = {"key": key, "tags": list(tags), "accepted": [], "rejected": []}
        if logit is None:
            line["rejected"] = [_verdict(f, None, UNREADABLE) for f in features]
            return line
        against = _excluded(tags, self.lexicon)
        said = _said(tags, self.lexicon)
        # Rounded before it is compared, so that the file agrees with itself.
        rounded = np.round(self.score(logit, features).astype(float), 6).tolist()
        for feature, probability in zip(features, rounded, strict=True):
            reason = self._reason(feature, probability, against, said)
            side = "rejected" if reason else "accepted"
            line[side].append(_verdict(feature, probability, reason))
        return line

    def _reason(
        self, feature: str, probability: float, against: Collection[str], said: Collection[str]
    ) -> str:
        if feature in said:
            return KNOWN
        if feature in against:
            return CONTRADICTS
        return "" if probability >= self.threshold else BELOW


@dataclass(frozen=True)
class Embedded:
    """Embeddings (U, d) of distinct features and the row of each."""

    z: Tensor
    row: dict[str, int]

    @classmethod
    def of(cls, model: Focal, features: Sequence[str]) -> "Embedded":
        """Every distinct feature encoded once."""
        unique = sorted(set(features))
        z = embed_tags(model.text, unique) if unique else torch.zeros(0, model.config.embed_dim)
        return cls(z, {feature: row for row, feature in enumerate(unique)})


def candidate_logits(
    model: Focal,
    shard: "Shards",
    rows: Sequence[int],
    asked: Sequence[Sequence[str]],
    embedded: Embedded,
) -> list[np.ndarray | None]:
    """Logit of every feature asked of every record, each routed alone; None where none can be read.

    One encoder pass over the records together; the distinct features of the batch are scored at
    once, and another feature in the batch changes nothing.
    """
    result: list[np.ndarray | None] = [np.zeros(0)] * len(rows)
    ready = []
    for place, row in enumerate(rows):
        if asked[place]:
            try:
                ready.append((place, prepare(shard.ecg(row), model.config.signal)))
            except RecordingError:
                result[place] = None
    if not ready:
        return result
    columns = sorted({embedded.row[f] for place, _ in ready for f in asked[place]})
    device = next(model.parameters()).device
    with torch.inference_mode():
        seen = torch.from_numpy(np.stack([p.seen for _, p in ready])).to(device)
        signal = torch.from_numpy(np.stack([p.signal for _, p in ready])).float().to(device)
        patches = model.encode_ecg(signal, seen)
        logits = _logits(model, patches, embedded.z[columns].to(device), seen.flatten(1))
    column = {row: number for number, row in enumerate(columns)}
    for (place, _), logit in zip(ready, logits, strict=True):
        result[place] = logit[[column[embedded.row[f]] for f in asked[place]]]
    return result


def _logits(
    model: Focal,
    patches: Float[Tensor, "B N d"],
    z: Float[Tensor, "U d"],
    kept: Tensor,
    *,
    at_once: int = 256,
) -> Float[np.ndarray, "B U"]:
    """Logits, `at_once` features at a time: the plans of thousands would fill the memory."""
    config = model.config
    parts = [
        similarities(patches, some, kept, epsilon=config.epsilon, tau=config.tau)[0]
        for some in z.split(at_once)
    ]
    return model.logits(torch.cat(parts, dim=1)).float().cpu().numpy()


def distinct(features: Sequence[str]) -> tuple[str, ...]:
    """The features without repeats, in their order."""
    return tuple(dict.fromkeys(features))


def _said(tags: Collection[str], lexicon: Lexicon) -> set[str]:
    """What the report says: its tags and all that they imply."""
    return set(tags).union(*(lexicon.ancestors(tag) for tag in tags if tag in lexicon))


def _excluded(tags: Collection[str], lexicon: Lexicon) -> set[str]:
    return set[str]().union(*(lexicon.exclusions(tag) for tag in tags if tag in lexicon))


def _verdict(feature: str, probability: float | None, reason: str) -> dict[str, Any]:
    given = {"feature": feature, "probability": probability}
    return {**given, "reason": reason} if reason else given


def _blocks(shards: Sequence["Shards"]) -> Iterator[tuple["Shards", range]]:
    for shard in shards:
        for first in range(0, len(shard), PART):
            yield shard, range(first, min(first + PART, len(shard)))


def _batches(rows: range, size: int) -> Iterator[range]:
    return (rows[first : first + size] for first in range(0, len(rows), size))


def _counted(
    lines: Sequence[Line], candidates: Mapping[frozenset[str], Sequence[str]]
) -> Counter[str]:
    counts: Counter[str] = Counter(records=len(lines))
    for line in lines:
        reasons = [one["reason"] for one in line["rejected"]]
        counts["without_candidates"] += frozenset(line["tags"]) not in candidates
        counts["unreadable"] += UNREADABLE in reasons
        counts["accepted"] += len(line["accepted"])
        counts.update(f"rejected: {reason}" for reason in reasons)
    return counts


def _summary(counts: Counter[str]) -> Summary:
    rejected = {
        name.removeprefix("rejected: "): count
        for name, count in sorted(counts.items())
        if name.startswith("rejected: ")
    }
    return Summary(
        records=counts["records"],
        without_candidates=counts["without_candidates"],
        unreadable=counts["unreadable"],
        candidates=counts["accepted"] + sum(rejected.values()),
        accepted=counts["accepted"],
        rejected=rejected,
    )


def _made_from(
    model: Focal,
    shards: Sequence["Shards"],
    candidates: Mapping[frozenset[str], Sequence[str]],
) -> str:
    weights = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        weights.update(name.encode() + tensor.detach().cpu().contiguous().numpy().tobytes())
    asked = sorted((sorted(tags), list(found)) for tags, found in candidates.items())
    records = [(shard.keys, shard.tags) for shard in shards]
    return fingerprint(model.config, weights.hexdigest(), asked, records)
