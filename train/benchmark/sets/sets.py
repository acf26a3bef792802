"""Read a set of the benchmark, its splits derived or taken from the published files."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from focal_app.ecg.archives.ptbxl import PtbXlRow, read_ptbxl
from focal_app.errors import ConfigError
from focal_app.lexicon import load_prompt_sets, normalize_code
from focal_app.model.seen import patient
from train.benchmark.sets.files import header_facts, headers_of, ptbxl_folder
from train.benchmark.sets.labelled import Item, LabelledSet, hashed_split
from train.benchmark.sets.splits import SplitRow, read_splits
from train.data.ptbxl_labels import COLUMNS, labels_of_codes, read_table

SETS = (*COLUMNS, "cpsc2018", "csn")
LABELS = ("corrected", "published")
OFFICIAL, HASH, DEVELOPMENT = "official", "hash", "development"
SPLIT_OF_FOLD = {
    OFFICIAL: {9: "validation", 10: "test"},
    DEVELOPMENT: {6: "validation", 7: "test", 8: "test", 9: None, 10: None},
}
"""Of PTB-XL; every other fold is trained on, and None is in no split."""
CLASSES = Path(__file__).with_name("classes.yaml")


def load_set(
    name: str, data: Path, *, splits: Path | str = OFFICIAL, labels: str = "corrected"
) -> LabelledSet:
    """A labelled set under `data`.

    splits: `official` (the folds of PTB-XL; 70/10/20 by a hash for the others), `development` (the
        same with 1 to 5 for training, 6, and 7 and 8 for the test: 9 and 10 are not looked at),
        `hash` (70/10/20 of any set, by patient), or the folder of the published split files.
    labels: `published` repeats how the published code reads its split files, and needs them.
    """
    if name not in SETS:
        raise ConfigError(f"found data set {name!r}; needed one of {', '.join(SETS)}")
    if labels not in LABELS:
        raise ConfigError(f"found labels {labels!r}; needed one of {', '.join(LABELS)}")
    derived = str(splits) in (OFFICIAL, HASH, DEVELOPMENT)
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
    for row in read_ptbxl(folder):
        labels = frozenset(label_of[code] for code in row.codes if code in label_of)
        if not labels:
            continue
        if splits == HASH:
            # As the published table writes the number, so that the split stays what it was.
            split = hashed_split(f"patient {float(row.patient_id)}")
        else:
            split = SPLIT_OF_FOLD[splits].get(row.fold, "train")
        if split:
            items.append(_ptbxl_item(folder, row, split, labels))
    return items


def _ptbxl_of(rows: list[SplitRow], data: Path) -> list[Item]:
    folder = ptbxl_folder(data)
    said = {row.ecg_id: row for row in read_ptbxl(folder)}
    items = []
    for row in rows:
        own = PtbXlRow.of(row.columns)
        items.append(_ptbxl_item(folder, said.get(own.ecg_id, own), row.split, row.labels))
    return items


def _ptbxl_item(folder: Path, row: PtbXlRow, split: str, labels: frozenset[str]) -> Item:
    header = row.header(folder)
    return Item(
        key=str(row.ecg_id),
        header=header if header.is_file() else None,
        split=split,
        labels=labels,
        patient=patient("ptb-xl", str(row.patient_id)),
        fold=row.fold,
        age=row.age_years,
        sex=row.sex,
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
            one = patient(name, key)
            items.append(Item(key, header, split, labels, one, None, facts.age_years, facts.sex))
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
        one = patient(name, key)
        items.append(Item(key, header, row.split, row.labels, one, None, age, sex))
    return items
