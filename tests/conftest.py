"""What every test may ask for."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHARED_ECG = ROOT.parent / "shared" / "ecg"
SHARED_BENCHMARK = ROOT.parent / "shared" / "benchmark"


@pytest.fixture(scope="session")
def shared_ecg() -> Path:
    """The folder of real recordings beside the project, or a skip where it is absent."""
    if not SHARED_ECG.is_dir():
        pytest.skip("the folder of real recordings (../shared/ecg) is absent")
    return SHARED_ECG


@pytest.fixture(scope="session")
def shared_benchmark() -> Path:
    """The published splits and prompts beside the project, or a skip where they are absent."""
    if not SHARED_BENCHMARK.is_dir():
        pytest.skip("the folder of published splits (../shared/benchmark) is absent")
    return SHARED_BENCHMARK
