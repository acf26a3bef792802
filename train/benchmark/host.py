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

    device = torch.cuda.get_device_name() if torch.cuda.is_available() else platform.machine()
    return Host(
        device=device,
        system=platform.system(),
        cores=os.cpu_count() or 1,
        python=platform.python_version(),
        torch=torch.__version__,
    )
