"""A handful of records, small enough to train on in a test."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session", autouse=True)
def one_reader() -> Iterator[None]:
    """Where a test names no number, shards are made by this process alone.

    Other processes would each import for seconds what few recordings need for moments, on cores
    that other tests use. Tests of several readers name their number.
    """
    with pytest.MonkeyPatch.context() as patch:
        for module in ("worker_processes", "build", "prepared"):
            patch.setattr(f"train.data.{module}.default_workers", lambda *_: 1)
        yield


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


@pytest.fixture
def stages_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stages that a command starts are run by this process, which has imported everything."""
    from train.__main__ import main

    def run(command: list[str], *, check: bool) -> "subprocess.CompletedProcess[str]":
        assert command[:3] == [sys.executable, "-m", "train"] and not check
        return subprocess.CompletedProcess(command, main(command[3:]))

    monkeypatch.setattr("train.runs.pipeline.subprocess.run", run)
