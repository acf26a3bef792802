"""The figures of a model: similarity of prompts to each other, and where findings show.

python -m train evaluate similarity-matrix --checkpoint assets/checkpoint --dataset ptbxl-super
python -m train evaluate activation-maps --checkpoint assets/checkpoint --data DIR
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from focal_app.ecg.recording import LEADS
from focal_app.errors import ConfigError
from focal_app.lexicon import load_lexicon, load_prompt_sets
from focal_app.model.focal import Focal
from focal_app.model.text import embed_tags
from focal_app.model.transport import relative_weights
from train.benchmark.embeddings import embed
from train.benchmark.ptbxl_statements import Reported
from train.benchmark.routing import routed


@dataclass(frozen=True)
class ActivationMap:
    """Where a finding of one recording shows: `weight` (leads x windows), 1 is an even share.

    None where a patch was not seen. `leads` are those of the lexicon's territory.
    """

    key: str
    finding: str
    leads: tuple[str, ...]
    cosine: float
    weight: tuple[tuple[float | None, ...], ...]


@dataclass(frozen=True)
class ActivationMaps:
    """Maps of one recording a finding."""

    window_s: float
    maps: tuple[ActivationMap, ...]


def similarity_matrix(model: Focal, dataset: str) -> dict[str, Any]:
    """The `prompts` of a set of the lexicon, and each one's `cosine` with all of them."""
    sets = load_prompt_sets()
    if dataset not in sets:
        raise ConfigError(f"found prompt set {dataset!r}; needed one of {', '.join(sets)}")
    prompts = sets[dataset].prompts
    z = embed_tags(model.text, list(prompts))
    return {"prompts": prompts, "cosine": (z @ z.T).tolist()}


def activation_maps(
    model: Focal, reported: Sequence[Reported], *, count: int = 6, cache: Path | None = None
) -> ActivationMaps:
    """The most frequent findings with a territory, each on the recording that shows it best."""
    lexicon = load_lexicon()
    tags = [t for one in reported for t in one.tags if 0 < len(lexicon[t].leads) < len(LEADS)]
    findings = sorted(dict.fromkeys(tags), key=lambda tag: -tags.count(tag))[:count]
    if not findings:
        raise ConfigError("found no finding that the lexicon ties to some of the leads")
    held = embed(model, [one.header for one in reported], cache=cache)
    z = embed_tags(model.text, findings)
    best: dict[str, ActivationMap] = {}
    for part in held.parts():
        for row, patches, kept in zip(part.rows, part.patches, part.kept, strict=True):
            for number, finding in enumerate(findings):
                if finding not in reported[row].tags:
                    continue
                made = _map(
                    model, reported[row].key, finding, patches, kept, z[number : number + 1]
                )
                if finding not in best or made.cosine > best[finding].cosine:
                    best[finding] = made
    spec = model.config.signal
    maps = tuple(best[finding] for finding in findings if finding in best)
    return ActivationMaps(spec.window_samples / spec.sampling_rate_hz, maps)


def _map(
    model: Focal,
    key: str,
    finding: str,
    patches: torch.Tensor,
    kept: torch.Tensor,
    z: torch.Tensor,
) -> ActivationMap:
    cosine, plan = routed(model, patches[None], z, kept[None])
    weight = relative_weights(plan, kept[None])[0, 0].double().numpy()
    shown = np.where(kept.numpy(), weight, np.nan).reshape(len(LEADS), -1)
    rows = tuple(tuple(None if np.isnan(v) else float(v) for v in row) for row in shown)
    return ActivationMap(key, finding, load_lexicon()[finding].leads, float(cosine[0, 0]), rows)
