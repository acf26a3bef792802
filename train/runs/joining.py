"""Checkpoints of one space joined into one that reads with all of them, and calibrated anew.

    join(["runs/one/coarse/model", "runs/other/coarse/model"], (0.7, 0.3), [Path("shards")], out)

`train.fit.joining` says what a joined model is; here are the files.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Int

from focal_app.errors import ConfigError
from focal_app.model.device import best_device
from focal_app.model.focal import Focal
from focal_app.model.seen import Seen, patient
from train.data.prepared import share_folder
from train.data.shards import Shards
from train.fit.joining import joined, refuse_another_shape
from train.fit.judging import JUDGED, calibrate, held_out
from train.fit.tag_encoder import keep_tuned
from train.recipe import Recipe
from train.runs.training import Pace, Reports, config_of, patients, train_coarse

HeldOut = tuple[Shards, Int[np.ndarray, " _"]]
SECOND, JOINED = "second", "joined"
SHARES = (0.7, 0.3)
"""Of the first reader, which learns longer, and of the second."""


def join(
    checkpoints: Sequence[str | Path], shares: Sequence[float], folders: Sequence[Path], out: Path
) -> Focal:
    """The joined checkpoint, calibrated on the validation records of shards, in `out`.

    Errors: `ConfigError` where the shards hold none, or patients whom any of them was trained on.
    """
    shards = [Shards.open(folder) for folder in folders]
    if not (rows := held_out(shards)):
        raise ConfigError(
            "found no validation records in --shards; a joined checkpoint is calibrated on them. "
            "Make shards with a validation part (`data ... --split`), of patients new to all"
        )
    models = [Focal.load(one) for one in checkpoints]
    _refuse_known_patients(models, rows)
    model = joined(models, shares).to(best_device())
    calibrate(model, rows, statements=True)
    if model.seen:
        model.seen |= Seen.of((), patients(shards, "validation", most=JUDGED))
    model.to("cpu").save_pretrained(out)
    return model


def _refuse_known_patients(models: Sequence[Focal], rows: Sequence[HeldOut]) -> None:
    """Refuse records of patients whom any model was trained on; one that does not say is asked
    nothing."""
    for one, some in rows:
        asked = [patient(one.name, str(one.subjects[row])) for row in some.tolist()]
        known = np.zeros(len(asked), bool)
        for model in models:
            known |= model.seen.trained_on(asked) if model.seen else False
        if count := int(known.sum()):
            raise ConfigError(
                f"found {count} of {len(asked)} validation records of {one.name} whose patients a "
                "checkpoint was trained on; on them it is surer than it should be. Make shards "
                "split as those of its training, or of other patients (simulated ones: --seed)"
            )


def refuse_second(second: Recipe, first: Recipe) -> None:
    """Refuse, before anything is trained, a second reader that could not be joined to the first."""
    refuse_another_shape(config_of(first), config_of(second))
    if not (second.coarse.freeze_text and second.tuning.steps):
        raise ConfigError(
            f"found a second reader {second.name!r} whose tag encoder would be another than the "
            "first one's; needed coarse.freeze_text, and tuning.steps above 0"
        )


def join_second(recipe: Recipe, run: Path, reports: Reports, pace: Pace) -> Path:
    """Train a second reader on what the run's coarse model learnt from, and join it to that one.

    It takes that model's tag encoder. Returns the folder of the joined checkpoint.
    """
    first, own = run / "coarse" / "model", run / SECOND
    if recipe.data.keep_prepared:
        share_folder(run / "prepared", own / "prepared")
    keep_tuned(Focal.load(first).text, recipe, own)
    train_coarse(recipe, own, reports, pace)
    join([first, own / "coarse" / "model"], SHARES, reports.folders, run / JOINED)
    return run / JOINED
