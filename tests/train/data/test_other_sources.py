"""PTB-XL, the challenge sets and CODE-15 from their own layouts, on real files."""

import csv
import shutil
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from focal_app.ecg.archives.ptbxl import TABLE, read_ptbxl
from focal_app.errors import ConfigError
from focal_app.lexicon import load_lexicon
from train.data.build import build
from train.data.catalogue import DESCRIBED, open_source
from train.data.challenge import Challenge
from train.data.code15 import TAGS, Code15, without_padding
from train.data.ludb import Ludb
from train.data.ptbxl import PtbXl
from train.data.source import Shares


def test_ptb_xl_keeps_folds_patients_reports_and_facts(shared_ecg: Path, tmp_path: Path) -> None:
    shards = build(PtbXl(shared_ecg / "ptb-xl"), tmp_path, limit=20, workers=1)
    with (shared_ecg / "ptb-xl" / TABLE).open(newline="") as file:
        rows = {row["ecg_id"]: row for row in csv.DictReader(file)}
    for i, key in enumerate(shards.keys):
        row = rows[key]
        assert shards.subjects[i] == str(int(float(row["patient_id"])))
        assert shards.reports[i] == row["report"].strip()
        assert shards.facts[i]["sex"] == ("female" if row["sex"] == "1" else "male")
        assert shards.splits[i] == "train"
    assert shards.tags[0] == ("normal ECG", "low QRS voltage", "sinus rhythm")


def test_ptb_xl_tags_are_statements_and_come_from_codes_alone(shared_ecg: Path) -> None:
    counted: Counter[str] = Counter()
    studies = list(PtbXl(shared_ecg / "ptb-xl").studies(counted))
    assert counted == {"studies listed": 344, "codes without a statement": 0}
    for study in studies:
        assert all(tag in load_lexicon() for tag in study.read.keywords["tags"])


@pytest.mark.parametrize(
    ("fold", "split"), [(1, "train"), (8, "train"), (9, "validation"), (10, "test")]
)
def test_ptb_xl_folds_are_splits(shared_ecg: Path, tmp_path: Path, fold: int, split: str) -> None:
    with (shared_ecg / "ptb-xl" / TABLE).open(newline="") as file:
        row = next(csv.DictReader(file))
    write(tmp_path / TABLE, [{**row, "strat_fold": str(fold), "age": "300.0"}])
    (study,) = PtbXl(tmp_path).studies(Counter())
    assert study.split == split
    assert study.read.keywords["facts"][0] is None


def test_ptb_xl_folds_are_chosen_and_none_is_for_two_purposes(shared_ecg: Path) -> None:
    """The embedded checkpoint keeps folds 7 and 8 out of its training."""
    folder = shared_ecg / "ptb-xl"
    source = open_source("ptb-xl", folder, Shares(), test_folds=(9, 10), validation_folds=(7, 8))
    split_of = {study.key: study.split for study in source.studies(Counter())}
    folds = {str(row.ecg_id): row.fold for row in read_ptbxl(folder)}
    wanted = {7: "validation", 8: "validation", 9: "test", 10: "test"}
    assert split_of == {key: wanted.get(fold, "train") for key, fold in folds.items()}
    tested = PtbXl(folder, (7, 8, 9, 10)).studies(Counter())
    assert {study.split for study in tested} == {"train", "test"}
    for twice in (((9,), (9,)), ((11,), ()), ((), (0,))):
        with pytest.raises(ConfigError, match="folds from 1 to 10"):
            PtbXl(folder, *twice)


def test_ptb_xl_speaks_of_every_statement_that_its_codes_name(shared_ecg: Path) -> None:
    lexicon = load_lexicon()
    with (shared_ecg / "ptb-xl" / "scp_statements.csv").open(newline="") as file:
        named = {lexicon.of_scp(row[""]) for row in csv.DictReader(file)}
    tags = {statement.tag for statement in named if statement}
    implied = tags.union(*map(lexicon.ancestors, tags))
    assert tags <= PtbXl(shared_ecg).spoken <= implied


def test_ludb_is_read_with_its_diagnoses_age_and_sex(shared_ecg: Path, tmp_path: Path) -> None:
    shards = build(Ludb(shared_ecg / "ludb"), tmp_path, workers=1, limit=8)
    assert shards.tags[0] == ("sinus bradycardia", "left axis deviation", *shards.tags[0][2:])
    assert "left ventricular hypertrophy" in shards.tags[0]
    assert (shards.keys[0], shards.facts[0]) == ("ludb-1", {"age": 51, "sex": "female"})
    assert shards.spoken is not None
    for tags in shards.tags:
        assert tags and set(tags) <= shards.spoken
    assert all(tag in load_lexicon() for tag in shards.spoken)


def test_ludb_counts_what_it_leaves_out(shared_ecg: Path) -> None:
    counted: Counter[str] = Counter()
    studies = list(Ludb(shared_ecg / "ludb").studies(counted))
    left = counted["studies left out: no wording has a statement"]
    assert (counted["studies listed"], len(studies)) == (200, 200 - left)
    ages = [study.read.keywords["facts"][0] for study in studies]
    assert None in ages and max(age for age in ages if age) <= 89


def test_ptb_xl_without_its_codes_is_refused(shared_ecg: Path, tmp_path: Path) -> None:
    with (shared_ecg / "ptb-xl" / TABLE).open(newline="") as file:
        row = next(csv.DictReader(file))
    write(tmp_path / TABLE, [{**row, "scp_codes": "__import__('os')"}])
    with pytest.raises(ConfigError, match="scp_codes that cannot be read"):
        list(PtbXl(tmp_path).studies(Counter()))
    write(tmp_path / TABLE, [{k: v for k, v in row.items() if k != "scp_codes"}])
    with pytest.raises(ConfigError, match="no column scp_codes"):
        list(PtbXl(tmp_path).studies(Counter()))


