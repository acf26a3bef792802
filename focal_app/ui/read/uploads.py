"""Uploaded files: read once, then gone from the disk whatever happened."""

import logging
from collections.abc import Sequence
from pathlib import Path

from focal_app.ecg.complete import CompleteECG, completed
from focal_app.ecg.readers import READERS
from focal_app.errors import FocalError, RecordingError
from focal_app.ui import wording
from focal_app.ui.server.upload_ledger import delete_upload

_log = logging.getLogger(__name__)


def read_upload(paths: Sequence[str | Path]) -> CompleteECG:
    """The recording in the uploaded files, which are deleted before this returns."""
    files = [Path(path) for path in paths]
    try:
        return completed(READERS.read(files))
    except FocalError:
        raise
    except Exception as error:  # noqa: BLE001  any file may come, and the visitor needs a sentence
        _log.warning("an upload failed with %s", type(error).__name__)
        raise RecordingError(wording.UNREADABLE) from None
    finally:
        for file in files:
            delete_upload(file)
