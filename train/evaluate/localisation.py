"""Does the heatmap lie where the finding is drawn? Measured on simulated recordings."""

from dataclasses import dataclass

import numpy as np
import torch

from focal_app.lexicon import load_lexicon
from focal_app.model.focal import Focal, similarities
from focal_app.model.text import embed_tags
from train.batches import Pool, gather
from train.evaluate.metrics import auc


@dataclass(frozen=True)
class Localisation:
    """`patch_auc`: mean over findings of the AUC of the heatmap against the true patches.

    `share_on_place` is the mean share of the plan on the true patches; `even_share` what an even
    plan would have there.
    """

    findings: int
    patch_auc: float
    share_on_place: float
    even_share: float


def localise(model: Focal, pool: Pool) -> Localisation:
    """Figures over every finding with a place in the pool, but those that fill the recording."""
    z = embed_tags(model.text, list(load_lexicon().statements))
    config, values, shares, evens = model.config, [], [], []
    for rows in np.array_split(pool.rows, max(1, len(pool.rows) // 64)):
        batch = gather(pool, rows)
        with torch.inference_mode():
            patches = model.encode_ecg(batch.signal, batch.seen)
            kept = batch.seen.flatten(1)
            _, plan = similarities(patches, z, kept, epsilon=config.epsilon, tau=config.tau)
        for (record, statement), place in zip(batch.pairs.tolist(), batch.places, strict=True):
            seen = kept[record]
            true, weight = place[seen].numpy() > 0, plan[record, statement][seen].numpy()
            if 0 < true.mean() < 1:
                values.append(auc(true, weight))
                shares.append(float(weight[true].sum()))
                evens.append(float(true.mean()))
    return Localisation(
        len(values), float(np.mean(values)), float(np.mean(shares)), float(np.mean(evens))
    )
