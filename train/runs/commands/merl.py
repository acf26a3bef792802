"""The command that trains a MERL-style model, for `evaluate transferability`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from focal_app.errors import ConfigError
from train.checked import Checked, Range
from train.runs.commands.common import ShardChoice, Speed
from train.settings import Flag


@dataclass(frozen=True, kw_only=True)
class MerlPlan(Checked):
    """What is trained, how large, and for how long: the published sizes unless told otherwise."""

    text: Annotated[
        str,
        Flag("a checkpoint, whose tag encoder embeds reports and prompts as it is", "DIR_OR_REPO"),
    ]
    steps: Annotated[int, Flag("steps", "N"), Range(1)]
    batch: Annotated[
        int, Flag("recordings a step; halve it if memory runs out (default 128)", "N"), Range(2)
    ] = 128
    learning_rate: Annotated[
        float, Flag("highest learning rate (default 0.001)", "X"), Range(0, above=True)
    ] = 1e-3
    width: Annotated[
        int, Flag("channels of the first of four stages (default 64, as published)", "N"), Range(1)
    ] = 64
    blocks: Annotated[
        int, Flag("blocks a stage (default 2: ResNet18, as published)", "N"), Range(1)
    ] = 2
    prepared: Annotated[
        Path | None,
        Flag(
            "keep filtered signals there, or take them from where another run keeps them, as "
            "runs/NAME/prepared (default: filtered anew whenever one is drawn)",
            "DIR",
        ),
    ] = None
    seed: Annotated[int, Flag("seed (default 0)", "N"), Range(0)] = 0


def merl(
    shards: ShardChoice,
    plan: MerlPlan,
    speed: Speed,
    out: Annotated[
        Path, Flag("folder of the model; the same command goes on where it was stopped", "DIR")
    ],
    verified: Annotated[
        tuple[Path, ...],
        Flag("enrich the reports with what `verify` wrote (default: as they are)", "DIR"),
    ] = (),
) -> None:
    """Train a MERL-style model on whole reports, as they are or enriched.

    Two that differ in --verified and --out alone are what `evaluate transferability` compares.
    """
    from train.runs.merl import train_merl

    if not shards.shards:
        raise ConfigError("found no --shards; training needs folders that `data` made")
    train_merl(plan, out, shards.reports(), speed.pace(), verified=verified)
