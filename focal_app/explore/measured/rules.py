"""When measurements contradict or support a statement: the table assets/measured_rules.yaml.

A rule is data: limits of quantities and the source of its criterion, all in one table.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from focal_app.ecg.measured import QUANTITIES
from focal_app.errors import LexiconError
from focal_app.lexicon import load_lexicon
from focal_app.strict_yaml import read_yaml

RULES = Path(__file__).parents[3] / "assets" / "measured_rules.yaml"
_KEYS = {"source", "contradicted", "supported", "noted"}


@dataclass(frozen=True)
class Limit:
    """A quantity within bounds; None is no bound."""

    quantity: str
    low: float | None
    high: float | None


Case = tuple[Limit, ...]
"""Limits that have to hold together."""


@dataclass(frozen=True)
class Rule:
    """What contradicts a statement, and what supports it: one case that holds is enough.

    `noted` are words for cases that decide nothing and have to be known.
    """

    statement: str
    source: str
    contradicted: tuple[Case, ...] = ()
    supported: tuple[Case, ...] = ()
    noted: tuple[tuple[str, Case], ...] = ()


@cache
def load_rules(path: Path = RULES) -> Mapping[str, Rule]:
    """Every rule by its statement; a `LexiconError` where the table cannot be right."""
    found = {str(name): _rule(str(name), entry) for name, entry in read_yaml(path).items()}
    if unknown := [name for name in found if name not in load_lexicon()]:
        raise LexiconError(f"{path.name} has rules for {unknown}, which the lexicon does not hold")
    return MappingProxyType(found)


def rules_of(statement: str) -> Iterator[Rule]:
    """The statement's own rule first, then those of all that it implies."""
    rules, lexicon = load_rules(), load_lexicon()
    for name in (statement, *sorted(lexicon.ancestors(statement))):
        if name in rules:
            yield rules[name]


def _rule(name: str, entry: object) -> Rule:
    if not isinstance(entry, dict) or not set(entry) <= _KEYS or not entry.get("source"):
        raise LexiconError(f"the rule of {name!r} needs a source, and cases; nothing else")
    against, support = (
        tuple(_case(name, one) for one in entry.get(key, []))
        for key in ("contradicted", "supported")
    )
    if not against + support:
        raise LexiconError(f"the rule of {name!r} has no case")
    noted = tuple((words, _case(name, one)) for words, one in entry.get("noted", {}).items())
    return Rule(name, str(entry["source"]), against, support, noted)


def _case(name: str, entry: Mapping[str, list[float | None]]) -> Case:
    limits = tuple(Limit(quantity, *bounds) for quantity, bounds in entry.items())
    if wrong := [one.quantity for one in limits if not _means_something(one)]:
        raise LexiconError(f"the rule of {name!r} has a limit that means nothing: {wrong[0]}")
    return limits


def _means_something(limit: Limit) -> bool:
    bounds = [bound for bound in (limit.low, limit.high) if bound is not None]
    return limit.quantity in QUANTITIES and bool(bounds) and bounds == sorted(set(bounds))
