"""The cases that a visitor looks at: found, hidden, revealed. Values in, values out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, TypeVar

from focal_app.errors import PromptError
from focal_app.ui.cases import wording

if TYPE_CHECKING:
    # Not when the page is laid out: they bring torch with them.
    from focal_app.explore.cases.hits import Hit


@dataclass(frozen=True)
class Shelf:
    """Cases in their order and the one that is shown; `hits` is None before the first search.

    `warnings` are of the search, `stale` says that something else has been asked since. With
    `hidden` nothing of a case is told until it is among `revealed`.
    """

    unasked: ClassVar[str] = wording.NOT_SEARCHED
    hits: tuple[Hit, ...] | None = None
    number: int | None = None
    understood: str = ""
    warnings: tuple[str, ...] = ()
    stale: str = ""
    hidden: bool = False
    revealed: frozenset[str] = frozenset()

    @property
    def shown(self) -> Hit | None:
        """The case that lies on the paper."""
        return self.hits[self.number] if self.hits and self.number is not None else None

    def hides(self, hit: Hit) -> bool:
        """Whether nothing of this case may be told yet."""
        return self.hidden and hit.case.key not in self.revealed

    @property
    def caption(self) -> str:
        """What the figures beside the cases are."""
        return wording.PROBABILITY_SHOWN


S = TypeVar("S", bound=Shelf)


def with_hits(
    shelf: S, hits: Sequence[Hit], *, understood: str = "", warnings: Sequence[str] = ()
) -> S:
    """Other cases, the first one shown."""
    return replace(
        shelf,
        hits=tuple(hits),
        number=0 if hits else None,
        understood=understood,
        warnings=tuple(warnings),
        stale="",
        revealed=frozenset(),
    )


def aged(shelf: S, said: str) -> S:
    """The same cases, said to be those of what was asked before."""
    return replace(shelf, stale=said if shelf.hits else "")


def opened(shelf: S, key: str) -> S:
    """The case of that key shown."""
    keys = [hit.case.key for hit in shelf.hits or ()]
    if key not in keys:
        raise PromptError(wording.STALE)
    return replace(shelf, number=keys.index(key))


def moved(shelf: S, step: int) -> S:
    """The case `step` places on, within the list."""
    if shelf.number is None or not shelf.hits:
        return shelf
    return replace(shelf, number=min(max(shelf.number + step, 0), len(shelf.hits) - 1))


def revealed(shelf: S, key: str) -> S:
    """The labels of one case told, and the case shown."""
    return replace(opened(shelf, key), revealed=shelf.revealed | {key})


def hiding(shelf: S, *, on: bool) -> S:
    """Labels hidden again, or all told."""
    return replace(shelf, hidden=on, revealed=frozenset())
