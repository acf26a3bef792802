"""A clinical state: what it claims, what it takes, how it shapes the heart, what must then hold.

Two states contradict each other when they take the same slot ("rhythm", "ventricle", a wall).
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from train.simulate.heart import Heart
from train.simulate.measure import Ruler
from train.simulate.places import Mark

Shape = Callable[[Heart, np.random.Generator], None]
Check = Callable[[Ruler], object]
"""What it gives is true where the state shows."""

WALL_SLOTS = frozenset({"inferior", "septal", "anterior", "lateral", "posterior"})
ALL_SLOTS = WALL_SLOTS | {
    "rhythm",
    "av",
    "atria",
    "ectopy",
    "ventricle",
    "fascicle",
    "voltage",
    "repolarization",
}

TERRITORY_LEADS = {
    "inferior": ("II", "III", "aVF"),
    "anterior": ("V2", "V3", "V4"),
    "anteroseptal": ("V1", "V2", "V3", "V4"),
    "anterolateral": ("I", "aVL", "V3", "V4", "V5", "V6"),
    "lateral": ("I", "aVL", "V5", "V6"),
    "inferolateral": ("II", "III", "aVF", "V5", "V6"),
    "posterior": ("V1", "V2", "V3"),
    "inferoposterior": ("II", "III", "aVF", "V1", "V2"),
    "inferoposterolateral": ("II", "III", "aVF", "V1", "V2", "V5", "V6"),
}
"""Leads in which a territory shows."""


@dataclass(frozen=True)
class State:
    """A clinical state: its claims, its slots, how it shapes the heart and what must then hold.

    `order` says when it acts (conduction before hypertrophy before infarction before ST-T);
    `weight` how often it is drawn first; `rate_bpm` the range of the sinus rate it needs;
    `of_the_healthy` that the heart it comes to is as healthy as any, where all its states are so.
    """

    name: str
    weight: float
    slots: frozenset[str]
    marks: tuple[Mark, ...] = ()
    order: int = 5
    shape: Shape | None = None
    holds: Check | None = None
    rate_bpm: tuple[float, float] | None = None
    companions: dict[str, float] = field(default_factory=dict)
    of_the_healthy: bool = False
