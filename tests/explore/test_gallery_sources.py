"""Claims about recordings as data sets publish them, and as a folder lists them."""

import csv
import json
from pathlib import Path

import pytest

from focal_app.ecg.archives.ptbxl import read_ptbxl
from focal_app.errors import ConfigError, GalleryError
from focal_app.explore.cases.gallery import sources
from focal_app.explore.cases.gallery.sources import csn, folder_of_cases, ptb_xl
from focal_app.explore.reading.bundled_cases import CASES
from focal_app.explore.reading.explorer import Explorer
from train.publish.gallery_cases import write_gallery_cases
from train.simulate import STATES


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two recordings in a folder within a folder."""
    (tmp_path / "deep").mkdir()
    for name in ("normal", "hypertrophy"):
        for suffix in (".hea", ".dat"):
            (tmp_path / "deep" / (name + suffix)).write_bytes(
                (CASES / (name + suffix)).read_bytes()
            )
    return tmp_path


ROW = {
    "file": "deep/normal.hea",
    "key": "first",
    "labels": "NSR; LBBB ;unheard of",
    "report": "a report; with, signs",
    "sex": "F",
    "age_years": "61",
    "source": "Somewhere",
    "licence": "CC0",
}


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_a_list_says_everything_of_a_case(suffix, folder):
    listed = folder / f"cases.{suffix}"
    if suffix == "csv":
        with listed.open("w", newline="") as file:
            writer = csv.DictWriter(file, ROW)
            writer.writeheader()
            writer.writerows([ROW, {"file": "deep/hypertrophy.hea"}])
    else:
        first = {**ROW, "labels": ["NSR", "LBBB"], "age_years": 61, "sex": "female"}
        listed.write_text(f'{json.dumps(first)}\n{{"file": "deep/hypertrophy.hea"}}\n')
    first, second = folder_of_cases(folder)
    assert first.facts.labels == ("sinus rhythm", "left bundle branch block")
    assert (first.facts.key, first.facts.sex, first.facts.age_years) == ("first", "female", 61)
    assert (first.facts.source, first.facts.licence) == ("Somewhere", "CC0")
    assert first.facts.report == ROW["report"]
    assert second.facts.key == "hypertrophy"
    assert second.facts.age_years == second.ecg.source.age_years is not None


@pytest.mark.parametrize(
    "file", ["../outside.hea", "/etc/passwd", "deep/normal.dat", "", "deep/../../x.hea"]
)
def test_a_list_cannot_point_outside_its_folder(file, folder):
    (folder / "cases.jsonl").write_text(json.dumps({"file": file}) + "\n")
    with pytest.raises(GalleryError, match="within the folder"):
        list(folder_of_cases(folder))


@pytest.mark.parametrize("file", ["deep/nor\0mal.hea", "loop.hea", "loop.hea/normal.hea"])
def test_a_name_that_can_be_no_file_is_refused(file, folder):
    (folder / "loop.hea").symlink_to("loop.hea")
    (folder / "cases.jsonl").write_text(json.dumps({"file": file}) + "\n")
    with pytest.raises(GalleryError, match="case 1 of the list has no header"):
        list(folder_of_cases(folder))


@pytest.mark.parametrize(
    ("name", "listed"),
    [
        ("cases.csv", "file,key\r\ndeep/normal.hea,first\r\n\r\n"),
        ("cases.jsonl", '{"file": "deep/normal.hea", "key": "first"}\r\n\r\n'),
    ],
)
def test_a_list_as_a_spreadsheet_or_an_editor_writes_it_is_read(name, listed, folder):
    (folder / name).write_bytes(listed.encode("utf-8-sig"))
    (record,) = folder_of_cases(folder)
    assert record.facts.key == "first"


def test_a_recording_that_cannot_be_read_is_none(folder):
    (folder / "deep" / "normal.hea").write_text("nonsense")
    (folder / "cases.jsonl").write_text('{"file": "deep/normal.hea"}\n')
    assert list(folder_of_cases(folder)) == [None]


@pytest.mark.parametrize("source", [folder_of_cases, ptb_xl, csn])
def test_a_folder_of_something_else_is_refused(source, tmp_path):
    with pytest.raises(GalleryError, match="needed"):
        list(source(tmp_path))


def test_ptb_xl_gives_labels_of_its_codes(shared_ecg):
    first = next(ptb_xl(shared_ecg / "ptb-xl"))
    assert first.facts.key == "ptb-xl-00001"
    assert first.facts.labels == ("normal ECG", "low QRS voltage", "sinus rhythm")
    assert (first.facts.sex, first.facts.age_years) == ("female", 56)
    assert first.facts.licence == "CC BY 4.0"
    assert "niederspannung" in first.facts.report


def test_patients_are_named_as_training_names_them(shared_ecg):
    seen = Explorer.load().model.seen
    folder = shared_ecg / "ptb-xl"
    rows = [row for row in read_ptbxl(folder) if row.header(folder).is_file()]
    early, late = ([r for r in rows if r.fold in folds][:12] for folds in (range(1, 7), (7, 8)))
    for chosen, trained in ((early, True), (late, False)):
        whose = [record.patient for record in ptb_xl(folder, chosen) if record]
        assert len(whose) == 12 and seen.trained_on(whose) == [trained] * 12
    found = [record.patient for record in csn(shared_ecg / "challenge") if record]
    assert all(seen.trained_on(found))


def test_a_key_that_comes_again_is_refused_before_its_recording_is_read(folder, monkeypatch):
    (folder / "cases.csv").write_text("file,key\n" + 1000 * "deep/hypertrophy.hea,a\n")
    read, real = [], sources.read_recording
    monkeypatch.setattr(sources, "read_recording", lambda files: read.append(1) or real(files))
    with pytest.raises(GalleryError, match="case 2 of the list has the key of one before"):
        list(folder_of_cases(folder))
    assert len(read) == 1


@pytest.mark.parametrize("age", ["9" * 400, "-1", "300", "nan", "old"])
def test_an_age_that_is_none_is_left_out(folder, age):
    (folder / "cases.csv").write_text(f"file,age_years\ndeep/hypertrophy.hea,{age}\n")
    (record,) = folder_of_cases(folder)
    assert record.facts.age_years == record.ecg.source.age_years


def test_csn_gives_labels_of_its_headers(shared_ecg):
    found = [record for record in csn(shared_ecg / "challenge") if record]
    assert found
    assert all(record.facts.key.startswith("csn-JS") for record in found)
    assert sum(bool(record.facts.labels) for record in found) > len(found) / 2


# wfdb 4.3 writes headers through a keyword that pandas 3.1 deprecates.
@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_simulated_cases_cover_every_state_evenly(tmp_path, monkeypatch):
    some = frozenset(sorted(STATES)[:3])
    monkeypatch.setattr("train.publish.gallery_cases.STATES", some)
    write_gallery_cases(tmp_path, count=6, seed=5)
    reports = [record.facts.report for record in folder_of_cases(tmp_path) if record]
    assert sorted(reports) == sorted(f"Simulated: {state}." for state in [*some, *some])
    with pytest.raises(ConfigError, match="one a state"):
        write_gallery_cases(tmp_path, count=2, seed=5)
