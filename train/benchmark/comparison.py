"""Several checkpoints, or one under several settings, side by side: ablation and sensitivity.

    python -m train evaluate ablation --checkpoints focal=runs/a/model global=runs/b/model \
        --data DIR
    python -m train evaluate sensitivity --checkpoint assets/checkpoint --data DIR
"""

import copy
import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from focal_app.errors import ConfigError
from focal_app.model.focal import Focal
from train.benchmark.localisation import Localisation, localise_simulated
from train.benchmark.metrics import Interval
from train.benchmark.seeds import seed_of_folder, with_seed
from train.benchmark.settings import Chosen, Judged, Mode, Reading
from train.benchmark.transfer import PAIRS, transfer
from train.benchmark.zeroshot import evaluate

EPSILONS = (0.01, 0.05, 0.1, 0.2, 0.5)
TAUS = (0.1, 0.5, 1.0, 2.0, 5.0)


@dataclass(frozen=True)
class Compared:
    """One checkpoint: macro AUC by set and by transfer pair, and their means.

    `simulated` are the findings and places of simulated recordings that no training saw. `skipped`
    says why a set or a pair is not among the others, `judged` how many test recordings a set had.
    `width` is the encoder's, `patients` are those of its training, where that is known.
    """

    epsilon: float
    tau: float
    width: int
    patients: int | None
    zeroshot: dict[str, Interval]
    transfer: dict[str, Interval]
    average: float | None
    transfer_average: float | None
    skipped: dict[str, str]
    judged: dict[str, int]
    simulated: Localisation | None = None


def compare(
    model: Focal,
    datasets: Sequence[str],
    sets: Judged,
    *,
    mode: Mode = "routed",
    with_transfer: bool = True,
    simulated: int = 0,
    seed: int = 0,
) -> Compared:
    """Every set and every transfer pair that the data allow, and so many simulated recordings."""
    zeroshot: dict[str, Interval] = {}
    moved: dict[str, Interval] = {}
    skipped: dict[str, str] = {}
    judged: dict[str, int] = {}
    chosen = Chosen(**{field.name: getattr(sets, field.name) for field in fields(Judged)})
    for name in datasets:
        try:
            found = evaluate(model, name, chosen, Reading(mode=mode), seed=seed)
            zeroshot[name] = found.macro_auc
            if found.split == "test":
                judged[name] = found.recordings + found.unreadable
        except ConfigError as error:
            skipped[name] = str(error)
    for source, target in PAIRS if with_transfer else ():
        if target in zeroshot:
            try:
                pair = transfer(model, source, target, sets, seed=seed)
                moved[f"{source} to {target}"] = pair.figures.macro_auc
            except ConfigError as error:
                skipped[f"{source} to {target}"] = str(error)
    if not zeroshot:
        raise ConfigError("found no set to compare on: " + "; ".join(skipped.values()))
    return Compared(
        model.config.epsilon,
        model.config.tau,
        model.config.encoder.width,
        len(model.seen.trained) if model.seen else None,
        zeroshot,
        moved,
        _mean(zeroshot),
        _mean(moved),
        skipped,
        judged,
        localise_simulated(model, simulated, seed=seed) if simulated else None,
    )


def with_transport(model: Focal, **changed: float) -> Focal:
    """The same weights read with another `epsilon` or `tau`: what it makes of the dial."""
    made = copy.copy(model)
    made.config = dataclasses.replace(model.config, **changed)  # pyrefly: ignore[bad-argument-type]
    return made


def checkpoints_of(runs: Path) -> dict[str, Path]:
    """The checkpoints of a folder of runs, by the run's name; a coarse one says so.

    Below `seed-7`, as `ablation --seeds` lays them, the names say the seed.
    """
    found: dict[str, Path] = {}
    for run in sorted(path for path in runs.iterdir() if path.is_dir()) if runs.is_dir() else ():
        if (seed := seed_of_folder(run)) is not None:
            below = checkpoints_of(run)
            found |= {with_seed(name, seed): path for name, path in below.items()}
        stages = {"fine/model": "", "model": "", "coarse/model": " coarse"}
        for inside, ending in stages.items():
            if (run / inside / "config.json").is_file():
                found.setdefault(run.name + ending, run / inside)
    if not found:
        raise ConfigError(
            f"found no run with a finished model in {runs.name!r}; needed NAME/fine/model, "
            "NAME/coarse/model or NAME/model"
        )
    return found


def named_checkpoints(pairs: Sequence[str]) -> dict[str, Path]:
    """`NAME=DIR` pairs as a table."""
    made: dict[str, Path] = {}
    for pair in pairs:
        name, separator, folder = pair.partition("=")
        if not (name and separator and folder):
            raise ConfigError(f"found {pair!r}; needed NAME=DIR, such as focal=runs/focal/model")
        made[name] = Path(folder)
    return made


def _mean(found: Mapping[str, Interval]) -> float | None:
    values = [one.value for one in found.values()]
    return float(np.mean(values)) if values else None
