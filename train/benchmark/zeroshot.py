"""Zero-shot reading of labelled recordings: one prompt a class, no training on the classes.

    python -m train evaluate zeroshot --checkpoint assets/checkpoint --dataset ptbxl-super \
        --data ../shared/ecg/ptb-xl --folds 7 8
"""

import logging
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch.nn import functional as F

from focal_app.errors import ConfigError
from focal_app.model.focal import Focal
from train.benchmark.embeddings import Embeddings, embed
from train.benchmark.figures import FEW, Figures, Scored, figures_of, logistic
from train.benchmark.prompts import Prompts, prompts_of
from train.benchmark.routing import routed
from train.benchmark.sets import SPLITS, Item, LabelledSet, load_set
from train.benchmark.settings import Chosen, Mode, OfSplit, Reading
from train.benchmark.unseen import Trained, new_to, unseen

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ZeroShot(Figures):
    """Figures of a set, and which recordings they are of.

    `split` is `all` where no class has five positives and negatives among the test recordings
    that are here; `missing` counts recordings of the split whose file is absent, `seen` those left
    out because training has seen their patients (None where the checkpoint does not say whom it
    saw), `unreadable` those that could not be used.
    """

    dataset: str
    read_by: str
    mode: str
    source: str
    split: str
    folds: tuple[int, ...]
    missing: int
    seen: int | None
    unreadable: int


@dataclass(frozen=True)
class Taken:
    """The recordings of a set to evaluate on, new to the model."""

    split: str
    items: tuple[Item, ...]
    missing: int
    seen: int | None


@dataclass(frozen=True)
class Part(Taken):
    """The same with their embeddings."""

    truth: Bool[np.ndarray, "R C"]
    held: Embeddings
    unreadable: int


def evaluate(
    model: Focal, dataset: str, sets: Chosen, reading: Reading | None = None, *, seed: int = 0
) -> ZeroShot:
    """Zero-shot figures of a set on its folds, or on a split (the test split, or all without one).

    A class is read by its one prompt, or by its `statements`: the soft maximum (log-sum-exp of the
    logits) over the statements that PTB-XL files under it, each scored on its own.
    """
    reading, folder = reading or Reading(), sets.folder
    chosen = load_set(dataset, folder, splits=sets.splits, labels=sets.labels)
    by, file = reading.classes, reading.prompts
    asked = prompts_of(dataset, chosen.classes, by=by, data=folder, file=file)
    test = choose(model, chosen, sets)
    scored = scored_by_prompts(model, test, asked, mode=reading.mode)
    validation = None  # where another split is judged, or nothing of it is new to the model
    if test.split == "test" and new_to(model, chosen.present(("validation",))):
        held_out = choose(model, chosen, Chosen(split="validation", cache=sets.cache))
        validation = scored_by_prompts(model, held_out, asked, mode=reading.mode)
    found = figures_of(chosen.classes, asked.shown(), scored, validation, seed=seed)
    return ZeroShot(
        **{name: getattr(found, name) for name in Figures.__dataclass_fields__},
        dataset=dataset,
        read_by=reading.classes,
        mode=reading.mode,
        source=chosen.source,
        split=test.split,
        folds=sets.folds_of(dataset),
        missing=test.missing,
        seen=test.seen,
        unreadable=test.unreadable,
    )


def choose(model: Focal, chosen: LabelledSet, sets: Chosen) -> Part:
    """Encode the recordings of a split or of folds."""
    taken = take(model, chosen, sets)
    headers = [item.header for item in taken.items if item.header]
    held = embed(model, headers, cache=sets.cache)
    refuse_unreadable(held.readable, chosen.name)
    return Part(
        **vars(taken),
        truth=chosen.truth(taken.items),
        held=held,
        unreadable=int((~held.readable).sum()),
    )


