"""Atrial activity: P waves by origin, fibrillation, flutter."""

from dataclasses import replace

import numpy as np

from train.simulate.heart import Heart, Wave, by_lead, wave


def p_waves_of(heart: Heart, kind: str, rng: np.random.Generator) -> list[Wave]:
    """Sinus P as it is; ectopic P from elsewhere; retrograde P upside down in the lower leads."""
    if kind == "sinus":
        return heart.p
    if kind == "retrograde":
        upside = {"I": 0.01, "II": -0.13, "V1": 0.06, "V2": 0.03, "V5": -0.04, "V6": -0.05}
        return [wave(0.045, 0.016, local=by_lead(upside) * rng.uniform(0.7, 1.3))]
    turn = rng.normal(0, 0.03, 8) - rng.uniform(0.0, 0.1) * by_lead(
        {"II": 1.0, "V5": 0.4, "V6": 0.4}
    )
    return [replace(item, local=0.8 * item.local + turn / 2) for item in heart.p]


_SEEN = by_lead(
    {"I": 0.2, "II": 0.5, "V1": 1.0, "V2": 0.6, "V3": 0.35, "V4": 0.25, "V5": 0.2, "V6": 0.2}
)
"""How much of the fibrillating atria each lead sees: V1, over the right atrium, most."""


def add_fibrillation(canvas: np.ndarray, rng: np.random.Generator, *, rate: int) -> None:
    """f waves of 4-9 Hz whose rate and size wander, largest in V1, from fine to coarse."""
    times = np.arange(canvas.shape[1]) / rate
    size = float(np.exp(rng.normal(np.log(0.045), 0.55)))
    base_hz = rng.uniform(5.2, 7.6)
    knots = np.arange(0, times[-1] + 0.5, 0.25)
    shapes = []
    for share, ratio in ((1.0, 1.0), (0.5, 1.31), (0.35, 0.77)):
        speed = np.interp(times, knots, base_hz * ratio + rng.normal(0, 0.9, len(knots)))
        phase = 2 * np.pi * np.cumsum(speed) / rate + rng.uniform(0, 6.3)
        swell = np.interp(times, knots, 1 + rng.normal(0, 0.35, len(knots)))
        shapes.append(share * size * swell * (np.sin(phase) + 0.35 * np.sin(2 * phase + 0.8)))
    seen = _SEEN[:, None] * rng.normal(1, 0.25, (8, 3)) * rng.choice([1, 1, 1, -1], (8, 3))
    canvas += seen @ np.array(shapes)


def add_flutter(canvas: np.ndarray, rng: np.random.Generator, *, hertz: float, rate: int) -> None:
    """A saw-tooth: slow down, quick up, in II, III and aVF; small peaks in V1.

    In two of ten it circles the other way round, and the saw-tooth is turned over.
    """
    times = np.arange(canvas.shape[1]) / rate
    phase = 2 * np.pi * hertz * times + rng.uniform(0, 2 * np.pi)
    saw = sum(np.sin(k * phase) / k for k in range(1, 5)) / 1.4
    peak = np.cos(phase - 0.6) + 0.3 * np.cos(2 * phase)
    size = rng.uniform(0.09, 0.22) * (1.0 if rng.random() < 0.8 else -1.0)
    low = by_lead({"I": 0.1, "II": 1.0, "V1": -0.1, "V2": -0.1, "V5": 0.3, "V6": 0.35})
    front = by_lead({"V1": 0.7, "V2": 0.45, "V3": 0.25, "I": -0.05})
    canvas += (low * rng.normal(1, 0.1, 8))[:, None] * (size * saw)
    canvas += (front * rng.normal(1, 0.1, 8))[:, None] * (0.7 * abs(size) * peak)
