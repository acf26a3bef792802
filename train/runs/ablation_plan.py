"""What an ablation is asked for."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from focal_app.errors import ConfigError
from train.recipe import load_recipe
from train.runs.shared_runs import SharedRuns
from train.settings import Flag


@dataclass(frozen=True, kw_only=True)
class Variants(SharedRuns):
    """What to compare: the variants by name (none: all that the rest allows).

    Fine training is compared where there are `candidates`, or `right` ones, a folder as `verify`
    writes it that holds what is known to be true. `text`: a checkpoint whose tag encoder, which has
    seen no ECG, spares tuning one.
    """

    command: ClassVar[str] = "ablation"
    config: Annotated[
        str, Flag("the recipe that the variants change (default focal-small)", "NAME")
    ] = "focal-small"
    out: Annotated[
        Path,
        Flag(
            "folder of the runs; the same command goes on where it was stopped "
            "(default runs/ablation)",
            "DIR",
        ),
    ] = Path("runs/ablation")
    candidates: Annotated[
        Path | None,
        Flag("what `enrich` wrote for these shards; then fine training is compared too", "DIR"),
    ] = None
    right: Annotated[
        Path | None,
        Flag(
            "features that are known to be true, in a folder as `verify` writes it: the upper "
            "bound that no verification can pass",
            "DIR",
        ),
    ] = None
    seeds: Annotated[
        tuple[int, ...],
        Flag("train every variant once for each of these (default: once, the recipe's)", "N"),
    ] = ()
    text: Annotated[
        Path | None,
        Flag("take the tag encoder of this checkpoint, in place of tuning one a seed", "DIR"),
    ] = None
    names: Annotated[
        tuple[str, ...],
        Flag("these variants of train/runs/ablation.yaml (default: all)", "NAME", name="only"),
    ] = ()

    def __post_init__(self) -> None:
        """Refuse seeds that cannot be, and a tag encoder without effect."""
        super().__post_init__()
        recipe = load_recipe(self.config)
        if self.text and not recipe.tuning.steps:
            raise ConfigError(
                f"found --text, and a recipe {recipe.name} that tunes no tag encoder; leave --text "
                "out"
            )
