"""The checkpoint that comes with the app, from nothing: data, tag encoder, training, its card.

    python -m train embedded --real DIR --out runs/embedded

`DIR` holds any of `ptb-xl/`, `challenge/` (CSN, CPSC2018, CPSC-Extra, Georgia) and `ludb/`, as
published; without it, simulation alone is trained on. Each stage is kept, and goes on where it was
stopped. Folds 7 and 8 of PTB-XL and a fiftieth of the simulated patients are held out: on them
probabilities are calibrated and figures are measured. `--second NAME` is the recipe of a second
reader, which is trained on the same shards and joined to the first.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from focal_app.errors import ConfigError
from train.data.build import build
from train.data.challenge import NUMBERED, Challenge
from train.data.ludb import Ludb
from train.data.ptbxl import PtbXl
from train.data.shards import Shards
from train.data.simulation import Simulation
from train.data.source import Shares, Source
from train.publish.embedded_checkpoint import ASSETS, Trained, embed
from train.recipe import Recipe
from train.runs.joining import join_second, refuse_second
from train.runs.training import Pace, Reports, train_coarse

HELD_OUT_FOLDS = (7, 8)
FEWEST = 2
"""Recordings of a source that have to be held out: each half is judged by a curve of the other."""
UNTOUCHED_FOLDS = (9, 10)


def train_embedded(
    recipe: Recipe,
    run: Path,
    real: Path | None,
    pace: Pace,
    *,
    simulated: int = 24_500,
    second: Recipe | None = None,
    target: Path = ASSETS,
) -> None:
    """Make the shards, train on them, and put the measured checkpoint into `target`."""
    if second:
        refuse_second(second, recipe)
    drawn = drawn_for(recipe, simulated)
    refuse_without_held_out(drawn)
    target.parent.mkdir(parents=True, exist_ok=True)
    folders = []
    for source in (drawn, *(real_sources(real) if real else ())):
        folders.append(run / "data" / source.name)
        build(source, folders[-1], workers=max(1, pace.workers))
    refuse_one_held_out(folders)
    reports = Reports(tuple(folders))
    train_coarse(recipe, run, reports, pace)
    if second:
        join_second(second, run, reports, pace)
    embed(Trained(recipe, run, second), folders, real, target)


def drawn_for(recipe: Recipe, count: int) -> Simulation:
    """Simulated recordings to train on, a fiftieth of the patients held out."""
    return Simulation(count, recipe.seed, Shares(0.98, 0.02, 0))


def refuse_without_held_out(drawn: Simulation) -> None:
    """Refuse, before anything is trained, too few recordings to hold some out."""
    if sum(one.split == "validation" for one in drawn.studies(Counter())) < FEWEST:
        raise ConfigError(
            f"found --simulated {drawn.count}, of which a fiftieth is held out by chance, here "
            f"fewer than {FEWEST}; probabilities are calibrated and figures measured on them. Give "
            "more, as 500"
        )


def refuse_one_held_out(folders: Sequence[Path]) -> None:
    """Refuse, before anything is trained, a source of which one recording alone is held out."""
    for one in map(Shards.open, folders):
        if 0 < len(one.rows("validation")) < FEWEST:
            raise ConfigError(
                f"found one held-out recording of {one.name}; each half of a source is judged by a "
                f"curve of the other: {FEWEST} or more are needed, or none. Give more of its "
                f"recordings (of PTB-XL those of folds {HELD_OUT_FOLDS[0]} and {HELD_OUT_FOLDS[1]} "
                "are held out)"
            )


def real_sources(folder: Path) -> Iterator[Source]:
    """The data sets that lie in `folder`, each in a sub-folder of its name."""
    every = Shares(1, 0, 0)
    found: list[Source] = []
    if (folder / "challenge").is_dir():
        found += [Challenge(name, folder / "challenge", every) for name in NUMBERED]
    if (folder / "ludb").is_dir():
        found.append(Ludb(folder / "ludb", every))
    if (folder / "ptb-xl").is_dir():
        found.append(PtbXl(folder / "ptb-xl", UNTOUCHED_FOLDS, HELD_OUT_FOLDS))
    if not found:
        raise ConfigError(
            f"found none of ptb-xl, challenge, ludb in {folder.name!r}; --real needs a folder that "
            "holds at least one of them"
        )
    yield from found
