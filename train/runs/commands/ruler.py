"""Commands that cross-validate a recipe by patient, and that judge measurements by it."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from focal_app.errors import ConfigError
from train.checked import Checked, Range
from train.runs import recipe_lines
from train.runs.commands.common import Out, RecipeChoice, Second, Speed, run_folder, second_of
from train.settings import Flag

GROUPS = 4


@dataclass(frozen=True, kw_only=True)
class Readers(Checked):
    """What a group's model has beside its own encoder."""

    text: Annotated[
        Path | None,
        Flag(
            "take the tag encoder of this checkpoint, tuned by the same lines and frozen since, "
            "instead of tuning one",
            "DIR",
        ),
    ] = None
    second: Second = None


@dataclass(frozen=True, kw_only=True)
class Trained(Checked):
    """How many models are trained, and on how much that is drawn."""

    simulated: Annotated[
        int, Flag("simulated recordings that every model is trained on too (default 4000)", "N")
    ] = 4000
    groups: Annotated[
        int,
        Flag("groups of PTB-XL's folds 1 to 8, a model each: 2, 4 or 8 (default 4)", "N"),
        Range(2, 8),
    ] = GROUPS
    seeds: Annotated[
        tuple[int, ...],
        Flag("a ruler for each of these, and the means over them (default: the recipe's)", "N"),
    ] = ()

    def __post_init__(self) -> None:
        """Refuse seeds that cannot be, or would be counted twice."""
        super().__post_init__()
        from train.benchmark.seeds import refuse_seeds

        refuse_seeds(self.seeds)


def ruler(
    recipe: RecipeChoice,
    speed: Speed,
    readers: Readers,
    trained: Trained,
    real: Annotated[
        Path, Flag("holds ptb-xl/, and any of challenge/ and ludb/, as published", "DIR")
    ],
    out: Out = None,
    final: Annotated[
        bool,
        Flag("train on folds 1 to 8 and judge on 9 and 10: once, after every choice"),
    ] = False,
) -> None:
    """Cross-validate a recipe by patient over real recordings: AUC of every finding."""
    seeds = trained.seeds
    if final and trained.groups != GROUPS:
        raise ConfigError(
            "found --groups, without effect with --final, which trains one model on all eight "
            "folds; leave it out"
        )
    if final and seeds:
        raise ConfigError("found --seeds, without effect with --final; name one by --set seed=N")
    if seeds and any(one.startswith("seed=") for one in recipe.changes):
        raise ConfigError("found --seeds and --set seed=N; leave one of them out")
    from train.runs.ruler import (
        Ruler,
        cross_validate,
        judge_finally,
        refuse_without_ptbxl,
        rendered,
    )

    chosen = recipe.load("ruler", recipe_lines.coarse)
    refuse_without_ptbxl(real)
    asked = Ruler(
        recipe=replace(chosen, seed=seeds[0]) if seeds else chosen,
        real=real,
        out=run_folder(out, f"ruler-{chosen.name}"),
        simulated=trained.simulated,
        groups=trained.groups,
        text=readers.text,
        second=second_of(readers.second),
    )
    found = (
        judge_finally(asked, speed.pace()) if final else cross_validate(asked, speed.pace(), seeds)
    )
    print(rendered(found))


def gain(
    ruler: Annotated[
        tuple[Path, ...],
        Flag("what `python -m train ruler` wrote; of several the mean, as over seeds", "DIR"),
    ],
    real: Annotated[Path, Flag("what both were made from: holds ptb-xl/", "DIR")],
    over: Annotated[
        tuple[Path, ...],
        Flag(
            "the same of another recipe, on the same recordings, as many (default: its own first "
            "readers, where it joined second ones)",
            "DIR",
        ),
    ] = (),
) -> None:
    """Say what a ruler gains over another, recording by recording, on groups that both have."""
    from train.runs.ruler import gained, rendered

    print(rendered(gained(over, ruler, real), gain=True))


def combine(
    ruler: Annotated[Path, Flag("what `python -m train ruler` wrote", "DIR")],
    real: Annotated[Path, Flag("what the ruler was made from: holds ptb-xl/", "DIR")],
    checkpoint: Annotated[
        Path, Flag("the checkpoint beside whose weights the curves are laid", "DIR")
    ],
    only: Annotated[
        list[str] | None,
        Flag("statements whose curves are made anew; all others stay as they are", "STATEMENT"),
    ] = None,
) -> None:
    """Let measurements join the model's log-odds where that helps out of fold, and only there."""
    from train.runs.combination import combine, rendered
    from train.runs.ruler import rendered as rendered_figures

    told = combine(ruler, checkpoint, real, only=only or ())
    print(rendered(told.judged))
    print("On all sources, by curves of PTB-XL, where no voltage joins:\n")
    print(rendered(told.all_sources))
    print("Curves that are given, not fitted, beside the model as it stands, on all sources:\n")
    print(rendered(told.given))
    print("Over PTB-XL's sets, with all that is kept and given:\n")
    print(rendered_figures(told.gains, gain=True))
    print("On recordings that neither the checkpoint nor the curve has seen:\n")
    print(rendered(told.unseen))
    for figures, gain in zip(told.on_unseen or (), (False, True), strict=False):
        print(rendered_figures(figures, gain=gain))
    for name, found in told.others.items():
        print(f"On {name}, by the ruler's models and curves of PTB-XL:\n")
        print(rendered(found))
