"""Zero-shot reading of labelled recordings: one prompt a class, no training on the classes.

    python -m train evaluate zeroshot --checkpoint assets/checkpoint --dataset ptbxl-super \
        --data ../shared/ecg/ptb-xl --folds 7 8
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from tqdm import tqdm

from focal_app.ecg.files import read_recording
from focal_app.ecg.preprocess import prepare
from focal_app.errors import ConfigError, RecordingError
from focal_app.lexicon import load_prompt_sets, normalize_code
from focal_app.model.focal import Focal, similarities
from train.datasets.ptbxl_labels import Row, ptbxl_rows
from train.evaluate.metrics import Interval, auc, macro_auc_interval

FEW = 5
"""Classes with fewer positives or negatives are flagged: their AUC says little."""


@dataclass(frozen=True)
class ClassFigure:
    """AUC of one class, None where it lacks positives or negatives; `few`: below five of either."""

    label: str
    prompt: str
    positives: int
    auc: float | None
    few: bool


@dataclass(frozen=True)
class ZeroShot:
    """Macro AUC over the classes with positives and negatives, and each class."""

    dataset: str
    folds: tuple[int, ...]
    recordings: int
    unreadable: int
    macro_auc: Interval
    classes: tuple[ClassFigure, ...]


def evaluate(
    model: Focal, dataset: str, data: Path, *, folds: Sequence[int] = (), seed: int = 0
) -> ZeroShot:
    """Zero-shot AUC of a PTB-XL label set on `folds` (all where none is named)."""
    rows = [row for row in ptbxl_rows(data, dataset) if not folds or row.fold in folds]
    prompts = load_prompt_sets()[dataset]
    patches, kept, readable = _encoded(model, rows)
    used = [row for row, ok in zip(rows, readable, strict=True) if ok]
    labels = [normalize_code(label) for label in prompts.labels]
    truth = np.array([[label in row.labels for label in labels] for row in used])
    score = scores(model, patches, kept, prompts.prompts)
    named = zip(prompts.labels, prompts.prompts, truth.T, score.T, strict=True)
    each = tuple(
        ClassFigure(
            label, prompt, int(t.sum()), _or_none(auc(t, s)), bool(min(t.sum(), (~t).sum()) < FEW)
        )
        for label, prompt, t, s in named
    )
    interval = macro_auc_interval(truth, score, seed=seed)
    return ZeroShot(dataset, tuple(folds), len(used), readable.count(False), interval, each)


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else value


def scores(
    model: Focal, patches: torch.Tensor, kept: torch.Tensor, prompts: Sequence[str]
) -> Float[np.ndarray, "R C"]:
    """Cosine of every prompt with every recording routed to it."""
    config = model.config
    with torch.inference_mode():
        tags = model.encode_tags(list(prompts))
        parts = [
            similarities(p, tags, k, epsilon=config.epsilon, tau=config.tau)[0]
            for p, k in zip(patches.split(256), kept.split(256), strict=True)
        ]
    return torch.cat(parts).numpy()


def _encoded(model: Focal, rows: Sequence[Row]) -> tuple[torch.Tensor, torch.Tensor, list[bool]]:
    """Patch embeddings and masks of the readable rows; which rows those are."""
    patches, kept, readable = [], [], []
    for row in tqdm(rows, desc="encoding", unit="ECG", mininterval=5):
        try:
            prepared = prepare(read_recording([row.header]), model.config.signal)
        except RecordingError:
            readable.append(False)
            continue
        seen = torch.from_numpy(prepared.seen)[None]
        with torch.inference_mode():
            patches.append(model.encode_ecg(torch.from_numpy(prepared.signal)[None], seen))
        kept.append(seen.flatten(1))
        readable.append(True)
    if not patches:
        raise ConfigError("found no readable recording with a label of this set in these folds")
    return torch.cat(patches), torch.cat(kept), readable


def table(figures: ZeroShot) -> str:
    """The figures as a Markdown table."""
    macro = figures.macro_auc
    lines = ["| class | prompt | positives | AUC |", "|---|---|---|---|"]
    for one in figures.classes:
        flag = " (few)" if one.few else ""
        shown = "-" if one.auc is None else f"{one.auc:.3f}"
        lines.append(f"| {one.label} | {one.prompt} | {one.positives}{flag} | {shown} |")
    lines.append(
        f"| **macro** | | {figures.recordings} recordings | **{macro.value:.3f}** "
        f"({macro.low:.3f} to {macro.high:.3f}) |"
    )
    return "\n".join(lines)
