"""On real recordings nobody drew the places: does the heatmap at least prefer the right leads?

    python -m train evaluate localisation --checkpoint assets/checkpoint --data DIR

For each finding of PTB-XL that the lexicon ties to some leads: the share of the plan on these
leads, over the share that an even plan has there. 1 says that the leads mean nothing to it. Of a
model that was taught these leads (`objective.places: leads`) it tells whether the lesson holds for
other patients; a lift as high where the finding is absent says that the words alone decide.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from focal_app.ecg.recording import LEADS
from focal_app.errors import ConfigError
from focal_app.lexicon import load_lexicon
from focal_app.model.focal import Focal
from focal_app.model.text import embed_tags
from train.benchmark.embeddings import Part, embed
from train.benchmark.metrics import Interval, mean_interval
from train.benchmark.ptbxl_statements import Reported
from train.benchmark.routing import routed

FEW_FINDINGS = 5


@dataclass(frozen=True)
class StatementLift:
    """Lift of one statement where it holds, and on recordings where it does not."""

    statement: str
    leads: tuple[str, ...]
    findings: int
    few: bool
    lift: Interval
    lift_elsewhere: float


@dataclass(frozen=True)
class Territory:
    """Mean lift over findings, and of the same statements on recordings without them.

    `by_statement` weighs every statement alike, where one that holds for most recordings (sinus
    rhythm) would decide the mean over findings.
    """

    recordings: int
    findings: int
    lift: Interval
    lift_elsewhere: Interval
    by_statement: Interval
    by_statement_elsewhere: Interval
    statements: tuple[StatementLift, ...]


def territory(
    model: Focal, reported: Sequence[Reported], *, cache: Path | None = None, seed: int = 0
) -> Territory:
    """The lift of the heatmap's share on the lexicon's leads, by statement."""
    lexicon = load_lexicon()
    named = sorted({tag for one in reported for tag in one.tags})
    placed = [tag for tag in named if 0 < len(lexicon[tag].leads) < len(LEADS)]
    if not placed:
        raise ConfigError("found no finding that the lexicon ties to some of the leads")
    held = embed(model, [one.header for one in reported], cache=cache)
    z = embed_tags(model.text, placed)
    on_leads = np.array([[lead in lexicon[tag].leads for lead in LEADS] for tag in placed])
    total, windows = np.zeros((len(held), len(placed))), np.zeros((len(held), 1))
    for part in held.parts():
        for rows in np.array_split(np.arange(len(part.rows)), max(1, len(part.rows) // 64)):
            chosen = Part(part.rows[rows], part.patches[rows], part.kept[rows])
            np.add.at(total, chosen.rows, lifts(model, chosen, z, on_leads))
            np.add.at(windows, chosen.rows, 1)
    mean = total / np.maximum(windows, 1)
    holds = np.array([[tag in one.tags for tag in placed] for one in reported])
    return _summary(mean, holds, held.readable, placed, seed)


def lifts(model: Focal, part: Part, z: torch.Tensor, on_leads: np.ndarray) -> np.ndarray:
    """Share of every plan on its leads over the even share; NaN where none of them was seen."""
    _, plan = routed(model, part.patches, z, part.kept)
    by_lead = plan.unflatten(2, (len(LEADS), -1)).sum(3).double().numpy()
    seen = part.kept.unflatten(1, (len(LEADS), -1)).sum(2).numpy()
    share = (by_lead * on_leads).sum(2)
    even = seen @ on_leads.T / seen.sum(1, keepdims=True)
    return np.divide(share, even, out=np.full_like(share, np.nan), where=even > 0)


def _summary(
    mean: np.ndarray, holds: np.ndarray, readable: np.ndarray, placed: list[str], seed: int
) -> Territory:
    known = readable[:, None] & ~np.isnan(mean)
    lexicon, each = load_lexicon(), []
    for column, tag in enumerate(placed):
        here = mean[known[:, column] & holds[:, column], column]
        elsewhere = mean[known[:, column] & ~holds[:, column], column]
        if len(here):
            each.append(
                StatementLift(
                    tag,
                    lexicon[tag].leads,
                    len(here),
                    len(here) < FEW_FINDINGS,
                    mean_interval(here, seed=seed),
                    float(elsewhere.mean()) if len(elsewhere) else float("nan"),
                )
            )
    found, rest = known & holds, known & ~holds
    lifts = np.array([one.lift.value for one in each])
    others = np.array([one.lift_elsewhere for one in each])
    return Territory(
        int(readable.sum()),
        int(found.sum()),
        mean_interval(mean[found], seed=seed),
        mean_interval(_elsewhere(mean, found, rest), seed=seed),
        mean_interval(lifts, seed=seed),
        mean_interval(others[~np.isnan(others)], seed=seed),
        tuple(sorted(each, key=lambda one: -one.findings)),
    )


def _elsewhere(mean: np.ndarray, found: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """For every finding the mean lift of its statement on the recordings that lack it."""
    columns = [c for c in range(mean.shape[1]) if found[:, c].any() and rest[:, c].any()]
    parts = [np.full(found[:, c].sum(), mean[rest[:, c], c].mean()) for c in columns]
    return np.concatenate(parts) if parts else np.zeros(0)
