"""The cases that a visitor looks at: found, hidden, revealed, collected. Values in, values out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from focal_app.errors import GalleryError, PromptError
from focal_app.ui.cases import wording

if TYPE_CHECKING:
    # Not when the page is laid out: they bring torch with them.
    from focal_app.explore.cases.gallery import Case
    from focal_app.explore.cases.hits import Hit
    from focal_app.explore.cases.teaching import TeachingSet

MOST_IN_SET = 60


@dataclass(frozen=True)
class Shelf:
    """Cases in their order and the one that is shown; `hits` is None before the first search.

    `ranked` says that they have scores at all; a set has none. `warnings` are of the search,
    `stale` says that something else has been asked since. With
    `hidden` nothing of a case is told until it is among `revealed`. `title`, `note` and `keys`
    are the teaching set that is being made.
    """

    hits: tuple[Hit, ...] | None = None
    number: int | None = None
    understood: str = ""
    warnings: tuple[str, ...] = ()
    stale: str = ""
    ranked: bool = True
    hidden: bool = False
    revealed: frozenset[str] = frozenset()
    title: str = wording.SET_TITLE_FIRST
    note: str = wording.SET_NOTE_FIRST
    keys: tuple[str, ...] = ()

    @property
    def taught(self) -> TeachingSet:
        """The teaching set; a `GalleryError` where it is empty."""
        from focal_app.explore.cases.teaching import TeachingSet

        if not self.keys:
            raise GalleryError(wording.EMPTY_SET)
        return TeachingSet(self.title, self.note, self.keys)

    @property
    def shown(self) -> Hit | None:
        """The case that lies on the paper."""
        return self.hits[self.number] if self.hits and self.number is not None else None

    def hides(self, hit: Hit) -> bool:
        """Whether nothing of this case may be told yet."""
        return self.hidden and hit.case.key not in self.revealed


def with_hits(
    shelf: Shelf, hits: Sequence[Hit], *, understood: str = "", warnings: Sequence[str] = ()
) -> Shelf:
    """Other cases, the first one shown."""
    return replace(
        shelf,
        hits=tuple(hits),
        number=0 if hits else None,
        understood=understood,
        warnings=tuple(warnings),
        stale="",
        ranked=True,
        revealed=frozenset(),
    )


def with_set(shelf: Shelf, taught: TeachingSet, cases: Sequence[Case]) -> Shelf:
    """A set and its cases, in its order and without scores, their labels hidden."""
    from focal_app.explore.cases.hits import Hit

    unmarked = np.full((12, 10), np.nan)
    hits = [Hit(case, 0.0, (), unmarked) for case in cases]
    named = worded(replace(shelf, keys=taught.keys), taught.title, taught.note)
    return replace(with_hits(named, hits), ranked=False, hidden=True)


def aged(shelf: Shelf, said: str) -> Shelf:
    """The same cases, said to be those of what was asked before."""
    return replace(shelf, stale=said if shelf.hits else "")


def opened(shelf: Shelf, key: str) -> Shelf:
    """The case of that key shown."""
    keys = [hit.case.key for hit in shelf.hits or ()]
    if key not in keys:
        raise PromptError(wording.STALE)
    return replace(shelf, number=keys.index(key))


def moved(shelf: Shelf, step: int) -> Shelf:
    """The case `step` places on, within the list."""
    if shelf.number is None or not shelf.hits:
        return shelf
    return replace(shelf, number=min(max(shelf.number + step, 0), len(shelf.hits) - 1))


def revealed(shelf: Shelf, key: str) -> Shelf:
    """The labels of one case told, and the case shown."""
    return replace(opened(shelf, key), revealed=shelf.revealed | {key})


def hiding(shelf: Shelf, *, on: bool) -> Shelf:
    """Labels hidden again, or all told."""
    return replace(shelf, hidden=on, revealed=frozenset())


def kept(shelf: Shelf, key: str) -> Shelf:
    """A case put into the set, or taken out of it."""
    keys = shelf.keys
    after = tuple(k for k in keys if k != key) if key in keys else (*keys, key)
    if len(after) > MOST_IN_SET:
        raise PromptError(wording.set_full(MOST_IN_SET))
    return replace(shelf, keys=after)


def worded(shelf: Shelf, title: str, note: str) -> Shelf:
    """The set under another title, with another task."""
    return replace(shelf, title=title.strip()[:120], note=note.strip()[:2000])
