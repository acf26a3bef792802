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
from train.datasets.ptbxl_labels import Row, class_statements, ptbxl_rows
from train.evaluate.metrics import Interval, auc, macro_auc_interval

CLASSES = ("prompt", "statements")

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
    read_by: str
    folds: tuple[int, ...]
    recordings: int
    unreadable: int
    macro_auc: Interval
    classes: tuple[ClassFigure, ...]


def evaluate(
    model: Focal,
    dataset: str,
    data: Path,
    *,
    folds: Sequence[int] = (),
    classes: str = "prompt",
    seed: int = 0,
) -> ZeroShot:
    """Zero-shot AUC of a PTB-XL label set on `folds` (all where none is named).

    A class is read by its one prompt, or by its `statements`: the soft maximum (log-sum-exp of the
    logits) over the statements that PTB-XL files under it, each scored on its own.
    """
    if classes not in CLASSES:
        raise ConfigError(f"found classes {classes!r}; needed one of {', '.join(CLASSES)}")
    rows = [row for row in ptbxl_rows(data, dataset) if not folds or row.fold in folds]
    prompts = load_prompt_sets()[dataset]
    patches, kept, readable = _encoded(model, rows)
    used = [row for row, ok in zip(rows, readable, strict=True) if ok]
    labels = [normalize_code(label) for label in prompts.labels]
    truth = np.array([[label in row.labels for label in labels] for row in used])
    asked = [(prompt,) for prompt in prompts.prompts]
    if classes == "statements":
        under = class_statements(data, dataset)
        asked = [under[label] for label in labels]
    score = np.stack([scores(model, patches, kept, phrases) for phrases in asked], axis=1)
    shown = (p[0] if len(p) == 1 else f"{len(p)} statements" for p in asked)
    named = zip(prompts.labels, shown, truth.T, score.T, strict=True)
    each = tuple(
        ClassFigure(
            label, prompt, int(t.sum()), _or_none(auc(t, s)), bool(min(t.sum(), (~t).sum()) < FEW)
        )
        for label, prompt, t, s in named
    )
    interval = macro_auc_interval(truth, score, seed=seed)
    return ZeroShot(
        dataset, classes, tuple(folds), len(used), readable.count(False), interval, each
    )


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else value


def scores(
    model: Focal, patches: torch.Tensor, kept: torch.Tensor, phrases: Sequence[str]
) -> Float[np.ndarray, " R"]:
    """Soft maximum over the phrases of the logit of every recording routed to each."""
    config = model.config
    with torch.inference_mode():
        tags = model.encode_tags(list(phrases))
        parts = [
            similarities(p, tags, k, epsilon=config.epsilon, tau=config.tau)[0]
            for p, k in zip(patches.split(256), kept.split(256), strict=True)
        ]
        return model.logits(torch.cat(parts)).logsumexp(1).numpy()


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
