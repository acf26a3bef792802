"""In which numbers a device multiplies: bfloat16 where that is asked for, and no slower."""

import torch

from focal_app.model.device import computes_in_bf16


def mixed(device: torch.device, *, bf16: bool = True) -> torch.autocast:
    """What to multiply within: in bfloat16 where it is asked for and the device has it."""
    return torch.autocast(device.type, torch.bfloat16, enabled=bf16 and computes_in_bf16(device))
