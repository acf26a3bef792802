"""On which device work runs: asked here and nowhere else.

model = Focal.load(folder).to(best_device())

What computes with a model moves its inputs to `model.device`; embeddings, scores and heatmaps that
it hands out lie in the CPU's memory.
"""

import torch

from focal_app.errors import ConfigError

_BF16_OF_PROCESSORS = ("avx512_bf16", "amx_bf16", "bf16", "sve_bf16")


def best_device() -> torch.device:
    """The accelerator where there is one that works, else the CPU.

    Apple's GPUs are left out: they lack float64, and nothing was measured on one.
    """
    found = torch.accelerator.current_accelerator(check_available=True)
    return torch.device("cpu") if found is None or found.type == "mps" else found


def named_device(name: str) -> torch.device:
    """The device of a name such as "cpu" or "cuda:1"; a `ConfigError` where none works here."""
    try:
        torch.zeros(1, device=name).item()
    except (RuntimeError, AssertionError, ImportError) as error:
        raise ConfigError(
            f"found no device {name!r} that works here; needed cpu, or an accelerator such as cuda"
        ) from error
    return torch.device(name)


def wait_for(device: torch.device) -> None:
    """Wait until the device has done what was asked of it; work on the CPU is done at once."""
    if device.type != "cpu":
        torch.get_device_module(device).synchronize()


def device_name(device: torch.device) -> str:
    """What the device calls itself, such as "NVIDIA H100"; its kind where it has no name."""
    name = getattr(torch.get_device_module(device), "get_device_name", None)
    return name() if name else device.type


def computes_in_bf16(device: torch.device) -> bool:
    """Whether a device has instructions for bfloat16, or torch is too old to say.

    One that has none makes it of float32, which takes a training step ten times as long (a
    processor with AVX2 alone).
    """
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    if device.type != "cpu" or not hasattr(torch.cpu, "get_capabilities"):
        return True
    known = torch.cpu.get_capabilities()
    return any(known.get(name) for name in _BF16_OF_PROCESSORS)
