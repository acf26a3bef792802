"""From `python app.py` to the first answer of the page."""

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.benchmarks.timing import Row

ROOT = Path(__file__).parents[2]
AIM_S, LONGEST_S, STARTS = 6, 120, 3


def rows() -> list[Row]:
    """Time of a start; the first one also warms the packages."""
    seconds = []
    for _ in range(STARTS):
        with running_app() as (_url, took_s):
            seconds.append(took_s)
    found = f"{min(seconds):.1f} s (best of {STARTS}, first {seconds[0]:.1f} s)"
    return [Row("Start to first page", found, f"{AIM_S} s", min(seconds) <= AIM_S)]


@contextmanager
def running_app() -> Iterator[tuple[str, float]]:
    """The app as a process of its own, offline: its address and the seconds until it answered."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    offline = {"GRADIO_ANALYTICS_ENABLED": "False", "HF_HUB_OFFLINE": "1"}
    listening = {"GRADIO_SERVER_NAME": "127.0.0.1", "GRADIO_SERVER_PORT": str(port)}
    url = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryFile() as log:
        begun = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "app.py"],
            cwd=ROOT,
            env={**os.environ, **offline, **listening},
            stdout=log,
            stderr=log,
        )
        try:
            _wait_for(url, process, begun)
            yield url, time.perf_counter() - begun
        finally:
            process.terminate()
            process.wait(timeout=30)


def _wait_for(url: str, process: subprocess.Popen, begun: float) -> None:
    while process.poll() is None and time.perf_counter() - begun < LONGEST_S:
        try:
            with urllib.request.urlopen(url, timeout=LONGEST_S):
                return
        except OSError:
            time.sleep(0.02)
    raise RuntimeError(f"the app gave no page within {LONGEST_S} s")
