"""What one input costs and touches: seconds, memory, files, connections.

It works in a process of its own, for the watch over what Python opens cannot be taken off again.
"""

import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from focal_app.errors import FocalError
from tests.fuzz.kept import Files
from tests.fuzz.odd import CANARY
from tests.fuzz.targets import Run, Target

SLOWEST_S, MOST_MB = 2.0, 300.0
GIVEN_UP_S = 20.0
ROOT = Path(__file__).parents[2]
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGES = ("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.symlink", "os.link", "os.chmod")
_NEVER = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "pickle.find_class")


@dataclass(frozen=True)
class Outcome:
    """What came of an input: `said` in a few words or the refusal, and what must not be."""

    refused: bool = False
    said: str = ""
    seconds: float = 0.0
    megabytes: float = 0.0
    findings: tuple[str, ...] = ()


class TooSlow(BaseException):
    """Past all patience; no parser catches it."""


@dataclass
class _Watch:
    """The files and connections of an input that should not be; only while `armed`."""

    folder: str = ""
    readable: tuple[str, ...] = ()
    armed: bool = False
    found: list[str] = field(default_factory=list)

    def __call__(self, event: str, arguments: tuple) -> None:
        """An audit hook of the interpreter."""
        if not self.armed:
            return
        if event == "open":
            self._opened(*arguments)
        elif event in _CHANGES and not self._own(*arguments):
            self.found.append(f"{event} outside the folder")
        elif event in _NEVER:
            self.found.append(event)
        elif event == "socket.connect" and arguments[1][0] != "127.0.0.1":
            self.found.append("a connection to another machine")
        elif event == "socket.getaddrinfo" and arguments[0] not in ("127.0.0.1", b"127.0.0.1"):
            self.found.append("a name was looked up")

    def _opened(self, path: object, mode: object, flags: int) -> None:
        if isinstance(path, int):
            return
        if path in (os.devnull, "/dev/urandom"):
            return
        writes = flags & _WRITES
        allowed = (self.folder,) if writes else (self.folder, *self.readable)
        if not self._inside(path, *allowed):
            self.found.append(f"{'wrote' if writes else 'read'} a file outside the folder")

    def _own(self, path: object, *more: object) -> bool:
        """Within the folder, or relative to a directory that was opened (and so watched) before."""
        relative = isinstance(path, str) and not Path(path).is_absolute()
        by_directory = relative and any(isinstance(one, int) and one >= 0 for one in more)
        return by_directory or self._inside(path, self.folder)

    @staticmethod
    def _inside(path: object, *folders: str) -> bool:
        if isinstance(path, int):
            return True
        if not isinstance(path, str | bytes | os.PathLike):
            return False
        place = os.path.realpath(os.fsdecode(path))
        return any(place == folder or place.startswith(folder + os.sep) for folder in folders)


class Measured:
    """Runs inputs one after the other; nothing but what they own may be opened.

    Files are written in `folder` alone; read also those of the libraries, of this repository and
    of `readable`.
    """

    def __init__(self, folder: Path, *, readable: Path) -> None:
        self._folder = folder
        libraries = {sys.prefix, sys.base_prefix, *filter(os.path.isdir, sys.path)}
        roots = [ROOT, readable, *libraries, "/proc", "/sys", "/usr", "/etc/mime.types"]
        self._watch = _Watch(
            os.path.realpath(folder), tuple(os.path.realpath(root) for root in roots)
        )
        warnings.simplefilter("ignore")
        sys.addaudithook(self._watch)
        signal.signal(signal.SIGPROF, _give_up)

    def run(self, target: Target, files: Files) -> Outcome:
        """What comes of one input."""
        given, own = self._folder / "given", self._folder / "own"
        for place in (given, own):
            place.mkdir(parents=True, exist_ok=True)
        before, begun = _peak_from_now(), time.process_time()
        with self._watched(own) as strange:
            refused, said, foreign = _tried(target.run, files, given)
        seconds, megabytes = time.process_time() - begun, _peak_mb() - before
        findings = [*foreign, *dict.fromkeys(strange)]
        findings += [f"took {seconds:.1f} s"] if seconds > SLOWEST_S else []
        findings += [f"held {megabytes:.0f} MB"] if megabytes > MOST_MB else []
        findings += ["left files behind"] if any(own.iterdir()) else []
        findings += ["said a name"] if target.private and CANARY.lower() in said.lower() else []
        for place in (given, own):
            shutil.rmtree(place)
        return Outcome(refused, said, seconds, megabytes, tuple(findings))

    @contextmanager
    def _watched(self, temporary: Path) -> Iterator[list[str]]:
        """While it lasts, temporary files go to that folder, and what is touched is noted."""
        before, tempfile.tempdir = tempfile.tempdir, str(temporary)
        self._watch.found.clear()
        self._watch.armed = True
        try:
            yield self._watch.found
        finally:
            self._watch.armed = False
            tempfile.tempdir = before


def _tried(run: Run, files: Files, folder: Path) -> tuple[bool, str, list[str]]:
    """Whether it was refused, what was said, and the error that should not be."""
    signal.setitimer(signal.ITIMER_PROF, GIVEN_UP_S)
    try:
        return False, run(files, folder), []
    except FocalError as error:
        return True, str(error), []
    except (Exception, TooSlow) as error:  # noqa: BLE001  whatever it is, it is what we look for
        return False, "", [f"{type(error).__name__} at {_place(error)}"]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _give_up(*_: object) -> None:
    raise TooSlow


def _place(error: BaseException) -> str:
    """The last line of our own code that the error went through."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "focal_app" in frame.filename or "train" in frame.filename]
    last = (ours or frames)[-1]
    return f"{Path(last.filename).name}:{last.lineno}"


def _peak_from_now() -> float:
    """Forgets the highest memory so far (Linux); what the process holds now, in MB."""
    Path("/proc/self/clear_refs").write_text("5")
    return _peak_mb()


def _peak_mb() -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1000
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
