"""What every data set offers to `train.data.build`: its name and its studies, one by one.

A source is light: it reads tables only. The waveform is read by the study itself, in whichever
process is told to.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Protocol

from focal_app.ecg.files import read_recording
from focal_app.ecg.recording import ECG
from focal_app.errors import ConfigError
from train.simulate.places import Place

Tagging = Literal["curated", "commas"]
"""How reports become tags: by lists that were made for them, or cut at every comma (published)."""

COMMAS = "commas"
"""What the manifest of shards says of tags that were cut at commas."""

SPLITS = ("train", "validation", "test")


@dataclass(frozen=True)
class Annotated:
    """A recording and what is said of it.

    `tags` are the lexicon's wordings where it knows the finding, else the report's own in lower
    case; `hedged` those of them that are only suspected. `places` are known of simulated
    recordings alone.
    """

    ecg: ECG
    tags: tuple[str, ...]
    report: str = ""
    hedged: tuple[str, ...] = ()
    places: tuple[Place, ...] | None = None


@dataclass(frozen=True)
class Study:
    """One recording to be stored: its key in the source, its patient, its split, how to read it.

    `read` counts what it leaves out and returns None where that is the whole recording; a
    `RecordingError` means the same. It travels to other processes, so it is a function of a
    module or a `functools.partial` of one.
    """

    key: str
    subject: str
    split: str
    read: Callable[[Counter[str]], Annotated | None]


def read_wfdb(
    counted: Counter[str],
    *,
    header: Path,
    tags: tuple[str, ...],
    report: str = "",
    hedged: tuple[str, ...] = (),
    facts: tuple[int | None, str | None] | None = None,
) -> Annotated | None:
    """A WFDB recording and what is said of it; None, and counted, where its files are not there.

    `facts` are the age and sex that a table gives, in place of the header's.
    """
    if not (header.is_file() and header.with_suffix(".dat").is_file()):
        counted["studies without waveform"] += 1
        return None
    ecg = read_recording([header])
    if facts is not None:
        ecg = replace(ecg, source=replace(ecg.source, age_years=facts[0], sex=facts[1]))
    return Annotated(ecg, tags, report, hedged)


class Source(Protocol):
    """A data set: `about` says what decides its records, so that a changed choice is noticed."""

    @property
    def name(self) -> str:
        """Its name on the command line and in the manifest."""
        ...

    @property
    def about(self) -> dict[str, Any]:
        """The choices that decide what is stored, as plain values for JSON."""
        ...

    @property
    def spoken(self) -> frozenset[str] | None:
        """The tags that it would name if they held, so that its silence about them means absent.

        Empty where only what is named is known, None where reports are worded freely.
        """
        ...

    @property
    def classes_stated(self) -> bool:
        """Whether it names every class of diagnoses that holds, as annotators do.

        Where not, a class that a sign suggests (an inverted T wave, say) stays unknown.
        """
        ...

    @property
    def total(self) -> int | None:
        """At most so many studies; None where that is not known beforehand."""
        ...

    def studies(self, counted: Counter[str]) -> Iterator[Study]:
        """Every usable study, always in the same order; what is left out is counted by reason."""
        ...


@dataclass(frozen=True)
class Shares:
    """The parts of a source's subjects that go into each split; they sum to 1."""

    train: float = 0.9
    validation: float = 0.05
    test: float = 0.05

    def __post_init__(self) -> None:
        """Refuse parts that are no shares of a whole."""
        parts = (self.train, self.validation, self.test)
        if min(parts) < 0 or abs(sum(parts) - 1) > 1e-6:
            raise ConfigError(
                f"found shares {', '.join(f'{part:g}' for part in parts)} for train, validation "
                "and test; three shares from 0 to 1 that sum to 1 are needed."
            )

    def split_of(self, source: str, subject: str) -> str:
        """The split of a subject: a stable hash, the same on every machine and in every order."""
        digest = hashlib.sha256(f"{source}\0{subject}".encode()).digest()
        drawn = int.from_bytes(digest[:8], "big") / 2**64
        if drawn < self.train:
            return "train"
        return "validation" if drawn < self.train + self.validation else "test"
