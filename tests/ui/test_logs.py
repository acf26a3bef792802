"""The log tells events, times and kinds of errors, and no content."""

import json
import logging
import subprocess
import sys
import traceback
from pathlib import Path

import gradio as gr
import pytest

from focal_app.ui.server.logs import Foreign, JsonLines, told

ROOT = Path(__file__).parents[2]
SECRET = "Jane Doe, born 1940"


def lines(caplog):
    return [json.loads(JsonLines().format(record)) for record in caplog.records]


def test_an_event_is_one_json_line_with_its_name_and_time(caplog):
    caplog.set_level(logging.INFO, logger="focal_app")

    def choose(text):
        return text

    assert told(choose)(SECRET) == SECRET
    (line,) = lines(caplog)
    assert line["event"] == "choose" and line["outcome"] == "done" and line["ms"] >= 0
    assert SECRET not in json.dumps(line)


def test_an_error_that_nobody_foresaw_is_told_by_type_and_place_alone(caplog):
    def read(text):
        raise ValueError(f"cannot read {text}")

    with pytest.raises(gr.Error) as shown:
        told(read)(SECRET)
    assert SECRET not in str(shown.value)
    (line,) = lines(caplog)
    assert line["level"] == "error" and line["error"].startswith("ValueError at test_logs.py:")
    assert SECRET not in json.dumps(line)


def test_a_line_stays_one_line_whatever_it_says():
    record = logging.LogRecord("focal_app", logging.INFO, "", 0, "a\nb", None, None)
    assert "\n" not in JsonLines().format(record)


def test_a_traceback_of_a_library_becomes_its_type(caplog):
    stream = Foreign()
    try:
        raise LookupError(SECRET)
    except LookupError:
        traceback.print_exc(file=stream)
    (line,) = lines(caplog)
    assert line["error"] == "LookupError" and SECRET not in json.dumps(line)


def test_where_the_log_cannot_be_written_an_event_is_answered_all_the_same() -> None:
    code = """
import sys
sys.stderr = open("/dev/full", "w", buffering=1)
from focal_app.ui.server.logs import start_logging, told
start_logging()
print(told(lambda text: text)("answered"))
"""
    run = [sys.executable, "-c", code]
    done = subprocess.run(run, capture_output=True, text=True, timeout=120, cwd=ROOT)
    assert done.stdout == "answered\n", done.stderr
