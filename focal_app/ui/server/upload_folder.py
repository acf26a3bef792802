"""The folder in which uploads lie: held by a lock while the app lives, and swept when it does not.

An app that is killed leaves its folder behind. The next one deletes it where it is its own: of the
same owner, with a lock in it that no living process holds. Apps beside each other are in peace.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows has no such locks; there nothing is swept.
    fcntl = None

PREFIX = "focal-"
LOCK = "focal-explorer.lock"


@dataclass(frozen=True)
class UploadFolder:
    """What visitors send lies in `uploads`, what is unpacked for a moment in `work`."""

    root: Path

    @property
    def uploads(self) -> Path:
        """Where uploads are stored, each file in a folder of its own."""
        return self.root / "uploads"

    @property
    def work(self) -> Path:
        """Where this process makes its temporary files."""
        return self.root / "work"


@contextmanager
def upload_folder() -> Iterator[UploadFolder]:
    """A new folder for as long as the app lives; those that dead ones left are deleted first."""
    sweep(Path(tempfile.gettempdir()))
    folder, lock = _made()
    try:
        for place in (folder.uploads, folder.work):
            place.mkdir()
        yield folder
    finally:
        shutil.rmtree(folder.root, ignore_errors=True)
        lock.close()


def sweep(among: Path) -> int:
    """Deletes the folders that dead apps of this owner left; how many there were."""
    swept = 0
    for root in among.glob(f"{PREFIX}*"):
        with suppress(OSError), _abandoned(root):
            shutil.rmtree(root, ignore_errors=True)
            swept += 1
    return swept


def _made() -> tuple[UploadFolder, IO[bytes]]:
    while True:
        root = Path(tempfile.mkdtemp(prefix=PREFIX)).resolve()
        lock = (root / LOCK).open("wb")
        # Between the two lines another may have found it unlocked, and swept it.
        with suppress(OSError):
            _take(lock)
            if (root / LOCK).stat().st_ino == os.fstat(lock.fileno()).st_ino:
                return UploadFolder(root), lock
        lock.close()


@contextmanager
def _abandoned(root: Path) -> Iterator[None]:
    """Holds the lock of a folder that nobody else holds; an `OSError` where it is another's."""
    if fcntl is None or root.is_symlink() or root.stat().st_uid != os.getuid():
        raise PermissionError
    place = os.open(root / LOCK, os.O_RDWR | os.O_NOFOLLOW)
    with os.fdopen(place, "rb+") as lock:
        _take(lock)
        yield


def _take(lock: IO[bytes]) -> None:
    if fcntl is not None:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
