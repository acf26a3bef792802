"""What runs on a GPU runs here on the stand-in device, in a process of its own.

FOCAL_TEST_DEVICE=standin python -m pytest tests/device tests/train/device
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import standin_device

TESTS = Path(__file__).parent


@pytest.mark.skipif(bool(standin_device.missing()), reason=standin_device.missing())
@pytest.mark.parametrize("folder", ["device", "train/device"])
def test_what_runs_on_a_gpu_runs_on_the_standin(folder):
    environment = {**os.environ, "FOCAL_TEST_DEVICE": "standin", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", TESTS / folder]
    done = subprocess.run(
        command, cwd=TESTS.parent, env=environment, capture_output=True, text=True, timeout=500
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
