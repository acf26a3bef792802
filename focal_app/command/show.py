"""Prints what came of every file; says whether all of them could be read."""

import json
import sys
from collections.abc import Iterator
from typing import Any

from focal_app.command.read import Outcome
from focal_app.command.table import table
from focal_app.command.trouble import complain, one_line
from focal_app.errors import FocalError
from focal_app.explore.reading.document import document

_CLEAR = "\x1b[K"
"""Tells a terminal to empty the rest of the line."""


def show_json(outcomes: Iterator[Outcome], *, files: int, heatmap: bool) -> bool:
    """One object for one FILE, a list for several; a file that failed has an `error`."""
    entries = [_entry(o, files=files, heatmap=heatmap) for o in _counted(outcomes, files)]
    printed = entries[0] if files == 1 else entries
    print(json.dumps(printed, indent=None if heatmap else 2, allow_nan=False))
    return not any("error" in entry for entry in entries)


def show_tables(outcomes: Iterator[Outcome], *, files: int, heatmap: bool) -> bool:
    """A table a recording, printed as soon as it is read."""
    well = True
    for outcome in outcomes:
        if isinstance(outcome.result, FocalError):
            well = False
            complain(outcome.result, file=outcome.file if files > 1 else None)
            continue
        if files > 1:
            print(f"File {outcome.file} of {files}")
        print(table(outcome.result, heatmap=heatmap), end="\n\n" if files > 1 else "\n", flush=True)
    return well


def _entry(outcome: Outcome, *, files: int, heatmap: bool) -> dict[str, Any]:
    if isinstance(outcome.result, FocalError):
        complain(outcome.result, file=outcome.file if files > 1 else None)
        return {"file": outcome.file, "error": one_line(outcome.result)}
    return {"file": outcome.file, **document(outcome.result, heatmap=heatmap)}


def _counted(outcomes: Iterator[Outcome], files: int) -> Iterator[Outcome]:
    """The same outcomes; somebody who waits at a terminal sees a line that counts."""
    watched = files > 1 and sys.stderr.isatty()
    for outcome in outcomes:
        if watched:
            print(f"{_CLEAR}read {outcome.file} of {files}", end="\r", file=sys.stderr, flush=True)
        yield outcome
    if watched:
        print(_CLEAR, end="", file=sys.stderr, flush=True)
