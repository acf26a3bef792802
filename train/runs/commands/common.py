"""Settings that several commands share: the recipe, its shards, and what only changes the speed."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from focal_app.errors import ConfigError
from train.checked import Checked, Range
from train.data.mixture import weights_of
from train.recipe import Recipe, by_place, load_recipe, recipe_names
from train.runs.recipe_lines import Reads, parsed_changes, refuse_unread
from train.settings import Flag

if TYPE_CHECKING:
    from train.runs.training import Pace, Reports

Out = Annotated[
    Path | None,
    Flag(
        "folder of the run; the same command goes on where it was stopped (default runs/NAME)",
        "DIR",
    ),
]


@dataclass(frozen=True, kw_only=True)
class RecipeChoice(Checked):
    """A recipe, and what is changed in it."""

    config: Annotated[
        str,
        Flag(f"a recipe: {', '.join(recipe_names())}, or a YAML file (default embedded)", "NAME"),
    ] = "embedded"
    changes: Annotated[
        tuple[str, ...],
        Flag(
            "change a line of the recipe, as coarse.batch=32; may be repeated; one that nothing "
            "here reads is refused",
            "NAME=VALUE",
            name="set",
        ),
    ] = ()

    def load(self, command: str, reads: Reads, *, decided: Collection[str] = ()) -> Recipe:
        """The recipe with its changes; a changed line that the command does not read is refused.

        For lines that are `decided` an option of the command stands.
        """
        changes = parsed_changes(list(self.changes))
        recipe = load_recipe(self.config, changes=changes, decided=decided)
        refuse_unread(dict(by_place(changes)), reads, recipe, command)
        return recipe


Second = Annotated[
    str | None,
    Flag(
        "recipe or YAML file of a second reader, which learns from the same and is joined to the "
        "first, as second-reader; --set changes the first one's alone (default: none)",
        "NAME",
    ),
]


def second_of(name: str | None) -> Recipe | None:
    """The recipe of a second reader, where one is asked for."""
    return load_recipe(name) if name else None


@dataclass(frozen=True, kw_only=True)
class Weights(Checked):
    """How often each source is drawn."""

    weight: Annotated[
        tuple[str, ...],
        Flag(
            "share of the draws of a source, 0 to 1, may be repeated; sources without one share "
            "the rest by their sizes",
            "SOURCE=SHARE",
        ),
    ] = ()


@dataclass(frozen=True, kw_only=True)
class ShardChoice(Weights):
    """Folders of shards, and how often each is drawn."""

    shards: Annotated[
        tuple[Path, ...],
        Flag("folders that `data` made; their reports are what is trained on", "DIR"),
    ] = ()

    def reports(self) -> "Reports":
        """As training takes them; without any folder nothing can be drawn."""
        from train.runs.training import Reports

        return Reports(self.shards, self.shares())

    def shares(self) -> dict[str, float]:
        """Shares of the draws; a `ConfigError` where one folder is all that is drawn."""
        if self.weight and len(self.shards) == 1:
            given = " ".join(self.weight)
            raise ConfigError(
                f"found --weight {given}, without effect on one folder of --shards; leave it out"
            )
        return weights_of(self.weight)


@dataclass(frozen=True, kw_only=True)
class Workers(Checked):
    """How many processes read."""

    workers: Annotated[
        int | None,
        Flag(
            "processes that read recordings ahead of the training; the result does not depend on "
            "it (default: the cores; 0: none)",
            "N",
        ),
        Range(0),
    ] = None

    def count(self) -> int:
        """As many as asked for, or as there are cores for each process of this machine."""
        from train.data.worker_processes import default_workers

        return default_workers() if self.workers is None else self.workers


@dataclass(frozen=True, kw_only=True)
class Speed(Workers):
    """What changes how fast a run is, and nothing else."""

    save_every: Annotated[
        int,
        Flag(
            "how often the run is saved; a stopped run repeats at most so many steps (default 250)",
            "STEPS",
        ),
        Range(1),
    ] = 250

    def pace(self) -> "Pace":
        """As training takes it."""
        from train.runs.training import Pace

        return Pace(workers=self.count(), save_every=self.save_every)


@dataclass(frozen=True, kw_only=True)
class Start(Checked):
    """A checkpoint to go on from."""

    start: Annotated[
        str | None,
        Flag(
            "go on from this checkpoint, with its sizes and settings, in place of a new model or "
            "of the stage before",
            "DIR_OR_REPO",
        ),
    ] = None


def run_folder(out: Path | None, name: str) -> Path:
    """The folder of a run: the one asked for, or its recipe's."""
    return out or Path("runs") / name
