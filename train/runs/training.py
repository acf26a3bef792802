"""Coarse and fine training, each a function of a recipe and of files.

    python -m train coarse --config focal --shards runs/focal/data/mimic-iv-ecg --out runs/focal
    python -m train fine --config focal --shards runs/focal/data/mimic-iv-ecg --out runs/focal

runs/NAME/text/          the tuned tag encoder, where the recipe tunes it
runs/NAME/prepared/      signals made ready for the model, where the recipe keeps them
runs/NAME/coarse/        recipe.yaml, run.safetensors (resumable), log/, used.json, model/
runs/NAME/verified/      what `verify` accepted: fine training adds it to the reports
runs/NAME/fine/          as coarse/
"""

import dataclasses
import json
import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from accelerate import Accelerator

from focal_app.errors import ConfigError
from focal_app.lexicon import load_lexicon
from focal_app.model.config import FocalConfig
from focal_app.model.device import computes_in_bf16
from focal_app.model.focal import Focal
from focal_app.model.seen import Seen, patient
from focal_app.model.text import TagEncoder
from train.data.corpus import Corpus, Drawing, Sections, verified_tags
from train.data.fingerprint import LEXICON, fingerprint, refuse_another
from train.data.mixture import weights_of
from train.data.places import LeadPlaces
from train.data.prepared import PreparedStore
from train.data.shards import Shards
from train.data.verified_files import read_manifest, write_whole
from train.data.worker_processes import default_workers
from train.fit.asked import Asked
from train.fit.distributed import Processes, own_accelerator
from train.fit.judging import JUDGED, Judge, calibrate, held_out, speech_of
from train.fit.loop import Loop, freeze_text
from train.fit.objective import Objective
from train.fit.phrases import Bounds
from train.fit.tag_encoder import tag_encoder
from train.recipe import Recipe, StageConfig, by_place, save_recipe

log = logging.getLogger(__name__)
VERIFIED_BY = ("threshold", "score", "free_text")
"""Lines of a recipe's `enrichment` that `verify` is given as options."""


@dataclass(frozen=True)
class Reports:
    """Folders of shards, and the shares of the draws of some sources; the rest by their sizes.

    Without `weights` those of the recipe hold.
    """

    folders: tuple[Path, ...]
    weights: Mapping[str, float] = field(default_factory=dict)

    def opened(self) -> list[Shards]:
        """The shards, checked."""
        return [Shards.open(folder) for folder in self.folders]


@dataclass(frozen=True)
class Pace:
    """What changes the speed of a stage and nothing else: reading processes, steps a save."""

    workers: int = field(default_factory=default_workers)
    save_every: int = 250


@dataclass(frozen=True)
class Stage:
    """A stage of a run: its choices, where it lies, what it adds to the reports, and to what."""

    recipe: Recipe
    config: StageConfig
    run: Path
    name: str
    verified: tuple[Path, ...] = ()
    start: str | None = None

    @property
    def folder(self) -> Path:
        """Where the stage writes."""
        return self.run / self.name

    @cached_property
    def more(self) -> Mapping[str, tuple[str, ...]]:
        """The verified features by the record's key."""
        return verified_tags(self.verified)

    @cached_property
    def verified_by(self) -> list[dict[str, Any]]:
        """How the features of each folder were verified."""
        about = [read_manifest(folder)["about"] for folder in self.verified]
        return [{line: one[line] for line in VERIFIED_BY if line in one} for one in about]


def train_coarse(
    recipe: Recipe,
    run: Path,
    reports: Reports,
    pace: Pace,
    *,
    start: str | None = None,
    verified: Sequence[Path] = (),
) -> Focal:
    """Coarse training on the reports as they are; the model lies in `run/coarse/model`.

    With `verified` features it is training from scratch on enriched reports. `start` is a
    checkpoint to go on from; its sizes and settings then hold, not the recipe's.
    """
    accelerator = own_accelerator()
    alone = accelerator.num_processes == 1
    model = Focal.load(start) if start else new_model(recipe, tag_encoder(recipe, run, alone=alone))
    stage = Stage(recipe, recipe.coarse, run, "coarse", tuple(verified), start)
    return _train(model, stage, reports, accelerator, pace)


