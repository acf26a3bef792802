"""Reads recordings of strangers: each in a process of its own, with limits that the system keeps.

The app starts this program once; it imports what reading needs and waits. It forks a child for
every line that it is handed; a child reads one recording after another, and a few in all. One that
is too slow, too large or that crashes ends alone, and the next child is there in milliseconds.

CPU seconds, seconds and core dumps are limited by the kernel everywhere. The address space is
limited on Linux; macOS does not keep that limit.
"""

import gc
import math
import os
import resource
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from select import select
from typing import Any

from focal_app.ecg.reading_limits import Limits
from focal_app.ecg.recording import ECG
from focal_app.ecg.recording_bytes import packed, received, table_to_bytes, to_bytes
from focal_app.ecg.tables.question import SignalUnknown
from focal_app.errors import RecordingError

Read = Callable[[Sequence[Path]], ECG]
READY = b"r"
MEMORY, TIME, CRASH = "memory", "time", "crash"
_ENDED_BY: dict[int, str] = {
    signal.SIGXCPU: TIME,
    signal.SIGALRM: TIME,
    signal.SIGKILL: MEMORY,  # a system without memory left ends processes in this way
}


def serve(control: socket.socket, read: Read) -> None:
    """Says `READY` on `control`, then forks for every line that comes over it, until it closes."""
    woken, wake = socket.socketpair()
    wake.setblocking(False)
    signal.set_wakeup_fd(wake.fileno())
    signal.signal(signal.SIGCHLD, lambda *_: None)
    children: dict[int, socket.socket] = {}
    control.sendall(READY)
    while True:
        ready, _, _ = select([control, woken], [], [])
        if woken in ready:
            woken.recv(4096)
            _bury(children)
        if control in ready:
            word, handles, _, _ = socket.recv_fds(control, 1, 1)
            if not word:
                return
            line = socket.socket(fileno=handles[0])
            if pid := os.fork():
                children[pid] = line
                continue
            for other in (control, woken, wake, *children.values()):
                other.close()
            _live(line, read)


def _bury(children: dict[int, socket.socket]) -> None:
    """Lets go of children that ended, and says what ended those that could not say it."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        with children.pop(pid) as line:
            if status:
                cause = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
                with suppress(OSError):
                    line.setblocking(False)
                    line.sendall(packed({"ended": _ENDED_BY.get(cause, CRASH)}))


def _live(line: socket.socket, read: Read) -> None:
    """The life of a child: one answer after another, until nobody asks any more."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    _set(resource.RLIMIT_CORE, 0)
    with suppress(OSError):  # where the machine runs out of memory, this process goes first
        Path("/proc/self/oom_score_adj").write_text("1000")
    held = _address_space()
    try:
        while asked := _request(line):
            tempfile.tempdir = asked["scratch"]
            _limit(Limits(**asked["limits"]), held)
            line.sendall(_read(read, [Path(path) for path in asked["paths"]]))
            signal.setitimer(signal.ITIMER_REAL, 0)
    except BaseException:  # noqa: BLE001  what it says could quote the file
        os._exit(1)
    os._exit(0)


def _request(line: socket.socket) -> dict[str, Any] | None:
    """The next request, None when the other end has hung up."""
    try:
        return received(line.recv)[0]
    except (ValueError, OSError):
        return None


def _read(read: Read, paths: Sequence[Path]) -> bytes:
    try:
        return to_bytes(read(paths))
    except SignalUnknown as unknown:
        return table_to_bytes(unknown.table)
    except RecordingError as error:
        return packed({"refused": str(error)})
    except MemoryError:
        return packed({"ended": MEMORY})
    except Exception as error:  # noqa: BLE001  of an error that nobody foresaw its type is enough
        return packed({"failed": type(error).__name__})


def _limit(limits: Limits, held: int) -> None:
    """Has the system end this process where the next recording goes too far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    signal.setitimer(signal.ITIMER_REAL, limits.wall_s)
    _set(resource.RLIMIT_CPU, math.ceil(used.ru_utime + used.ru_stime) + limits.cpu_s)
    if held:
        _set(resource.RLIMIT_AS, held + limits.memory_mb * 1_000_000)


def _set(kind: int, most: int) -> None:
    """A limit, or the lower one that a host has set; a system that knows no such limit has none."""
    _, hard = resource.getrlimit(kind)
    least = most if hard == resource.RLIM_INFINITY else min(most, hard)
    with suppress(ValueError, OSError):
        resource.setrlimit(kind, (least, hard))


def _address_space() -> int:
    """Bytes of address space that this process has now, 0 where the system does not say."""
    try:
        pages = Path("/proc/self/statm").read_text().split()[0]
    except OSError:
        return 0
    return int(pages) * resource.getpagesize()


def main() -> None:
    """`python -m focal_app.ecg.reading_process FD`: FD is the control socket."""
    from focal_app.ecg.clinical.reading import load_parsers
    from focal_app.ecg.files import read_recording
    from focal_app.ecg.wfdb_reader import load_wfdb

    load_wfdb()
    load_parsers()
    # No collection in a child: it would copy every page that it looks at.
    gc.disable()
    gc.freeze()
    serve(socket.socket(fileno=int(sys.argv[1])), read_recording)


if __name__ == "__main__":
    main()
