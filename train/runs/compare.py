"""Two trained stages side by side: what differs in their recipes, their data and their curves.

python -m train compare runs/one/coarse runs/other/coarse
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from focal_app.errors import ConfigError
from train.fit.curves import FIGURES, read_figures
from train.read_back import read_json_back
from train.recipe import by_place, recipe_values

LAST = 10
"""So many of the last values of a noisy curve are averaged."""

RECIPE, USED = "recipe.yaml", "used.json"
MADE_AGAIN = "run the command that trained the stage again: what is trained is only read"


@dataclass(frozen=True)
class StageRun:
    """What the folder of a stage says: recipe lines by place, what it used, its curves."""

    name: str
    recipe: dict[str, Any]
    used: dict[str, Any]
    curves: dict[str, dict[int, float]]

    @classmethod
    def read(cls, folder: Path) -> "StageRun":
        """The stage of a folder; one that is not finished has used nothing yet."""
        if not (folder / RECIPE).is_file():
            raise ConfigError(
                f"found no {RECIPE} in {folder.name!r}; needed the folder of a stage, such as "
                "runs/NAME/coarse"
            )
        file, curves = folder / USED, read_figures(folder / "log")
        used = read_json_back(file, MADE_AGAIN) if file.is_file() else {}
        end, last = used.pop("curves_end", 0), max((max(one) for one in curves.values()), default=0)
        if last < end and (folder / "log" / FIGURES).is_file():
            raise ConfigError(
                f"found figures of {folder.name!r} up to step {last}, and a stage that kept them "
                f"up to step {end}: {FIGURES} was cut off; put it back, or delete it"
            )
        recipe = dict(by_place(recipe_values(folder / RECIPE)))
        name = f"{folder.parent.name}/{folder.name}"
        return cls(name, recipe, dict(by_place(used)), curves)

    def shown(self, curve: str) -> str:
        """A curve in a few words: the best AUC and where, of others the mean of the last values."""
        values = self.curves.get(curve)
        if not values:
            return "-"
        if curve == "validation/auc":
            step = max(values, key=values.__getitem__)
            last = values[max(values)]
            return f"{100 * values[step]:.1f} at step {step}, last {100 * last:.1f}"
        some = [values[step] for step in sorted(values)[-LAST:]]
        return f"{sum(some) / len(some):.4g}"


def compared(one: StageRun, other: StageRun) -> str:
    """Both as a table in Markdown: only the lines of the recipes that differ, every curve."""
    rows = [
        *_differing("", one.recipe, other.recipe),
        *_differing("used: ", one.used, other.used),
        *((name, one.shown(name), other.shown(name)) for name in _names(one.curves, other.curves)),
    ]
    head = [f"| | {one.name} | {other.name} |", "|---|---|---|"]
    return "\n".join([*head, *(f"| {name} | {a} | {b} |" for name, a, b in rows)])


def _differing(
    prefix: str, one: Mapping[str, Any], other: Mapping[str, Any]
) -> Iterator[tuple[str, Any, Any]]:
    for name in _names(one, other):
        a, b = one.get(name, "-"), other.get(name, "-")
        if a != b:
            yield f"{prefix}{name}", a, b


def _names(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    return list(dict.fromkeys([*one, *other]))
