"""Names that keep apart in a table what was measured on other models in folders of the same name.

The first stands under its name, the next as "NAME (2)", and as "NAME (2), seed 7" where it is one
of several seeds.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from train.benchmark.results import Result
from train.benchmark.seeds import row_of, seed_of, with_seed


@dataclass(frozen=True)
class Numbers:
    """Which models have stood under a name, in the order in which they came."""

    known: dict[str, list[str]] = field(default_factory=dict)

    def suffix(self, name: str, model: str) -> str:
        """What tells this model from others of its name; nothing for the first."""
        others = self.known.setdefault(name, [])
        if model not in others:
            others.append(model)
        number = others.index(model) + 1
        return f" ({number})" if number > 1 else ""


def named_apart(results: Sequence[Result]) -> list[Result]:
    """The results of a task, other checkpoints of one name under names of their own."""
    numbers, named = Numbers(), []
    for one in results:
        row, seed = row_of(one.name), seed_of(one.name)
        name = row + numbers.suffix(one.name, one.checkpoint)
        named.append(replace(one, name=name if seed is None else with_seed(name, seed)))
    return named
