"""What a model makes of recordings with known tags: scores against truths, for calibration."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Float, Int
from scipy.stats import rankdata

from focal_app.ecg.signal_spec import SignalSpec
from focal_app.errors import ConfigError
from focal_app.lexicon import Lexicon, load_lexicon
from focal_app.model.config import Calibration
from focal_app.model.focal import Focal
from focal_app.model.text import embed_tags
from train.data.corpus import prepared_signal
from train.data.prepared import PreparedStore
from train.data.shards import Shards
from train.fit import calibration
from train.fit.numbers import refuse_no_numbers
from train.fit.soft_targets import Knowledge, Speech, Vocabulary, present_and_known

JUDGED = 2000
"""Validation recordings of a source, at most, on which probabilities are calibrated."""

TOGETHER = 64
"""Recordings that are encoded in one go."""


@dataclass(frozen=True)
class Judged:
    """Logits, truths (0 or 1) and weights of all pairs of recording and tag that are known."""

    logit: Float[np.ndarray, " P"]
    present: Float[np.ndarray, " P"]
    weight: Float[np.ndarray, " P"]

    def calibration(self) -> Calibration:
        """The logistic curve that makes probabilities of the logits."""
        return calibration.fit(self.logit, self.present, self.weight)


class Judge:
    """How well a model tells its validation records apart: the AUC of their tags.

    `prepared` are signals, by source, that were made ready before.
    """

    def __init__(
        self,
        shards: Sequence[Shards],
        *,
        statements: bool,
        prepared: Mapping[str, PreparedStore] | None = None,
    ) -> None:
        self.rows = held_out(shards)
        self.statements, self.prepared = statements, prepared or {}
        if not self.rows:
            raise ConfigError(
                "found no validation records, and a stage that is judged on some; make shards with "
                "a share for validation, or set judged to 0"
            )

    def __call__(self, model: Focal) -> float:
        """The macro AUC over the tags that some records have and others lack, mean over sources."""
        every = [
            _tag_auc(model, one, rows, self.prepared.get(one.name), statements=self.statements)
            for one, rows in self.rows
        ]
        found = [one for one in every if one]
        if not found:
            raise ConfigError(
                "found no tag that some validation records have and others lack: the stage cannot "
                "be judged; give more data, or set judged to 0"
            )
        return sum(sum(one) / len(one) for one in found) / len(found)


def held_out(shards: Sequence[Shards]) -> list[tuple[Shards, Int[np.ndarray, " _"]]]:
    """The first validation records of every source that has some."""
    rows = [(one, one.rows("validation")[:JUDGED]) for one in shards]
    return [(one, some) for one, some in rows if len(some)]


def speech_of(shards: Shards) -> Speech:
    """Of what the source of shards speaks."""
    return Speech(shards.spoken, shards.classes_stated)


def judged(
    model: Focal, rows: Sequence[tuple[Shards, Int[np.ndarray, " _"]]], *, statements: bool
) -> Judged:
    """These rows of some sources against every tag that they use, or against all `statements`.

    Every source weighs the same in sum.
    """
    found = [_judged(model, shards, some, statements=statements) for shards, some in rows]
    total = sum(len(logit) for logit, _ in found)
    weight = [np.full(len(logit), total / len(found) / len(logit)) for logit, _ in found]
    logit, present = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return Judged(logit, present.astype(np.float32), np.concatenate(weight))


def calibrate(
    model: Focal, rows: Sequence[tuple[Shards, Int[np.ndarray, " _"]]], *, statements: bool
) -> None:
    """Give the model the curve that these rows fit (`judged`)."""
    fitted = judged(model, rows, statements=statements).calibration()
    model.config = replace(model.config, calibration=fitted)


def _tag_auc(
    model: Focal,
    shards: Shards,
    rows: Int[np.ndarray, " _"],
    store: PreparedStore | None,
    *,
    statements: bool,
) -> list[float]:
    """AUC of every tag over the records of which the source tells."""
    lexicon = load_lexicon()
    names = list(lexicon.statements) if statements else _used(shards, rows)
    present, known = truths(shards, rows, names, lexicon)
    found = []
    scores = logits(model, shards, rows, names, store)
    for truth, told, score in zip(present.T, known.T, scores.T, strict=True):
        truth, score = truth[told], score[told]
        positives = int(truth.sum())
        if 0 < positives < len(truth):
            ranks = rankdata(score)[truth].sum() - positives * (positives + 1) / 2
            found.append(float(ranks / positives / (len(truth) - positives)))
    return found


def _judged(
    model: Focal, shards: Shards, rows: Int[np.ndarray, " _"], *, statements: bool
) -> tuple[np.ndarray, np.ndarray]:
    lexicon = load_lexicon()
    names = list(lexicon.statements) if statements else _used(shards, rows)
    present, known = truths(shards, rows, names, lexicon)
    logit = logits(model, shards, rows, names)
    return logit[known], present[known]


def truths(
    shards: Shards, rows: Int[np.ndarray, " _"], names: Sequence[str], lexicon: Lexicon
) -> tuple[np.ndarray, np.ndarray]:
    """Whether each record (R, C) shows what each name says, and whether its source tells."""
    vocabulary = Vocabulary.of({*shards.vocabulary, *names}, lexicon)
    of_run = vocabulary.entries[vocabulary.numbers(shards.vocabulary)]
    columns = vocabulary.entries[vocabulary.numbers(names)]
    said = [of_run[shards.tag_ids(int(row))].tolist() for row in rows]
    return present_and_known(Knowledge(lexicon, [speech_of(shards)]), said, 0, columns.tolist())


@torch.inference_mode()
def logits(
    model: Focal,
    shards: Shards,
    rows: Int[np.ndarray, " _"],
    names: Sequence[str],
    store: PreparedStore | None = None,
) -> Float[np.ndarray, "R C"]:
    """The logit of every name on every record, on the device where the model lies."""
    device = model.device
    z, made = embed_tags(model.text, names).to(device), []
    for part in np.array_split(np.asarray(rows), max(1, len(rows) // TOGETHER)):
        signal, seen = together(shards, part, model.config.signal, store)
        kept = seen.to(device)
        patches = model.encode_ecg(signal.to(device).float(), kept)
        similarity, _ = model.route(patches, z, kept.flatten(1))
        made.append(model.logits(similarity).cpu())
    found = torch.cat(made).numpy()
    refuse_no_numbers(found, names)
    return found


def together(
    shards: Shards,
    rows: Int[np.ndarray, " _"],
    spec: SignalSpec,
    store: PreparedStore | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Signals (R, L, T) and seen patches (R, L, N_time) of records; those of a store in float16."""
    pairs = [
        prepared_signal(shards, row, spec) if store is None else store[row]
        for row in map(int, rows)
    ]
    signal, seen = (np.stack(parts) for parts in zip(*pairs, strict=True))
    return torch.from_numpy(signal), torch.from_numpy(seen)


def _used(shards: Shards, rows: Int[np.ndarray, " _"]) -> list[str]:
    return sorted({shards.vocabulary[tag] for row in rows for tag in shards.tag_ids(int(row))})
