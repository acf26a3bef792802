"""Recordings of PTB-XL with the statements under which they are filed, for tasks beyond classes."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from focal_app.errors import ConfigError
from train.benchmark.sets.files import ptbxl_folder
from train.data.real import ptb_xl


@dataclass(frozen=True)
class Reported:
    """A recording, its key and its statements, in the lexicon's wording."""

    key: str
    header: Path
    tags: tuple[str, ...]
    fold: int


def reported(data: Path, *, folds: Sequence[int] = ()) -> list[Reported]:
    """The recordings of PTB-XL under `data` whose files are there; of these folds, if any."""
    made = [
        Reported(_key(header), header, tags, int(group.split()[-1]))
        for header, tags, group in ptb_xl(ptbxl_folder(data)).items
    ]
    chosen = [one for one in made if not folds or one.fold in folds]
    if not chosen:
        where = f" in folds {', '.join(map(str, folds))}" if folds else ""
        raise ConfigError(f"found no recording of PTB-XL{where}; needed its files under the data")
    return chosen


def _key(header: Path) -> str:
    return str(int(header.stem.split("_")[0]))
