"""Does the heatmap lie where the finding is drawn? Measured on simulated recordings."""

import atexit
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Int

from focal_app.lexicon import load_lexicon
from focal_app.model.focal import Focal
from focal_app.model.seen import patient
from focal_app.model.text import embed_tags
from train.benchmark.figures import FEW
from train.benchmark.metrics import Interval, auc, bootstrap, share_interval, weighted_auc
from train.benchmark.unseen import unseen
from train.data.augment import Augmented
from train.data.build import build
from train.data.places import on_patches
from train.data.shards import Shards
from train.data.simulation import Simulation
from train.data.source import Shares
from train.fit.judging import TOGETHER, together, truths
from train.fit.numbers import refuse_no_numbers


@dataclass(frozen=True)
class Localisation:
    """How simulated recordings are read: which findings, and where.

    `macro_auc`: mean AUC over the statements with enough recordings that show them.
    `patch_auc`: mean over findings of the AUC of the heatmap against the true patches, with an
    interval over the recordings.
    `share_on_place` is the mean share of the plan on the true patches; `even_share` what an even
    plan would have there.
    """

    recordings: int
    statements: int
    macro_auc: Interval
    findings: int
    patch_auc: float
    patch_auc_interval: Interval
    share_on_place: float
    even_share: float


def localise(
    model: Focal, shards: Shards, rows: Int[np.ndarray, " _"], *, seed: int = 0
) -> Localisation:
    """Figures over every finding with a place in these rows, but those that fill the recording."""
    statements, spec = list(load_lexicon().statements), model.config.signal
    z, device = embed_tags(model.text, statements), model.device
    column = {tag: i for i, tag in enumerate(statements)}
    scores, values, owners, shares, evens = [], [], [], [], []
    for some in np.array_split(np.asarray(rows), max(1, len(rows) // TOGETHER)):
        signal, seen = together(shards, some, spec)
        with torch.inference_mode():
            patches = model.encode_ecg(signal.to(device), seen.to(device))
            routed = model.route(patches, z.to(device), seen.to(device).flatten(1))
        similarity, plan = (part.cpu() for part in routed)
        scores.append(similarity.numpy())
        refuse_no_numbers(scores[-1], statements)
        for record, row in enumerate(some):
            ecg = Augmented(signal[record].numpy(), seen[record].numpy())
            kept = ecg.seen.ravel()
            for tag, place in on_patches(shards.place_rows(int(row)), ecg, spec):
                asked = column[shards.vocabulary[tag]]
                true, weight = place[kept] > 0, plan[record, asked].numpy()[kept]
                if 0 < true.mean() < 1:
                    values.append(auc(true, weight))
                    owners.append(int(row))
                    shares.append(float(weight[true].sum()))
                    evens.append(float(true.mean()))
    present, known = truths(shards, rows, statements, load_lexicon())
    enough = np.minimum((present & known).sum(0), (~present & known).sum(0)) >= FEW
    return Localisation(
        recordings=len(rows),
        statements=int(enough.sum()),
        macro_auc=bootstrap(
            weighted_auc,
            present[:, enough],
            np.concatenate(scores)[:, enough],
            known=known[:, enough],
            seed=seed,
        ),
        findings=len(values),
        patch_auc=float(np.mean(values)),
        patch_auc_interval=_by_recording(values, owners, seed=seed),
        share_on_place=float(np.mean(shares)),
        even_share=float(np.mean(evens)),
    )


def _by_recording(values: Sequence[float], owners: Sequence[int], *, seed: int) -> Interval:
    """The mean over findings; drawn are recordings, whose findings are not independent."""
    row = np.unique(owners, return_inverse=True)[1]
    return share_interval(np.bincount(row, values), np.bincount(row), seed=seed)


def localise_simulated(model: Focal, count: int, *, seed: int = 0) -> Localisation:
    """Figures on so many simulated recordings, drawn there and then; none that training drew."""
    shards = _simulated_shards(count, seed=1 + seed)
    rows = shards.rows("test")
    drawn = [_Drawn(int(row), patient(shards.name, shards.subjects[int(row)])) for row in rows]
    new = [one.row for one in unseen(model, drawn)]
    return localise(model, shards, np.array(new, dtype=rows.dtype), seed=seed)


@dataclass(frozen=True)
class _Drawn:
    row: int
    patient: str


@cache
def _simulated_shards(count: int, *, seed: int) -> Shards:
    """So many simulated recordings, all of the split "test".

    They are drawn once for all checkpoints that a command compares, and deleted when it ends.
    """
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    return build(Simulation(count, seed, Shares(0, 0, 1)), Path(folder.name) / "simulated")
