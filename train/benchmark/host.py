"""The kind of machine that measured something: no name, no path, no user."""

import os
import platform
from dataclasses import dataclass


@dataclass(frozen=True)
class Host:
    """Processor or accelerator kind, cores, and the versions that numbers may depend on."""

    device: str
    system: str
    cores: int
    python: str
    torch: str


def this_host() -> Host:
    """The machine that this process runs on."""
    import torch

    from focal_app.model.device import best_device, device_name

    device = best_device()
    return Host(
        device=platform.machine() if device.type == "cpu" else device_name(device),
        system=platform.system(),
        cores=os.cpu_count() or 1,
        python=platform.python_version(),
        torch=torch.__version__,
    )
