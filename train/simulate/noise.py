"""What the patient's skin, muscles, cables and the machine add; drawn at the electrodes.

Noise is drawn at the nine electrodes and differenced into leads, so that a bad electrode shows
in the leads that use it, and Einthoven's law stays true.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from jaxtyping import Float

from train.simulate.projection import BASE_LEADS

_TREMBLE = np.array([1.0] * 3 + [0.25] * 6)
"""Arms and legs tremble, the chest hardly does."""

_AMPLIFIER_MV = np.float32(0.0026)
"""Root mean square of a machine's own noise: some 15 µV from peak to peak, hardly seen on paper."""

_DRIFT_PARTS = 6

# Electrodes (RA, LA, LL, V1 to V6) -> the eight independent leads: I = LA - RA, II = LL - RA,
# V = C - Wilson's terminal.
_TO_LEADS = np.zeros((8, 9))
_TO_LEADS[0, :2] = (-1.0, 1.0)
_TO_LEADS[1, [0, 2]] = (-1.0, 1.0)
_TO_LEADS[2:, 3:] = np.eye(6)
_TO_LEADS[2:, :3] = -1 / 3


@dataclass(frozen=True)
class NoisePlan:
    """Sizes at an electrode in mV (root mean square; drift as peak) and the machine's settings.

    `muscle_span_s` limits strong muscle noise to a burst; `flat` names a chest lead that is off.
    """

    drift_mv: float
    muscle_mv: float
    mains_mv: float
    mains_hz: float
    low_pass_hz: float
    high_pass_hz: float
    step_mv: float
    pops: int = 0
    flat: str | None = None
    muscle_span_s: tuple[float, float] | None = None
    tags: frozenset[str] = field(default=frozenset())


def draw_plan(
    rng: np.random.Generator, *, asked: frozenset[str], duration_s: float, strong: bool = True
) -> NoisePlan:
    """A random recording quality; `asked` tags are made strong, others seldom are.

    Filters are those of machines: 150 Hz for diagnosis, 35 and 40 Hz against tremor.
    """

    def is_strong(tag: str, chance: float) -> bool:
        return tag in asked or (strong and rng.random() < chance)

    tags = {
        tag
        for tag, chance in (
            ("baseline wander", 0.08),
            ("muscle artifact", 0.08),
            ("mains interference", 0.03),
        )
        if is_strong(tag, chance)
    }
    burst = None
    if "muscle artifact" in tags and rng.random() < 0.4:
        start = float(rng.uniform(0, 0.6 * duration_s))
        burst = (start, min(start + float(rng.uniform(0.2, 0.5)) * duration_s, duration_s))
    plan = NoisePlan(
        drift_mv=float(
            rng.uniform(0.30, 0.8) if "baseline wander" in tags else _spread(rng, 0.05, 0.55)
        ),
        muscle_mv=float(
            rng.uniform(0.04, 0.10) if "muscle artifact" in tags else _spread(rng, 0.0068, 0.45)
        ),
        mains_mv=float(
            rng.uniform(0.04, 0.12) if "mains interference" in tags else rng.gamma(0.8, 0.0015)
        ),
        mains_hz=float(rng.choice([50.0, 60.0], p=[0.8, 0.2])) + float(rng.normal(0, 0.03)),
        low_pass_hz=float(
            rng.choice([35, 40, 75, 100, 150, 220], p=[0.08, 0.14, 0.12, 0.2, 0.3, 0.16])
        ),
        high_pass_hz=float(rng.choice([0.05, 0.15, 0.5], p=[0.6, 0.25, 0.15])),
        step_mv=float(rng.choice([0.001, 0.00244, 0.005], p=[0.5, 0.2, 0.3])),
        pops=int(rng.random() < 0.03),
        flat=str(rng.choice(BASE_LEADS[2:])) if strong and rng.random() < 0.004 else None,
        muscle_span_s=burst,
        tags=frozenset(tags),
    )
    return replace(plan, tags=plan.tags | _quality(plan))


def _quality(plan: NoisePlan) -> frozenset[str]:
    """What a technician would say of this recording."""
    if plan.flat is not None:
        return frozenset({"missing lead", "poor signal quality"})
    if len(plan.tags) >= 2 or plan.muscle_mv > 0.075 or plan.drift_mv > 0.6:
        return frozenset({"poor signal quality"})
    calm = plan.muscle_mv < 0.012 and plan.drift_mv < 0.1 and not plan.pops
    return frozenset({"good signal quality"}) if calm and not plan.tags else frozenset()


def _spread(rng: np.random.Generator, median: float, spread: float) -> float:
    return float(median * np.exp(rng.normal(0, spread)))


