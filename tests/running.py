"""The real app as a process of its own, for tests that talk to it from outside."""

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import pytest
from forked import READ_BY_LIBRARIES, Forked, can_fork

ROOT = Path(__file__).parents[1]
APP = (sys.executable, "app.py")
OURS = ("FOCAL_", "GRADIO_", "SPACE", "MALLOC_")
"""Settings of these tests, or of `make test`, that the app of a user would not have."""


@dataclass(frozen=True)
class App:
    """A running app: where it listens, the folder in which it may write, and its process."""

    url: str
    temporary: Path
    process: subprocess.Popen | Forked

    @property
    def log(self) -> list[dict]:
        """Every line that the app has logged."""
        return [json.loads(line) for line in (self.temporary / "log").read_text().splitlines()]

    @property
    def memory_mb(self) -> float:
        """What the process holds in memory, its libraries included (Linux)."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        (kilobytes,) = re.findall(r"VmRSS:\s+(\d+) kB", status)
        return int(kilobytes) / 1000

    @property
    def cpu_s(self) -> float:
        """CPU seconds of the process, of those that it started, and of those that ended (Linux)."""
        return sum(map(_ticks, _family(self.process.pid))) / os.sysconf("SC_CLK_TCK")

    def left(self) -> list[Path]:
        """Files of some content that the app has written, its log aside."""
        found = []
        for path in within(self.temporary):
            with suppress(OSError):  # it may be deleted at this very moment
                if path.is_file() and path.name != "log" and path.stat().st_size:
                    found.append(path)
        return found


def within(folder: Path) -> list[Path]:
    """All files and folders in one of which an app may be deleting some (`rglob` then fails)."""
    walked = list(os.walk(folder))
    return [Path(place, name) for place, *names in walked for name in chain.from_iterable(names)]


def _family(pid: int) -> list[int]:
    """A process and all that descend from it."""
    known = [pid]
    for one in known:
        for task in Path(f"/proc/{one}/task").glob("*/children"):
            with suppress(OSError):  # it may end at this very moment
                known += map(int, task.read_text().split())
    return known


def _ticks(pid: int) -> int:
    """Clock ticks of a process and of its children that have ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return sum(map(int, fields[11:15]))


@contextmanager
def reserved_port() -> Iterator[int]:
    """A port of this machine on which one process may listen, and which no other is given.

    A port that is only found free may be given to two: whose app comes second ends, and its test
    talks to the other's app. Elsewhere than on Linux it is only found free.
    """
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
        if sys.platform == "linux":
            held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        else:
            held.close()
        yield port


@contextmanager
def started(
    temporary: Path,
    *,
    command: Sequence[str] = APP,
    folder: Path = ROOT,
    alone: bool = False,
    **environment: str,
) -> Iterator[App]:
    """`python app.py` on a free port of this machine, with every look-up outside switched off.

    `alone`: it imports the libraries for itself, as it does for a user.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    settings = {
        **kept,
        "GRADIO_SERVER_NAME": "127.0.0.1",
        "HF_HUB_OFFLINE": "1",
        "TMPDIR": str(temporary),
        **environment,
    }
    with reserved_port() as port, (temporary / "log").open("w") as log:
        settings["GRADIO_SERVER_PORT"] = str(port)
        special = any(name.startswith(READ_BY_LIBRARIES) for name in environment)
        if can_fork() and not (alone or special):
            process = Forked(command, cwd=folder, env=settings, log=log)
        else:
            process = subprocess.Popen(command, cwd=folder, env=settings, stdout=log, stderr=log)
        try:
            app = App(f"http://127.0.0.1:{port}", temporary, process)
            _wait_for(app)
            yield app
        finally:
            process.terminate()
            process.wait(timeout=30)


def health(app: App) -> dict:
    """What GET /health says, whatever its status."""
    try:
        with urllib.request.urlopen(f"{app.url}/health", timeout=60) as answer:
            return json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return json.loads(error.read())


def once_loaded(app: App) -> App:
    """The app when model and gallery are there, or have failed."""
    for _ in range(1200):
        if health(app)["gallery"] in {"ready", "failed"}:
            return app
        time.sleep(0.25)
    raise TimeoutError("neither ready nor failed")


def half_sent(app: App) -> socket.socket:
    """A connection over which an upload has begun, and enough of it to lie on the disk."""
    host, port = app.url.removeprefix("http://").split(":")
    before = len(app.left())
    line = socket.create_connection((host, int(port)))
    part = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.dat"\r\n\r\n'
    line.sendall(
        b"POST /gradio_api/upload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000\r\n"
        b"Content-Type: multipart/form-data; boundary=x\r\n\r\n" + part + b"S" * 300_000
    )
    while len(app.left()) == before:
        time.sleep(0.1)
    return line


def _wait_for(app: App) -> None:
    for _ in range(600):
        if app.process.poll() is not None:
            break
        try:
            health(app)
            return
        except OSError:
            time.sleep(0.25)
    pytest.fail(f"the app did not start:\n{(app.temporary / 'log').read_text()}")