def take(model: Trained, chosen: LabelledSet, sets: OfSplit) -> Taken:
    """The recordings of a split or of folds.

    Without a name the test split is taken, or everything where too little of it is there. What the
    model was trained on is left out (`train.benchmark.unseen`).
    """
    split, folds = sets.split, sets.folds_of(chosen.name)
    if split not in ("", "all", *SPLITS):
        raise ConfigError(f"found split {split!r}; needed one of all, {', '.join(SPLITS)}")
    name = "folds" if folds else split or _test_or_all(model, chosen)
    splits = SPLITS if name == "all" else (name,)
    present = chosen.present(splits, folds)
    wanted = len(chosen.wanted(splits, folds))
    if not present:
        where = f"folds {', '.join(map(str, folds))}" if folds else f"the split {name!r}"
        raise ConfigError(
            f"found none of the {wanted} recordings of {chosen.name} in {where} under the data "
            "folder; needed at least one. Add their files, or choose another split"
        )
    items = unseen(model, present)
    seen = None if model.seen is None else len(present) - len(items)
    return Taken(name, tuple(items), wanted - len(present), seen)


def refuse_unreadable(readable: Bool[np.ndarray, " R"], name: str) -> None:
    """Refuse a set of which nothing can be read."""
    if not readable.any():
        raise ConfigError(f"found no readable recording among {len(readable)} of {name}")


def _test_or_all(model: Trained, chosen: LabelledSet) -> str:
    test = chosen.truth(new_to(model, chosen.present(("test",))))
    if len(test) and (np.minimum(test.sum(0), (~test).sum(0)) >= FEW).any():
        return "test"
    log.warning(
        "%d test recordings of %s are there, too few to score; every split is taken",
        len(test),
        chosen.name,
    )
    return "all"


def scored_by_prompts(
    model: Focal, chosen: Part, prompts: Prompts, *, mode: Mode = "routed"
) -> Scored:
    """Logits and calibrated probabilities of the readable recordings for every class."""
    score = class_logits(model, chosen.held, prompts, mode=mode)
    readable = chosen.held.readable
    return Scored(chosen.truth, score, calibrated(model, score)).rows(readable)


def class_logits(
    model: Focal, held: Embeddings, prompts: Prompts, *, mode: Mode = "routed"
) -> Float[np.ndarray, "R C"]:
    """Logit of every class, the soft maximum over its vectors where it has several."""
    z, counts = prompts.encoded(model)
    with torch.inference_mode():
        logit = model.logits(torch.from_numpy(cosines(model, held, z, mode=mode)))
        each = [part.logsumexp(1) for part in logit.split(counts, dim=1)]
        return torch.stack(each, dim=1).numpy().astype(float)


def calibrated(model: Focal, logit: Float[np.ndarray, "R C"]) -> Float[np.ndarray, "R C"]:
    """Probabilities of logits, by the checkpoint's calibration."""
    calibration = model.config.calibration
    return logistic(calibration.scale * logit + calibration.shift)


def cosines(
    model: Focal, held: Embeddings, z: Float[torch.Tensor, "K d"], *, mode: Mode = "routed"
) -> Float[np.ndarray, "R K"]:
    """Similarity of every recording to every tag, the mean over its windows; 0 if unreadable.

    mode: `routed` compares the tag with the patches that are routed to it (Eq. 7), by the
        alignment that the model was trained with; `global` with the mean patch.
    """
    total, windows = np.zeros((len(held), len(z)), np.float32), np.zeros(len(held))
    for part in held.parts():
        for rows in np.array_split(np.arange(len(part.rows)), max(1, len(part.rows) // 64)):
            found = _cosines(model, part.patches[rows], part.kept[rows], z, mode)
            np.add.at(total, part.rows[rows], found.numpy())
            np.add.at(windows, part.rows[rows], 1)
    return (total / np.maximum(windows, 1)[:, None]).astype(np.float32)


@torch.inference_mode()
def _cosines(
    model: Focal, patches: torch.Tensor, kept: torch.Tensor, z: torch.Tensor, mode: Mode
) -> torch.Tensor:
    if mode == "global":
        return F.normalize((patches * kept[..., None]).sum(1), dim=-1) @ z.T
    return routed(model, patches, z, kept)[0]
