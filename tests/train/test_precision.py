"""bfloat16 is computed in where a device has instructions for it, and nowhere else."""

import pytest
import torch

from train.__main__ import main
from train.fit.precision import mixed

CPU = torch.device("cpu")


@pytest.fixture(params=[True, False], ids=["with", "without"])
def instructions(request, monkeypatch) -> bool:
    """Whether this machine's processor seems to have some."""
    known = {"avx2": True, "avx512_bf16": request.param}
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: known, raising=False)
    return request.param


@pytest.mark.parametrize("asked", (True, False))
def test_it_is_used_where_asked_for_and_there(instructions, asked):
    with mixed(CPU, bf16=asked):
        made = torch.ones(2, 2) @ torch.ones(2, 2)
    assert (made.dtype == torch.bfloat16) == (instructions and asked)


@pytest.mark.parametrize("asked", (True, False))
def test_a_training_says_where_it_is_without_effect(instructions, asked, shards, tmp_path, caplog):
    lines = [f"coarse.bf16={str(asked).lower()}", "coarse.steps=1", "tuning.steps=2"]
    sets = [word for line in lines for word in ("--set", line)]
    data = ["--shards", str(shards), "--workers", "0", "--out", str(tmp_path)]
    assert main(["coarse", "--config", "tiny", *sets, *data]) == 0
    assert ("bf16 is without effect" in caplog.text) == (asked and not instructions)
