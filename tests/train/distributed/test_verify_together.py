"""Several processes, and readers beside them, verify as one does, to the last byte."""

from pathlib import Path

import torch
from several_processes import by

from train.__main__ import main
from train.data.build import build
from train.data.simulation import Simulation
from train.enrich.backends.curated import Curated
from train.enrich.generate import enrich
from train.enrich.shared_work import Share


def test_two_processes_that_read_ahead_write_the_files_of_one(tiny_checkpoint, tmp_path, capsys):
    names = ("one", "two", "three")  # a part file each
    shards = [build(Simulation(5, n, name=name), tmp_path / name) for n, name in enumerate(names)]
    enrich([t for one in shards for t in one.tags], Curated(), out=tmp_path / "candidates")
    asked = ["--checkpoint", tiny_checkpoint, "--candidates", tmp_path / "candidates"]
    asked += ["--shards", *(tmp_path / name for name in names), "--score", "confidence"]
    assert main([*map(str, ["verify", *asked, "--out", tmp_path / "1", "--workers", 0])]) == 0
    assert capsys.readouterr().out.count("accepted") == 1
    done = by(2, "-m", "train", "verify", *asked, "--out", tmp_path / "2", "--workers", 1)
    assert done.returncode == 0, done.stderr[:4000]
    assert done.stdout.count("accepted") == 1  # one of them speaks
    alone, together = (contents(tmp_path / n) for n in ("1", "2"))
    assert alone.keys() == together.keys() and len(alone) >= 6
    assert alone == together


def test_every_block_falls_to_one_process_and_every_process_has_its_own_accelerator(monkeypatch):
    shares = [Share(rank, 3) for rank in range(3)]
    for number in range(10):
        assert sum(share.has(number) for share in shares) == 1
    monkeypatch.setenv("LOCAL_RANK", "2")
    assert shares[2].device(torch.device("cuda")) == torch.device("cuda", 2)
    assert shares[2].device(torch.device("cpu")) == torch.device("cpu")


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}
