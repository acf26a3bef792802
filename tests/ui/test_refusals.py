"""Where a change is refused, every control shows again what the page shows.

The handlers run in a process of their own, as in `test_page`.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
REFUSE = """
import inspect, json, sys
sys.path.insert(0, "tests/ui")
from conftest import PlainReader
from focal_app.explore.reading.bundled_cases import bundled_cases
from focal_app.ui.page import build_page
from focal_app.ui.server.model_source import Lazy

reader = PlainReader()
page = build_page(Lazy(lambda: reader), Lazy(lambda: None))
opening = next(fn.fn for fn in page.fns.values() if fn.name == "open_case")
handlers = inspect.unwrap(opening).__self__
told = {part.elem_id or "view": value for part, value in handlers.start(1440).items()}
view = handlers.first_reading(told["view"])
view = next(value for part, value in view.items() if part.elem_id is None)
reader.refuses = True
changes = {
    "case": lambda: handlers.open_case(view, bundled_cases()[1].name),
    "prompt-set": lambda: handlers.choose_set(view, "ptbxl-super"),
    "focus": lambda: handlers.focus(view, 1.0),
}
told = {
    control: {part.elem_id: value for part, value in change().items()}
    for control, change in changes.items()
}
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def refused():
    """What the page is told after each change that the reader refuses."""
    run = subprocess.run(
        [sys.executable, "-c", REFUSE], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    ("control", "shown"),
    [
        ("case", "normal"),
        ("prompt-set", "everyday"),
        ("focus", 0.1),
    ],
)
def test_a_refused_change_is_taken_back_where_it_was_made(refused, control, shown):
    told = refused[control]
    assert "found no signal" in told["trouble"].lower()
    assert told[control] == shown
    assert not {"paper", "places", "findings"} & told.keys()
