"""Where a Space lends a GPU, the checkpoint is told of as everywhere else."""

import sys
from functools import partial
from types import SimpleNamespace

from focal_app.explore.reading import on_gpu
from focal_app.explore.reading.explorer import Explorer
from focal_app.ui.server import zero_gpu


def test_all_that_lies_beside_the_weights_holds_on_a_lent_gpu_too(monkeypatch):
    lent = SimpleNamespace(GPU=lambda duration: lambda function: function)
    monkeypatch.setitem(sys.modules, "spaces", lent)
    monkeypatch.setattr(on_gpu, "GpuExplorer", partial(on_gpu.GpuExplorer, device="cpu"))
    here, there = Explorer.load(), zero_gpu.load(None)
    assert here.combination and here.zones.measured and here.card.findings
    for name in ("card", "combination", "zones"):
        assert getattr(there, name) == getattr(here, name)