@pytest.mark.parametrize(("name", "count"), [("csn", 17), ("cpsc2018", 5), ("georgia", 7)])
def test_challenge_sources_take_their_own_recordings(
    shared_ecg: Path, tmp_path: Path, name: str, count: int
) -> None:
    shards = build(Challenge(name, shared_ecg / "challenge"), tmp_path, workers=1)
    assert len(shards) == count
    assert all(tags for tags in shards.tags)
    assert all(tag in load_lexicon() for tags in shards.tags for tag in tags)
    assert list(shards.subjects) == list(shards.keys)


def test_a_code_is_read_through_the_lexicon(shared_ecg: Path, tmp_path: Path) -> None:
    shards = build(Challenge("cpsc2018", shared_ecg / "challenge"), tmp_path, workers=1)
    assert shards.tags[shards.keys.index("A0003")] == ("atrial fibrillation",)
    assert shards.facts[shards.keys.index("A0003")] == {"age": 81, "sex": "female"}


def test_a_header_without_its_waveform_is_counted(shared_ecg: Path, tmp_path: Path) -> None:
    for name in ("A0003.hea", "A0003.mat", "A0006.hea"):
        shutil.copy(shared_ecg / "challenge" / name, tmp_path / name)
    shards = build(Challenge("cpsc2018", tmp_path), tmp_path / "out", workers=1)
    assert list(shards.keys) == ["A0003"]
    assert shards.manifest["counted"]["studies without waveform"] == 1


def test_code_15_in_wfdb_has_patients_but_no_tags(shared_ecg: Path, tmp_path: Path) -> None:
    shards = build(Code15(shared_ecg / "code15"), tmp_path, workers=1, limit=8)
    assert shards.keys[0] == "1111"
    assert shards.subjects[0] == "48705"
    assert shards.manifest["counted"]["records without a tag"] == 8
    assert not len(shards.rows("train"))
    assert len(shards.rows("train", tagged=False)) + len(shards.rows("test", tagged=False)) > 0


def exam(number: str, **findings: str) -> dict[str, str]:
    plain = dict.fromkeys(TAGS, "False")
    row = {"exam_id": number, "age": "38", "is_male": "True", "patient_id": "p1", **plain}
    return {**row, **findings, "trace_file": "exams_part0.hdf5"}


def test_code_15_takes_its_findings_from_the_table(shared_ecg: Path, tmp_path: Path) -> None:
    for name in ("1111.hea", "1111.dat", "111102.hea", "111102.dat"):
        shutil.copy(shared_ecg / "code15" / name, tmp_path / name)
    write(tmp_path / "exams.csv", [exam("1111", RBBB="True", AF="True"), exam("111102")])
    shards = build(Code15(tmp_path), tmp_path / "out", workers=1)
    assert list(shards.tags) == [("right bundle branch block", "atrial fibrillation")]
    assert shards.manifest["counted"]["studies left out: no finding given"] == 1


def test_code_15_in_hdf5_needs_h5py(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "exams_part0.hdf5").write_bytes(b"")
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(ConfigError, match="pip install h5py"):
        list(Code15(tmp_path).studies(Counter()))


def test_code_15_in_hdf5_is_read_by_exam_and_without_padding(tmp_path: Path, waves) -> None:
    h5py = pytest.importorskip("h5py")
    ecgs = [waves(rate=400, seconds=7, seed=seed).signal_mv for seed in (0, 1)]
    tracings = np.zeros((2, 4096, 12), np.float32)
    for row, signal_mv in enumerate(ecgs):
        tracings[row, 648 : 648 + 2800] = signal_mv.T
    with h5py.File(tmp_path / "exams_part0.hdf5", "w") as file:
        file["tracings"], file["exam_id"] = tracings, np.array([22, 11])
    exams = [exam("11", SB="True"), exam("22", normal_ecg="True"), exam("33", AF="True")]
    write(tmp_path / "exams.csv", exams)
    shards = build(Code15(tmp_path), tmp_path / "out", workers=1)
    assert list(shards.tags) == [("sinus bradycardia",), ("normal ECG",)]
    assert shards.manifest["counted"]["studies without waveform"] == 1
    for number, seed in enumerate((1, 0)):
        wanted = waves(seconds=7, seed=seed).signal_mv[:, 50:3450]
        np.testing.assert_allclose(shards.ecg(number).signal_mv[:, 50:3450], wanted, atol=0.01)


def test_padding_is_taken_off_at_both_ends_only() -> None:
    signal = np.array([[0, 0, 1, 0, 2, 0], [0, 0, 0, 0, 1, 0]], np.float32)
    np.testing.assert_array_equal(without_padding(signal), signal[:, 2:5])
    np.testing.assert_array_equal(without_padding(signal * 0), signal * 0)


def test_a_folder_without_the_data_set_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="neither exams_part"):
        list(Code15(tmp_path).studies(Counter()))
    with pytest.raises(ConfigError, match="found no folder"):
        open_source("ptb-xl", tmp_path / "absent", Shares())
    with pytest.raises(ConfigError, match="found source 'else'"):
        open_source("else", tmp_path, Shares())


def test_every_source_of_the_command_line_opens(tmp_path: Path) -> None:
    for name in DESCRIBED:
        assert open_source(name, tmp_path, Shares()).name == name


def write(path: Path, lines: list[dict[str, str]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(lines[0]))
        writer.writeheader()
        writer.writerows(lines)
