"""Coarse and fine training on reports, each a function of a recipe and of files.

    python -m train coarse --config focal --shards runs/focal/data/mimic-iv-ecg --out runs/focal
    python -m train fine --config focal --shards runs/focal/data/mimic-iv-ecg --out runs/focal

runs/NAME/text/          the tuned tag encoder, where the recipe tunes it
runs/NAME/coarse/        run.safetensors (resumable), log/, model/
runs/NAME/verified/      what `verify` accepted: fine training adds it to the reports
runs/NAME/fine/          as coarse/
"""

import dataclasses
import json
import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from accelerate import Accelerator

from focal_app.errors import ConfigError
from focal_app.lexicon import load_lexicon
from focal_app.model.config import FocalConfig
from focal_app.model.focal import Focal
from focal_app.model.text import TagEncoder, embed_tags
from train.data.corpus import Corpus, prepared, verified_tags
from train.data.fingerprint import LEXICON, fingerprint
from train.data.shards import Shards
from train.fit import calibration as calibrate
from train.fit.distributed import World
from train.fit.loop import Loop, freeze_text
from train.fit.objective import Objective
from train.fit.soft_targets import Semantics, of_reports
from train.fit.text_source import load_text_model
from train.recipe import Recipe, StageConfig
from train.stages import new_model, refuse_another, tuned_text

