"""Recordings of the PhysioNet challenges 2020 and 2021: SNOMED CT codes in the header.

    build(Challenge("csn", Path("WFDB_ChapmanShaoxing")), Path("runs/NAME/data/csn"))

Each source numbers its recordings in its own way and gives no patients, so that a recording is
its own subject. The headers are read with the waveform, in whichever process is told to.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from focal_app.ecg.files import read_recording
from focal_app.lexicon import load_lexicon
from train.data.fingerprint import LEXICON, fingerprint
from train.data.source import Annotated, Shares, Study

NUMBERED = {"csn": r"JS\d+", "cpsc2018": r"A\d+", "cpsc-extra": r"Q\d+", "georgia": r"E\d+"}
"""How each source names its recordings."""


@dataclass(frozen=True)
class Challenge:
    """The recordings of one source anywhere below `folder`, split by a stable hash."""

    name: str
    folder: Path
    shares: Shares = field(default_factory=Shares)
    spoken: frozenset[str] = frozenset()
    """The four sources code with different care: only what is named is known."""
    classes_stated: bool = True

    @property
    def about(self) -> dict[str, Any]:
        """Shares, and the lexicon, which maps the codes."""
        return {"shares": vars(self.shares), "lexicon": fingerprint(files=[LEXICON])}

    @property
    def total(self) -> None:
        """Not known before the folder is walked."""
        return None

    def studies(self, counted: Counter[str]) -> Iterator[Study]:
        """Every header of this source, in the order of its numbers."""
        named = re.compile(NUMBERED[self.name])
        for header in sorted(self.folder.rglob("*.hea"), key=lambda path: path.stem):
            if not named.fullmatch(header.stem):
                counted["headers of other sources"] += 1
                continue
            counted["studies listed"] += 1
            split = self.shares.split_of(self.name, header.stem)
            yield Study(header.stem, header.stem, split, partial(_read, header=header))


def _read(counted: Counter[str], *, header: Path) -> Annotated | None:
    if not any(header.with_suffix(ending).is_file() for ending in (".mat", ".dat")):
        counted["studies without waveform"] += 1
        return None
    ecg = read_recording([header])
    found = [load_lexicon().of_snomed(code) for code in ecg.source.codes]
    counted["codes without a statement"] += sum(statement is None for statement in found)
    tags = tuple(dict.fromkeys(statement.tag for statement in found if statement))
    if not tags:
        counted["studies left out: no code has a statement"] += 1
        return None
    return Annotated(ecg, tags)
