"""Sets of the benchmark from small folders: labels, splits, what is missing, what is refused."""

from collections import Counter

import pytest

from focal_app.errors import ConfigError
from train.benchmark.sets import SETS, SPLITS, load_set
from train.benchmark.sets.labelled import hashed_split


def _counts(found):
    return Counter(item.split for item in found.items)


def test_folds_make_the_splits_and_codes_the_labels(ptbxl):
    found = load_set("ptbxl-super", ptbxl)
    assert _counts(found) == {"train": 40, "validation": 5, "test": 5}
    first = found.items[0]
    assert (first.labels, first.fold, first.age, first.sex) == ({"NORM"}, 1, 30, "female")
    assert found.truth(found.items).sum(1).tolist() == [1] * 50


def test_the_folder_itself_and_the_folder_above_hold_the_same_set(ptbxl):
    assert load_set("ptbxl-rhythm", ptbxl) == load_set("ptbxl-rhythm", ptbxl / "ptb-xl")


def test_files_that_are_absent_are_counted_and_not_evaluated(ptbxl, tmp_path):
    folder = tmp_path / "ptb-xl"
    folder.mkdir()
    for name in ("ptbxl_database.csv", "scp_statements.csv"):
        (folder / name).write_bytes((ptbxl / "ptb-xl" / name).read_bytes())
    found = load_set("ptbxl-super", tmp_path)
    assert len(found.wanted(("test",))) == 5 and found.present() == []


@pytest.mark.parametrize("dataset", SETS)
def test_an_empty_and_an_absent_folder_are_refused(dataset, tmp_path):
    with pytest.raises(ConfigError, match="empty folder"):
        load_set(dataset, tmp_path)
    with pytest.raises(ConfigError, match="no folder"):
        load_set(dataset, tmp_path / "absent")


@pytest.mark.parametrize("dataset", SETS)
def test_a_folder_without_the_set_says_what_is_needed(dataset, tmp_path):
    (tmp_path / "notes.txt").write_text("nothing")
    with pytest.raises(ConfigError, match="needed"):
        load_set(dataset, tmp_path)


def test_csn_takes_whole_codes_so_flutter_is_no_fibrillation(tmp_path, challenge):
    challenge(tmp_path / "WFDBRecords/01/JS00001.hea", ["164889003", "17338001"])
    challenge(tmp_path / "WFDBRecords/01/JS00002.hea", ["164890007"])
    challenge(tmp_path / "WFDBRecords/01/JS00003.hea", ["164930006", "164931005"])
    challenge(tmp_path / "WFDBRecords/01/JS00004.hea", ["999999999"])
    labels = {item.key: item.labels for item in load_set("csn", tmp_path).items}
    assert labels == {
        "JS00001": {"AFIB", "VPB"},
        "JS00002": {"AF"},
        "JS00003": {"STE", "STTU"},
    }


def test_cpsc2018_reads_headers_or_the_reference_of_the_challenge(tmp_path, challenge):
    challenge(tmp_path / "A0001.hea", ["59118001", "164931005"], comments=["Sex: Female"])
    challenge(tmp_path / "A0002.hea", ["426783006"])
    items = {item.key: item for item in load_set("cpsc2018", tmp_path).items}
    assert items["A0001"].labels == {"CRBBB", "STE"} and items["A0001"].sex == "female"
    reference = "Recording,First_label,Second_label,Third_label\nA0001,8,,\nA0002,2,6,\n"
    (tmp_path / "REFERENCE.csv").write_text(reference)
    labels = {item.key: item.labels for item in load_set("cpsc2018", tmp_path).items}
    assert labels == {"A0001": {"STD"}, "A0002": {"AFIB", "PAC"}}


def test_hashed_splits_are_70_10_20_and_do_not_depend_on_what_else_is_there(ptbxl):
    drawn = [hashed_split(f"A{n:04d}") for n in range(10_000)]
    shares = [drawn.count(s) / len(drawn) for s in ("train", "validation", "test")]
    assert shares == pytest.approx([0.7, 0.1, 0.2], abs=0.015)
    found = _counts(load_set("ptbxl-super", ptbxl, splits="hash"))
    assert len(found) == 3 and found != _counts(load_set("ptbxl-super", ptbxl))


def test_development_splits_judge_folds_7_and_8_and_hold_nothing_of_9_and_10(ptbxl):
    found = load_set("ptbxl-super", ptbxl, splits="development")
    folds = {split: {one.fold for one in found.present((split,))} for split in SPLITS}
    assert folds == {"train": {1, 2, 3, 4, 5}, "validation": {6}, "test": {7, 8}}
    assert {item.fold for item in found.items} == set(range(1, 9))


def test_no_patient_lies_in_two_hashed_splits(ptbxl):
    table = (ptbxl / "ptb-xl" / "ptbxl_database.csv").read_text().splitlines()[1:]
    patient_of = {line.split(",")[0]: line.split(",")[1] for line in table}
    items = load_set("ptbxl-super", ptbxl, splits="hash").items
    for item in items:
        assert item.split == hashed_split(f"patient {float(patient_of[item.key])}")


def test_unknown_names_and_published_labels_without_their_files_are_refused(ptbxl):
    with pytest.raises(ConfigError, match="one of ptbxl-super"):
        load_set("ptb-xl", ptbxl)
    with pytest.raises(ConfigError, match="one of corrected"):
        load_set("ptbxl-super", ptbxl, labels="mended")
    with pytest.raises(ConfigError, match="--splits"):
        load_set("ptbxl-super", ptbxl, labels="published")


def test_a_split_file_without_a_class_or_twice_there_is_refused(ptbxl, tmp_path):
    for split in ("train", "val", "test"):
        (tmp_path / f"ptbxl_super_class_{split}.csv").write_text(
            "ecg_id,patient_id,strat_fold,filename_lr,filename_hr,super_class,NORM,MI,CD,HYP\n"
            "1,1,1,a,b,['NORM'],1,0,0,0\n"
        )
    with pytest.raises(ConfigError, match="no column for STTC"):
        load_set("ptbxl-super", ptbxl, splits=tmp_path)
    with pytest.raises(ConfigError, match="found 0 files ptbxl_form_train"):
        load_set("ptbxl-form", ptbxl, splits=tmp_path)
