"""An encoder elsewhere gives the same answers, and is lent for the encoding alone."""

import numpy as np
import pytest
import torch

from focal_app.explore.reading.bundled_cases import load_case
from focal_app.explore.reading.explorer import Explorer
from focal_app.explore.reading.on_gpu import GpuExplorer
from focal_app.model.focal import Focal

PROMPTS = ("sinus rhythm", "ST elevation")
GPU = pytest.param("cuda", marks=pytest.mark.gpu)


@pytest.mark.parametrize("device", ["cpu", GPU])
def test_the_answers_are_those_of_the_processor(tiny_checkpoint, device):
    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    lent = []

    def lend(encode):
        return lambda signal, seen: lent.append(1) or encode(signal, seen)

    model, ecg = Focal.load(tiny_checkpoint), load_case("normal")
    here = Explorer(model).read(ecg, PROMPTS)
    there = GpuExplorer(model, lend=lend, device=device).read(ecg, PROMPTS)
    assert len(lent) == 1
    for one, other in zip(here.findings, there.findings, strict=True):
        assert other.probability == pytest.approx(one.probability, abs=1e-4)
        assert np.allclose(other.weights, one.weights, atol=1e-3, equal_nan=True)
