"""How a training judges its model on validation records: from shards, or as they were kept."""

import numpy as np
import pytest

from focal_app.model.focal import Focal
from train.data import corpus
from train.data.build import build
from train.data.prepared import PreparedStore
from train.data.shards import Shards
from train.data.simulation import Simulation
from train.data.source import Shares
from train.fit import judging
from train.fit.judging import Judge


@pytest.fixture(scope="module")
def model(tiny_checkpoint) -> Focal:
    return Focal.load(tiny_checkpoint)


@pytest.fixture(scope="module")
def held_out(tmp_path_factory) -> Shards:
    """Twelve drawn recordings, all of them to judge on."""
    return build(Simulation(12, 3, Shares(0, 1, 0)), tmp_path_factory.mktemp("drawn"), workers=1)


@pytest.fixture(scope="module")
def store(held_out, model, tmp_path_factory) -> PreparedStore:
    folder = tmp_path_factory.mktemp("kept")
    return PreparedStore.make(held_out, model.config.signal, folder, workers=1)


@pytest.mark.parametrize("statements", [True, False])
def test_kept_signals_are_judged_as_those_that_are_filtered_anew(
    model, held_out, store, statements, monkeypatch
):
    anew = Judge([held_out], statements=statements)(model)
    monkeypatch.setattr(judging, "prepared_signal", None)
    kept = Judge([held_out], statements=statements, prepared={held_out.name: store})(model)
    assert kept == pytest.approx(anew, abs=0.02)


def test_logits_of_kept_signals_are_those_of_float16(model, held_out, store, monkeypatch):
    rows, names = np.arange(12), ["sinus rhythm", "atrial fibrillation"]
    kept = judging.logits(model, held_out, rows, names, store)
    np.testing.assert_allclose(kept, judging.logits(model, held_out, rows, names), atol=1e-2)

    def rounded(*given):
        signal, seen = corpus.prepared_signal(*given)
        return signal.astype(np.float16).astype(np.float32), seen

    monkeypatch.setattr(judging, "prepared_signal", rounded)
    np.testing.assert_array_equal(kept, judging.logits(model, held_out, rows, names))
