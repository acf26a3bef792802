"""The delineator as a network: any length, one lead at a time, and files that are not trusted."""

import json
import shutil

import numpy as np
import pytest
import torch

from focal_app.ecg.delineation_signal import DelineationSignal
from focal_app.errors import CheckpointError, ConfigError
from focal_app.model.delineator import CONFIG, EMBEDDED, WEIGHTS, Delineator, DelineatorConfig


@pytest.fixture(scope="module")
def delineator():
    return Delineator.load()


@pytest.mark.parametrize("samples", [1, 7, 250, 2500, 2501])
def test_every_length_gets_one_answer_a_sample(delineator, samples):
    with torch.inference_mode():
        assert delineator(torch.zeros(3, samples)).shape == (3, 4, samples)


def test_leads_do_not_see_each_other(delineator):
    rows = np.random.default_rng(0).normal(0, 0.3, (4, 2500))
    together, alone = (
        delineator.probabilities(rows, 250.0)[0],
        delineator.probabilities(rows[:1], 250.0)[0],
    )
    assert np.allclose(together, alone, atol=1e-4)
    assert np.allclose(together.sum(axis=0), 1, atol=1e-5)


def test_it_is_saved_and_loaded_whole(tmp_path, delineator):
    delineator.save(tmp_path)
    again = Delineator.load(tmp_path)
    assert again.config == delineator.config
    rows = torch.randn(2, 500, generator=torch.Generator().manual_seed(1))
    assert torch.equal(again(rows), delineator(rows))
    assert (tmp_path / WEIGHTS).stat().st_size < 1_100_000


@pytest.mark.parametrize(
    "spoil",
    [
        lambda folder: (folder / CONFIG).unlink(),
        lambda folder: (folder / WEIGHTS).unlink(),
        lambda folder: (folder / WEIGHTS).write_bytes(b"no tensors"),
        lambda folder: (folder / CONFIG).write_text("[]"),
        lambda folder: _change(folder, widths=[4, 8]),
        lambda folder: _change(folder, widths=[10**9, 8]),
        lambda folder: _change(folder, kernel=8),
        lambda folder: _change(folder, widths="wide"),
        lambda folder: _change(folder, signal={"sampling_rate_hz": 0}),
    ],
)
def test_spoilt_files_are_refused_in_a_sentence(tmp_path, spoil):
    shutil.copytree(EMBEDDED, tmp_path / "spoilt")
    spoil(tmp_path / "spoilt")
    with pytest.raises(CheckpointError, match="belong together"):
        Delineator.load(tmp_path / "spoilt")


def _change(folder, **values):
    config = json.loads((folder / CONFIG).read_text())
    (folder / CONFIG).write_text(json.dumps({**config, **values}))


def test_sizes_and_settings_that_cannot_be_are_refused():
    for widths in ((4,), (0, 4), (4, 10_000), (4,) * 20):
        with pytest.raises(ConfigError):
            DelineatorConfig(widths=widths)
    for wrong in ({"high_pass_hz": 200.0}, {"smallest_mv": 0.0}, {"sampling_rate_hz": 10}):
        with pytest.raises(ConfigError):
            DelineationSignal(**wrong)


@pytest.mark.parametrize("samples", [2, 50])
def test_a_short_signal_is_prepared_too(samples):
    made = DelineationSignal().prepared(np.ones((2, samples)), 500.0)
    assert np.isfinite(made).all()
