"""What the app writes to its log: events, times and kinds of errors, never content.

At a terminal a line reads as a sentence; elsewhere it is a JSON object, for whatever collects it.
No prompt, report, file name, path, header or probability is logged, and of an error that nobody
foresaw only its type and its place in the code.
"""

import io
import json
import logging
import re
import sys
import time
import traceback
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import gradio as gr

from focal_app.ui import wording

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

_RAISED = re.compile(r"((?:\w+\.)*\w*(?:Error|Exception|Warning))\b")

_log = logging.getLogger(__name__)


class JsonLines(logging.Formatter):
    """One JSON object a record; what stands in `extra={"facts": {...}}` is part of it."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as a line."""
        entry: dict[str, Any] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created)),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "facts", {}),
        }
        if record.exc_info and record.exc_info[1]:
            entry["error"] = kind_and_place(record.exc_info[1])
        return json.dumps(entry, ensure_ascii=False)


class Sentences(logging.Formatter):
    """A record for somebody at a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as a line."""
        facts = " ".join(f"{key}={value}" for key, value in getattr(record, "facts", {}).items())
        return f"{record.levelname.lower()}: {record.getMessage()}{' ' if facts else ''}{facts}"


class Foreign(io.TextIOBase):
    """Takes what libraries write to the error stream past the log, and tells only what it was.

    Their tracebacks quote whatever a visitor has sent: of them the type of the error is logged.
    """

    def write(self, text: str) -> int:
        """Text of a library; a line that ends a traceback becomes a record."""
        for line in text.splitlines():
            if kind := _RAISED.match(line):
                _log.warning("a library failed", extra={"facts": {"error": kind.group(1)}})
        return len(text)


class Lines(logging.StreamHandler):
    """Writes the log. Where a line cannot be written, on a full disk say, work goes on without it.

    Python would write the failure to the error stream, which leads back here.
    """

    def handleError(self, record: logging.LogRecord) -> None:
        """Nothing can be told."""


def start_logging() -> None:
    """Sends the app's own records to the error stream, and of the libraries' only warnings."""
    handler = Lines(sys.stderr)
    if sys.stderr.isatty():
        handler.setFormatter(Sentences())
    else:
        handler.setFormatter(JsonLines())
        sys.stderr = Foreign()
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("focal_app").setLevel(logging.INFO)


def told(handler: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """The handler of an event, with a line in the log for each call.

    An error that nobody foresaw becomes a plain sentence for the visitor.
    """

    @wraps(handler)
    def telling(*arguments: Arguments.args, **named: Arguments.kwargs) -> Result:
        start = time.perf_counter()
        try:
            result = handler(*arguments, **named)
        except gr.Error:
            _line(handler, start, "refused")
            raise
        except Exception as error:  # noqa: BLE001  whatever it is, its text could name a patient
            _line(handler, start, "failed", error=kind_and_place(error))
            raise gr.Error(wording.BROKEN, print_exception=False) from None
        _line(handler, start, "done")
        return result

    return telling


def kind_and_place(error: BaseException) -> str:
    """The type of an error and where in the code it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"


def _line(handler: Callable[..., object], start: float, outcome: str, **more: str) -> None:
    milliseconds = round(1000 * (time.perf_counter() - start), 1)
    facts = {"event": handler.__name__, "outcome": outcome, "ms": milliseconds, **more}
    level = logging.ERROR if outcome == "failed" else logging.INFO
    _log.log(level, "event", extra={"facts": facts})
