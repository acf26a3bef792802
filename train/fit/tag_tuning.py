"""Tune the tag encoder on the lexicon, so that names of one statement meet and opposites part.

    python -m train text --config embedded

Two pulls on the cosines of wordings: an InfoNCE loss (wordings of one statement find each other
among all others), and a squared distance to a target geometry: 1 for the same statement, less
for an ancestor, little for siblings, none for strangers, and below zero for statements that
exclude each other. `held_out` wordings of the lexicon are never seen here.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F
from tqdm import tqdm

from focal_app.lexicon import Lexicon
from focal_app.model.device import best_device
from focal_app.model.text import TagEncoder, embed_tags
from train.fit.precision import mixed
from train.fit.wordings import tuning_names
from train.recipe import TextTuning

SAME, ANCESTOR, SIBLING, STRANGER, OPPOSITE = 1.0, 0.5, 0.2, 0.0, -0.1
"""Target cosines between the wordings of two statements."""

FRAMES = ("{}",) * 8 + ("{} present", "ecg shows {}", "possible {}", "probable {}", "{} pattern")
"""How a report may frame a statement; hedges keep its meaning."""


@dataclass(frozen=True)
class TagFigures:
    """`held_out_accuracy`: share of held-out wordings whose nearest preferred tag is their own.

    `highest_opposite`: the largest cosine between any two statements that exclude each other or
    are opposites, over their preferred tags; `highest_opposite_name` the same over all wordings.
    """

    held_out: int
    held_out_accuracy: float
    opposite_pairs: int
    highest_opposite: float
    highest_opposite_name: float


def target_cosines(lexicon: Lexicon) -> np.ndarray:
    """Target cosine of every two statements (S, S), in the order of the lexicon."""
    tags = list(lexicon.statements)
    above = [lexicon.ancestors(tag) for tag in tags]
    target = np.full((len(tags), len(tags)), STRANGER, np.float32)
    for i, tag in enumerate(tags):
        apart = lexicon.contrasts(tag)
        for j, other in enumerate(tags):
            if other == tag:
                target[i, j] = SAME
            elif other in apart:
                target[i, j] = OPPOSITE
            elif other in above[i] or tag in above[j]:
                target[i, j] = ANCESTOR
            elif set(lexicon[tag].parents) & set(lexicon[other].parents):
                target[i, j] = SIBLING
    return target


def tune(encoder: TagEncoder, lexicon: Lexicon, tuning: TextTuning, *, seed: int) -> None:
    """Tune the encoder in place, on the accelerator where there is one, with a progress bar."""
    rng, home, device = random.Random(seed), encoder.device, best_device()
    encoder.to(device)
    target = torch.from_numpy(target_cosines(lexicon))
    related = [(row != STRANGER).nonzero().flatten().tolist() for row in target]
    target = target.to(device)
    optimizer = torch.optim.AdamW(encoder.parameters(), lr=tuning.learning_rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, tuning.learning_rate, total_steps=tuning.steps, pct_start=0.1
    )
    encoder.train()
    bar = tqdm(range(tuning.steps), desc="tag encoder", unit="step", mininterval=5)
    for _ in bar:
        names, index = _draw(lexicon, related, tuning, rng)
        with mixed(device):
            z = encoder(names)
        drawn = torch.tensor(index, device=device)
        loss = _loss(F.normalize(z.float(), dim=-1), drawn, target, tuning.temperature)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        bar.set_postfix(loss=f"{loss.item():.3f}")
    encoder.to(home).eval()


def _draw(
    lexicon: Lexicon, related: Sequence[list[int]], tuning: TextTuning, rng: random.Random
) -> tuple[list[str], list[int]]:
    """Wordings of random statements, half of them drawn together with a neighbour or opposite."""
    statements = list(lexicon)
    chosen = set(rng.sample(range(len(statements)), tuning.statements // 2))
    for i in list(chosen):
        chosen.add(rng.choice(related[i]))
    names, index = [], []
    for i in chosen:
        known = tuning_names(statements[i])
        others = rng.sample(known[1:], min(len(known), tuning.names) - 1)
        names += [rng.choice(FRAMES).format(name) for name in (known[0], *others)]
        index += [i] * (1 + len(others))
    return names, index


def _loss(z: Tensor, index: Tensor, target: Tensor, temperature: float) -> Tensor:
    cosine = z @ z.mT
    wanted = target[index][:, index]
    itself = torch.eye(len(z), dtype=torch.bool, device=z.device)
    same = (index[:, None] == index[None]) & ~itself
    log_share = F.log_softmax((cosine / temperature).masked_fill(itself, -torch.inf), dim=-1)
    found = -(log_share.masked_fill(~same, 0).sum(-1) / same.sum(-1).clamp_min(1)).mean()
    # Wordings that are wrongly near hurt more than wordings that are wrongly far.
    apart = (cosine - wanted).masked_fill(itself, 0)
    weight = 1 + 9 * (wanted <= OPPOSITE) * (apart > 0)
    return found + 10 * (weight * apart.square()).mean()


def measure(encoder: TagEncoder, lexicon: Lexicon) -> TagFigures:
    """The figures of a tag encoder on wordings that tuning never saw."""
    tags = list(lexicon.statements)
    names = embed_tags(encoder, [name for s in lexicon for name in s.names])
    z = names.split([len(s.names) for s in lexicon])
    anchors = torch.stack([of_one[0] for of_one in z])  # the preferred wording comes first
    hits = [
        (of_one[-len(s.held_out) :] @ anchors.mT).argmax(-1) == i
        for i, (s, of_one) in enumerate(zip(lexicon, z, strict=True))
        if s.held_out
    ]
    pairs = [
        (i, tags.index(other))
        for i, tag in enumerate(tags)
        for other in lexicon.contrasts(tag)
        if tags.index(other) > i
    ]
    return TagFigures(
        held_out=sum(map(len, hits)),
        held_out_accuracy=float(torch.cat(hits).float().mean()),
        opposite_pairs=len(pairs),
        highest_opposite=max(float(anchors[i] @ anchors[j]) for i, j in pairs),
        highest_opposite_name=max(float((z[i] @ z[j].mT).max()) for i, j in pairs),
    )
