"""Evaluation on another device than the CPU: each task runs there and says what the CPU says."""

import numpy as np
import pytest
import torch

from focal_app.model.focal import Focal
from train.benchmark.embeddings import embed
from train.benchmark.host import this_host
from train.benchmark.inference_time import inference_time
from train.benchmark.localisation import localise_simulated
from train.benchmark.maps import activation_maps, similarity_matrix
from train.benchmark.probe import probe
from train.benchmark.prompts import prompts_of
from train.benchmark.ptbxl_statements import reported
from train.benchmark.retrieval import retrieval
from train.benchmark.sets import load_set
from train.benchmark.settings import Chosen, Pair, ReadOnce
from train.benchmark.territory import territory
from train.benchmark.transferability import Both, transferability
from train.benchmark.zeroshot import class_logits, evaluate

FOLDS = (7, 8)


@pytest.fixture(scope="module")
def there(tiny_checkpoint, device):
    return Focal.load(tiny_checkpoint).to(device)


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("elsewhere")


@pytest.mark.parametrize("mode", ["routed", "global"])
def test_recordings_are_encoded_and_scored_as_on_the_cpu(there, model, ptbxl, tmp_path, mode):
    headers = sorted((ptbxl / "ptb-xl").rglob("*.hea"))[:6]
    prompts = prompts_of(
        "ptbxl-super", load_set("ptbxl-super", ptbxl).classes, by="statements", data=ptbxl
    )
    held = [
        embed(one, headers, cache=tmp_path / name) for one, name in ((model, "a"), (there, "b"))
    ]
    one, other = (next(part.parts()) for part in held)
    torch.testing.assert_close(other.patches, one.patches, rtol=0, atol=2e-3)
    np.testing.assert_allclose(held[1].pooled(), held[0].pooled(), atol=1e-4)
    logits = [
        class_logits(m, h, prompts, mode=mode) for m, h in zip((model, there), held, strict=True)
    ]
    np.testing.assert_allclose(logits[1], logits[0], atol=0.02)


def test_every_set_and_every_map_is_measured_there(there, ptbxl, cache):
    some = reported(ptbxl, folds=FOLDS)
    chosen = Chosen(data=ptbxl, cache=cache, folds=FOLDS)
    assert evaluate(there, "ptbxl-super", chosen).unreadable == 0
    assert probe(there, "ptbxl-super", chosen, shares=(1.0,), encoder="random")
    assert retrieval(there, some, cache=cache).recordings == len(some)
    assert territory(there, some, cache=cache).recordings == len(some)
    assert activation_maps(there, some, count=1, cache=cache).maps
    assert similarity_matrix(there, "ptbxl-super")["cosine"]


def test_places_are_measured_there_as_here(there, model):
    here, elsewhere = (localise_simulated(one, 12, seed=1) for one in (model, there))
    assert elsewhere.findings == here.findings
    assert elsewhere.share_on_place == pytest.approx(here.share_on_place, abs=1e-3)


def test_a_reading_is_timed_there(there):
    assert len(inference_time(there, batch=2, rounds=2).ways) == 5


def test_another_model_reads_there_as_here(there, model, pair, ptbxl):
    asked = Pair(original=pair[0], enriched=pair[1])
    here, elsewhere = (
        transferability(one, Both.load(asked, one), "ptbxl-super", ReadOnce(data=ptbxl))
        for one in (model, there)
    )
    assert elsewhere.enriched.value == pytest.approx(here.enriched.value, abs=0.02)


def test_the_host_names_its_accelerator(device):
    named = this_host().device
    assert named == device if device == "standin" else "NVIDIA" in named
