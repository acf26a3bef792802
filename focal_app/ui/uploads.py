"""Uploaded files: read once, then gone from the disk whatever happened."""

import logging
import time
from collections.abc import Sequence
from contextlib import suppress
from os import stat_result
from pathlib import Path
from stat import S_ISREG

from focal_app.ecg.files import read_recording
from focal_app.ecg.recording import ECG
from focal_app.errors import FocalError, RecordingError
from focal_app.ui import wording

STALE_S = 600
"""An empty file of this age is no longer the beginning of somebody's upload."""

_log = logging.getLogger(__name__)


def read_upload(paths: Sequence[str | Path]) -> ECG:
    """The recording in the uploaded files, which are deleted before this returns."""
    files = [Path(path) for path in paths]
    try:
        return read_recording(files)
    except FocalError:
        raise
    except Exception as error:  # noqa: BLE001  any file may come, and the visitor needs a sentence
        _log.warning("an upload failed with %s", type(error).__name__)
        raise RecordingError(wording.unreadable()) from None
    finally:
        _delete(files)


def _delete(files: Sequence[Path]) -> None:
    """Deletes the files, the folder that the server made for each, and its stale markers."""
    for file in files:
        file.unlink(missing_ok=True)
        folder, shelf = file.parent, file.parent.parent
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
        _delete_markers(shelf)


def _delete_markers(shelf: Path) -> None:
    """Deletes the nameless files of zero bytes that the server leaves when it hands on an upload.

    One that is still being received looks the same until its first bytes are written, hence
    `STALE_S`.
    """
    for marker in shelf.glob("tmp*"):
        # Another visitor's upload may be moved, or its marker deleted, at this very moment.
        with suppress(FileNotFoundError):
            found = marker.stat()
            if S_ISREG(found.st_mode) and not found.st_size and _age_s(found) > STALE_S:
                marker.unlink()


def _age_s(found: stat_result) -> float:
    return time.time() - found.st_mtime
