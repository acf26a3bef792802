"""Changes to a prepared recording that leave every tag true, each with a switch and a size.

    record = shifted(Augmented(prepared.signal, prepared.seen), settings, rng, spec=spec)
    record = augment(section(record, 2, 5, spec=spec), settings, rng, spec=spec)

What a change could make untrue bounds it: voltages are findings, so that gain stays within 20 %;
rates are findings, so that time is stretched only where no tag speaks of rate or intervals
(`rate_is_free`); the limb leads are bound by Einthoven's law, so that they share one gain.
Signals are those of `prepare` with a normalisation that keeps 0 at the baseline.
"""

from collections.abc import Collection
from dataclasses import dataclass, fields, replace
from functools import lru_cache

import numpy as np
from jaxtyping import Bool, Float

from focal_app.ecg.recording import LEADS
from focal_app.ecg.resampling import resampled
from focal_app.ecg.signal_spec import SignalSpec
from focal_app.errors import ConfigError
from focal_app.lexicon import Statement, load_lexicon

_LIMB = 6
_MOST_GAIN, _MOST_STRETCH = 0.2, 0.1

_OF_TIME = frozenset({"normal", "rhythm", "conduction", "device"})
"""Groups of the lexicon whose statements mostly depend on rate, intervals or widths."""

_TIMELESS = frozenset({"sinus rhythm", "atrial fibrillation", "abnormal ECG"})
"""Statements of those groups that hold at any rate."""

_WORDS_OF_TIME = frozenset(
    {"rate", "interval", "intervals", "wide", "narrow", "prolonged", "prolongation", "delayed"}
)


@dataclass(frozen=True, kw_only=True)
class Augmentation:
    """How much of each change; 0 switches it off.

    gain: largest relative change of all leads together, at most 0.2.
    lead_gain: the same for each chest lead alone, as an electrode's contact makes it.
    noise: largest standard deviation of white noise, in units of the signal.
    wander: largest amplitude of a slow wave (0.15 to 0.5 Hz), in units of the signal.
    dropout: probability that one to `dropped_leads` leads are hidden.
    shift: probability that the recording starts later, by up to one window; its end is hidden.
    stretch: largest relative change of tempo, at most 0.1; only where no tag speaks of time.
    hidden_patches: probability that a tenth to two fifths of the patches are hidden.
    shorter: probability that the recording ends up to three windows earlier.
    """

    gain: float = 0.1
    lead_gain: float = 0.05
    noise: float = 0.025
    wander: float = 0.04
    dropout: float = 0.2
    dropped_leads: int = 2
    shift: float = 0.5
    stretch: float = 0.0
    hidden_patches: float = 0.0
    shorter: float = 0.0

    def __post_init__(self) -> None:
        """Refuse sizes that would make a tag untrue."""
        most = {"gain": _MOST_GAIN, "lead_gain": _MOST_GAIN, "stretch": _MOST_STRETCH}
        most |= {"dropped_leads": len(LEADS) - 1}
        for item in fields(self):
            value, limit = getattr(self, item.name), most.get(item.name, 1.0)
            if not 0 <= value <= limit:
                raise ConfigError(
                    f"found {item.name} = {value:g} for augmentation; 0 to {limit:g} is needed, "
                    "so that tags stay true."
                )


@dataclass(frozen=True)
class Augmented:
    """`signal` (L, T), 0 where unseen; `seen` (L, N_time) never grows.

    `late_samples` is by how much the recording starts later, `tempo` how much slower it runs, and
    `first_window` where the section begins: known places move by all three.
    """

    signal: Float[np.ndarray, "L T"]
    seen: Bool[np.ndarray, "L N_time"]
    late_samples: int = 0
    tempo: float = 1.0
    first_window: int = 0


def shifted(
    record: Augmented,
    settings: Augmentation,
    rng: np.random.Generator,
    *,
    spec: SignalSpec,
    tags: Collection[str] = (),
) -> Augmented:
    """A recording slower or faster where `tags` allow it, and later, at random."""
    signal, seen, tempo, late = record.signal, record.seen, 1.0, 0
    if settings.stretch and rate_is_free(tags) and seen.all():
        tempo = float(np.exp(rng.uniform(-1, 1) * np.log1p(settings.stretch)))
        signal, seen = _stretched(signal, seen, tempo, spec)
    if rng.random() < settings.shift:
        late = int(rng.integers(1, spec.window_samples))
        signal, seen = _later(signal, seen, late)
    return replace(record, signal=signal, seen=seen, late_samples=late, tempo=tempo)


def section(record: Augmented, first: int, windows: int, *, spec: SignalSpec) -> Augmented:
    """So many windows of a recording, from the `first` on."""
    samples = slice(first * spec.window_samples, (first + windows) * spec.window_samples)
    seen = record.seen[:, first : first + windows]
    return replace(record, signal=record.signal[:, samples], seen=seen, first_window=first)