def train_fine(
    recipe: Recipe,
    run: Path,
    reports: Reports,
    verified: Sequence[Path],
    pace: Pace,
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
    start = start or str(run / "coarse" / "model")
    model = Focal.load(start)
    stage = Stage(recipe, recipe.fine, run, "fine", tuple(verified), start)
    return _train(model, stage, reports, own_accelerator(), pace)


def new_model(recipe: Recipe, text: TagEncoder) -> Focal:
    """An untrained model of the recipe around its tag encoder."""
    torch.manual_seed(recipe.seed)
    return Focal(config_of(recipe), text)


def config_of(recipe: Recipe) -> FocalConfig:
    """What a model is made of, as the recipe says."""
    of_model, of_recipe = (
        {one.name for one in dataclasses.fields(kind)} for kind in (FocalConfig, Recipe)
    )
    return FocalConfig(**{name: getattr(recipe, name) for name in of_model & of_recipe})


def say_what_a_start_decides(recipe: Recipe, config: FocalConfig, *, own: bool = False) -> None:
    """Warn, by name, of the recipe's lines that are not read beside a checkpoint to go on from.

    Refusing them would refuse every recipe: all have lines about a new model. The run's `own`
    checkpoint has the tag encoder that the lines of tuning made. Refused is a recipe that does not
    go with the checkpoint's signals: it is kept with them.
    """
    dataclasses.replace(recipe, signal=config.signal)
    asked, found = (dict(by_place(dataclasses.asdict(one))) for one in (recipe, config))
    lines = [place for place, it in asked.items() if place in found and it != found[place]]
    if asked["tuning.steps"] and not own:
        lines.append("tuning")
    if lines:
        named = ", ".join(lines)
        log.warning("the checkpoint to go on from decides %s; the recipe's are not read", named)


def _decided_by_start(config: FocalConfig) -> dict[str, Any]:
    """The lines of a recipe that the checkpoint to go on from decides, as it has them."""
    lines = {one.name for one in dataclasses.fields(Recipe)}
    return {name: it for name, it in dataclasses.asdict(config).items() if name in lines}


def _say_what_verified_otherwise(stage: Stage) -> None:
    """Warn where features were verified by other settings than the recipe's."""
    for folder, by in zip(stage.verified, stage.verified_by, strict=True):
        asked = dataclasses.asdict(stage.recipe.enrichment)
        if other := ", ".join(f"{line} {it}" for line, it in by.items() if it != asked[line]):
            log.warning("%s was verified by %s; the recipe says otherwise", folder.name, other)


def _train(
    model: Focal, stage: Stage, reports: Reports, accelerator: Accelerator, pace: Pace
) -> Focal:
    recipe, config, shards = stage.recipe, stage.config, reports.opened()
    processes = Processes()
    _refuse_other_tags(recipe, shards)
    asked = _asked(recipe, shards, stage.more)
    by_leads = LeadPlaces(asked.vocabulary.names) if recipe.objective.places == "leads" else None
    _refuse_without_places(recipe, shards, by_leads)
    _note(stage, model.config, shards, accelerator)
    prepared = _kept_ready(stage, model.config, shards, processes, pace)
    corpus = Corpus(
        shards,
        model.config.signal,
        numbers=asked.vocabulary.numbers,
        drawing=_drawing(recipe, reports),
        more=stage.more,
        augmentation=recipe.augmentation if config.augment else None,
        prepared=prepared,
        by_leads=by_leads,
    )
    bounds = None
    if recipe.objective.free_words == "cosine":
        bounds = asked.compare_phrases(model.text, load_lexicon())
    freeze_text(model, config)
    model.bias.requires_grad_(recipe.objective.learn_bias)
    objective = Objective(
        model,
        recipe.objective,
        asked,
        text_fixed=config.freeze_text,
        bf16=config.bf16,
        processes=processes,
    )
    steps = steps_of(config, len(corpus), processes.size)
    loop = Loop(objective, model, config, steps=steps, seed=recipe.seed, accelerator=accelerator)
    statements = recipe.objective.ask_over == "lexicon"
    judge = Judge(shards, statements=statements, prepared=prepared) if config.judged else None
    until = config.sectioned(steps) * config.accumulate
    loop.run(
        lambda first: corpus.batches(
            config.batch // config.accumulate,
            first=first,
            rank=processes.rank,
            processes=processes.size,
            workers=pace.workers,
            sections=Sections(config.section, until, recipe.seed) if until else None,
        ),
        stage.folder / "run.safetensors",
        every=pace.save_every,
        log=stage.folder / "log",
        name=stage.name,
        judge=judge,
    )
    if accelerator.is_main_process:
        _finish(model, stage, shards, bounds, curves_end=loop.last_kept)
    accelerator.wait_for_everyone()
    return model


def steps_of(stage: StageConfig, records: int, processes: int) -> int:
    """Steps of a stage over so many records."""
    return stage.steps or max(1, math.ceil(stage.epochs * records / (stage.batch * processes)))


def _drawing(recipe: Recipe, reports: Reports) -> Drawing:
    weights = reports.weights or weights_of(recipe.data.weights)
    return Drawing(weights, recipe.data.rarity, recipe.seed)


def _asked(recipe: Recipe, shards: Sequence[Shards], more: Mapping[str, Sequence[str]]) -> Asked:
    """What a run asks of its ECGs, numbered once."""
    tags = {tag for one in shards for tag in one.vocabulary}
    tags |= {tag for added in more.values() for tag in added}
    speeches = [speech_of(one) for one in shards]
    if recipe.objective.ask_over == "lexicon":
        return Asked.by_statements(tags, speeches, load_lexicon(), seed=recipe.seed)
    by_meaning = recipe.objective.targets == "lexicon"
    return Asked.by_tags(tags, speeches, load_lexicon() if by_meaning else None)


def _refuse_without_places(
    recipe: Recipe, shards: Sequence[Shards], by_leads: LeadPlaces | None
) -> None:
    known = by_leads or any(one.place_rows(0) is not None for one in shards if len(one))
    if recipe.objective.place_weight and not known:
        also, leads = ", nor the lexicon leads of any tag", ""
        if by_leads is None:
            also, leads = "", "`--set objective.places=leads` where tags are the lexicon's, or "
        raise ConfigError(
            f"found objective.place_weight {recipe.objective.place_weight:g}, and no source knows "
            f"its places{also}; add simulated shards, or {leads}"
            "`--set objective.place_weight=0 --set objective.places=drawn`"
        )


def _refuse_other_tags(recipe: Recipe, shards: Sequence[Shards]) -> None:
    wanted = recipe.data.tagging
    if others := [one.name for one in shards if one.tagging != wanted]:
        raise ConfigError(
            f"found data.tagging {wanted}, and other tags in {', '.join(others)}; make its shards "
            f"with `python -m train data ... --tagging {wanted}` where the source has reports, "
            "leave it out, or change the recipe's data.tagging"
        )


def _kept_ready(
    stage: Stage, config: FocalConfig, shards: Sequence[Shards], processes: Processes, pace: Pace
) -> dict[str, PreparedStore]:
    """Prepared signals by source, where the recipe keeps them: made once, by one process."""
    if not stage.recipe.data.keep_prepared:
        return {}
    stores, folder = {}, stage.run / "prepared"
    for one in shards:
        if processes.size > 1 and PreparedStore.made(one, config.signal, folder) is None:
            raise ConfigError(
                f"found no prepared signals of {one.name}, and several processes; run `python -m "
                "train prepare` with the same recipe, --shards and --out first, on one process"
            )
        stores[one.name] = PreparedStore.make(one, config.signal, folder, workers=pace.workers)
    return stores


def prepare_signals(recipe: Recipe, run: Path, reports: Reports, *, workers: int) -> None:
    """The signals of shards as the recipe's model takes them, kept beside the run."""
    for one in reports.opened():
        PreparedStore.make(one, recipe.signal, run / "prepared", workers=workers)


def _note(
    stage: Stage, config: FocalConfig, shards: Sequence[Shards], accelerator: Accelerator
) -> None:
    """What the stage is made from; an unfinished one from something else is refused."""
    data = [[one.name, one.manifest["shards"]] for one in shards]
    decided = _decided_by_start(config) if stage.start else {}
    # As it is kept, so that the kept recipe goes on with the run.
    recipe = dataclasses.asdict(stage.recipe) | decided
    made_from = fingerprint(
        recipe, stage.config, config, data, sorted(stage.more.items()), files=[LEXICON]
    )
    noted = stage.folder / "made_from"
    if (stage.folder / "run.safetensors").is_file():
        made_by = "recipe, start, lexicon, data or verified features"
        refuse_another(noted, made_from, f"{stage.name} training", made_by)
    if accelerator.is_main_process:
        _say_what_verified_otherwise(stage)
        if stage.config.bf16 and not computes_in_bf16(accelerator.device):
            log.warning("bf16 is without effect: this device has no instructions for it")
        if stage.start:
            own = Path(stage.start) == stage.run / "coarse" / "model"
            say_what_a_start_decides(stage.recipe, config, own=own)
        stage.folder.mkdir(parents=True, exist_ok=True)
        write_whole(noted, made_from)
        save_recipe(stage.recipe, stage.folder / "recipe.yaml", decided)


def _finish(
    model: Focal, stage: Stage, shards: Sequence[Shards], bounds: Bounds | None, *, curves_end: int
) -> None:
    """Calibrate on validation records where there are any, and write the model."""
    if rows := held_out(shards):
        statements = stage.recipe.objective.ask_over == "lexicon"
        calibrate(model, rows, statements=statements)
    else:
        log.warning("no validation records: probabilities are not calibrated")
    model.seen = _seen(shards) | model.seen
    model.to("cpu").save_pretrained(stage.folder / "model")
    used = {
        "start": "/".join(Path(stage.start).parts[-3:]) if stage.start else None,
        "sources": {s.name: {x: len(s.rows(x)) for x in ("train", "validation")} for s in shards},
        "verified_features": sum(map(len, stage.more.values())),
        "verified_by": stage.verified_by,
        "free_phrases": dataclasses.asdict(bounds) if bounds else None,
        "curves_end": curves_end,
    }
    write_whole(stage.folder / "used.json", json.dumps(used, indent=2))


def _seen(shards: Sequence[Shards]) -> Seen:
    """The patients whose records trained a model, and those on whom it is calibrated."""
    return Seen.of(patients(shards, "train"), patients(shards, "validation", most=JUDGED))


def patients(shards: Sequence[Shards], split: str, *, most: int | None = None) -> list[str]:
    """Whose the records of a split are, of each source at most so many of the first."""
    return [
        patient(one.name, str(one.subjects[row]))
        for one in shards
        for row in one.rows(split, tagged=False).tolist()[:most]
    ]
