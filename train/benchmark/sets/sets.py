"""Read a set of the benchmark, its splits derived or taken from the published files."""

import ast
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from focal_app.errors import ConfigError
from focal_app.lexicon import load_prompt_sets, normalize_code
from train.benchmark.sets.files import PTBXL_TABLE, header_facts, headers_of, ptbxl_folder
from train.benchmark.sets.labelled import Item, LabelledSet, hashed_split
from train.benchmark.sets.splits import SplitRow, read_splits
from train.data.ptbxl_labels import COLUMNS, labels_of_codes, read_table

SETS = (*COLUMNS, "cpsc2018", "csn")
LABELS = ("corrected", "published")
OFFICIAL, HASH = "official", "hash"
CLASSES = Path(__file__).with_name("classes.yaml")


def load_set(
    name: str, data: Path, *, splits: Path | str = OFFICIAL, labels: str = "corrected"
) -> LabelledSet:
    """A labelled set under `data`.

    splits: `official` (the folds of PTB-XL; 70/10/20 by a hash for the others), `hash` (70/10/20
        of any set, by patient), or the folder of the published split files.
    labels: `published` repeats how the published code reads its split files, and needs them.
    """
    if name not in SETS:
        raise ConfigError(f"found data set {name!r}; needed one of {', '.join(SETS)}")
    if labels not in LABELS:
        raise ConfigError(f"found labels {labels!r}; needed one of {', '.join(LABELS)}")
    derived = str(splits) in (OFFICIAL, HASH)
    if derived and labels == "published":
        raise ConfigError(
            "found labels 'published' without split files; they are the labels of the published "
            "files, read as the published code reads them. Give their folder to --splits"
        )
    classes = tuple(map(normalize_code, load_prompt_sets()[name].labels))
    ptbxl = name in COLUMNS
    if derived:
        items = _ptbxl(name, data, str(splits)) if ptbxl else _challenge(name, data)
        return LabelledSet(name, classes, tuple(items), f"{splits} splits, {labels} labels")
    rows = read_splits(Path(splits), name, classes, published=labels == "published")
    items = _ptbxl_of(rows, data) if ptbxl else _challenge_of(rows, name, data)
    return LabelledSet(name, classes, tuple(items), f"published splits, {labels} labels")


@cache
def codes_of(dataset: str) -> dict[str, tuple[str, ...]]:
    """Classes of CPSC2018 or CSN by SNOMED CT code: a code may stand for several."""
    table: dict[str, list[str]] = {}
    for label, codes in _classes_file()[dataset].items():
        for code in codes:
            table.setdefault(code, []).append(str(label))
    return {code: tuple(found) for code, found in table.items()}


@cache
def _classes_file() -> dict[str, Any]:
    return yaml.safe_load(CLASSES.read_text(encoding="utf-8"))


def _ptbxl(name: str, data: Path, splits: str) -> list[Item]:
    folder = ptbxl_folder(data)
    label_of, items = labels_of_codes(folder, name), []
    for row in read_table(folder / PTBXL_TABLE):
        labels = frozenset(label_of[code] for code in scp_codes(row) if code in label_of)
        if not labels:
            continue
        fold = int(float(row["strat_fold"]))
        split = {9: "validation", 10: "test"}.get(fold, "train")
        if splits == HASH:
            split = hashed_split(f"patient {row['patient_id']}")
        items.append(_ptbxl_item(folder, row, split, labels))
    return items


def scp_codes(row: dict[str, str]) -> list[str]:
    """The SCP-ECG codes of a row of PTB-XL's table."""
    return list(ast.literal_eval(row["scp_codes"]))


def _ptbxl_of(rows: list[SplitRow], data: Path) -> list[Item]:
    folder = ptbxl_folder(data)
    said = {row["ecg_id"]: row for row in read_table(folder / PTBXL_TABLE)}
    return [
        _ptbxl_item(
            folder,
            {**said.get(row.columns["ecg_id"], {}), **row.columns},
            row.split,
            row.labels,
        )
        for row in rows
    ]


def _ptbxl_item(folder: Path, row: dict[str, str], split: str, labels: frozenset[str]) -> Item:
    header = folder / f"{row['filename_hr']}.hea"
    age = float(row["age"]) if row.get("age") else None
    return Item(
        key=row["ecg_id"],
        header=header if header.is_file() else None,
        split=split,
        labels=labels,
        fold=int(float(row["strat_fold"])),
        # PTB-XL writes every age above 89 as 300.
        age=min(age, 90.0) if age is not None else None,
        sex={"0": "male", "1": "female"}.get(row.get("sex", "").split(".")[0]),
    )


def _challenge(name: str, data: Path) -> list[Item]:
    table, items = codes_of(name), []
    reference = _reference(data) if name == "cpsc2018" else {}
    for key, header in headers_of(data, name).items():
        facts = header_facts(header)
        coded = {label for code in facts.codes for label in table.get(code, ())}
        labels = reference.get(key, frozenset(coded))
        if labels:
            split = hashed_split(key)
            items.append(Item(key, header, split, labels, None, facts.age_years, facts.sex))
    return items


def _reference(data: Path) -> dict[str, frozenset[str]]:
    """Labels of the original challenge, where its REFERENCE.csv lies under the data."""
    numbers = _classes_file()["cpsc2018-reference"]
    found: dict[str, frozenset[str]] = {}
    for path in sorted(data.rglob("REFERENCE.csv")):
        for row in read_table(path):
            name, *labels = row.values()
            chosen = [label for label in labels if label]
            found[name] = frozenset(str(numbers[int(float(label)) - 1]) for label in chosen)
    return found


def _challenge_of(rows: list[SplitRow], name: str, data: Path) -> list[Item]:
    headers, items = headers_of(data, name), []
    for row in rows:
        key = row.columns.get("filename") or Path(row.columns["ecg_path"]).stem
        header = headers.get(key)
        facts = header_facts(header) if header else None
        age, sex = (facts.age_years, facts.sex) if facts else (None, None)
        items.append(Item(key, header, row.split, row.labels, None, age, sex))
    return items
