"""Chambers that are too large: ventricles and atria."""

import numpy as np

from train.simulate.heart import Heart, wave
from train.simulate.repolarization import sink_st


def left_ventricle(heart: Heart, rng: np.random.Generator, *, gain: float, strain: bool) -> None:
    """Left and back forces grow, the QRS gets longer; strain turns ST and T away."""
    longer = rng.uniform(1.0, 1.14)
    grown = []
    for item in heart.qrs:
        late = item.at_s > 0.25 * heart.qrs_s
        size = np.array([gain, 0.5 + 0.5 * gain, gain * 1.05]) if late else np.ones(3)
        grown.append(
            wave(item.at_s * longer, item.rise_s * longer, item.dipole * size, local=item.local)
        )
    heart.qrs = grown
    heart.qrs_s = min(heart.qrs_s * longer, 0.116)
    if strain:
        _strain(heart, rng, size=rng.uniform(0.7, 1.3))
    elif rng.random() < 0.5:
        keep = rng.uniform(0.4, 0.9)
        heart.t = [
            wave(w.at_s, w.rise_s, keep * w.dipole, fall_s=w.fall_s, local=w.local) for w in heart.t
        ]


def _strain(heart: Heart, rng: np.random.Generator, *, size: float) -> None:
    """ST sinks downhill into an inverted, lopsided T in the left leads; the mirror in V1, V2."""
    towards = np.array([0.85, rng.uniform(0.0, 0.5), rng.uniform(0.2, 0.5)])
    sink_st(heart, rng, towards, amount=0.11 * size)
    first = heart.t[0]
    heart.t = [
        wave(
            first.at_s,
            first.rise_s * 1.35,
            -0.30 * size * towards,
            fall_s=first.fall_s * 0.85,
            local=first.local,
        )
    ]


def right_ventricle(heart: Heart, rng: np.random.Generator, *, strain: bool) -> None:
    """Forces to the right and front: tall R in V1, S in I, V5 and V6, axis to the right."""
    size = rng.uniform(0.8, 1.35)
    shrink = rng.uniform(0.45, 0.7)
    kept = [
        wave(w.at_s, w.rise_s, shrink * w.dipole * np.array([0.8, 1.0, 0.5]), local=w.local)
        for w in heart.qrs
    ]
    at = rng.uniform(0.52, 0.66) * heart.qrs_s
    vector = size * np.array([-0.78, rng.uniform(0.25, 0.6), -0.62])
    kept.append(wave(at, 0.13 * heart.qrs_s, vector))
    heart.qrs = kept
    if strain:
        towards = np.array([-0.45, 0.35, -0.8])
        sink_st(heart, rng, towards, amount=rng.uniform(0.04, 0.1))
        first = heart.t[0]
        heart.t[0] = wave(
            first.at_s,
            first.rise_s,
            0.6 * first.dipole - rng.uniform(0.3, 0.5) * towards,
            fall_s=first.fall_s,
            local=first.local,
        )


def septum(heart: Heart, rng: np.random.Generator) -> None:
    """A thick septum: deep narrow Q in lateral and inferior leads, tall R in V1 and V2."""
    first = heart.qrs[0]
    vector = rng.uniform(1.0, 1.4) * np.array([-0.42, -0.30, -0.52])
    heart.qrs[0] = wave(0.18 * heart.qrs_s, 0.075 * heart.qrs_s, vector, local=first.local)
    heart.qrs[1:] = [
        wave(w.at_s + 0.004, w.rise_s, 1.2 * w.dipole, local=w.local) for w in heart.qrs[1:]
    ]


def left_atrium(heart: Heart, rng: np.random.Generator) -> None:
    """P broad and notched, its end deep and wide in V1."""
    p_s = float(rng.uniform(0.124, 0.146))
    size = rng.uniform(1.25, 1.8)
    right = heart.p[0].dipole
    left = np.array([0.075, 0.045, 0.085]) * size + rng.normal(0, 0.01, 3)
    heart.p = [
        wave(0.27 * p_s, 0.125 * p_s, right),
        wave(0.68 * p_s, 0.150 * p_s, left),
    ]
    heart.p_s = p_s


def right_atrium(heart: Heart, rng: np.random.Generator) -> None:
    """P tall and pointed in II, III, aVF and V1."""
    size = rng.uniform(0.20, 0.30)
    heart.p = [
        wave(0.42 * heart.p_s, 0.16 * heart.p_s, size * np.array([0.05, 0.95, -0.45])),
        wave(0.68 * heart.p_s, 0.14 * heart.p_s, heart.p[1].dipole * 0.7),
    ]
