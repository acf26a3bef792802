"""Checkpoints of one space joined into one that reads with all of them, and calibrated anew.

    join(["runs/one/coarse/model", "runs/other/coarse/model"], (0.7, 0.3), [Path("shards")], out)

`train.fit.joining` says what a joined model is; here are the files.
"""

from collections.abc import Sequence
from pathlib import Path

from focal_app.errors import ConfigError
from focal_app.model.focal import Focal
from focal_app.model.seen import Seen
from train.data.shards import Shards
from train.fit.joining import joined, refuse_another_shape
from train.fit.judging import JUDGED, calibrate, held_out
from train.fit.tag_encoder import keep_tuned
from train.recipe import Recipe
from train.runs.training import Pace, Reports, config_of, patients, train_coarse

SECOND, JOINED = "second", "joined"
SHARES = (0.7, 0.3)
"""Of the first reader, which learns longer, and of the second."""


def join(
    checkpoints: Sequence[str | Path], shares: Sequence[float], folders: Sequence[Path], out: Path
) -> Focal:
    """The joined checkpoint, calibrated on the validation records of shards, in `out`."""
    shards = [Shards.open(folder) for folder in folders]
    if not (rows := held_out(shards)):
        raise ConfigError(
            "found no validation records in --shards; a joined checkpoint is calibrated on them. "
            "Make shards with a validation part (`data ... --split`), of patients new to all"
        )
    model = joined([Focal.load(one) for one in checkpoints], shares)
    calibrate(model, rows, statements=True)
    if model.seen:
        model.seen |= Seen.of((), patients(shards, "validation", most=JUDGED))
    model.save_pretrained(out)
    return model


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
    keep_tuned(Focal.load(first).text, recipe, own)
    train_coarse(recipe, own, reports, pace)
    join([first, own / "coarse" / "model"], SHARES, reports.folders, run / JOINED)
    return run / JOINED
