"""From `python app.py` to the first answer of the page, and what it takes while nobody asks."""

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
RESTING_S, MEASURED_S, AIM_SHARE = 30, 30, 0.01


def rows() -> list[Row]:
    """Time of a start, of which the first one also warms the packages, and the share of a core."""
    seconds = []
    for _ in range(STARTS):
        with running_app() as (_url, took_s, _pid):
            seconds.append(took_s)
    found = f"{min(seconds):.1f} s (best of {STARTS}, first {seconds[0]:.1f} s)"
    return [Row("Start to first page", found, f"{AIM_S} s", min(seconds) <= AIM_S), _idle()]


def _idle() -> Row:
    what, aim = "An app that nobody uses, of a core", f"{AIM_SHARE:.0%}"
    if sys.platform != "linux":
        return Row(what, "skipped: read from /proc", aim)
    with running_app() as (_url, _took_s, pid):
        time.sleep(RESTING_S)
        before = _cpu_s(pid)
        time.sleep(MEASURED_S)
        share = (_cpu_s(pid) - before) / MEASURED_S
    return Row(what, f"{share:.1%}", aim, share <= AIM_SHARE)


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def running_app() -> Iterator[tuple[str, float, int]]:
    """The app as a process of its own, offline: its address, the seconds until it answered, and
    the number of its process."""
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
            yield url, time.perf_counter() - begun, process.pid
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
