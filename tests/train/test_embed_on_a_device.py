"""The embedded checkpoint is made on another device than the CPU, with the figures of the CPU."""

import json

import pytest

from focal_app.model.encoder import ECGEncoder
from focal_app.model.focal import Focal
from train.__main__ import main
from train.data.build import build
from train.data.shards import Shards
from train.data.simulation import Simulation
from train.data.source import Shares
from train.publish.embedded_checkpoint import Trained, embed, measure
from train.recipe import load_recipe

SMALL = ("tuning.steps=2", "coarse.steps=2", "coarse.batch=4", "encoder.width=16")


@pytest.fixture
def shards(tmp_path):
    """Simulated recordings, some held out to measure on."""
    build(Simulation(count=24, seed=5, shares=Shares(0.7, 0.3, 0)), tmp_path / "simulated")
    return tmp_path / "simulated"


def test_the_embedded_checkpoint_is_measured_there_as_here(device, shards, tmp_path, monkeypatch):
    run, target, read = tmp_path / "run", tmp_path / "checkpoint", set()
    changed = [word for line in SMALL for word in ("--set", line)]
    given = ["--config", "tiny", "--shards", str(shards), "--out", str(run), "--workers", "0"]
    assert main(["coarse", *given, *changed]) == 0
    recipe = load_recipe(run / "coarse" / "recipe.yaml")
    forward = ECGEncoder.forward

    def noted(self, signal, *given, **more):
        read.add(signal.device.type)
        return forward(self, signal, *given, **more)

    with monkeypatch.context() as patched:
        patched.setattr(ECGEncoder, "forward", noted)
        embed(Trained(recipe, run), [shards], None, target)
    assert read == {device}
    there = json.loads((target / "figures.json").read_text())
    here = measure(Focal.load(target), [Shards.open(shards)], None)
    for part in ("tag_encoder", "calibration"):
        assert there[part] == pytest.approx(here[part], abs=1e-3)
    name = "localisation_on_simulated"
    for figure in ("findings", "patch_auc", "share_on_place", "even_share"):
        assert there[name][figure] == pytest.approx(here[name][figure], abs=1e-3)
    assert f"{there[name]['findings']} findings" in (target / "README.md").read_text()
