"""Infarction: lost forces (Q waves, lost R), injury (ST) and residual T, by wall.

A wall is a direction of the dipole plus the leads that lie over it. Vectors are mV along
x (left), y (feet), z (back).
"""

from dataclasses import dataclass, replace

import numpy as np

from train.simulate.heart import Heart, Wave, by_lead, slower, stretch_qrs, wave


@dataclass(frozen=True)
class Wall:
    """Where the muscle lies (`towards`, unit vector) and the chest leads over it (0 to 1)."""

    towards: tuple[float, float, float]
    over: dict[str, float]
    dipole: float = 0.4
    """How much of its share of the dipole is lost when the whole wall is scar."""
    lost_at: tuple[float, float] = (0.27, 0.36)
    """When in QRS the rest points away from it: early, a Q; later, a deep S after a small r."""


WALLS = {
    "inferior": Wall((-0.12, 0.98, 0.15), {}, dipole=0.9),
    "septal": Wall((-0.25, -0.05, -0.96), {"V1": 0.7, "V2": 0.8, "V3": 0.5}, lost_at=(0.30, 0.50)),
    "anterior": Wall(
        (0.35, -0.05, -0.93), {"V2": 0.6, "V3": 0.8, "V4": 0.6, "V5": 0.2}, lost_at=(0.35, 0.55)
    ),
    "lateral": Wall((0.95, -0.25, 0.15), {"I": 0.25, "V5": 0.9, "V6": 1.0, "V4": 0.3}),
    "posterior": Wall((0.15, 0.15, 0.97), {}, dipole=0.9),
}
"""The walls of the left ventricle, as the leads see them."""

TERRITORIES = {
    "inferior": {"inferior": 1.0},
    "anterior": {"anterior": 1.0, "septal": 0.35},
    "anteroseptal": {"septal": 1.0, "anterior": 0.65},
    "anterolateral": {"anterior": 0.85, "lateral": 0.9},
    "lateral": {"lateral": 1.0},
    "inferolateral": {"inferior": 0.9, "lateral": 0.8},
    "posterior": {"posterior": 1.0},
    "inferoposterior": {"inferior": 0.9, "posterior": 0.8},
    "inferoposterolateral": {"inferior": 0.8, "posterior": 0.7, "lateral": 0.7},
}
"""The infarctions of the lexicon, as parts of walls."""


def scar(heart: Heart, rng: np.random.Generator, territory: str, *, size: float) -> None:
    """Old infarction: early forces point away from the wall, R over it is lost, QRS is longer."""
    for name, part in TERRITORIES[territory].items():
        _lose_forces(heart, rng, WALLS[name], amount=size * part)
    slow = 1 + size * rng.uniform(0.0, 0.12)
    heart.qrs = [slower(item, slow) for item in heart.qrs]
    stretch_qrs(heart, slow * heart.qrs_s)


def residual_t(heart: Heart, rng: np.random.Generator, territory: str, *, size: float) -> None:
    """T away from the wall, symmetric, as it stays for months."""
    for name, part in TERRITORIES[territory].items():
        turn_t(heart, rng, WALLS[name], amount=size * part)


def injure(heart: Heart, rng: np.random.Generator, territory: str, *, size: float) -> None:
    """Acute infarction: ST lifted over the wall, sunk opposite, T tall and broad."""
    for name, part in TERRITORIES[territory].items():
        lift_st(heart, rng, WALLS[name], amount=size * part)


def _lose_forces(heart: Heart, rng: np.random.Generator, wall: Wall, *, amount: float) -> None:
    """Take away what this wall gave to the first half of QRS; the rest points away from it.

    Only R is lost: S, which comes from the walls opposite, stays as deep as it was.
    """
    towards, over = np.array(wall.towards), by_lead(wall.over)
    until = rng.uniform(0.45, 0.60) * heart.qrs_s
    changed = []
    for item in heart.qrs:
        share = min(amount, 1.0) / (1 + np.exp((item.at_s - until) / (0.07 * heart.qrs_s)))
        dipole = item.dipole - wall.dipole * share * float(item.dipole @ towards) * towards
        seen = np.maximum(heart.matrix @ dipole + item.local, 0.0)
        changed.append(replace(item, dipole=dipole, local=item.local - 0.8 * share * over * seen))
    at = rng.uniform(*wall.lost_at) * heart.qrs_s
    depth = amount * rng.uniform(0.25, 0.55) * heart.qrs_size()
    width = rng.uniform(0.11, 0.15) * heart.qrs_s
    changed.append(wave(at, width, -depth * towards, local=-0.3 * depth * over))
    heart.qrs = changed


def turn_t(heart: Heart, rng: np.random.Generator, wall: Wall, *, amount: float) -> None:
    """Invert T over a wall by `amount` mV, symmetric and narrow."""
    towards, over = np.array(wall.towards), by_lead(wall.over)
    share = 0.8 * min(1.0, 2.2 * amount)
    heart.t = [_without(item, heart, towards, over, share) for item in heart.t]
    width = rng.uniform(0.038, 0.052)
    at = heart.t_peak_s - 0.008
    heart.t.append(wave(at, width, -0.75 * amount * towards, local=-0.45 * amount * over))


def _without(item: Wave, heart: Heart, towards: np.ndarray, over: np.ndarray, share: float) -> Wave:
    """A wave less the part that points to a wall, in the dipole and in the leads over it."""
    dipole = item.dipole - share * max(float(item.dipole @ towards), 0.0) * towards
    seen = np.maximum(heart.matrix @ dipole + item.local, 0.0)
    return replace(item, dipole=dipole, local=item.local - share * over * seen)


def lift_st(heart: Heart, rng: np.random.Generator, wall: Wall, *, amount: float) -> None:
    """Raise ST over a wall by about `amount` mV, with the mirror image opposite."""
    towards, over = np.array(wall.towards), by_lead(wall.over)
    middle = 0.5 * (heart.qrs_s + heart.t_peak_s)
    half = max(0.5 * (heart.t_peak_s - heart.qrs_s) + 0.02, 0.05)
    vector = 0.85 * amount * towards
    heart.st.append(wave(middle, half, vector, local=0.35 * amount * over, power=4.0))
    dome = rng.uniform(0.5, 1.1)
    at, local = heart.t_peak_s - 0.03, 0.3 * dome * amount * over
    heart.t.append(wave(at, 0.06, dome * vector, fall_s=0.055, local=local))
