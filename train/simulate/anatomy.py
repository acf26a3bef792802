"""How normal hearts differ: amplitudes of kernels that vary together as they do in people.

The statistics in `anatomy.json` come from `fit_anatomy` (normal recordings of PTB-XL, folds 1 to
6; CC BY 4.0). A beat is a sum of kernels in the eight independent leads; their amplitudes,
divided by the size of their wave, and the sizes and times follow a Gaussian with age and sex as
covariates.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from jaxtyping import Float

ANATOMY_FILE = Path(__file__).with_name("anatomy.json")

QRS_KERNELS = 11
QRS_WIDTH = 0.62
"""Width of a QRS kernel in parts of the distance between two."""

T_CENTRES = (0.08, 0.30, 0.52, 0.72, 0.87, 1.00, 1.13, 1.28, 1.50)
T_WIDTHS = (0.14, 0.14, 0.13, 0.11, 0.085, 0.08, 0.085, 0.10, 0.13)
"""ST-T kernels; 0 is the end of QRS, 1 the peak of T."""

P_OFFSETS_S = (-0.036, -0.012, 0.012, 0.036)
P_WIDTH_S = 0.014

SCALARS = ("log_qrs", "log_t", "log_p", "log_qrs_s", "log_t_peak_s", "log_pr_s")
_SCALES = np.array([0.3, 0.3, 0.3, 1.0, 1.0, 0.5])
"""Weights of the scalars beside amplitudes of order one."""


@dataclass(frozen=True)
class Shape:
    """One beat in kernels (rows) and the eight independent leads (columns), in mV and seconds.

    `t_peak_s` is from the onset of QRS to the peak of T, corrected to an RR of 1 s.
    """

    qrs: Float[np.ndarray, "11 8"]
    t: Float[np.ndarray, "9 8"]
    p: Float[np.ndarray, "4 8"]
    qrs_s: float
    t_peak_s: float
    pr_s: float


def covariates(age_years: float, sex: str) -> Float[np.ndarray, "3"]:
    """What the mean depends on: one, age in score years from 50, sex."""
    return np.array([1.0, (age_years - 50) / 20, 0.5 if sex == "female" else -0.5])


def to_vector(shape: Shape) -> Float[np.ndarray, " D"]:
    """A shape as the vector whose statistics are kept."""
    waves = (shape.qrs, shape.t, shape.p)
    sizes = [float(np.linalg.norm(w)) for w in waves]
    scalars = np.log([*sizes, shape.qrs_s, shape.t_peak_s, shape.pr_s]) * _SCALES
    return np.concatenate([*(w.ravel() / s for w, s in zip(waves, sizes, strict=True)), scalars])


def from_vector(vector: Float[np.ndarray, " D"]) -> Shape:
    """The inverse of `to_vector`."""
    scalars = np.exp(vector[-len(SCALARS) :] / _SCALES)
    ends = np.cumsum([QRS_KERNELS * 8, len(T_CENTRES) * 8, len(P_OFFSETS_S) * 8])
    parts = np.split(vector[: ends[-1]], ends[:-1])
    qrs, t, p = (
        size * part.reshape(-1, 8) / np.linalg.norm(part)
        for size, part in zip(scalars[:3], parts, strict=True)
    )
    return Shape(qrs, t, p, *(float(value) for value in scalars[3:]))


def draw_shape(rng: np.random.Generator, *, age_years: float, sex: str) -> Shape:
    """A normal beat that nobody had, but somebody could have."""
    statistics = _statistics()
    mean = covariates(age_years, sex) @ statistics.effects
    varied = rng.standard_normal(len(statistics.loadings)) @ statistics.loadings
    return from_vector(mean + varied + rng.standard_normal(len(mean)) * 0.5 * statistics.left)


@dataclass(frozen=True)
class _Statistics:
    effects: Float[np.ndarray, "3 D"]
    loadings: Float[np.ndarray, "rank D"]
    left: Float[np.ndarray, " D"]


@cache
def _statistics() -> _Statistics:
    kept = json.loads(ANATOMY_FILE.read_text())
    return _Statistics(*(np.array(kept[name]) for name in ("effects", "loadings", "left")))
