"""Atrial activity: P waves by origin, fibrillation, flutter."""

import numpy as np

from train.simulate.heart import Heart, Wave, wave


def p_waves_of(heart: Heart, kind: str, rng: np.random.Generator) -> list[Wave]:
    """Sinus P as it is; ectopic P from elsewhere; retrograde P upside down in the lower leads."""
    if kind == "sinus":
        return heart.p
    if kind == "retrograde":
        return [wave(0.045, 0.016, (0.01, -0.13, -0.05))]
    turn = rng.uniform(-0.07, 0.05, 3)
    return [wave(w.at_s * 0.95, w.rise_s, 0.8 * w.dipole + turn, local=w.local) for w in heart.p]


def add_fibrillation(
    canvas: np.ndarray, heart: Heart, rng: np.random.Generator, *, rate: int
) -> None:
    """f waves of 4-9 Hz whose rate and size wander, largest in V1."""
    times = np.arange(canvas.shape[1]) / rate
    size = float(np.exp(rng.normal(np.log(0.045), 0.5)))
    base_hz = rng.uniform(5.2, 7.6)
    knots = np.arange(0, times[-1] + 0.5, 0.25)
    for share, ratio in ((1.0, 1.0), (0.5, 1.31), (0.35, 0.77)):
        speed = np.interp(times, knots, base_hz * ratio + rng.normal(0, 0.9, len(knots)))
        phase = 2 * np.pi * np.cumsum(speed) / rate + rng.uniform(0, 6.3)
        swell = np.interp(times, knots, 1 + rng.normal(0, 0.35, len(knots)))
        shape = np.sin(phase) + 0.35 * np.sin(2 * phase + 0.8)
        vector = np.array([-0.35, 0.45, -0.95]) + rng.normal(0, 0.3, 3)
        canvas += (heart.matrix @ vector)[:, None] * (share * size * swell * shape)


def add_flutter(
    canvas: np.ndarray, heart: Heart, rng: np.random.Generator, *, hertz: float, rate: int
) -> None:
    """A saw-tooth: slow down, quick up, in II, III and aVF; small peaks in V1."""
    times = np.arange(canvas.shape[1]) / rate
    phase = 2 * np.pi * hertz * times + rng.uniform(0, 2 * np.pi)
    saw = sum(np.sin(k * phase) / k for k in range(1, 5)) / 1.4
    peak = np.cos(phase - 0.6) + 0.3 * np.cos(2 * phase)
    size = rng.uniform(0.09, 0.22)
    typical = 1.0 if rng.random() < 0.8 else -1.0
    canvas += (heart.matrix @ (typical * np.array([0.1, 1.0, 0.1])))[:, None] * (size * saw)
    canvas += (heart.matrix @ np.array([-0.1, 0.0, -0.6]))[:, None] * (0.6 * size * peak)
