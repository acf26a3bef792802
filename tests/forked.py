"""Starts of the app without importing the libraries anew: forked from a process that has them.

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
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import IO

LIBRARIES = ("gradio", "scipy.signal", "transformers.models.bert.modeling_bert", "faiss", "plotly")
READ_BY_LIBRARIES = ("HF_", "TORCH", "TRANSFORMERS", "OMP_", "GRADIO_ANALYTICS")
"""Beginnings of settings that are read when a library is imported, once for all processes."""


class Forked:
    """A process with what `subprocess.Popen` has of use here."""

    def __init__(
        self, command: Sequence[str], *, cwd: Path, env: Mapping[str, str], log: IO[str]
    ) -> None:
        self.returncode: int | None = None
        self._line, theirs = socket.socketpair()
        asked = json.dumps({"command": command[1:], "cwd": str(cwd), "env": dict(env)}).encode()
        with theirs:
            handles = [theirs.fileno(), log.fileno()]
            socket.send_fds(_server(), [len(asked).to_bytes(4)], handles)
            _server().sendall(asked)
        self.pid = int(self._line.recv(32))

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


@functools.cache
def _server() -> socket.socket:
    """The line to the process that forks; it ends with this one."""
    ours, theirs = socket.socketpair()
    kept = {
        n: v for n, v in os.environ.items() if not n.startswith(("FOCAL_", "GRADIO_", "MALLOC_"))
    }
    environment = {**kept, "HF_HUB_OFFLINE": "1", "GRADIO_ANALYTICS_ENABLED": "False"}
    with theirs:
        command = [sys.executable, __file__, str(theirs.fileno())]
        server = subprocess.Popen(command, env=environment, pass_fds=[theirs.fileno()])
    atexit.register(server.wait)
    atexit.register(ours.close)  # called first, which ends it
    return ours


def _serve(control: socket.socket) -> dict | None:
    """Forks for every command; what is returned, in a child, is what it shall run."""
    woken, wake = socket.socketpair()
    wake.setblocking(False)
    signal.set_wakeup_fd(wake.fileno())
    signal.signal(signal.SIGCHLD, lambda *_: None)
    running: dict[int, socket.socket] = {}
    while True:
        ready, _, _ = select.select([control, woken], [], [])
        if woken in ready:
            woken.recv(4096)
            _bury(running)
        if control in ready:
            size, handles, _, _ = socket.recv_fds(control, 4, 2)
            if not size:
                return None
            asked = json.loads(control.recv(int.from_bytes(size), socket.MSG_WAITALL))
            line = socket.socket(fileno=handles[0])
            if pid := os.fork():
                os.close(handles[1])
                line.sendall(str(pid).encode())
                running[pid] = line
                continue
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for one in (control, woken, wake, line, *running.values()):
                one.close()
            for standard in (1, 2):
                os.dup2(handles[1], standard)
            os.close(handles[1])
            return asked


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
    sys.argv = list(command)
    sys.path[0] = cwd
    runpy.run_path(command[0], run_name="__main__")


if __name__ == "__main__":
    for library in LIBRARIES:
        import_module(library)
    gc.collect()
    gc.freeze()
    if asked := _serve(socket.socket(fileno=int(sys.argv[1]))):
        _run(**asked)
