"""Electrodes in the wrong place: the heart is well, the leads are not."""

from dataclasses import replace

import numpy as np

from train.simulate.heart import Heart, Wave

# Right and left arm swapped: I turns over, II and III change places (aVR and aVL follow).
_ARMS_SWAPPED = np.eye(8)
_ARMS_SWAPPED[0, 0] = -1.0
_ARMS_SWAPPED[1, 0] = -1.0


def swap_arms(heart: Heart, rng: np.random.Generator) -> None:
    """Right and left arm electrodes exchanged; Wilson's terminal and the chest leads stay."""
    for name in ("p", "qrs", "st", "t"):
        setattr(heart, name, [_rewired(heart, item) for item in getattr(heart, name)])


def _rewired(heart: Heart, item: Wave) -> Wave:
    return replace(item, dipole=np.zeros(3), local=_ARMS_SWAPPED @ heart.leads_of(item))