def add_noise(
    clean: Float[np.ndarray, "8 T"],
    plan: NoisePlan,
    rng: np.random.Generator,
    *,
    sampling_rate_hz: float,
) -> Float[np.ndarray, "8 T"]:
    """The eight independent leads as a machine would store them, in mV."""
    times = np.arange(clean.shape[1]) / sampling_rate_hz
    noise = _TO_LEADS.astype(np.float32) @ (_muscle(rng, times, plan) + _mains(rng, times, plan))
    noise += _AMPLIFIER_MV * rng.standard_normal(noise.shape, dtype=np.float32)
    noise = noise + _drift(rng, times, size=plan.drift_mv)
    if plan.pops:
        noise += _pop(rng, times)
    gains = 1 + rng.normal(0, 0.012) + rng.normal(0, 0.006, (8, 1))
    low_pass = plan.low_pass_hz if "mains interference" not in plan.tags else 150.0
    stored = _filter(clean * gains + noise, low_pass, sampling_rate_hz)
    stored = np.round(stored / plan.step_mv) * plan.step_mv
    if plan.flat is not None:
        stored[BASE_LEADS.index(plan.flat)] = 0.0
    return stored


def _drift(rng: np.random.Generator, times: np.ndarray, *, size: float) -> np.ndarray:
    """Breathing and slow sweat potentials: sines of 0.04 to 0.7 Hz, each electrode its own."""
    hertz = np.exp(rng.uniform(np.log(0.04), np.log(0.7), _DRIFT_PARTS))
    parts = 0.62 * size * (hertz / 0.15) ** -0.7
    weights = rng.normal(0, 0.6, (9, _DRIFT_PARTS)) * np.minimum(parts, 2 * size)
    phases = rng.uniform(0, 2 * np.pi, (1, _DRIFT_PARTS)) + rng.normal(0, 0.9, (9, _DRIFT_PARTS))
    coarse = np.arange(0, times[-1] + 0.08, 0.04)
    angles = 2 * np.pi * hertz[:, None] * coarse
    slow = (weights * np.cos(phases)) @ np.sin(angles) + (weights * np.sin(phases)) @ np.cos(angles)
    return np.array([np.interp(times, coarse, lead) for lead in _TO_LEADS @ slow])


def _muscle(rng: np.random.Generator, times: np.ndarray, plan: NoisePlan) -> np.ndarray:
    """Broad noise, its size changing over seconds and from electrode to electrode."""
    noise = rng.standard_normal((9, len(times)), dtype=np.float32)
    noise[:, 1:] -= np.float32(0.45) * noise[:, :-1]
    # Wilson's terminal averages the noise of the limbs.
    sizes = plan.muscle_mv * np.exp(rng.normal(0, 0.35, 9)) * _TREMBLE
    swell = 1 + 0.4 * np.sin(2 * np.pi * rng.uniform(0.05, 0.4) * times + rng.uniform(0, 6.3))
    if plan.muscle_span_s is not None:
        start, end = plan.muscle_span_s
        swell = swell * np.where((times >= start) & (times < end), 1.0, 0.12)
    noise *= swell.astype(np.float32)
    noise *= sizes.astype(np.float32)[:, None]
    return noise


def _mains(rng: np.random.Generator, times: np.ndarray, plan: NoisePlan) -> np.ndarray:
    phase = rng.uniform(0, 2 * np.pi)
    hum = np.sin(2 * np.pi * plan.mains_hz * times + phase)
    hum += 0.15 * np.sin(6 * np.pi * plan.mains_hz * times + 2 * phase)
    sizes = plan.mains_mv * rng.normal(0, 1.0, (9, 1))
    return sizes.astype(np.float32) * hum.astype(np.float32)


def _pop(rng: np.random.Generator, times: np.ndarray) -> np.ndarray:
    """One electrode jumps and recovers."""
    start = rng.uniform(0, times[-1])
    jump = rng.uniform(0.15, 0.8) * rng.choice([-1, 1])
    fading = np.exp(-np.maximum(times - start, 0.0) / rng.uniform(0.1, 0.7))
    return _TO_LEADS[:, rng.integers(0, 9), None] * np.where(times >= start, jump * fading, 0.0)


def _filter(signal: np.ndarray, low_pass_hz: float, sampling_rate_hz: float) -> np.ndarray:
    """The machine's low-pass: magnitude of a second-order Butterworth, no phase."""
    count = signal.shape[1]
    edge = min(100, count - 1)
    padded = np.pad(signal, ((0, 0), (edge, edge)), mode="reflect")
    hertz = np.fft.rfftfreq(padded.shape[1], 1 / sampling_rate_hz)
    keep = 1 / np.sqrt(1 + (hertz / low_pass_hz) ** 4)
    spectrum = np.fft.rfft(padded, axis=1) * keep
    return np.fft.irfft(spectrum, padded.shape[1], axis=1)[:, edge : edge + count]
