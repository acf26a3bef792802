"""What torchrun starts: real processes, on this machine alone."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
TORCHRUN = (sys.executable, "-m", "torch.distributed.run", "--local-addr", "127.0.0.1")
"""As the command `torchrun`, by addresses that need no other machine to be known."""


def environment() -> dict[str, str]:
    """That of the tests, with a thread a process and nothing to download."""
    alone = {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    return {**os.environ, "PYTHONPATH": str(ROOT), **alone}


def by(processes: int, *arguments: object) -> subprocess.CompletedProcess[str]:
    """A module or script by so many; torchrun ends well only where every one of them did."""
    several = (*TORCHRUN, "--standalone", "--nproc_per_node", str(processes))
    command = [*(several if processes > 1 else several[:1]), *map(str, arguments)]
    return subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=500)


def documented_for_two_nodes(**instead: object) -> list[str]:
    """The guide's line for each of two nodes, some of its words replaced, in their order there."""
    guide = (ROOT / "docs" / "training.md").read_text(encoding="utf-8").replace("\\\n", " ")
    [line] = re.findall(r"^ {4}torchrun( --nnodes 2 .*)$", guide, re.MULTILINE)
    words = shlex.split(line)
    for option, value in instead.items():
        words[words.index(f"--{option}") + 1] = str(value)
    return [*TORCHRUN, *words]
