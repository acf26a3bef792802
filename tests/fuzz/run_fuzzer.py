"""The fuzzer as a test runs it: in a process of its own."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run_fuzzer(*options: object) -> subprocess.CompletedProcess[str]:
    """What `python -m tests.fuzz` says with these options."""
    command = [sys.executable, "-m", "tests.fuzz", *map(str, options)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=500)
