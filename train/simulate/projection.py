"""From the heart's dipole to twelve leads: one torso a patient, limb leads exact by definition."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from focal_app.ecg.complete import LIMB_COEFFICIENTS

BASE_LEADS = ("I", "II", "V1", "V2", "V3", "V4", "V5", "V6")
"""The eight independent leads; the other four follow from I and II."""

# Dower's transform, rows as BASE_LEADS, columns x (left), y (feet), z (back).
# Dower, Machado & Osborne, Clin Cardiol 3:87 (1980).
DOWER = np.array(
    [
        [0.632, -0.235, 0.059],
        [0.235, 1.066, -0.132],
        [-0.515, 0.157, -0.917],
        [0.044, 0.164, -1.387],
        [0.882, 0.098, -1.277],
        [1.213, 0.127, -0.601],
        [1.125, 0.127, -0.086],
        [0.831, 0.076, 0.230],
    ]
)

# I, II, V1..V6 -> the twelve leads in the order of LEADS.
_TO_TWELVE = np.zeros((12, 8))
_TO_TWELVE[:6, :2] = list(LIMB_COEFFICIENTS.values())
_TO_TWELVE[6:, 2:] = np.eye(6)


@dataclass(frozen=True)
class Torso:
    """How one patient's body and electrodes see the heart.

    `frontal_rad` turns the heart towards the feet (vertical heart, axis to the right),
    `horizontal_rad` turns it towards the back (clockwise rotation, late transition);
    `shift` moves the chest electrodes along the row V1 to V6, in electrode distances;
    `height` raises V1 and V2, in parts of the vertical distance; `gains` (8,) scales leads.
    """

    frontal_rad: float = 0.0
    horizontal_rad: float = 0.0
    shift: float = 0.0
    height: float = 0.0
    gains: Float[np.ndarray, "8"] | None = None

    def matrix(self) -> Float[np.ndarray, "8 3"]:
        """Lead vectors of this patient, in mV a mV of dipole."""
        matrix = _raise_electrodes(_slide_electrodes(DOWER, shift=self.shift), height=self.height)
        matrix = matrix @ _rotation(frontal=self.frontal_rad, horizontal=self.horizontal_rad)
        return matrix if self.gains is None else matrix * self.gains[:, None]


def twelve_leads(base: Float[np.ndarray, "... 8 T"]) -> Float[np.ndarray, "... 12 T"]:
    """The twelve leads from the eight independent ones; III, aVR, aVL and aVF exactly."""
    return _TO_TWELVE @ base


def _slide_electrodes(matrix: np.ndarray, *, shift: float) -> np.ndarray:
    """Chest electrodes moved along their row: rows interpolated between their neighbours."""
    moved = matrix.copy()
    places = np.clip(np.arange(6) + shift, -0.5, 5.5)
    low = np.clip(places.astype(int), 0, 4)
    part = (places - low)[:, None]
    chest = matrix[2:]
    moved[2:] = chest[low] * (1 - part) + chest[low + 1] * part
    return moved


def _raise_electrodes(matrix: np.ndarray, *, height: float) -> np.ndarray:
    """V1 and V2 placed too high see less of the feet and less of the front."""
    raised = matrix.copy()
    raised[2:4, 1] -= 0.45 * height
    raised[2:4, 2] *= 1 - 0.15 * abs(height)
    return raised


def _rotation(*, frontal: float, horizontal: float) -> np.ndarray:
    """Rotation of the heart: about z (x to y), then about y (x to z)."""
    cos_f, sin_f = np.cos(frontal), np.sin(frontal)
    cos_h, sin_h = np.cos(horizontal), np.sin(horizontal)
    about_z = np.array([[cos_f, -sin_f, 0.0], [sin_f, cos_f, 0.0], [0.0, 0.0, 1.0]])
    about_y = np.array([[cos_h, 0.0, -sin_h], [0.0, 1.0, 0.0], [sin_h, 0.0, cos_h]])
    return about_z @ about_y
