"""What runs on a GPU runs here on the stand-in device, in a process of its own.

    FOCAL_TEST_DEVICE=standin python -m pytest tests/test_rules_on_a_device.py

Every `test_*_on_a_device.py` asks for the fixture `device`: CUDA under the marker `gpu`, and here
the stand-in.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import standin_device

TESTS = Path(__file__).parent
ON_A_DEVICE = sorted(TESTS.rglob("test_*_on_a_device.py"))


@pytest.mark.slow
@pytest.mark.skipif(bool(standin_device.missing()), reason=standin_device.missing())
def test_what_runs_on_a_gpu_runs_on_the_standin():
    environment = {**os.environ, "FOCAL_TEST_DEVICE": "standin", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-rp", "-p", "no:cacheprovider", *ON_A_DEVICE]
    done = subprocess.run(
        command, cwd=TESTS.parent, env=environment, capture_output=True, text=True, timeout=500
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    passed = {line.partition("::")[0] for line in done.stdout.splitlines() if line[:4] == "PASS"}
    assert passed == {f"PASSED {file.relative_to(TESTS.parent)}" for file in ON_A_DEVICE}
