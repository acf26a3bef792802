"""LUDB in its official layout: diagnoses of two cardiologists, worded their own way.

    build(Ludb(Path("ludb")), Path("runs/NAME/data/ludb"))

`ludb.yaml` maps the wordings. 200 patients with one recording each (Kalyakulina et al., IEEE
Access 8:186181, 2020; doi:10.13026/eegm-h675).
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

import yaml

from focal_app.ecg.archives.tables import count_rows, rows
from train.data.fingerprint import LEXICON, fingerprint
from train.data.source import Shares, Study, read_wfdb

TABLE = "ludb.csv"
WORDINGS = Path(__file__).with_name("ludb.yaml")

_OF_PATIENT = ("ID", "Sex", "Age")
_SEX = {"M": "male", "F": "female"}


@dataclass(frozen=True)
class Ludb:
    """The recordings in `folder`, split by a stable hash."""

    folder: Path
    shares: Shares = field(default_factory=Shares)
    name: str = "ludb"
    classes_stated: bool = True

    @property
    def about(self) -> dict[str, Any]:
        """Shares, the wordings that are known, and the lexicon."""
        known = fingerprint(files=[WORDINGS, LEXICON])
        return {"shares": vars(self.shares), "wordings": known}

    @property
    def spoken(self) -> frozenset[str]:
        """The statements for which it has a wording."""
        return frozenset(tag for tags in _wordings().values() for tag in tags)

    @property
    def total(self) -> int | None:
        """At most the lines of its table, whose cells break over lines."""
        return count_rows(self.folder / TABLE)

    def studies(self, counted: Counter[str]) -> Iterator[Study]:
        """Every recording of the table one of whose diagnoses maps to a statement."""
        for row in rows(self.folder / TABLE, (*_OF_PATIENT, "Rhythms")):
            counted["studies listed"] += 1
            number, tags = row["ID"].strip(), _tags(row, counted)
            if not tags:
                counted["studies left out: no wording has a statement"] += 1
                continue
            age = row["Age"].strip()
            read = partial(
                read_wfdb,
                header=self.folder / "data" / f"{number}.hea",
                tags=tags,
                # Older patients stand there as ">89", of unknown age.
                facts=(int(age) if age.isdecimal() else None, _SEX.get(row["Sex"].strip())),
            )
            # Its numbers are short, and other sources number from 1 as well.
            key = f"ludb-{number}"
            yield Study(key, key, self.shares.split_of(self.name, key), read)


@cache
def _wordings() -> dict[str, list[str]]:
    return yaml.safe_load(WORDINGS.read_text(encoding="utf-8"))


def _tags(row: dict[str, str], counted: Counter[str]) -> tuple[str, ...]:
    cells = [text or "" for name, text in row.items() if name not in _OF_PATIENT]
    said = [line.strip() for cell in cells for line in cell.split("\n") if line.strip()]
    counted["wordings without a statement"] += sum(line not in _wordings() for line in said)
    return tuple(dict.fromkeys(tag for line in said for tag in _wordings().get(line, ())))
