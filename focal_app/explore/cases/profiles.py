"""What the cases of a gallery show, and how alike two of them are among all the others.

cases = profiles(explorer, gallery)
likeness = cases.likeness(shown, numbers)       # what orders them
cases.closer_than(likeness)                     # 0.98: closer than 98 of 100 random pairs
"""

from functools import cached_property, lru_cache

import numpy as np
from jaxtyping import Float, Int

from focal_app.ecg.measured import QUANTITIES, Quantities, Valued
from focal_app.explore.cases.gallery import Gallery
from focal_app.explore.reading.explorer import Explorer

MOST_USUAL, PAIRS = 2000, 5000
"""Cases from which is taken what is usual, and random pairs of them."""
LEAST_SPREAD = 0.05
"""Added to every spread, so that a statement that is nearly always absent does not decide."""
STANDING_OUT = 0.25
"""The power to which a case's own length is taken off: at 1 a case that shows much counts as one
that shows little, at 0 cases that show everything are like all others. Both were worse."""


@lru_cache(maxsize=2)
def profiles(explorer: Explorer, gallery: Gallery) -> "Profiles":
    """Those of a gallery, made once."""
    return Profiles(explorer, gallery)


def told_in(
    explorer: Explorer,
    gallery: Gallery,
    numbers: Int[np.ndarray, " n"],
    statement: str,
    own: Float[np.ndarray, " n"],
) -> Float[np.ndarray, " n"]:
    """The probability of one statement in some cases as a reading tells it, from the model's own.

    What has to be known beside it is taken from what the gallery keeps of all statements.
    """
    known = gallery.statements()
    beside = [one for one in explorer.telling.beside(statement) if one in known]
    columns = [known.index(kind) for kind in beside]
    every = np.column_stack([own, gallery.findings(numbers)[:, columns]])
    return explorer.telling.told([statement, *beside], every, gallery.quantities(numbers))[:, 0]


class Profiles:
    """Cases by the probabilities of all statements, as a reading tells them: with measurements."""

    def __init__(self, explorer: Explorer, gallery: Gallery) -> None:
        self._explorer, self._gallery = explorer, gallery

    def shown(self, numbers: Int[np.ndarray, " n"]) -> Float[np.ndarray, "n K"]:
        """The probability of every statement of the gallery in some cases."""
        if len(self._some) == len(self._gallery):
            self._gallery.check()
            return self._some[numbers]
        return self._told(numbers)

    def shown_by(
        self, own: Float[np.ndarray, " K"], found: Valued | None
    ) -> Float[np.ndarray, " K"]:
        """The same of an ECG of which the model alone says `own`.

        Only what the gallery has measured joins, so that both sides are made of the same.
        """
        known = {
            name: value
            for name in QUANTITIES
            if found is not None
            and self._gallery.measures(name)
            and (value := found.value(name)) is not None
        }
        return self._explorer.telling.told(
            self._gallery.statements(), own[None], [Quantities(known)]
        )[0]

    def likeness(
        self, shown: Float[np.ndarray, " K"], others: Float[np.ndarray, "n K"]
    ) -> Float[np.ndarray, " n"]:
        """How much what is unusual about an ECG is so about others too.

        With x and y the probabilities less the gallery's mean, over the root of its spread, it is
        x·y / (|x| |y|^¼). Chosen on out-of-fold readings of PTB-XL's folds 1 to 6.
        """
        own, their = self._unusual(shown[None])[0], self._unusual(others)
        lengths = np.linalg.norm(own) * np.linalg.norm(their, axis=1) ** STANDING_OUT
        return their @ own / np.maximum(lengths, 1e-9)

    def closer_than(self, likeness: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """The share of random pairs of cases that are less alike."""
        return share_below(self._random_pairs, likeness)

    def unusual_by(self, quantity: str, value: float) -> float:
        """How many of the gallery's spreads a measured value lies from its mean."""
        mean, spread = self._measured_usually[quantity]
        return abs(value - mean) / spread

    def _unusual(self, shown: Float[np.ndarray, "n K"]) -> Float[np.ndarray, "n K"]:
        return (shown - self._mean) / np.sqrt(self._spread + LEAST_SPREAD)

    def _told(self, numbers: Int[np.ndarray, " n"]) -> Float[np.ndarray, "n K"]:
        own, found = self._gallery.findings(numbers), self._gallery.quantities(numbers)
        return self._explorer.telling.told(self._gallery.statements(), own, found)

    @cached_property
    def _some(self) -> Float[np.ndarray, "n K"]:
        """All cases of a small gallery, some of a large one."""
        return self._told(np.arange(0, len(self._gallery), -(-len(self._gallery) // MOST_USUAL)))

    @cached_property
    def _mean(self) -> Float[np.ndarray, " K"]:
        return self._some.mean(0)

    @cached_property
    def _spread(self) -> Float[np.ndarray, " K"]:
        return self._some.std(0)

    @cached_property
    def _random_pairs(self) -> Float[np.ndarray, " P"]:
        """Likeness of pairs of different cases, in order."""
        one, other = random_pairs(len(self._some), PAIRS)
        x = self._unusual(self._some)
        length = np.linalg.norm(x, axis=1)
        lengths = length[one] * length[other] ** STANDING_OUT
        return np.sort((x[one] * x[other]).sum(1) / np.maximum(lengths, 1e-9))

    @cached_property
    def _measured_usually(self) -> dict[str, tuple[float, float]]:
        """Mean and spread of every quantity that the gallery has measured."""
        names = [name for name in QUANTITIES if self._gallery.measures(name)]
        return {name: _usual(self._gallery.measured(name)) for name in names}


def _usual(values: Float[np.ndarray, " N"]) -> tuple[float, float]:
    known = values[~np.isnan(values)]
    return (float(known.mean()), max(float(known.std()), 1e-9)) if len(known) else (0.0, 1.0)


def random_pairs(count: int, pairs: int) -> tuple[Int[np.ndarray, " P"], Int[np.ndarray, " P"]]:
    """Pairs of two different ones of so many, always the same; none of a single one."""
    rng = np.random.default_rng(0)
    one, other = rng.integers(0, count, (2, pairs))
    different = one != other
    return one[different], other[different]


def share_below(
    ordered: Float[np.ndarray, " P"], values: Float[np.ndarray, " n"]
) -> Float[np.ndarray, " n"]:
    """The share of some ordered values that lie below each of others; 1 where there are none."""
    if not len(ordered):
        return np.ones(len(values))
    return np.searchsorted(ordered, values) / len(ordered)
