"""Does the heatmap lie where the finding is drawn? Measured on simulated recordings."""

from dataclasses import dataclass

import numpy as np
import torch

from focal_app.lexicon import load_lexicon
from focal_app.model.focal import Focal
from focal_app.model.text import embed_tags
from train.batches import Pool, gather
from train.benchmark.figures import FEW
from train.benchmark.metrics import Interval, auc, bootstrap, weighted_auc


@dataclass(frozen=True)
class Localisation:
    """How simulated recordings are read: which findings, and where.

    `macro_auc`: mean AUC over the statements with enough recordings that show them.
    `patch_auc`: mean over findings of the AUC of the heatmap against the true patches.
    `share_on_place` is the mean share of the plan on the true patches; `even_share` what an even
    plan would have there.
    """

    recordings: int
    statements: int
    macro_auc: Interval
    findings: int
    patch_auc: float
    share_on_place: float
    even_share: float


def localise(model: Focal, pool: Pool, *, seed: int = 0) -> Localisation:
    """Figures over every finding with a place in the pool, but those that fill the recording."""
    z = embed_tags(model.text, list(load_lexicon().statements))
    scores, values, shares, evens = [], [], [], []
    for rows in np.array_split(pool.rows, max(1, len(pool.rows) // 64)):
        batch = gather(pool, rows)
        with torch.inference_mode():
            patches = model.encode_ecg(batch.signal, batch.seen)
            kept = batch.seen.flatten(1)
            similarity, plan = model.route(patches, z, kept)
        scores.append(similarity.numpy())
        for (record, statement), place in zip(batch.pairs.tolist(), batch.places, strict=True):
            seen = kept[record]
            true, weight = place[seen].numpy() > 0, plan[record, statement][seen].numpy()
            if 0 < true.mean() < 1:
                values.append(auc(true, weight))
                shares.append(float(weight[true].sum()))
                evens.append(float(true.mean()))
    present, known = (part[pool.rows] > 0 for part in (pool.targets.present, pool.targets.known))
    enough = np.minimum((present & known).sum(0), (~present & known).sum(0)) >= FEW
    return Localisation(
        recordings=len(pool.rows),
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
        share_on_place=float(np.mean(shares)),
        even_share=float(np.mean(evens)),
    )
