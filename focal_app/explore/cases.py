"""The bundled cases: simulated ECGs that open without any file of one's own.

`assets/cases/index.json` lists them; each lies beside it as a WFDB pair, so that they can also be
downloaded and opened elsewhere.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from focal_app.ecg.files import read_recording
from focal_app.ecg.recording import ECG
from focal_app.errors import RecordingError

CASES = Path(__file__).parents[2] / "assets" / "cases"


@dataclass(frozen=True)
class BundledCase:
    """A simulated case: what it is called, what it shows, and the tags that truly hold."""

    name: str
    title: str
    description: str
    tags: tuple[str, ...]


@cache
def bundled_cases() -> tuple[BundledCase, ...]:
    """All bundled cases, in the order in which they are offered."""
    listed = json.loads((CASES / "index.json").read_text(encoding="utf-8"))
    return tuple(BundledCase(**{**case, "tags": tuple(case["tags"])}) for case in listed)


@cache
def load_case(name: str) -> ECG:
    """The ECG of a bundled case."""
    if name not in {case.name for case in bundled_cases()}:
        known = ", ".join(case.name for case in bundled_cases())
        raise RecordingError(f"found no bundled case {name!r}; needed one of {known}")
    return read_recording([CASES / f"{name}.hea"])
