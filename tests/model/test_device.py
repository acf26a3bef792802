"""Where work runs is asked in one place."""

from pathlib import Path

import pytest
import torch

from focal_app.errors import ConfigError
from focal_app.model.device import best_device, named_device

ROOT = Path(__file__).parents[2]


def test_without_an_accelerator_work_runs_on_the_cpu(monkeypatch):
    for found in (None, torch.device("mps")):
        monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda f=found, **_: f)
        assert best_device() == torch.device("cpu")


def test_an_accelerator_that_works_is_taken(monkeypatch):
    asked = []
    monkeypatch.setattr(
        torch.accelerator,
        "current_accelerator",
        lambda **how: asked.append(how) or torch.device("cuda"),
    )
    assert best_device() == torch.device("cuda") and asked == [{"check_available": True}]


def test_a_device_is_taken_by_its_name_or_refused():
    assert named_device("cpu") == torch.device("cpu")
    for name in ("nonsense", "cuda:99", "meta", "hpu", ""):
        with pytest.raises(ConfigError, match=f"found no device '{name}' that works here"):
            named_device(name)


def test_no_other_module_asks_for_a_device():
    sources = [*(ROOT / "focal_app").rglob("*.py"), *(ROOT / "train").rglob("*.py")]
    asking = {path.name for path in sources if "torch.cuda" in path.read_text("utf-8")}
    asking |= {path.name for path in sources if "current_accelerator" in path.read_text("utf-8")}
    assert asking == {"device.py"}
