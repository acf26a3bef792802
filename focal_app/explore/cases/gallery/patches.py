"""Embeddings of every patch of every case, as they are or in a basis of a few directions."""

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from focal_app.ecg.recording import LEADS
from focal_app.explore.cases.gallery.manifest import VIEWS

LEVELS = 127
SAMPLED = 200_000
"""Patches from which the directions of a basis are taken."""


def views(patches: Float[Tensor, "B N d"]) -> dict[str, Float[Tensor, "B d"]]:
    """The mean of the seen patches of every group of leads, at unit length.

    Patches that were not seen are zero, and so is a group without any.
    """
    by_lead = patches.unflatten(1, (len(LEADS), -1))
    rows = {view: [LEADS.index(lead) for lead in leads] for view, leads in VIEWS.items()}
    return {view: F.normalize(by_lead[:, r].sum((1, 2)), dim=-1) for view, r in rows.items()}


def decoded(stored: np.ndarray, basis: Float[np.ndarray, "r d"] | None) -> Float[Tensor, "B N d"]:
    """Unit patches out of what is on disk; zero where nothing was seen."""
    patches = torch.from_numpy(np.ascontiguousarray(stored, dtype=np.float32))
    if basis is None:
        return patches
    return F.normalize(patches @ torch.from_numpy(np.array(basis)), dim=-1)


def basis_of(patches: np.ndarray, rank: int) -> Float[np.ndarray, "r d"]:
    """The `rank` directions that hold most of the patches (M, d), each as long as one level.

    A patch is the sum of whole numbers of them, -127 to 127.
    """
    seen = patches[np.abs(patches).max(1) > 0]
    sample = seen[:: max(1, len(seen) // SAMPLED)].astype(np.float64)
    directions = np.linalg.eigh(sample.T @ sample)[1][:, ::-1][:, :rank].T
    reach = np.abs(sample @ directions.T).max(0)
    return (directions * reach[:, None].clip(1e-6) / LEVELS).astype(np.float32)


def levels(patches: np.ndarray, basis: Float[np.ndarray, "r d"]) -> np.ndarray:
    """Patches (..., d) as whole numbers of every direction."""
    length = np.square(basis).sum(1)
    steps = np.rint(patches.astype(np.float32) @ basis.T / length)
    return steps.clip(-LEVELS, LEVELS).astype(np.int8)
