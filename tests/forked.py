"""Starts of the app without importing the libraries anew: forked from a process that has them.

    begin()
    process = Forked(("python", "app.py"), cwd=ROOT, env=environment, log=file)

What is ours is imported by every process for itself, and so is what it reads of its environment.
Linux alone; elsewhere `started` takes a new process each time, as a user does.
"""

import atexit
import contextlib
import functools
import gc
import json
import os
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import IO

LIBRARIES = ("gradio", "scipy.signal", "transformers.models.bert.modeling_bert", "faiss", "plotly")
READ_BY_LIBRARIES = ("HF_", "TORCH", "TRANSFORMERS", "OMP_", "GRADIO_ANALYTICS")
"""Beginnings of settings that are read when a library is imported, once for all processes."""
ADDRESS = "FOCAL_TEST_FORKS"
"""Names, in the environment, the socket at which the process that forks is asked."""
PID_DIGITS = 12


class Forked:
    """A process with what `subprocess.Popen` has of use here; it is ended with its asker."""

    def __init__(
        self, command: Sequence[str], *, cwd: Path, env: Mapping[str, str], log: IO[str]
    ) -> None:
        self.returncode: int | None = None
        self._line = socket.socket(socket.AF_UNIX)
        self._line.connect(os.environ[ADDRESS])
        asked = json.dumps({"command": command[1:], "cwd": str(cwd), "env": dict(env)}).encode()
        socket.send_fds(self._line, [len(asked).to_bytes(4)], [log.fileno()])
        self._line.sendall(asked)
        self.pid = int(self._line.recv(PID_DIGITS, socket.MSG_WAITALL))

    def poll(self) -> int | None:
        """The exit status, or None while it runs."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(timeout=0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """The exit status, once it has ended."""
        if self.returncode is None:
            if not select.select([self._line], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("app.py", timeout or 0)
            self.returncode = int(self._line.recv(32))
            self._line.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """A signal, where it still runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self.send_signal(signal.SIGKILL)


def can_fork() -> bool:
    """Whether a process that forks was begun, by this process or one above it."""
    return ADDRESS in os.environ


def begin() -> None:
    """Begin the process that forks for this one and all below it; it ends with this one.

    It imports the libraries when it is first asked.
    """
    folder = tempfile.TemporaryDirectory(prefix="forks-")
    address = str(Path(folder.name, "line"))
    kept = {
        n: v for n, v in os.environ.items() if not n.startswith(("FOCAL_", "GRADIO_", "MALLOC_"))
    }
    environment = {**kept, "HF_HUB_OFFLINE": "1", "GRADIO_ANALYTICS_ENABLED": "False"}
    with socket.socket(socket.AF_UNIX) as asked:
        try:
            asked.bind(address)
        except OSError:  # the folder's name is too long for one
            folder.cleanup()
            return
        asked.listen(64)
        handle = asked.fileno()
        server = subprocess.Popen(
            [sys.executable, __file__, str(handle)],
            env=environment,
            stdin=subprocess.PIPE,
            pass_fds=[handle],
        )
    os.environ[ADDRESS] = address

    def end() -> None:
        os.environ.pop(ADDRESS)
        server.communicate()  # ends it
        folder.cleanup()

    atexit.register(end)


def _serve(asked: socket.socket) -> dict | None:
    """Forks for every command; what is returned, in a child, is what it shall run."""
    woken, wake = socket.socketpair()
    wake.setblocking(False)
    signal.set_wakeup_fd(wake.fileno())
    signal.signal(signal.SIGCHLD, lambda *_: None)
    running: dict[int, socket.socket] = {}
    while True:
        ready, _, _ = select.select([sys.stdin, asked, woken, *running.values()], [], [])
        if sys.stdin in ready:
            for pid in running:
                os.kill(pid, signal.SIGKILL)
            shutil.rmtree(Path(asked.getsockname()).parent, ignore_errors=True)
            return None
        if woken in ready:
            woken.recv(4096)
            _bury(running)
        for pid, line in running.items():
            if line in ready:  # nothing more is said on it: the asker has ended
                os.kill(pid, signal.SIGKILL)
        if asked in ready:
            line, _ = asked.accept()
            size, logs, _, _ = socket.recv_fds(line, 4, 1)
            if not logs:  # the asker has ended, having asked nothing
                line.close()
                continue
            order = json.loads(line.recv(int.from_bytes(size), socket.MSG_WAITALL))
            _import()
            if pid := os.fork():
                os.close(*logs)
                running[pid] = line
                with contextlib.suppress(OSError):  # as above: it is ended in the next round
                    line.sendall(str(pid).encode().ljust(PID_DIGITS))
                continue
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for one in (asked, woken, wake, line, *running.values()):
                one.close()
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            for standard in (1, 2):
                os.dup2(*logs, standard)
            os.close(*logs)
            return order


@functools.cache
def _import() -> None:
    for library in LIBRARIES:
        import_module(library)
    gc.collect()
    gc.freeze()


def _bury(running: dict[int, socket.socket]) -> None:
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            with running.pop(ended[0]) as line, contextlib.suppress(OSError):
                line.sendall(str(os.waitstatus_to_exitcode(ended[1])).encode())


def _run(command: Sequence[str], cwd: str, env: Mapping[str, str]) -> None:
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    tempfile.tempdir = None
    way, *rest = command
    sys.path[0] = cwd
    if way == "-c":
        sys.argv = ["-c", *rest[1:]]
        sys.modules["__main__"] = main = ModuleType("__main__")
        exec(compile(rest[0], "<string>", "exec"), vars(main))
    elif way == "-m":
        sys.argv = rest
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    else:
        sys.argv = list(command)
        runpy.run_path(way, run_name="__main__")


if __name__ == "__main__":
    if asked := _serve(socket.socket(fileno=int(sys.argv[1]))):
        _run(**asked)
