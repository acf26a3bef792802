"""Commands that make what lies in assets/: the checkpoint, its cases, the cases of its gallery."""

from pathlib import Path
from typing import Annotated

from train.checked import Range
from train.runs import recipe_lines
from train.runs.commands.common import Out, RecipeChoice, Second, run_folder, second_of
from train.settings import Flag


def embedded(
    recipe: RecipeChoice,
    out: Out = None,
    real: Annotated[
        Path | None,
        Flag("holds any of ptb-xl/, challenge/ and ludb/ (default: simulation alone)", "DIR"),
    ] = None,
    simulated: Annotated[
        int,
        Flag("simulated recordings, a fiftieth of them held out (default 24500)", "N"),
        Range(1),
    ] = 24_500,
    second: Second = None,
    target: Annotated[
        Path | None,
        Flag("where the finished checkpoint goes (default assets/checkpoint)", "DIR"),
    ] = None,
) -> None:
    """Make the checkpoint of the app: data, training, figures, card."""
    from train.publish.embedded_checkpoint import ASSETS
    from train.runs.embedded import train_embedded
    from train.runs.training import Pace

    chosen = recipe.load("embedded", recipe_lines.coarse)
    run = run_folder(out, chosen.name)
    train_embedded(
        chosen,
        run,
        real,
        Pace(),
        simulated=simulated,
        second=second_of(second),
        target=target or ASSETS,
    )


def cases() -> None:
    """Draw the bundled cases of the app again."""
    from train.publish.bundled_cases import write_cases

    write_cases()


def gallery_cases(
    out: Annotated[
        Path,
        Flag("a folder, made where it is absent; files of the same names are replaced", "DIR"),
    ],
    count: Annotated[
        int,
        Flag("how many cases; every state is drawn about equally often (default 340)", "N"),
        Range(1),
    ] = 340,
    seed: Annotated[int, Flag("other patients for another seed (default 5)", "N"), Range(0)] = 5,
) -> None:
    """Draw simulated cases of every finding, for `python -m focal_app gallery build`."""
    from train.publish.gallery_cases import write_gallery_cases

    write_gallery_cases(out, count=count, seed=seed)
