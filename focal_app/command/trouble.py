"""What went wrong, as one line on the error stream."""

import sys

from focal_app.ecg.tables.question import SignalUnknown
from focal_app.errors import FocalError

TELL = "Tell it by --rate-hz, --unit and --leads."


def complain(error: FocalError, *, file: int | None = None) -> None:
    """Print an error; `file` is the place on the command line of the FILE that it is about."""
    about = "" if file is None else f"file {file}: "
    how = f" {TELL}" if isinstance(error, SignalUnknown) else ""
    print(f"error: {about}{one_line(error)}{how}", file=sys.stderr)


def one_line(error: FocalError) -> str:
    """The message of an error without line breaks."""
    return " ".join(str(error).split())
