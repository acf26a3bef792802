"""Commands that train: the tag encoder, coarse and fine."""

import dataclasses
import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

from focal_app.errors import ConfigError
from train.runs import recipe_lines
from train.runs.commands.common import (
    Out,
    RecipeChoice,
    ShardChoice,
    Speed,
    Start,
    Workers,
    run_folder,
)
from train.settings import Flag, Place


@dataclass(frozen=True, kw_only=True)
class FineInput(Start):
    """What fine training goes on from, and what it adds to the reports."""

    verified: Annotated[
        tuple[Path, ...], Flag("what `verify` wrote (default: OUT/verified)", "DIR")
    ] = ()
    without_verified: Annotated[
        bool, Flag("train on with the reports as they are, as a control")
    ] = False

    def folders(self, run: Path) -> tuple[Path, ...]:
        """The folders of verified features."""
        if self.without_verified and self.verified:
            raise ConfigError("found --verified and --without-verified; needed one of them")
        return () if self.without_verified else self.verified or (run / "verified",)


def text(recipe: RecipeChoice, out: Out = None) -> None:
    """Tune the tag encoder on the lexicon."""
    from train.fit.tag_encoder import text_figures, tuned_text

    chosen = recipe.load("text", recipe_lines.text)
    if not chosen.tuning.steps:
        raise ConfigError(
            f"the recipe {chosen.name} takes its tag encoder as it is published (tuning.steps 0): "
            "there is nothing to tune"
        )
    run = run_folder(out, chosen.name)
    tuned_text(chosen, run)
    print(json.dumps(dataclasses.asdict(text_figures(run)), indent=2))


def prepare(
    recipe: RecipeChoice,
    shards: Annotated[tuple[Path, ...], Flag("folders that `data` made", "DIR")],
    reading: Workers,
    out: Out = None,
) -> None:
    """Make the signals of shards ready once, where the recipe keeps them (data.keep_prepared).

    Training does it by itself; over several processes this comes first.
    """
    from train.runs.training import Reports, prepare_signals

    chosen = recipe.load("prepare", recipe_lines.prepare)
    if not chosen.data.keep_prepared:
        raise ConfigError(f"the recipe {chosen.name} keeps no prepared signals; nothing to do")
    run = run_folder(out, chosen.name)
    prepare_signals(chosen, run, Reports(shards), workers=max(1, reading.count()))


def coarse(
    recipe: RecipeChoice,
    shards: ShardChoice,
    speed: Speed,
    start: Start,
    out: Out = None,
    verified: Annotated[
        tuple[Path, ...],
        Flag(
            "train from scratch on reports enriched with what `verify` wrote here, as a control of "
            "going on from a coarse model (default: the reports as they are)",
            "DIR",
        ),
    ] = (),
) -> None:
    """Train on the tags and places of shards."""
    from train.fit.distributed import leave
    from train.runs.training import train_coarse

    if not shards.shards:
        raise ConfigError("found no --shards; training needs folders that `data` made")
    started, weighted = bool(start.start), bool(shards.weight)
    reads = partial(recipe_lines.coarse, start=started, weighted=weighted)
    chosen = recipe.load("coarse", reads)
    run = run_folder(out, chosen.name)
    train_coarse(chosen, run, shards.reports(), speed.pace(), start=start.start, verified=verified)
    leave()


def join(
    checkpoints: Annotated[
        tuple[str, ...],
        Flag("two or more, trained on one frozen tag encoder", "DIR_OR_REPO", name="checkpoint"),
    ],
    shares: Annotated[
        tuple[float, ...],
        Flag("of each in a patch's embedding, in this order, 1 in sum", "X", name="share"),
    ],
    shards: Annotated[
        tuple[Path, ...],
        Flag("shards whose validation records calibrate it, of patients new to all", "DIR"),
    ],
    out: Annotated[Path, Flag("where the joined checkpoint goes", "DIR")],
) -> None:
    """Make one checkpoint that reads with several: the mean of their patch embeddings."""
    from train.runs.joining import join as joined

    if (out / "config.json").exists():
        raise ConfigError("found a checkpoint in --out; name a folder that holds none")
    joined(checkpoints, shares, shards, out)


def compare(
    one: Annotated[Path, Place("the folder of a stage, as runs/NAME/coarse", "DIR")],
    other: Annotated[Path, Place("the folder of another", "DIR")],
) -> None:
    """Two trained stages side by side: recipes, data and curves, as Markdown."""
    from train.runs.compare import StageRun, compared

    print(compared(StageRun.read(one), StageRun.read(other)))


def fine(
    recipe: RecipeChoice, shards: ShardChoice, speed: Speed, origin: FineInput, out: Out = None
) -> None:
    """Go on from the coarse model with verified features."""
    from train.fit.distributed import leave
    from train.runs.training import train_fine

    if not shards.shards:
        raise ConfigError("found no --shards; fine training needs those of the coarse training")
    reads = partial(recipe_lines.fine, weighted=bool(shards.weight))
    chosen = recipe.load("fine", reads)
    run = run_folder(out, chosen.name)
    verified = origin.folders(run)
    train_fine(chosen, run, shards.reports(), verified, speed.pace(), start=origin.start)
    leave()
