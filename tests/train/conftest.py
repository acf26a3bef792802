"""A handful of records, small enough to train on in a test."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from focal_app.ecg.signal_spec import SignalSpec
from focal_app.lexicon import load_lexicon
from train.data.records import Records
from train.targets import TargetMaker

SPEC = SignalSpec(sampling_rate_hz=100, windows=4, window_samples=100, normalisation="millivolt")
TAGS = (
    ["sinus rhythm", "normal ECG"],
    ["atrial fibrillation"],
    ["sinus rhythm", "complete left bundle branch block"],
    ["sinus rhythm", "inferior myocardial infarction"],
)


@pytest.fixture
def spec() -> SignalSpec:
    """Four windows of a second at 100 Hz."""
    return SPEC


@pytest.fixture(scope="session")
def maker() -> TargetMaker:
    """Targets over the lexicon of the app."""
    return TargetMaker(load_lexicon())


@pytest.fixture
def make_records() -> Callable[..., Records]:
    """`make_records(count, seed=..., places=...)`: noise with tags, in memory."""

    def make(count: int, *, seed: int = 0, places: bool = False) -> Records:
        rng = np.random.default_rng(seed)
        tags = [list(TAGS[i % len(TAGS)]) for i in range(count)]
        signals = rng.standard_normal((count, 12, 400)).astype(np.float16)
        seen = np.ones((count, 12, 4), bool)
        seen[0, 2], signals[0, 2] = False, 0
        where = [{t[-1]: [i % 48, 40]} if places else {} for i, t in enumerate(tags)]
        vocabulary = sorted({tag for some in TAGS for tag in some})
        return Records(signals, seen, tags, where, ["one"] * count, vocabulary)

    return make


@pytest.fixture(scope="session")
def shards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two dozen simulated recordings with their reports."""
    from train.data.build import build
    from train.data.simulation import Simulation

    folder = tmp_path_factory.mktemp("data") / "simulated"
    build(Simulation(count=24, seed=5), folder)
    return folder


@pytest.fixture(scope="session")
def text(tiny_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tag encoder as the Hub would hand it out."""
    import torch
    from transformers import AutoConfig, AutoModel, AutoTokenizer

    folder = tmp_path_factory.mktemp("text")
    torch.manual_seed(0)
    config = AutoConfig.from_pretrained(tiny_checkpoint / "text")
    AutoModel.from_config(config).save_pretrained(folder)
    AutoTokenizer.from_pretrained(tiny_checkpoint / "text").save_pretrained(folder)
    return folder
