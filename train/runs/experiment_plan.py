"""What the experiment on reports that leave features out is asked for."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from train.checked import Checked, Range
from train.settings import Flag


@dataclass(frozen=True, kw_only=True)
class Experiment(Checked):
    """What is run: the recipe, how many studies, on how many other ECGs it is judged, the seeds."""

    out: Annotated[
        Path, Flag("folder of the experiment; the same command goes on where it was stopped", "DIR")
    ] = Path("runs/experiment")
    config: Annotated[
        str, Flag("the recipe that every arm trains (default experiment)", "NAME")
    ] = "experiment"
    text: Annotated[
        Path | None,
        Flag("take the tag encoder of this checkpoint, in place of tuning one a seed", "DIR"),
    ] = None
    studies: Annotated[
        int, Flag("studies of the archive that is drawn (default 2600)", "N"), Range(4)
    ] = 2600
    judged: Annotated[
        int, Flag("other simulated ECGs on which arms are judged (default 1000)", "N"), Range(1)
    ] = 1000
    seeds: Annotated[tuple[int, ...], Flag("of the trainings (default 7 8 9)", "N")] = (7, 8, 9)
