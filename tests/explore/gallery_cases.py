"""Cases of a small gallery: distinct beats, known facts, and a copy of the first case."""

from collections.abc import Iterator

import numpy as np

from focal_app.ecg.recording import ECG, LEADS, SourceFacts
from focal_app.explore.cases.gallery.build import Record
from focal_app.explore.cases.gallery.case import Facts

LABELS = (("atrial fibrillation",), ("complete left bundle branch block",), ("sinus bradycardia",))
CASES = 14


def make_ecg(seed: int, *, rate_hz: int = 250, seconds: float = 10.0) -> ECG:
    """Beats of a shape and a rate of their own, limb leads as Einthoven's law has them."""
    rng = np.random.default_rng(seed)
    time = np.arange(round(rate_hz * seconds)) / rate_hz
    phase = np.modf(time * rng.uniform(0.8, 2.0))[0]
    shapes = [
        np.exp(-(((phase - centre) / width) ** 2))
        for centre, width in ((0.2, 0.04), (0.35, 0.015), (0.6, 0.06))
    ]
    heights = rng.normal(0, 0.6, (8, 3))
    heights[:, 1] += np.copysign(0.2, heights[:, 1])  # QRS shows in every lead.
    signal = heights @ np.stack(shapes) + rng.normal(0, 0.01, (8, len(time)))
    one, two, chest = signal[0], signal[1], signal[2:]
    limb = np.stack([one, two, two - one, -(one + two) / 2, one - two / 2, two - one / 2])
    both = np.concatenate([limb, chest]).astype(np.float32)
    return ECG(both, LEADS, float(rate_hz), SourceFacts("made", age_years=50))


def facts(number: int, **changes) -> Facts:
    """Facts of the case of a number; ages 20 to 85, every third without a known sex."""
    known = {
        "key": f"case-{number:02d}",
        "labels": LABELS[number % 3],
        "report": f"report {number} <b>bold</b>",
        "sex": (None, "female", "male")[number % 3],
        "age_years": 20 + 5 * number,
        "source": "first" if number < CASES // 2 else "second",
        "licence": "MIT",
    }
    return Facts(**{**known, **changes})


def records() -> Iterator[Record | None]:
    """Distinct cases; the last one is a copy of the first, resampled; one could not be read."""
    yield from (Record(make_ecg(number), facts(number)) for number in range(CASES - 1))
    yield None
    yield Record(make_ecg(0), facts(CASES - 1))
