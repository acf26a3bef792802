"""Recordings of PTB-XL with the statements under which they are filed, for tasks beyond classes."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from focal_app.ecg.archives.ptbxl import PtbXlRow, read_ptbxl
from focal_app.errors import ConfigError
from focal_app.lexicon import load_lexicon
from focal_app.model.seen import patient
from train.benchmark.sets.files import ptbxl_folder


@dataclass(frozen=True)
class Reported:
    """A recording, its key and its statements, in the lexicon's wording."""

    key: str
    header: Path
    tags: tuple[str, ...]
    fold: int
    patient: str


def reported(data: Path, *, folds: Sequence[int] = ()) -> list[Reported]:
    """The recordings of PTB-XL under `data` whose files are there; of these folds, if any."""
    folder = ptbxl_folder(data)
    made = [
        Reported(
            str(row.ecg_id),
            row.header(folder),
            tags,
            row.fold,
            patient("ptb-xl", str(row.patient_id)),
        )
        for row in read_ptbxl(folder)
        if (tags := _tags(row)) and row.header(folder).is_file()
    ]
    chosen = [one for one in made if not folds or one.fold in folds]
    if not chosen:
        where = f" in folds {', '.join(map(str, folds))}" if folds else ""
        raise ConfigError(f"found no recording of PTB-XL{where}; needed its files under the data")
    return chosen


def _tags(row: PtbXlRow) -> tuple[str, ...]:
    found = map(load_lexicon().of_scp, row.codes)
    return tuple(dict.fromkeys(statement.tag for statement in found if statement))
