"""What every test may ask for."""

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import forked
import pytest
import shape_check
from hypothesis import HealthCheck, settings
from jaxtyping import install_import_hook

ROOT = Path(__file__).parents[1]

# How long Hypothesis looks: shortly and always at the same inputs, or for `make fuzz` for long.
# How long one input takes says how busy the machine is.
WITHOUT = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile("short", deadline=None, derandomize=True, suppress_health_check=WITHOUT)
settings.register_profile("long", deadline=None, max_examples=5000, suppress_health_check=WITHOUT)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "short"))

# What is imported stays: looking through it for garbage again and again took an eighth of the time.
gc.disable()


def pytest_configure() -> None:
    """Begin what forks apps, once for all processes of a run."""
    if sys.platform == "linux" and not forked.can_fork():
        forked.begin()


def pytest_collection_finish() -> None:
    """Look for garbage again, among what tests make alone."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    gc.enable()


def _shaped() -> list[str]:
    """The modules that annotate shapes: in others the hook would slow every call for nothing."""
    files = [file for package in ("focal_app", "train") for file in (ROOT / package).rglob("*.py")]
    shaped = [file.relative_to(ROOT) for file in files if "jaxtyping" in file.read_text("utf-8")]
    return [".".join(file.with_suffix("").parts) for file in shaped]


# Before any test imports the packages: their annotated shapes are checked while tests run.
shape_check.spare()
install_import_hook(_shaped(), "shape_check.checked")

SHARED_ECG = ROOT.parent / "shared" / "ecg"
SHARED_BENCHMARK = ROOT.parent / "shared" / "benchmark"


if os.environ.get("FOCAL_TEST_DEVICE") == "standin":
    import standin_device

    standin_device.register()  # before any backward pass: the autograd engine counts devices once
    DEVICES = [standin_device.NAME]
else:
    DEVICES = [pytest.param("cuda", marks=pytest.mark.gpu)]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests first, so that no process is left alone with one at the end.

    Not those that drive a browser: the first imports take longer than a page may.

    A test of the page in a browser or of the running app (`tests/ui`, slow) that fails is run once
    more, and the summary names it ("RERUN"): processes on a busy machine meet in more orders than a
    test can wait for. No other is.
    """
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    browser = {item.path for item in items if item.get_closest_marker("browser")}
    items.sort(key=lambda item: item.path not in slow - browser)
    for item in items:
        running = item.get_closest_marker("slow") and item.path.parent.name == "ui"
        if running or item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.flaky(reruns=1))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says why a test was run once more."""
    for report in terminalreporter.stats.get("rerun", ()):
        why = [line for line in report.longreprtext.splitlines() if line.startswith("E ")]
        terminalreporter.write_line(f"run again: {report.nodeid}: {' '.join(why[:3])[:500]}")


def _threads() -> int | None:
    return sys.modules["torch"].get_num_threads() if "torch" in sys.modules else None


@pytest.fixture(autouse=True, scope="module")
def threads_as_found() -> Iterator[None]:
    """What sets torch's threads takes a process of its own: tests after it would wait for them."""
    before = _threads()
    yield
    assert before in (None, _threads())


@pytest.fixture(scope="session", params=DEVICES)
def device(request: pytest.FixtureRequest) -> str:
    """Another device than the CPU: CUDA, or the stand-in (see tests/test_standin_device.py)."""
    import torch

    if request.param == "cuda" and not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    return request.param


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


@pytest.fixture(scope="session")
def tiny_checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An untrained model of a few kilobytes, saved as any other: its scores mean nothing."""
    from tiny_model import save_tiny_model

    folder = tmp_path_factory.mktemp("tiny-checkpoint")
    save_tiny_model(folder)
    return folder
