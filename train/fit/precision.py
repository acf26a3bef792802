"""In which numbers a device multiplies: bfloat16 where that is asked for, and no slower."""

import torch

_OF_PROCESSORS = ("avx512_bf16", "amx_bf16")


def computes_in_bf16(device: torch.device) -> bool:
    """Whether a device has instructions for bfloat16.

    One that has none makes it of float32, which takes a training step ten times as long (a
    processor with AVX2 alone).
    """
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    if device.type != "cpu":
        return True
    known = getattr(torch.cpu, "get_capabilities", dict)()
    return any(known.get(name) for name in _OF_PROCESSORS)


def mixed(device: torch.device, *, bf16: bool = True) -> torch.autocast:
    """What to multiply within: in bfloat16 where it is asked for and the device has it."""
    return torch.autocast(device.type, torch.bfloat16, enabled=bf16 and computes_in_bf16(device))
