"""A stand-in reader with scores that can be foreseen, and a view over it."""

import numpy as np
import pytest

from focal_app.ecg.complete import CompleteECG
from focal_app.ecg.measured import Measured
from focal_app.ecg.measurements import Measurements, Waves
from focal_app.ecg.recording import LEADS, SourceFacts
from focal_app.ecg.signal_spec import SignalSpec
from focal_app.errors import RecordingError
from focal_app.explore.reading.heatmap import Heatmap
from focal_app.explore.reading.prompts import group_of
from focal_app.explore.reading.reading import Finding, Reading, RecordFacts
from focal_app.explore.reading.zones import Zones
from focal_app.ui.read.state import View, read

NOTHING_MEASURED = Measured(Measurements(), Waves(*np.zeros((3, 0, 2)), np.zeros(0)))


class PlainReader:
    """Scores a prompt by its own letters alone, and points at V1 in the first second."""

    spec, zones = SignalSpec(), Zones(low=0.02, high=0.3)

    def __init__(self) -> None:
        self.refuses = False
        self.not_read = None
        self.fine_at_s = None

    def read(self, ecg, prompts, *, start_s=0.0, tau=None):
        if self.refuses:
            raise RecordingError("found no signal; choose another recording.")
        weights = np.full((12, 10), 0.9)
        weights[6, 0] = 4.0
        findings = tuple(
            Finding(p, group_of(p), 0.1, (sum(p.encode()) % 97) / 97, weights) for p in prompts
        )
        edges = start_s + np.arange(11.0)
        findings = () if self.not_read else findings
        facts = RecordFacts.of(ecg), start_s, edges
        return Reading(*facts, findings, ecg.notes, NOTHING_MEASURED, self.not_read)

    def fine(self, ecg, prompt, *, start_s=0.0, tau=None):
        weights = np.full((12, 50), 0.9)
        weights[6, 2] = 8.0
        return Heatmap(weights, start_s + 0.2 * np.arange(51))

    def has_fine(self, ecg, *, start_s=0.0):
        return start_s == self.fine_at_s


class NamedParts:
    def __getattr__(self, name):
        return name


@pytest.fixture
def parts():
    """Stands for the parts of a tab: each is its own name."""
    return NamedParts()


@pytest.fixture
def ecg():
    time = np.arange(5000) / 500
    signal = np.tile(np.sin(2 * np.pi * time), (12, 1)).astype(np.float32)
    return CompleteECG(signal, LEADS, 500.0, SourceFacts("test", age_years=61, sex="female"))


@pytest.fixture
def reader():
    return PlainReader()


@pytest.fixture
def view(ecg, reader):
    prompts = ("sinus rhythm", "atrial fibrillation", "ST elevation", "words of my own")
    return read(
        View(ecg=ecg, case="normal", about="About it.", prompt_set="everyday", prompts=prompts),
        reader,
    )
