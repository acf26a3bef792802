"""Infarction: lost forces (Q waves, lost R), injury (ST) and residual T, by wall.

A wall is a direction of the dipole plus the leads that lie over it. Vectors are mV along
x (left), y (feet), z (back).
"""

from dataclasses import dataclass, replace

import numpy as np

from train.simulate.heart import Heart, Wave, wave
from train.simulate.projection import BASE_LEADS


@dataclass(frozen=True)
class Wall:
    """Where the muscle lies (`towards`, unit vector) and the chest leads over it (0 to 1)."""

    towards: tuple[float, float, float]
    over: dict[str, float]


WALLS = {
    "inferior": Wall((-0.12, 0.98, 0.15), {}),
    "septal": Wall((-0.25, -0.05, -0.96), {"V1": 0.9, "V2": 1.0, "V3": 0.6}),
    "anterior": Wall((0.35, -0.05, -0.93), {"V2": 0.8, "V3": 1.0, "V4": 0.8, "V5": 0.2}),
    "lateral": Wall((0.95, -0.25, 0.15), {"I": 0.25, "V5": 0.9, "V6": 1.0, "V4": 0.3}),
    "posterior": Wall((0.15, 0.15, 0.97), {}),
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
    """Old infarction: early forces point away from the wall, R over it is lost, T may turn."""
    for name, part in TERRITORIES[territory].items():
        _lose_forces(heart, rng, WALLS[name], amount=size * part, inferior=name == "inferior")


def residual_t(heart: Heart, rng: np.random.Generator, territory: str, *, size: float) -> None:
    """T away from the wall, symmetric, as it stays for months."""
    for name, part in TERRITORIES[territory].items():
        turn_t(heart, rng, WALLS[name], amount=size * part)


def injure(heart: Heart, rng: np.random.Generator, territory: str, *, size: float) -> None:
    """Acute infarction: ST lifted over the wall, sunk opposite, T tall and broad."""
    for name, part in TERRITORIES[territory].items():
        lift_st(heart, rng, WALLS[name], amount=size * part)


def _lose_forces(
    heart: Heart, rng: np.random.Generator, wall: Wall, *, amount: float, inferior: bool
) -> None:
    towards = np.array(wall.towards)
    over = np.array([wall.over.get(lead, 0.0) for lead in BASE_LEADS])
    loss = np.clip(over * rng.uniform(0.75, 1.0) * amount, 0, 1)
    changed = []
    for item in heart.qrs:
        early = 1.0 if item.at_s < 0.55 * heart.qrs_s else 0.55
        seen = heart.leads_of(item)
        local = item.local - early * loss * np.maximum(seen, 0.0)
        away = max(float(item.dipole @ towards), 0.0) * towards
        kept = 0.75 if inferior else 0.3
        dipole = item.dipole - min(kept * amount * early, 0.9) * away
        changed.append(wave(item.at_s, item.rise_s, dipole, fall_s=item.fall_s, local=local))
    at = rng.uniform(0.26, 0.34) * heart.qrs_s
    depth = amount * rng.uniform(0.30, 0.5)
    changed.append(wave(at, 0.115 * heart.qrs_s, -depth * towards, local=-0.25 * depth * over))
    heart.qrs = changed


def turn_t(heart: Heart, rng: np.random.Generator, wall: Wall, *, amount: float) -> None:
    """Invert T over a wall by `amount` mV, symmetric and narrow."""
    over = np.array([wall.over.get(lead, 0.0) for lead in BASE_LEADS])
    towards = np.array(wall.towards)
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
    over = np.array([wall.over.get(lead, 0.0) for lead in BASE_LEADS])
    towards = np.array(wall.towards)
    middle = 0.5 * (heart.qrs_s + heart.t_peak_s)
    half = max(0.5 * (heart.t_peak_s - heart.qrs_s) + 0.02, 0.05)
    vector = 0.85 * amount * towards
    heart.st.append(wave(middle, half, vector, local=0.35 * amount * over, power=4.0))
    dome = rng.uniform(0.5, 1.1)
    heart.t.append(
        wave(
            heart.t_peak_s - 0.03,
            0.06,
            dome * vector,
            fall_s=0.055,
            local=0.3 * dome * amount * over,
        )
    )
