"""How hard a case is, by a rule that is told, and cases for a quiz drawn by it.

difficulty(gallery, case)                                     # "easy"
drawn(gallery, Wish(count=8, finding="bundle branch block", level="hard"), seed=7)
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Literal

import numpy as np
from jaxtyping import Int

from focal_app.errors import GalleryError
from focal_app.explore.cases.gallery import Case, Filters, Gallery
from focal_app.explore.cases.label_order import HEALTHY, diagnoses
from focal_app.explore.cases.quiz import asked_of
from focal_app.lexicon import load_lexicon

Level = Literal["easy", "medium", "hard"]
LEVELS: tuple[Level, ...] = ("easy", "medium", "hard")
SURE, UNSURE = 0.7, 0.3
"""From where on the model finds a diagnosis surely, and below which it hardly does."""
FEW, MANY = 2, 5
"""Abnormal diagnoses of a case: up to so many are few, from so many on many."""
LOOKED_AT = 3000
"""Cases that are looked at for a quiz; of a larger gallery a random part."""


@dataclass(frozen=True)
class Wish:
    """What a quiz should hold: so many cases, of a label or of any, of a level or of any."""

    count: int
    finding: str | None = None
    level: Level | None = None


def difficulty(gallery: Gallery, case: Case) -> Level:
    """Easy where the model is sure of what is asked and few diagnoses are labelled.

    Hard where it hardly finds it, or where many are labelled. Of several diagnoses that are asked,
    the one counts that it finds least.
    """
    return _level(case, probabilities(gallery, case))


def probabilities(gallery: Gallery, case: Case) -> dict[str, float]:
    """What the model holds of every statement in a case."""
    found = gallery.findings([case.number])[0].tolist()
    return dict(zip(gallery.statements(), found, strict=True))


def drawn(gallery: Gallery, wish: Wish, *, seed: int) -> tuple[Case, ...]:
    """Cases by chance, the same for the same seed, no diagnosis twice while there are others.

    A `GalleryError` where no case is as wished; fewer than wished where there are fewer.
    """
    allowed = gallery.allowed(Filters(labels=(wish.finding,) if wish.finding else ()))
    numbers = np.random.default_rng(seed).permutation(np.flatnonzero(allowed))[:LOOKED_AT]
    asked: set[tuple[str, ...]] = set()
    first, again = [], []
    for case in _of_level(gallery, numbers, wish.level):
        wanted = asked_of(case.facts)
        if wanted:
            (again if wanted in asked else first).append(case)
            asked.add(wanted)
        if len(first) >= wish.count:
            break
    if not first:
        raise GalleryError(
            f"found no case {_said(wish)} in the gallery {gallery.title!r}; choose another finding "
            "or any difficulty"
        )
    return tuple(islice([*first, *again], wish.count))


def _level(case: Case, found: Mapping[str, float]) -> Level:
    sure = min((found.get(tag, 0.0) for tag in asked_of(case.facts)), default=0.0)
    told = load_lexicon().most_specific(diagnoses(case.facts.labels))
    labelled = [tag for tag in told if tag not in HEALTHY]
    if sure < UNSURE or len(labelled) >= MANY:
        return "hard"
    return "easy" if sure >= SURE and len(labelled) <= FEW else "medium"


def _of_level(
    gallery: Gallery, numbers: Int[np.ndarray, " n"], level: Level | None
) -> Iterator[Case]:
    """Those of the cases that are so hard, or all; what the model holds is looked up at once."""
    cases = (gallery[int(number)] for number in numbers)
    if level is None:
        yield from cases
        return
    tags = gallery.statements()
    for case, row in zip(cases, gallery.findings(numbers), strict=True):
        if _level(case, dict(zip(tags, row.tolist(), strict=True))) == level:
            yield case


def _said(wish: Wish) -> str:
    level = f"that is {wish.level}" if wish.level else ""
    return " ".join(filter(None, [f"of {wish.finding}" if wish.finding else "", level]))
