"""The published split files: csv tables with a row a recording and a column a class.

Columns are read by name. `published` keeps the labels as the benchmark's code reads them: by
position, named by the training table (whose columns of the PTB-XL subclasses stand in another
order), and for CSN by substring (AF inside AFIB). `corrected` reads names, and whole codes.
"""

from dataclasses import dataclass
from pathlib import Path

from focal_app.errors import ConfigError
from focal_app.lexicon import normalize_code
from train.benchmark.sets.labelled import SPLITS
from train.data.ptbxl_labels import read_table

ABSENT = frozenset({"0", "0.0", ""})
SUFFIXES = {"train": "train", "validation": "val", "test": "test"}


@dataclass(frozen=True)
class Layout:
    """Name of the files of a set and the number of columns before its label columns."""

    stem: str
    before: int
    coded: str = ""
    """Column that lists whole codes, from which `corrected` takes the labels."""


LAYOUTS = {
    "ptbxl-super": Layout("ptbxl_super_class", 6),
    "ptbxl-sub": Layout("ptbxl_sub_class", 6),
    "ptbxl-form": Layout("ptbxl_form", 6),
    "ptbxl-rhythm": Layout("ptbxl_rhythm", 6),
    "cpsc2018": Layout("icbeb", 7),
    "csn": Layout("chapman", 3, coded="diagnose"),
}


@dataclass(frozen=True)
class SplitRow:
    """A row of a split file: its split, its labels, and every column as it stands."""

    split: str
    labels: frozenset[str]
    columns: dict[str, str]


def read_splits(
    folder: Path, dataset: str, classes: tuple[str, ...], *, published: bool
) -> list[SplitRow]:
    """Every row of the three published tables of a set."""
    layout = LAYOUTS[dataset]
    tables = {split: _table(folder, layout, split) for split in SPLITS}
    named = [normalize_code(name) for name in list(tables["train"][0])[layout.before :]]
    rows, known = [], set(classes)
    for split, table in tables.items():
        header = [normalize_code(name) for name in table[0]]
        if absent := sorted(set(classes) - set(header)):
            raise ConfigError(
                f"the {split} table of {dataset} has no column for {', '.join(absent)}; needed one "
                "for every class. Give the published split files unchanged"
            )
        own = dict(zip(list(table[0])[layout.before :], header[layout.before :], strict=True))
        for columns in table:
            if published:
                labels = _by_position(columns, named, layout)
            elif layout.coded:
                labels = {normalize_code(code) for code in columns[layout.coded].split(",")}
            else:
                labels = {label for name, label in own.items() if columns[name] not in ABSENT}
            rows.append(SplitRow(split, frozenset(labels & known), columns))
    return rows


def _by_position(columns: dict[str, str], named: list[str], layout: Layout) -> set[str]:
    values = list(columns.values())[layout.before :]
    return {name for name, value in zip(named, values, strict=True) if value not in ABSENT}


def _table(folder: Path, layout: Layout, split: str) -> list[dict[str, str]]:
    name = f"{layout.stem}_{SUFFIXES[split]}.csv"
    found = sorted(folder.rglob(name))
    if len(found) != 1:
        raise ConfigError(
            f"found {len(found)} files {name} in {folder.name!r}; needed exactly one. --splits "
            "needs the folder of the published split files"
        )
    table = read_table(found[0])
    if not table:
        raise ConfigError(f"found no row in {name}; needed the published split files")
    return table
