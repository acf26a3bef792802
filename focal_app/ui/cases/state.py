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
class CasesState:
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


S = TypeVar("S", bound=CasesState)


def with_hits(
    state: S, hits: Sequence[Hit], *, understood: str = "", warnings: Sequence[str] = ()
) -> S:
    """Other cases, the first one shown."""
    return replace(
        state,
        hits=tuple(hits),
        number=0 if hits else None,
        understood=understood,
        warnings=tuple(warnings),
        stale="",
        revealed=frozenset(),
    )


def aged(state: S, said: str) -> S:
    """The same cases, said to be those of what was asked before."""
    return replace(state, stale=said if state.hits else "")


def opened(state: S, key: str) -> S:
    """The case of that key shown."""
    keys = [hit.case.key for hit in state.hits or ()]
    if key not in keys:
        raise PromptError(wording.STALE)
    return replace(state, number=keys.index(key))


def moved(state: S, step: int) -> S:
    """The case `step` places on, within the list."""
    if state.number is None or not state.hits:
        return state
    return replace(state, number=min(max(state.number + step, 0), len(state.hits) - 1))


def revealed(state: S, key: str) -> S:
    """The labels of one case told, and the case shown."""
    return replace(opened(state, key), revealed=state.revealed | {key})


def hiding(state: S, *, on: bool) -> S:
    """Labels hidden again, or all told."""
    return replace(state, hidden=on, revealed=frozenset())
