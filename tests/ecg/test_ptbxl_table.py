"""The table of PTB-XL is read in one place, and every reader takes from it the same facts."""

import csv
from pathlib import Path

import pytest

from focal_app.ecg.archives.ptbxl import TABLE, PtbXlRow, read_ptbxl
from focal_app.errors import ConfigError

ROW = {
    "ecg_id": "7",
    "patient_id": "15709.0",
    "age": "56.0",
    "sex": "1",
    "report": " sinusrhythmus ",
    "scp_codes": "{'NORM': 100.0, 'SR': 0.0}",
    "strat_fold": "3",
    "filename_hr": "records500/00000/00007_hr",
}


def test_a_row_gives_typed_facts(tmp_path: Path) -> None:
    write(tmp_path, ROW)
    (row,) = read_ptbxl(tmp_path)
    assert row == PtbXlRow.of(ROW)
    assert (row.ecg_id, row.patient_id, row.age_years, row.sex) == (7, 15709, 56, "female")
    assert (row.report, row.fold, row.codes) == ("sinusrhythmus", 3, {"NORM": 100, "SR": 0})
    assert row.header(tmp_path) == tmp_path / "records500/00000/00007_hr.hea"


@pytest.mark.parametrize("age", ["300.0", "300", "", "-1", "old"])
def test_an_age_that_nobody_knows_is_none(age: str) -> None:
    assert PtbXlRow.of({**ROW, "age": age}).age_years is None


@pytest.mark.parametrize(
    ("sex", "meant"), [("0", "male"), ("1.0", "female"), (" 1 ", "female"), ("", None), ("2", None)]
)
def test_sex_is_read_however_the_number_is_written(sex: str, meant: str | None) -> None:
    assert PtbXlRow.of({**ROW, "sex": sex}).sex == meant


@pytest.mark.parametrize(
    ("column", "text"),
    [
        *(("scp_codes", "__import__('os')"), ("scp_codes", "['NORM']"), ("scp_codes", "")),
        *(("strat_fold", "11"), ("strat_fold", ""), ("ecg_id", "seven"), ("patient_id", "1.5")),
    ],
)
def test_a_row_that_was_not_published_so_is_refused(column: str, text: str) -> None:
    with pytest.raises(ConfigError, match=rf"found .*{column}.* needed"):
        PtbXlRow.of({**ROW, column: text})


def test_a_table_without_a_column_is_refused(tmp_path: Path) -> None:
    write(tmp_path, {name: text for name, text in ROW.items() if name != "strat_fold"})
    with pytest.raises(ConfigError, match="no column strat_fold"):
        list(read_ptbxl(tmp_path))


def write(folder: Path, row: dict[str, str]) -> None:
    with (folder / TABLE).open("w", newline="") as file:
        writer = csv.DictWriter(file, list(row))
        writer.writeheader()
        writer.writerow(row)
