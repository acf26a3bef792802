"""The real app on a small disk, killed and started again on the way, and watched from outside."""

import os
import resource
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from tests.running import App, once_loaded, started

DISK_MB = 256
SPARE_BYTES = 20_000
TRIES = 60
TIGHT_MB = 1_500
"""What app and workers may hold beyond what they have while memory is scarce."""


class Server:
    """The app that runs now; `app` is another one after a kill."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self._folder, self._environment = folder, environment
        self._stack = ExitStack()
        try:
            self.app = self._start()
        except BaseException:
            self._stack.close()
            raise

    def _start(self) -> App:
        """A busy machine may keep even a word of health waiting."""
        app = self._stack.enter_context(started(self._folder, **self._environment))
        for _ in range(TRIES):
            with suppress(OSError):
                return once_loaded(app)
        raise TimeoutError("the app started and never said that it was there")

    def kill_and_start(self) -> None:
        """kill -9 of the app in the middle of its work, and a start in the same place."""
        self.app.process.kill()
        self.app.process.wait()
        self.app = self._start()

    def stop(self) -> None:
        """Ends the app as a host would."""
        try:
            self._stack.close()
        except subprocess.TimeoutExpired:
            self.app.process.kill()
            self.app.process.wait()

    def processes(self) -> list[int]:
        """The app and all processes that it has started."""
        found, todo = [], [self.app.process.pid]
        while todo:
            pid = todo.pop()
            found.append(pid)
            with suppress(OSError):
                children = Path(f"/proc/{pid}/task/{pid}/children").read_text()
                todo += map(int, children.split())
        return found

    def memory_mb(self) -> tuple[float, float]:
        """What the app holds, and what its readers hold; what they share is counted once."""
        own, *others = map(_held_mb, self.processes())
        return own, sum(others)

    def left(self) -> int:
        """Files of some content in the folder of temporary files."""
        left = [path for path in self.app.left() if path.suffix != ".lock"]
        return len([path for path in left if path.name != "filler"])

    @contextmanager
    def scarce_memory(self) -> Iterator[None]:
        """While it lasts, every process may take only so much more address space."""
        limited = {}
        for pid in self.processes():
            with suppress(OSError, ValueError):
                size = int(Path(f"/proc/{pid}/statm").read_text().split()[0]) * 4096
                before = resource.prlimit(pid, resource.RLIMIT_AS)
                most = size + TIGHT_MB * 1_000_000
                resource.prlimit(pid, resource.RLIMIT_AS, (most, before[1]))
                limited[pid] = before
        try:
            yield
        finally:
            for pid, before in limited.items():
                with suppress(OSError):
                    resource.prlimit(pid, resource.RLIMIT_AS, before)


def _held_mb(pid: int) -> float:
    with suppress(OSError):
        rows = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return sum(int(row.split()[1]) for row in rows if row.startswith("Pss:")) / 1000
    return 0.0


@contextmanager
def small_disk(folder: Path) -> Iterator[Callable[[], bool]]:
    """A disk of its own for the app where one can be mounted, and how to fill and empty it.

    Where none can be, there is no full disk; the filling then says False.
    """
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "tmpfs", str(folder)]
    mounted = not os.getuid() and not subprocess.run(mount, capture_output=True).returncode
    filler = folder / "filler"

    def toggle() -> bool:
        if filler.exists():
            filler.unlink()
        elif mounted:
            _fill(filler)
        return mounted

    try:
        yield toggle
    finally:
        if mounted:
            filler.unlink(missing_ok=True)
            _unmount(folder)


def _fill(filler: Path) -> None:
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"0" * 65_536)
    os.truncate(filler, max(0, filler.stat().st_size - SPARE_BYTES))


def _unmount(folder: Path) -> None:
    for _ in range(20):
        if not subprocess.run(["umount", str(folder)], capture_output=True).returncode:
            return
        time.sleep(0.5)
