"""The published split files: their counts, and their two faults, kept and mended."""

from functools import cache

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from focal_app.errors import ConfigError
from focal_app.lexicon import load_prompt_sets, normalize_code
from train.benchmark.prompts import prompts_of
from train.benchmark.sets import load_set, splits
from train.benchmark.sets.splits import SplitRow

COUNTS = {
    "ptbxl-super": (17084, 2146, 2158, 5),
    "ptbxl-sub": (17084, 2146, 2158, 23),
    "ptbxl-form": (7197, 901, 880, 19),
    "ptbxl-rhythm": (16832, 2100, 2098, 12),
    "cpsc2018": (4950, 551, 1376, 9),
    "csn": (16546, 1860, 4620, 38),
}
"""The table of the paper: train, validation, test, classes."""


read_splits = cache(splits.read_splits)
"""Each table is read once for all claims."""


def classes_of(dataset: str) -> tuple[str, ...]:
    return tuple(map(normalize_code, load_prompt_sets()[dataset].labels))


def rows_of_test(rows: list[SplitRow], classes: tuple[str, ...]) -> np.ndarray:
    chosen = [row for row in rows if row.split == "test"]
    return np.array([[label in row.labels for label in classes] for row in chosen])


@pytest.mark.parametrize("dataset", COUNTS)
@pytest.mark.parametrize("published", (True, False))
def test_the_published_files_have_the_counts_of_the_paper(dataset, published, shared_benchmark):
    rows = read_splits(shared_benchmark, dataset, classes_of(dataset), published=published)
    splits = [row.split for row in rows]
    found = tuple(splits.count(split) for split in ("train", "validation", "test"))
    assert (*found, len(classes_of(dataset))) == COUNTS[dataset]


@pytest.mark.parametrize("dataset", ("ptbxl-super", "ptbxl-form", "ptbxl-rhythm", "cpsc2018"))
def test_where_the_files_have_no_fault_both_readings_agree(dataset, shared_benchmark):
    classes = classes_of(dataset)
    one, other = (
        read_splits(shared_benchmark, dataset, classes, published=kept) for kept in (True, False)
    )
    assert one == other


def test_the_order_of_the_subclasses_costs_a_perfect_model_six_points(shared_benchmark):
    classes = classes_of("ptbxl-sub")
    published, corrected = (
        rows_of_test(read_splits(shared_benchmark, "ptbxl-sub", classes, published=kept), classes)
        for kept in (True, False)
    )
    wrong = [c for i, c in enumerate(classes) if (published[:, i] != corrected[:, i]).any()]
    assert sorted(wrong) == ["AVB", "ISC", "RAO/RAE"]
    assert 100 * roc_auc_score(published, corrected.astype(float)) == pytest.approx(
        93.37, abs=0.005
    )


def test_the_substrings_of_csn_spoil_772_rows_and_invent_a_class(shared_benchmark):
    classes = classes_of("csn")
    published, corrected = (
        rows_of_test(read_splits(shared_benchmark, "csn", classes, published=kept), classes)
        for kept in (True, False)
    )
    assert (published != corrected).any(1).sum() == 772
    assert not corrected[:, classes.index("VB")].any() and published[:, classes.index("VB")].any()
    found = 100 * roc_auc_score(published, corrected.astype(float))
    assert found == pytest.approx(95.34, abs=0.005)


@pytest.mark.parametrize("dataset", COUNTS)
def test_derived_labels_and_folds_agree_with_the_published_ones(
    dataset, shared_ecg, shared_benchmark
):
    published = {
        item.key: item for item in load_set(dataset, shared_ecg, splits=shared_benchmark).items
    }
    derived = load_set(dataset, shared_ecg).items
    both = [(item, published[item.key]) for item in derived if item.key in published]
    assert len(both) >= 5
    assert all(one.labels == other.labels for one, other in both)
    if dataset.startswith("ptbxl"):
        assert all((one.split, one.fold) == (other.split, other.fold) for one, other in both)


def test_a_split_that_names_absent_records_counts_them(shared_ecg, shared_benchmark):
    found = load_set("ptbxl-super", shared_ecg, splits=shared_benchmark)
    assert len(found.items) == 21388
    assert 300 < len(found.present()) < 400
    assert found.present(("test",)) == []


@pytest.mark.parametrize("dataset", COUNTS)
def test_the_published_prompts_cover_every_class(dataset, shared_benchmark, tmp_path):
    file, classes = shared_benchmark / "CKEPE_prompt.json", classes_of(dataset)
    phrases = prompts_of(dataset, classes, by="phrases", data=tmp_path, file=file)
    whole = prompts_of(dataset, classes, by="list", data=tmp_path, file=file)
    assert all(len(found) == 1 for found in whole.phrases)
    assert len(phrases.phrases) == len(classes)
    assert max(map(len, phrases.phrases)) > 3
    with pytest.raises(ConfigError, match="go with --prompts"):
        prompts_of(dataset, classes, by="prompt", data=tmp_path, file=file)