JUDGED = 2000
"""Validation recordings, at most, on which probabilities are calibrated."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Reports:
    """Folders of shards, and the shares of the draws of some sources; the rest by their sizes."""

    folders: tuple[Path, ...]
    weights: Mapping[str, float] = field(default_factory=dict)

    def opened(self) -> list[Shards]:
        """The shards, checked."""
        return [Shards.open(folder) for folder in self.folders]


@dataclass(frozen=True)
class How:
    """What changes the speed of a stage and nothing else: reading processes, steps a save."""

    workers: int = 0
    save_every: int = 250


def train_coarse(
    recipe: Recipe, run: Path, reports: Reports, how: How, *, start: str | None = None
) -> Focal:
    """Coarse training on the reports as they are; the model lies in `run/coarse/model`.

    `start` is a checkpoint to go on from; its sizes and settings then hold, not the recipe's.
    """
    accelerator = Accelerator()
    with accelerator.main_process_first():
        model = Focal.load(start) if start else new_model(recipe, tag_encoder(recipe, run))
    return _train(model, recipe, recipe.coarse, run / "coarse", reports, {}, accelerator, how)


def train_fine(
    recipe: Recipe,
    run: Path,
    reports: Reports,
    verified: Sequence[Path],
    how: How,
    *,
    start: str | None = None,
) -> Focal:
    """Training goes on from the coarse model with the verified features in the reports.

    `start` is a checkpoint to go on from in place of the run's own coarse model.
    """
    if start is None and not (run / "coarse" / "model" / "config.json").is_file():
        raise ConfigError(
            f"found no coarse model in {run.name!r}; run `python -m train coarse` with the same "
            "--out first, or name a checkpoint with --start"
        )
    more = verified_tags(verified)
    model = Focal.load(start or run / "coarse" / "model")
    return _train(model, recipe, recipe.fine, run / "fine", reports, more, Accelerator(), how)


def tag_encoder(recipe: Recipe, run: Path) -> TagEncoder:
    """The tag encoder that training starts from: tuned on the lexicon, or as it is published."""
    if recipe.tuning.steps:
        return tuned_text(recipe, run)
    backbone, tokenizer = load_text_model(recipe.text.name)
    torch.manual_seed(recipe.seed)  # loading may draw numbers too
    return TagEncoder(recipe.text, backbone, tokenizer, recipe.embed_dim)


def _train(
    model: Focal,
    recipe: Recipe,
    stage: StageConfig,
    folder: Path,
    reports: Reports,
    more: Mapping[str, tuple[str, ...]],
    accelerator: Accelerator,
    how: How,
) -> Focal:
    shards = reports.opened()
    corpus = Corpus(
        shards,
        model.config.signal,
        weights=reports.weights,
        more=more,
        augmentation=recipe.augmentation if stage.augment else None,
        seed=recipe.seed,
    )
    _note(recipe, stage, model.config, folder, shards, more, accelerator)
    freeze_text(model, stage)
    model.bias.requires_grad_(recipe.objective.learn_bias)
    world = World()
    objective = Objective(
        model, recipe.objective, text_fixed=stage.freeze_text, bf16=stage.bf16, world=world
    )
    loop = Loop(
        objective,
        model,
        stage,
        steps=steps_of(stage, len(corpus), world.size),
        seed=recipe.seed,
        accelerator=accelerator,
    )
    loop.run(
        lambda first: corpus.batches(
            stage.batch // stage.accumulate,
            first=first,
            rank=world.rank,
            processes=world.size,
            workers=how.workers,
        ),
        folder / "run.safetensors",
        every=how.save_every,
        log=folder / "log",
        name=folder.name,
    )
    if accelerator.is_main_process:
        _finish(model, folder, shards, more)
    accelerator.wait_for_everyone()
    return model


def steps_of(stage: StageConfig, records: int, processes: int) -> int:
    """Steps of a stage over so many records."""
    return stage.steps or max(1, math.ceil(stage.epochs * records / (stage.batch * processes)))


def _note(
    recipe: Recipe,
    stage: StageConfig,
    config: FocalConfig,
    folder: Path,
    shards: Sequence[Shards],
    more: Mapping[str, tuple[str, ...]],
    accelerator: Accelerator,
) -> None:
    """What the stage is made from; an unfinished one from something else is refused."""
    data = [[one.name, one.manifest["shards"]] for one in shards]
    made_from = fingerprint(recipe, stage, config, data, sorted(more.items()), files=[LEXICON])
    noted = folder / "made_from"
    if (folder / "run.safetensors").is_file():
        refuse_another(noted, made_from, f"{folder.name} training")
    if accelerator.is_main_process:
        folder.mkdir(parents=True, exist_ok=True)
        noted.write_text(made_from)


def _finish(
    model: Focal, folder: Path, shards: Sequence[Shards], more: Mapping[str, tuple[str, ...]]
) -> None:
    """Calibrate on validation records where there are any, and write the model."""
    model.to("cpu")
    found = [_logits(model, one) for one in shards if len(one.rows("validation"))]
    if found:
        logit, present = (np.concatenate(parts) for parts in zip(*found, strict=True))
        fitted = calibrate.fit(logit, present)
        model.config = dataclasses.replace(model.config, calibration=fitted)
    else:
        log.warning("no validation records: probabilities are not calibrated")
    model.save_pretrained(folder / "model")
    used = {
        "sources": {s.name: {x: len(s.rows(x)) for x in ("train", "validation")} for s in shards},
        "verified_features": sum(map(len, more.values())),
    }
    (folder / "used.json").write_text(json.dumps(used, indent=2))


def _logits(model: Focal, shards: Shards) -> tuple[np.ndarray, np.ndarray]:
    """Logits and truths of validation records against every tag that the source uses.

    A tag of the lexicon is true where the report says or implies it; where the report leaves it
    open the pair does not count.
    """
    rows = shards.rows("validation")[:JUDGED]
    names = sorted({tag for i in rows for tag in shards.tags[i]})
    place = {name: i for i, name in enumerate(names)}
    relation = Semantics(load_lexicon()).between(names, names)
    said = of_reports(relation, [[place[tag] for tag in shards.tags[i]] for i in rows])
    z, parts = embed_tags(model.text, names), []
    for i in rows:
        signal, seen = map(torch.from_numpy, prepared(shards, i, model.config.signal))
        with torch.inference_mode():
            patches = model.encode_ecg(signal[None], seen[None])
            similarity, _ = model.route(patches, z, seen[None].flatten(1))
            parts.append(model.logits(similarity)[0])
    known = said.known.bool()
    return torch.stack(parts)[known].numpy(), said.similarity[known].numpy()
