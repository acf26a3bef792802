"""What the training of a MERL-style model is asked for."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from train.benchmark.settings import BLOCKS, WIDTHS
from train.checked import Checked, Range
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
        int, Flag("channels of the first of four stages (default 64, as published)", "N"), WIDTHS
    ] = 64
    blocks: Annotated[
        int, Flag("blocks a stage (default 2: ResNet18, as published)", "N"), BLOCKS
    ] = 2
    prepared: Annotated[
        Path | None,
        Flag(
            "keep filtered signals there, or take them from where another run keeps them, as "
            "runs/NAME/prepared (default: filtered anew whenever one is drawn)",
            "DIR",
        ),
    ] = None
    seed: Annotated[int, Flag("seed (default 0)", "N"), Range(0, 2**32 - 1)] = 0