def augment(
    record: Augmented, settings: Augmentation, rng: np.random.Generator, *, spec: SignalSpec
) -> Augmented:
    """Gain, noise and hidden patches, at random; the same generator state gives the same change."""
    changed, seen = record.signal, record.seen
    if settings.gain or settings.lead_gain:
        changed = changed * _gains(len(changed), settings, rng)
    if settings.noise or settings.wander:
        changed = changed + _noise(changed.shape, settings, rng, spec)
    if rng.random() < settings.dropout:
        seen = _without_leads(seen, settings.dropped_leads, rng)
    if rng.random() < settings.hidden_patches:
        seen = seen & (rng.random(seen.shape) > rng.uniform(0.1, 0.4))
    if rng.random() < settings.shorter:
        seen = _shorter(seen, int(rng.integers(1, 4)))
    masked = changed * np.repeat(seen, spec.window_samples, axis=1)
    return replace(record, signal=masked.astype(np.float32, copy=False), seen=seen)


def rate_is_free(tags: Collection[str]) -> bool:
    """Whether the tempo may change a little: the lexicon knows every tag, and none is of time."""
    found = [load_lexicon().resolve(tag) for tag in tags]
    return bool(found) and all(statement and _timeless(statement) for statement in found)


def _timeless(statement: Statement) -> bool:
    of_time = statement.group in _OF_TIME or _WORDS_OF_TIME & set(statement.tag.lower().split())
    return statement.tag in _TIMELESS or not of_time


def _gains(leads: int, settings: Augmentation, rng: np.random.Generator) -> np.ndarray:
    """One factor for all, one more for each chest lead; their product stays within 20 %."""
    whole = 1 + settings.gain * rng.uniform(-1, 1)
    each = 1 + settings.lead_gain * rng.uniform(-1, 1, (leads, 1))
    each[:_LIMB] = 1
    return np.clip(whole * each, 1 - _MOST_GAIN, 1 + _MOST_GAIN).astype(np.float32)


def _noise(
    shape: tuple[int, ...], settings: Augmentation, rng: np.random.Generator, spec: SignalSpec
) -> np.ndarray:
    """White noise and a slow wave of one tempo, each lead with its own sizes."""
    leads, samples = shape
    time_s = np.arange(samples, dtype=np.float32) / spec.sampling_rate_hz
    size = np.float32(settings.noise * rng.uniform(0, 1))
    noise = _white(leads * samples, rng).reshape(shape) * size
    turns = np.float32(rng.uniform(0.15, 0.5)) * time_s + np.float32(rng.uniform(0, 1))
    each = (settings.wander * rng.uniform(-1, 1, (leads, 1))).astype(np.float32)
    noise += np.sin(np.float32(2 * np.pi) * turns) * each
    return noise


def _white(samples: int, rng: np.random.Generator) -> Float[np.ndarray, " T"]:
    """White noise of size 1, a part of a long row: a new one took 0.5 of augmenting's 0.65 ms."""
    row = _noise_row(samples)
    first = int(rng.integers(len(row) - samples))
    return row[first : first + samples]


@lru_cache(maxsize=4)
def _noise_row(samples: int) -> Float[np.ndarray, " T"]:
    """The same in every process, 17 times as long as what is taken: 4 MB for 12 leads at 500 Hz."""
    row = np.random.default_rng(0).standard_normal(17 * samples, dtype=np.float32)
    row.setflags(write=False)
    return row


def _later(signal: np.ndarray, seen: np.ndarray, late: int) -> tuple[np.ndarray, np.ndarray]:
    """The recording from a later sample on; windows that are no longer whole are hidden."""
    moved = np.zeros_like(signal)
    moved[:, : signal.shape[1] - late] = signal[:, late:]
    kept = np.zeros_like(seen)
    kept[:, :-1] = seen[:, :-1] & seen[:, 1:]
    return moved, kept


def _stretched(
    signal: np.ndarray, seen: np.ndarray, tempo: float, spec: SignalSpec
) -> tuple[np.ndarray, np.ndarray]:
    """The recording slower (tempo above 1) or faster; windows past its end are hidden."""
    samples = signal.shape[1]
    longer = resampled(signal, spec.sampling_rate_hz / tempo, spec.sampling_rate_hz)[:, :samples]
    kept = seen.copy()
    kept[:, longer.shape[1] // spec.window_samples :] = False
    return np.pad(longer, ((0, 0), (0, samples - longer.shape[1]))), kept


def _without_leads(seen: np.ndarray, most: int, rng: np.random.Generator) -> np.ndarray:
    """Up to `most` of the seen leads hidden; one always stays."""
    held = np.flatnonzero(seen.any(axis=1))
    count = min(int(rng.integers(1, max(most, 1) + 1)), max(len(held) - 1, 0))
    kept = seen.copy()
    kept[rng.choice(held, count, replace=False)] = False
    return kept


def _shorter(seen: np.ndarray, windows: int) -> np.ndarray:
    """The last windows hidden; the first always stays."""
    kept = seen.copy()
    kept[:, max(1, seen.shape[1] - windows) :] = False
    return kept
