"""Recordings are read in processes of their own: a hostile file costs one refusal.

    ecg = READERS.read([Path("recording.dcm")])

What a child may cost stands in `focal_app.ecg.reading_limits` and is kept by the system; nothing
here has to kill it. What comes back are numbers and words, never an object. The children know no
password and no key: of the environment they get only what finds the libraries.
"""

import atexit
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from select import select
from threading import BoundedSemaphore, Lock
from typing import Any

from focal_app.ecg.files import read_recording
from focal_app.ecg.reading_limits import Limits
from focal_app.ecg.recording import ECG
from focal_app.ecg.recording_bytes import from_bytes, packed, received, table_from_bytes
from focal_app.ecg.tables.question import SignalUnknown
from focal_app.errors import RecordingError

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-P", "-m", "focal_app.ecg.reading_process")
AT_ONCE = 3
"""Recordings that are read at the same time, each with `Limits.memory_mb`."""
EACH_READS = 50
"""Recordings that one child reads: what a library may have gathered in it goes with it."""
GRACE_S = 3.0
"""Beyond the limit of a child: a machine may be too busy to end it at once."""
START_S = 60.0
TIME, CRASH = "time", "crash"

_KEPT = (
    *("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LANG", "LC_ALL", "TZ"),
    "PYTHONDONTWRITEBYTECODE",
)
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


class ReaderFailed(Exception):
    """A child ended with an error that nobody foresaw; the message is its type alone."""


@dataclass
class _Child:
    """The line to a child, and how many recordings it has read."""

    line: socket.socket
    read: int = 0


class Readers:
    """The process that forks for each recording: started when needed, and again if it died.

    Where the system cannot fork (Windows), recordings are read in this process, without limits.
    """

    def __init__(self, *, command: Sequence[str] = COMMAND, limits: Limits | None = None) -> None:
        self._command = tuple(command)
        self._limits = limits or Limits()
        self._free = BoundedSemaphore(AT_ONCE)
        self._lock = Lock()
        self._idle: list[_Child] = []
        self._process: subprocess.Popen | None = None
        self._control: socket.socket | None = None

    def read(self, paths: Sequence[Path]) -> ECG:
        """The recording in some files, or a `RecordingError` that says why there is none."""
        if not hasattr(os, "fork"):
            return read_recording(paths)
        with self._free, _scratch() as scratch:
            request = {
                "paths": [str(path.absolute()) for path in paths],
                "scratch": scratch,
                "limits": asdict(self._limits),
            }
            return self._understood(*self._asked(packed(request)))

    def start(self) -> None:
        """Starts the process, so that the first visitor does not wait for it."""
        if hasattr(os, "fork"):
            with self._lock:
                self._started()

    def close(self) -> None:
        """Ends the process; children that still read end by their limits."""
        with self._lock:
            while self._idle:
                self._idle.pop().line.close()
            if self._control:
                self._control.close()
            if self._process:
                with suppress(subprocess.TimeoutExpired):
                    self._process.wait(timeout=5)
            self._process = self._control = None

    def _asked(self, request: bytes, *, again: bool = True) -> tuple[dict[str, Any], bytearray]:
        """What a child says; one that said nothing in time is left to its limits.

        A line that breaks without a word is no fault of the file, which is tried once more.
        """
        child = self._child()
        try:
            child.line.sendall(request)
            head, body = received(child.line.recv)
        except TimeoutError:
            child.line.close()
            return {"ended": TIME}, bytearray()
        except (OSError, ValueError):
            child.line.close()
            return self._asked(request, again=False) if again else ({"ended": CRASH}, bytearray())
        child.read += 1
        if "ended" in head or child.read >= EACH_READS:
            child.line.close()
        else:
            self._idle.append(child)
        return head, body

    def _child(self) -> "_Child":
        """A child that waits for work, or a new one."""
        while self._idle:
            child = self._idle.pop()
            # One that has ended meanwhile has something to be read: its end.
            if not select([child.line], [], [], 0)[0]:
                return child
            child.line.close()
        ours, theirs = socket.socketpair()
        ours.settimeout(self._limits.wall_s + GRACE_S)
        with theirs:
            self._hand_over(theirs)
        return _Child(ours)

    def _hand_over(self, line: socket.socket) -> None:
        """Gives the far end of a line to a new child."""
        with self._lock:
            try:
                socket.send_fds(self._started(), [b"r"], [line.fileno()])
            except OSError:
                self._process = None
                socket.send_fds(self._started(), [b"r"], [line.fileno()])

    def _started(self) -> socket.socket:
        if self._control and self._process and self._process.poll() is None:
            return self._control
        if self._control:
            self._control.close()
        self._control, theirs = socket.socketpair()
        with theirs:
            theirs.set_inheritable(True)
            self._process = subprocess.Popen(
                [*self._command, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        # Its imports take a second, and much longer on a machine that starts many things at once.
        self._control.settimeout(START_S)
        with suppress(TimeoutError):
            self._control.recv(1)
        return self._control

    def _understood(self, head: dict[str, Any], body: bytearray) -> ECG:
        """The recording of an answer, or its refusal."""
        if "refused" in head:
            raise RecordingError(str(head["refused"]))
        if "ended" in head:
            raise RecordingError(_ended(str(head["ended"]), self._limits))
        if "failed" in head:
            raise ReaderFailed(str(head["failed"]))
        if "asks" in head:
            raise SignalUnknown(table_from_bytes(head, body))
        return from_bytes(head, body)


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {**kept, **_ONE_THREAD, "PYTHONPATH": str(ROOT)}


def _ended(cause: str, limits: Limits) -> str:
    """A recording whose reading was ended: for its time, its memory, or because it crashed."""
    found = {
        TIME: f"takes longer to read than the {limits.wall_s:g} s that one recording may take",
        "memory": f"needs more memory to read than the {limits.memory_mb} MB that one may take",
    }.get(cause, "ended its reader before there was an answer")
    return (
        f"found a recording that {found}; nothing of it is kept. Cut out the part of interest "
        "(10 s are enough), export that, and open it."
    )


def _scratch() -> tempfile.TemporaryDirectory:
    """Where a child may write; it goes with all that a child that was ended left in it."""
    try:
        return tempfile.TemporaryDirectory(prefix="focal-", ignore_cleanup_errors=True)
    except OSError:
        raise RecordingError(
            "found no room on the disk, where reading needs a moment's; make room, or try again "
            "later."
        ) from None


READERS = Readers()
"""The readers of this app, or of this call of the command line."""
atexit.register(READERS.close)
