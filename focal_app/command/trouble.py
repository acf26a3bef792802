"""What went wrong, as one line on the error stream."""

import sys

from focal_app.errors import FocalError


def complain(error: FocalError, *, file: int | None = None) -> None:
    """Print an error; `file` is the place on the command line of the FILE that it is about."""
    about = "" if file is None else f"file {file}: "
    print(f"error: {about}{one_line(error)}", file=sys.stderr)


def one_line(error: FocalError) -> str:
    """The message of an error without line breaks."""
    return " ".join(str(error).split())
