"""The command that trains a MERL-style model, for `evaluate transferability`."""

from pathlib import Path
from typing import Annotated

from focal_app.errors import ConfigError
from train.runs.commands.common import ShardChoice, Speed
from train.runs.merl_plan import MerlPlan
from train.settings import Flag


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
