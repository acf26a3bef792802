"""The bundled cases: simulated ECGs that open without any file of one's own.

`assets/cases/index.json` lists them; each lies beside it as a WFDB pair, so that they can also be
downloaded and opened elsewhere.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from focal_app.ecg.complete import CompleteECG, completed
from focal_app.ecg.files import read_recording
from focal_app.errors import RecordingError
from focal_app.lexicon import load_lexicon

CASES = Path(__file__).parents[3] / "assets" / "cases"


@dataclass(frozen=True)
class BundledCase:
    """A simulated case: what it is called, what it shows, and what is truly drawn in it.

    `tags` hold with all that they imply, the waveform features in `absent` do not; of others
    nothing is known.
    """

    name: str
    title: str
    description: str
    tags: tuple[str, ...]
    absent: tuple[str, ...]

    def draws(self, feature: str) -> bool | None:
        """Whether a feature is drawn in this case; None where the simulator does not say."""
        lexicon = load_lexicon()
        if any(feature == tag or feature in lexicon.ancestors(tag) for tag in self.tags):
            return True
        return False if feature in self.absent else None


@cache
def bundled_cases() -> tuple[BundledCase, ...]:
    """All bundled cases, in the order in which they are offered."""
    listed = json.loads((CASES / "index.json").read_text(encoding="utf-8"))
    return tuple(
        BundledCase(**(case | {name: tuple(case[name]) for name in ("tags", "absent")}))
        for case in listed
    )


def bundled_case(name: str | None) -> BundledCase | None:
    """The bundled case of that name; None where there is none."""
    return next((case for case in bundled_cases() if case.name == name), None)


@cache
def load_case(name: str) -> CompleteECG:
    """The ECG of a bundled case."""
    if name not in {case.name for case in bundled_cases()}:
        known = ", ".join(case.name for case in bundled_cases())
        raise RecordingError(f"found no bundled case {name!r}; needed one of {known}")
    return completed(read_recording([CASES / f"{name}.hea"]))
