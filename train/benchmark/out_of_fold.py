"""Log-odds of recordings by models that never saw their patients, kept on disk.

    scores = scored(model, shards_of_held_out, group=0)
    scores.save(folder); Scores.load(folder)

Each record is asked every statement of the lexicon and every prompt of the sets, in its first
window, as the page shows it.
"""

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from jaxtyping import Float
from safetensors.numpy import load_file, save_file

from focal_app.lexicon import load_lexicon, load_prompt_sets
from focal_app.model.focal import Focal
from focal_app.model.seen import patient
from train.data.shards import Shards
from train.fit.judging import logits
from train.read_back import read_back

RECORDS, LOG_ODDS = "scored.json", "log_odds.safetensors"


@dataclass(frozen=True)
class Record:
    """One recording: its source and key there, its patient, what it shows, its group.

    Records of one `group` were scored by the same model.
    """

    source: str
    key: str
    patient: str
    tags: tuple[str, ...]
    group: int


@dataclass(frozen=True)
class Scores:
    """The log-odds of every name on every record."""

    names: tuple[str, ...]
    records: tuple[Record, ...]
    log_odds: Float[np.ndarray, "R C"]

    def of_source(self, *names: str) -> "Scores":
        """Those of some sources."""
        return self.of([one.source in names for one in self.records])

    def of(self, which: Sequence[bool]) -> "Scores":
        """Those of some records."""
        rows = [row for row, wanted in enumerate(which) if wanted]
        return Scores(self.names, tuple(self.records[row] for row in rows), self.log_odds[rows])

    def save(self, folder: Path) -> None:
        """Write them; the records last, so that a folder that has them is whole."""
        folder.mkdir(parents=True, exist_ok=True)
        save_file({"log_odds": self.log_odds}, folder / LOG_ODDS)
        told = {"names": self.names, "records": [dataclasses.asdict(one) for one in self.records]}
        new = folder / f"{RECORDS}.tmp"
        new.write_text(json.dumps(told, indent=0), encoding="utf-8")
        new.replace(folder / RECORDS)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """What `save` wrote."""
        with read_back(folder, f"delete {RECORDS} there, and run `python -m train ruler` again"):
            told = json.loads((folder / RECORDS).read_text(encoding="utf-8"))
            some = tuple(Record(**(one | {"tags": tuple(one["tags"])})) for one in told["records"])
            return cls(tuple(told["names"]), some, load_file(folder / LOG_ODDS)["log_odds"])

    @staticmethod
    def lies_in(folder: Path) -> bool:
        """Whether a folder holds finished scores."""
        return (folder / RECORDS).is_file()


def asked_names() -> tuple[str, ...]:
    """Every statement of the lexicon, and every prompt of the sets."""
    prompts = [prompt for chosen in load_prompt_sets().values() for prompt in chosen.prompts]
    return tuple(dict.fromkeys((*load_lexicon().statements, *prompts)))


def scored(model: Focal, shards: Sequence[Shards], *, split: str, group: int) -> Scores:
    """The calibrated log-odds of the records of a split of some sources."""
    names, calibration = asked_names(), model.config.calibration
    records, found = [], [np.zeros((0, len(names)), np.float32)]
    for one in shards:
        if not len(rows := one.rows(split)):
            continue
        logit = logits(model.eval(), one, rows, names)
        found.append((calibration.scale * logit + calibration.shift).astype(np.float32))
        records += [_record(one, int(row), group) for row in rows]
    return Scores(names, tuple(records), np.concatenate(found))


def pooled(parts: Sequence[Scores]) -> Scores:
    """The scores of several models on their own records, together."""
    records = tuple(record for part in parts for record in part.records)
    return Scores(parts[0].names, records, np.concatenate([part.log_odds for part in parts]))


def _record(shards: Shards, row: int, group: int) -> Record:
    whose = patient(shards.name, str(shards.subjects[row]))
    return Record(shards.name, str(shards.keys[row]), whose, tuple(shards.tags[row]), group)
