"""The command that trains the delineator of the app and measures it."""

from pathlib import Path
from typing import Annotated

from train.checked import Range
from train.settings import Flag


def delineator(
    ludb: Annotated[Path, Flag("LUDB as published: ludb.csv and data/", "DIR")],
    out: Annotated[
        Path, Flag("folder of the run; the same command goes on where it was stopped", "DIR")
    ],
    steps: Annotated[
        int,
        Flag("steps of each of the six networks, a third of a second each (default 700)", "N"),
        Range(1),
    ] = 700,
    simulated: Annotated[
        int,
        Flag("simulated recordings beside LUDB: AF, paced, ectopic beats (default 400)", "N"),
        Range(0),
    ] = 400,
    target: Annotated[
        Path | None,
        Flag("where the finished delineator goes (default: only OUT/delineator)", "DIR"),
    ] = None,
) -> None:
    """Train the network that marks P, QRS and T, and measure it on recordings it has not seen.

    Five networks are each measured on a fifth of LUDB that they were not trained on; the sixth,
    trained on all, is what the app takes.
    """
    from train.delineate.agreement import agreement_table
    from train.delineate.crossvalidation import FIGURES, train_and_measure
    from train.delineate.training import Plan

    plan = Plan(steps=steps)
    model, measured = train_and_measure(ludb, out, plan, simulated=simulated)
    for folder in (out / "delineator", *([target] if target else [])):
        model.save(folder)
        (folder / FIGURES).write_text((out / FIGURES).read_text("utf-8"), encoding="utf-8")
    print(agreement_table(measured))
