"""On which device work runs: asked here and nowhere else.

model = Focal.load(folder).to(best_device())

What computes with a model moves its inputs to `model.device`; embeddings, scores and heatmaps that
it hands out lie in the CPU's memory.
"""

import torch


def best_device() -> torch.device:
    """The accelerator where there is one that works, else the CPU.

    Apple's GPUs are left out: they lack float64, and nothing was measured on one.
    """
    found = torch.accelerator.current_accelerator(check_available=True)
    return torch.device("cpu") if found is None or found.type == "mps" else found


def wait_for(device: torch.device) -> None:
    """Wait until the device has done what was asked of it; work on the CPU is done at once."""
    if device.type != "cpu":
        torch.get_device_module(device).synchronize()


def device_name(device: torch.device) -> str:
    """What the device calls itself, such as "NVIDIA H100"; its kind where it has no name."""
    name = getattr(torch.get_device_module(device), "get_device_name", None)
    return name() if name else device.type
