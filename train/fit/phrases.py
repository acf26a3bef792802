"""Phrases that the lexicon does not know: what they mean, by a frozen tag encoder.

A language model and a report word a finding freely ("T wave inversion in lateral leads"). Two
phrases of which one is free are compared by the cosine of their embeddings as the encoder was
before the training:

at least `alike`     the same finding: of a statement, with all that it implies
below `unlike`       another finding: a report that does not say it, is without it
between the two      unknown, and left out of the loss

Both bounds are measured on wordings of the lexicon that tuning never saw, against the statements
that they do and do not mean, so that S is no matter of taste. Only far phrases stay negatives: with
none at all a model would find every phrase in every ECG.
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from focal_app.lexicon import Lexicon
from focal_app.model.text import TagEncoder, embed_tags

PRECISION = 0.95
"""The share of pairs at or above `alike` that must mean the same."""

MISSED = 0.05
"""The share of wordings that may lie below `unlike` of the statement that they mean."""

NEVER = 2.0
"""Above every cosine."""


@dataclass(frozen=True)
class Bounds:
    """Cosines: from `alike` on the same finding, below `unlike` another one."""

    alike: float
    unlike: float


@dataclass(frozen=True)
class Phrases:
    """Embeddings (E, d) of every meaning of a run, and the bounds of their cosines."""

    z: Float[Tensor, "E d"]
    statements: int
    bounds: Bounds

    def to(self, device: torch.device) -> "Phrases":
        """The same on a device."""
        return Phrases(self.z.to(device), self.statements, self.bounds)

    def meant(self) -> Int[Tensor, " E"]:
        """The meaning of each: of a free phrase the statement that it is most alike, if any."""
        numbers = torch.arange(len(self.z))
        highest, nearest = (self.z @ self.z[: self.statements].T).max(-1)
        free = numbers >= self.statements
        return torch.where(free & (highest >= self.bounds.alike), nearest, numbers)

    def compared(
        self, entries: Int[Tensor, " K"], columns: Int[Tensor, " C"]
    ) -> tuple[Bool[Tensor, "K C"], Bool[Tensor, "K C"]]:
        """Which pairs of meanings are alike, and of which that is unknown.

        Two statements of the lexicon are neither: it says itself what they have in common.
        """
        cosine = self.z[entries] @ self.z[columns].T
        free = (entries >= self.statements)[:, None] | (columns >= self.statements)[None]
        alike = free & (cosine >= self.bounds.alike)
        return alike, free & (cosine >= self.bounds.unlike) & ~alike


def measured_bounds(encoder: TagEncoder, lexicon: Lexicon) -> Bounds:
    """The bounds of an encoder, on wordings that its tuning never saw."""
    tags = list(lexicon.statements)
    held = [(row, name) for row, one in enumerate(lexicon) for name in one.held_out]
    cosine = (embed_tags(encoder, [n for _, n in held]) @ embed_tags(encoder, tags).T).numpy()
    same = np.zeros(cosine.shape, bool)
    same[np.arange(len(held)), [row for row, _ in held]] = True
    above = {tag: lexicon.ancestors(tag) for tag in tags}
    related = np.array(
        [[o in above[tags[row]] or tags[row] in above[o] for o in tags] for row, _ in held]
    )
    return bounds_of(cosine[same], cosine[~same & ~related])


def bounds_of(same: Float[np.ndarray, " A"], other: Float[np.ndarray, " D"]) -> Bounds:
    """The bounds that part the cosines of equal meanings from those of others."""
    every = np.concatenate([same, other])
    order = np.argsort(-every, kind="stable")
    right = (np.arange(len(every)) < len(same))[order].cumsum()
    # Equal cosines are on one side together.
    last = np.append(np.diff(every[order]) < 0, True)
    precise = np.flatnonzero(last & (right >= PRECISION * np.arange(1, len(every) + 1)))
    alike = float(every[order[precise[-1]]]) if len(precise) else NEVER
    return Bounds(alike, min(alike, float(np.quantile(same, MISSED))))
