"""Chambers that are too large: ventricles and atria.

Gains and vectors are chosen so that the voltage or shape claimed holds on the drawn beat.
"""

from dataclasses import replace

import numpy as np

from train.simulate.heart import Heart, by_lead, later, scaled, slower, stretch_qrs, wave
from train.simulate.repolarization import flatten_left_t, sink_st


def left_ventricle(heart: Heart, rng: np.random.Generator, *, gain: float, strain: bool) -> None:
    """Forces grow, but for those to the front, and turn to the back; strain turns ST and T.

    R stays small in V1 to V3, S gets deep there, R grows most in V5 and V6; QRS gets longer.
    """
    longer = min(rng.uniform(1.0, 1.14), max(0.116 / heart.qrs_s, 1.0))
    turned = rng.uniform(0.1, 0.5) * (gain - 1)
    some = 1 + 0.6 * (gain - 1)
    near = 0.4 * (gain - 1) * by_lead({"V4": 0.7, "V5": 1.0, "V6": 0.8})
    grown = []
    for item in heart.qrs:
        x, y, z = item.dipole
        local = item.local
        if item.at_s > 0.25 * heart.qrs_s:
            # A fascicular block leaves no dipole: its waves are of the leads alone.
            local = local if item.dipole.any() else some * local
            local = local + near * np.maximum(heart.leads_of(item), 0.0)
            z = gain * z if z > 0 else 0.9 * z
            x, y, z = some * x, gain * y, z + turned * max(x, 0.0)
        grown.append(replace(slower(item, longer), dipole=np.array([x, y, z]), local=local))
    heart.qrs = grown
    stretch_qrs(heart, longer * heart.qrs_s)
    if strain:
        _strain(heart, rng, size=rng.uniform(0.7, 1.3))
        return
    if rng.random() < 0.7:
        flatten_left_t(heart, rng, keep=rng.uniform(0.1, 0.9))
    if rng.random() < 0.5:
        sink_st(heart, rng, np.array([0.85, 0.3, 0.2]), amount=rng.uniform(0.02, 0.06))


def _strain(heart: Heart, rng: np.random.Generator, *, size: float) -> None:
    """ST sinks downhill into an inverted, lopsided T in the left leads; the mirror in V1, V2."""
    towards = np.array([0.85, rng.uniform(0.0, 0.5), rng.uniform(0.2, 0.5)])
    sink_st(heart, rng, towards, amount=0.11 * size)
    heart.t = [scaled(item, 0.2) for item in heart.t]
    rise = rng.uniform(0.06, 0.09)
    heart.t.append(
        wave(heart.t_peak_s, rise, -0.28 * size * towards, fall_s=rng.uniform(0.035, 0.05))
    )


def right_ventricle(heart: Heart, rng: np.random.Generator, *, strain: bool) -> None:
    """Forces to the right and front: tall R in V1, S in I, V5 and V6, axis to the right."""
    size = rng.uniform(0.8, 1.35)
    shrink = rng.uniform(0.45, 0.7)
    less = shrink * np.array([0.8, 1.0, 0.5])
    kept = [replace(item, dipole=item.dipole * less, local=0.6 * item.local) for item in heart.qrs]
    at = rng.uniform(0.52, 0.66) * heart.qrs_s
    vector = size * np.array([-0.78, rng.uniform(0.25, 0.6), -0.62])
    kept.append(wave(at, 0.13 * heart.qrs_s, vector))
    heart.qrs = kept
    if strain:
        towards = np.array([-0.45, 0.35, -0.8])
        sink_st(heart, rng, towards, amount=rng.uniform(0.04, 0.1))
        heart.t = [scaled(item, 0.6) for item in heart.t]
        heart.t.append(wave(heart.t_peak_s, 0.055, -rng.uniform(0.3, 0.5) * towards))


def septum(heart: Heart, rng: np.random.Generator) -> None:
    """A thick septum: deep narrow Q in lateral and inferior leads, tall R in V1 and V2."""
    vector = rng.uniform(0.9, 1.3) * np.array([-0.42, -0.30, -0.52])
    heart.qrs = [scaled(later(item, 0.004), 1.2) for item in heart.qrs]
    heart.qrs.append(wave(0.19 * heart.qrs_s, 0.075 * heart.qrs_s, vector))


def left_atrium(heart: Heart, rng: np.random.Generator) -> None:
    """P broad (over 120 ms, the limit) and notched, its end deep and wide in V1."""
    p_s = float(rng.uniform(0.122, 0.146))
    size = rng.uniform(0.9, 1.5)
    late = np.array([0.075, 0.08, -0.09, -0.03, 0.02, 0.045, 0.055, 0.06])
    early = {"I": 0.045, "II": 0.085, "V1": 0.045, "V2": 0.05, "V3": 0.05, "V4": 0.045, "V5": 0.04}
    spread = rng.normal(0, 0.012, (2, 8))
    heart.p = [
        wave(0.28 * p_s, 0.125 * p_s, local=by_lead(early) + spread[0]),
        wave(0.68 * p_s, 0.150 * p_s, local=size * (late + spread[1])),
    ]
    heart.p_s = p_s


def right_atrium(heart: Heart, rng: np.random.Generator) -> None:
    """P tall (0.25 mV in II, the limit, or more) and pointed in II, III, aVF and V1."""
    size = rng.uniform(0.25, 0.36)
    tall = np.array([0.12, 1.0, 0.45, 0.5, 0.4, 0.3, 0.25, 0.2])
    late = [scaled(item, 0.5) for item in heart.p[2:]]
    seen = size * tall + rng.normal(0, 0.012, 8)
    heart.p = [wave(0.45 * heart.p_s, 0.165 * heart.p_s, local=seen), *late]
