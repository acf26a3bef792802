"""Lines of a recipe: what `--set` says, and which every stage reads, so that any other is refused.

    parsed_changes(["coarse.batch=32"])     # {"coarse.batch": 32}
    coarse(recipe)          # every place but those of `fine` and `enrichment`
    refuse_unread(["fine.steps"], coarse, recipe, "coarse")     # ConfigError

A line is named by its place, as `coarse.batch`.
"""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Set
from typing import Any

import yaml

from focal_app.errors import ConfigError
from train.recipe import Recipe

Reads = Callable[[Recipe], Set[str]]
"""What a stage reads of a recipe."""


def lines(*sections: str) -> frozenset[str]:
    """The places of all lines in these sections; a line outside any is a section of its own."""
    return frozenset(place for place in _places(Recipe) if place.split(".")[0] in sections)


def _places(kind: type) -> Iterator[str]:
    for field in dataclasses.fields(kind):
        inner = field.type
        if isinstance(inner, type) and dataclasses.is_dataclass(inner):
            yield from (f"{field.name}.{place}" for place in _places(inner))
        else:
            yield field.name


MODEL = lines(
    *("signal", "encoder", "text", "tuning", "embed_dim", "epsilon", "tau"),
    *("temperature", "bias", "alignment", "storage"),
)
"""What a new model is made of."""


def text(_: Recipe) -> Set[str]:
    """What tuning the tag encoder reads."""
    return lines("name", "seed", "text", "tuning", "embed_dim")


def prepare(_: Recipe) -> Set[str]:
    """What keeping prepared signals reads."""
    return lines("name", "signal") | {"data.keep_prepared"}


def coarse(recipe: Recipe, *, start: bool = False, weighted: bool = False) -> Set[str]:
    """What coarse training reads; a checkpoint to `start` from brings what a model is made of."""
    found = lines("coarse") | _training(augment=recipe.coarse.augment, weighted=weighted)
    return found if start else found | MODEL


def fine(recipe: Recipe, *, weighted: bool = False) -> Set[str]:
    """What fine training reads, which always goes on from a checkpoint."""
    return lines("fine") | _training(augment=recipe.fine.augment, weighted=weighted)


def _training(*, augment: bool, weighted: bool) -> frozenset[str]:
    """What both read: no augmentation where there is none, no weights where others were given."""
    found = lines("name", "seed", "data", "objective", *(["augmentation"] if augment else []))
    return found - {"data.weights"} if weighted else found


def parsed_changes(given: list[str]) -> dict[str, Any]:
    """Values by their place from `coarse.batch=32`, read as a recipe's lines are.

    Beyond YAML, which wants 1.0e-4, 1e-4 is a number.
    """
    found = {}
    for one in given:
        place, separator, text = one.partition("=")
        if not (place and separator):
            raise ConfigError(f"found --set {one!r}; needed NAME=VALUE, such as coarse.batch=32")
        try:
            value = yaml.safe_load(text)
        except yaml.YAMLError:
            value = text
        found[place] = _number(value) if isinstance(value, str) else value
    return found


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def refuse_unread(changed: Iterable[str], reads: Reads, recipe: Recipe, command: str) -> None:
    """Refuse, by name, changed lines that the command does not read; say which stages do."""
    if unread := sorted(set(changed) - reads(recipe)):
        named = " and ".join(f"{place} ({_readers(place, recipe)})" for place in unread)
        raise ConfigError(
            f"found --set {named}, without effect on `{command}` as it is asked here; leave it out"
        )


def _readers(place: str, recipe: Recipe) -> str:
    found = [name for name, reads in STAGES.items() if place in reads(recipe)]
    return f"read by {', '.join([*found, 'pipeline'])}"


STAGES: dict[str, Reads] = {"text": text, "prepare": prepare, "coarse": coarse, "fine": fine}
