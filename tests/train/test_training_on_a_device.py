"""Training on another device than the CPU: the batch, the loss and the weights meet there."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from focal_app.model.delineator import Delineator
from focal_app.model.encoder import ECGEncoder
from focal_app.model.focal import Focal
from train.__main__ import main
from train.data.build import build
from train.data.shards import Shards
from train.data.simulation import Simulation
from train.data.source import Shares
from train.delineate.leads import KnownLeads
from train.delineate.training import Plan, train_delineator
from train.enrich.verify import verify
from train.fit.loop import Loop

ROOT = Path(__file__).parents[2]
RECIPE = """
seed: 3
signal: {{normalisation: millivolt}}
encoder: {{width: 16, depth: 1, heads: 2, stem: linear, dropout: 0.0}}
text: {{name: {text}, pooling: mean, max_tokens: 16}}
tuning: {{steps: {tuning}}}
objective:
  {{ask_over: {ask_over}, routing: {routing}, targets: {targets}, free_words: {free_words},
   place_weight: {place_weight}}}
coarse:
  {{steps: 3, batch: 4, accumulate: 2, average: 0.9, bf16: {bf16}, freeze_text: {fixed},
   judged: {judged}, keep: {keep}}}
fine: {{steps: 2, batch: 4, bf16: {bf16}, judged: {judged}, keep: {keep}}}
embed_dim: 8
tau: 0.1
"""
USUAL = {
    **{"tuning": 0, "ask_over": "batch", "routing": "own", "targets": "online"},
    **{"free_words": "equal", "place_weight": 0, "bf16": False, "fixed": True},
    **{"judged": 0, "keep": "last"},
}
LEXICON = {"routing": "cross", "targets": "lexicon"}
"""What the recipes ask but `paper`."""


@pytest.fixture
def recipe(tmp_path, text):
    def write(**changed) -> Path:
        path = tmp_path / "tiny.yaml"
        chosen = {name: str(value).lower() for name, value in {**USUAL, **changed}.items()}
        path.write_text(RECIPE.format(text=text, **chosen))
        return path

    return write


@pytest.fixture(scope="module")
def shards(tmp_path_factory):
    """Simulated recordings with their places, and enough validation records to judge on."""
    folder = tmp_path_factory.mktemp("data") / "simulated"
    build(Simulation(count=24, seed=5, shares=Shares(0.7, 0.3, 0)), folder)
    return folder


@pytest.fixture
def places(monkeypatch):
    """Where signals lie when they reach the networks of a kind; of some only in training."""

    def note(kind, *, training=False) -> set[str]:
        found, forward = set(), kind.forward

        def noted(self, signal, *given, **more):
            if self.training or not training:
                found.add(signal.device.type)
            return forward(self, signal, *given, **more)

        monkeypatch.setattr(kind, "forward", noted)
        return found

    return note


def command(stage, recipe, out, shards):
    return [
        stage,
        "--config",
        str(recipe),
        "--out",
        str(out),
        "--shards",
        str(shards),
        "--workers",
        "0",
    ]


def finished(run, stage):
    """The model of a stage, whose weights are numbers."""
    model = Focal.load(run / stage / "model")
    assert all(p.isfinite().all() for p in model.parameters())
    return model


@pytest.mark.parametrize(
    "how",
    [
        {"routing": "own", "targets": "online", "fixed": False},
        {"routing": "own", "targets": "frozen", "bf16": True, "fixed": False},
        {"ask_over": "lexicon", **LEXICON, "place_weight": 3},
        {**LEXICON, "free_words": "cosine", "judged": 2, "keep": "best"},
    ],
    ids=[
        *("own, online", "own, frozen, in half the width"),
        *("the lexicon and its places, as the embedded checkpoint", "free words, the best kept"),
    ],
)
def test_coarse_and_fine_training_run_there(device, recipe, shards, tmp_path, places, how):
    chosen, run, trained = recipe(**how), tmp_path / "run", places(ECGEncoder, training=True)
    assert main(command("coarse", chosen, run, shards)) == 0
    verify(finished(run, "coarse").to(device), [Shards.open(shards)], {}, run / "verified")
    assert main(command("fine", chosen, run, shards)) == 0
    finished(run, "fine")
    assert trained == {device}


def test_the_merl_style_model_is_trained_there(device, tiny_checkpoint, shards, tmp_path):
    sizes = ["--steps", "2", "--batch", "4", "--width", "2", "--workers", "0"]
    given = ["--shards", str(shards), "--text", str(tiny_checkpoint), "--out", str(tmp_path)]
    assert main(["merl", *given, *sizes]) == 0
    assert load_file(tmp_path / "model.safetensors")["projection.weight"].isfinite().all()


def test_joined_checkpoints_are_calibrated_there(device, tiny_checkpoint, shards, tmp_path, places):
    read, out = places(ECGEncoder), tmp_path / "joined"
    given = ["--share", "0.5", "0.5", "--shards", str(shards), "--out", str(out)]
    assert main(["join", "--checkpoint", str(tiny_checkpoint), str(tiny_checkpoint), *given]) == 0
    assert read == {device} and Focal.load(out).config.shares == (0.5, 0.5)


class Stopped(Exception):
    """The run was stopped from outside."""


def test_the_delineator_is_trained_there_and_goes_on(device, tmp_path, places):
    read, drawn = places(Delineator), np.random.default_rng(1)
    known = KnownLeads(drawn.normal(size=(12, 500)), drawn.integers(-1, 4, (12, 500)))
    plan, saved = Plan(steps=2, batch=2, samples=256, save_every=1), tmp_path / "saved.pt"

    class Leaving(list):
        def __getitem__(self, index):
            if saved.is_file():
                raise Stopped
            return super().__getitem__(index)

    with pytest.raises(Stopped):
        train_delineator(Leaving([known]), [], plan, saved, name="own")
    model = train_delineator([known], [], plan, saved, name="own")
    assert read == {device}
    model.save(tmp_path / "delineator")
    here = Delineator.load(tmp_path / "delineator")
    assert np.isfinite(here.probabilities(known.signal, 250.0)).all()


@pytest.mark.parametrize(("routing", "targets"), [("own", "online"), ("cross", "lexicon")])
def test_a_run_that_was_stopped_ends_on_the_weights_of_the_cpu(
    device, recipe, shards, tmp_path, monkeypatch, routing, targets
):
    chosen = recipe(routing=routing, targets=targets)
    advance = Loop.advance

    def stopped(loop, *given):
        if loop.step == 2:
            raise Stopped
        return advance(loop, *given)

    arguments = [*command("coarse", chosen, tmp_path / "there", shards), "--save-every", "1"]
    with monkeypatch.context() as patched, pytest.raises(Stopped):
        patched.setattr(Loop, "advance", stopped)
        main(arguments)
    assert main(arguments) == 0
    alone(*command("coarse", chosen, tmp_path / "here", shards))
    here, there = (
        load_file(tmp_path / name / "coarse" / "run.safetensors") for name in ("here", "there")
    )
    assert here.keys() == there.keys()
    for name, weight in here.items():
        if name.startswith("model.") and not name.endswith("qkv.bias"):
            # A bias of keys moves no attention: its gradient is rounding, Adam's food.
            torch.testing.assert_close(there[name], weight, rtol=0, atol=1e-4)


def alone(*arguments):
    """The command on the CPU, in a process that knows no other device."""
    hidden = {"CUDA_VISIBLE_DEVICES": "", "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    environment = {**os.environ, **hidden, "ACCELERATE_TORCH_DEVICE": "cpu"}
    subprocess.run([sys.executable, "-m", "train", *arguments], env=environment, check=True)
