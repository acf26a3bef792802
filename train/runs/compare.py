"""Two trained stages side by side: what differs in their recipes, their data and their curves.

python -m train compare runs/one/coarse runs/other/coarse
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from focal_app.errors import ConfigError
from train.fit.curves import read_figures

LAST = 10
"""So many of the last values of a noisy curve are averaged."""

RECIPE, USED = "recipe.yaml", "used.json"


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
        recipe = yaml.safe_load((folder / RECIPE).read_text(encoding="utf-8"))
        used = folder / USED
        return cls(
            f"{folder.parent.name}/{folder.name}",
            dict(_places(recipe)),
            dict(_places(json.loads(used.read_text()))) if used.is_file() else {},
            read_figures(folder / "log"),
        )

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


def _places(values: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Nested values by their place, as `--set` names them."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _places(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value
