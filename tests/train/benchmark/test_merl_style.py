"""The MERL-style model learns a small task from its reports, and only from true ones."""

import numpy as np
import pytest
import torch
from sklearn.metrics import roc_auc_score

from focal_app.ecg.files import read_recording
from focal_app.ecg.preprocess import prepare
from focal_app.errors import ConfigError
from train.benchmark import merl
from train.benchmark.sets import load_set
from train.benchmark.settings import Labelled
from train.benchmark.transferability import _signals, transferability


def task(rows: int, *, seed: int) -> tuple[np.ndarray, torch.Tensor]:
    """Three kinds of waves, one a rate, in noise."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 3, rows)
    time = np.arange(400) / 100
    wave = np.sin(2 * np.pi * np.array([2, 5, 11])[kind][:, None] * time)
    noise = rng.standard_normal((rows, 12, 400))
    return kind, torch.from_numpy((wave[:, None] + noise).astype(np.float32))


@pytest.mark.parametrize("honest", (True, False))
def test_it_tells_kinds_apart_if_reports_do(honest):
    texts = torch.nn.functional.normalize(torch.eye(3, 16) + 0.1, dim=-1)
    kind, signal = task(240, seed=0)
    said = kind if honest else np.random.default_rng(2).permutation(kind)
    model = merl.fit(lambda r: signal[torch.from_numpy(r)], texts[said], steps=40, batch=48)
    kind, signal = task(150, seed=1)
    score = merl.cosines(model, signal.split(50), texts)
    found = roc_auc_score(np.eye(3)[kind], score)
    assert found > 0.9 if honest else found < 0.8


def test_the_same_seed_gives_the_same_weights():
    kind, signal = task(60, seed=0)
    texts = torch.eye(3, 16)[kind]
    one, other = (merl.fit(lambda r: signal[torch.from_numpy(r)], texts, steps=3) for _ in range(2))
    for first, second in zip(one.parameters(), other.parameters(), strict=True):
        assert torch.equal(first, second)


def test_contrast_is_lowest_where_pairs_match():
    rows, scale = torch.nn.functional.normalize(torch.randn(8, 4), dim=-1), torch.tensor(20.0)
    assert merl.contrast(rows, rows, scale) < merl.contrast(rows, rows.roll(1, 0), scale)


def test_features_of_other_recordings_are_refused(model, ptbxl):
    others = {"of another archive": ("ST elevation",)}
    with pytest.raises(ConfigError, match="no feature for any of the 40 training recordings"):
        transferability(model, "ptbxl-super", Labelled(data=ptbxl), features=others, steps=1)


def test_signals_wait_in_a_file_and_are_those_of_their_items(model, ptbxl, tmp_path, monkeypatch):
    monkeypatch.setattr("train.benchmark.transferability.PART", 7)
    items = load_set("ptbxl-super", ptbxl).present(("train",))
    kept, signals = _signals(model, items, tmp_path / "signals")
    assert isinstance(signals, np.memmap) and len(signals) == len(kept) == len(items) > 7
    for row in (0, 8, len(kept) - 1):
        header = kept[row].header
        assert header is not None
        wanted = prepare(read_recording([header]), model.config.signal).signal
        assert np.array_equal(signals[row], wanted)


def test_a_model_is_trained_and_judged_from_those_files(model, ptbxl):
    found = transferability(model, "ptbxl-super", Labelled(data=ptbxl), steps=2)
    assert found.trained > 0 and found.tested > 0 and 0 <= found.original.value <= 1
