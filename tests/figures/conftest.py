"""An ECG and a reading whose places are known."""

import numpy as np
import pytest

from focal_app.ecg.complete import CompleteECG, completed
from focal_app.ecg.measured import Measured
from focal_app.ecg.measurements import Measurements, Waves
from focal_app.ecg.recording import ECG, LEADS, SourceFacts
from focal_app.explore.reading.reading import Finding, Reading, RecordFacts

NOTHING_MEASURED = Measured(Measurements(), Waves(*np.zeros((3, 0, 2)), np.zeros(0)))


def build_ecg(*, rate_hz: float = 500.0, seconds: float = 10.0, leads=LEADS) -> CompleteECG:
    """Every lead a sine of its own height about an offset, with one tall spike."""
    time = np.arange(round(rate_hz * seconds)) / rate_hz
    rows = [0.1 * (i + 1) * np.sin(2 * np.pi * 1.3 * time) + 0.7 for i in range(len(leads))]
    signal = np.stack(rows).astype(np.float32)
    signal[:, round(rate_hz)] += 1.5
    return completed(ECG(signal, tuple(leads), rate_hz, SourceFacts("test")))


def build_reading(ecg: CompleteECG, weights: np.ndarray, *, start_s: float = 0.0) -> Reading:
    """One finding with the given weights; NaN is a patch that was not seen."""
    finding = Finding("a prompt", "rhythm", 0.3, 0.8, weights)
    edges = start_s + np.arange(weights.shape[1] + 1.0)
    return Reading(RecordFacts.of(ecg), start_s, edges, (finding,), (), NOTHING_MEASURED)


@pytest.fixture
def make_ecg():
    """Builds an ECG of a rate, a length and some leads."""
    return build_ecg


@pytest.fixture
def make_reading():
    """Builds a reading of an ECG with given weights."""
    return build_reading


@pytest.fixture
def ecg() -> CompleteECG:
    return build_ecg()


@pytest.fixture
def reading(ecg: CompleteECG) -> Reading:
    """V1 to V3 hold 3 times the even share in seconds 5 to 7; V6 was not seen after 8 s."""
    weights = np.full((12, 10), 0.9)
    weights[6:9, 5:7] = 3.0
    weights[11, 8:] = np.nan
    return build_reading(ecg, weights)
