"""A folder becomes a table and copies; one bad file stops nothing, and a stopped run goes on."""

import csv
import io
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import hospital_files
import numpy as np
import pytest
from drawn_pages import page_texts

from focal_app.__main__ import main
from focal_app.command import read as reading_command
from focal_app.command.read import opened
from focal_app.ecg.files import read_recording
from focal_app.ecg.readers import Readers
from focal_app.ecg.reading_limits import Limits
from focal_app.ecg.recording import LEADS
from focal_app.explore.reading.bundled_cases import CASES, load_case
from focal_app.explore.reading.document import NOTICE

PROMPTS = ("LBBB", "=atrial flutter", "atrial fibrillation")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two recordings, a header that was cut off between them, and a folder with a third."""
    place = tmp_path / "ward"
    for name, file in (("normal", "a"), ("hypertrophy", "c"), ("left-bundle-branch-block", "x/d")):
        (place / file).parent.mkdir(exist_ok=True, parents=True)
        header = (CASES / f"{name}.hea").read_text()
        (place / f"{file}.hea").write_text(header.replace(f"{name}.dat", f"{Path(file).name}.dat"))
        shutil.copy(CASES / f"{name}.dat", place / f"{file}.dat")
    (place / "b.hea").write_text((CASES / "normal.hea").read_text()[:100])
    (place / ".hidden.hea").write_text("")
    return place


@pytest.fixture
def read(tiny_checkpoint: Path) -> Callable[..., int]:
    """Runs `read` with three prompts over the untrained model; its exit code."""

    def run(*arguments: object, prompts: tuple[str, ...] = PROMPTS) -> int:
        asked = ["--prompt", *prompts, "--checkpoint", str(tiny_checkpoint)]
        return main(["read", *map(str, arguments), *asked])

    return run


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def names(rows: list[dict[str, str]]) -> list[str]:
    return [Path(row["file"]).name for row in rows]


class Terminal(io.StringIO):
    """An error stream at which somebody sits."""

    def isatty(self) -> bool:
        return True


def test_who_sits_at_a_terminal_sees_how_far_a_folder_is(read, folder, monkeypatch):
    for stream, seen in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        assert read(folder, "--csv", folder / f"{seen}.csv", prompts=("LBBB",)) == 2
        assert ("0/4" in stream.getvalue() and " ECG" in stream.getvalue()) is seen


def test_a_folder_becomes_a_row_a_recording_and_a_bad_file_says_why(read, folder, capsys):
    out = folder / "out.csv"  # in the folder that is read, and no recording of it
    assert read(folder, "--csv", out) == 2
    rows = table(out)
    assert names(rows) == ["a.hea", "b.hea", "c.hea", "d.hea"]
    assert [bool(row["error"]) for row in rows] == [False, True, False, False]
    assert rows[1]["error"].startswith("found ") and rows[1]["probability of LBBB"] == ""
    assert 0 <= float(rows[0]["probability of LBBB"]) <= 1
    assert (rows[0]["sampling_rate_hz"], rows[0]["age_years"]) == ("500.0", "68")
    told = "error: 1 of 4 rows have no reading; the column `error` says why\n"
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", told)
    assert read(folder, "--csv", out) == 0  # nothing is new, and the row is still there
    assert capsys.readouterr().err == told and table(out) == rows


def test_what_the_device_says_has_columns_of_its_own(read, tmp_path):
    out = tmp_path / "out.csv"
    (tmp_path / "ecg").write_bytes(hospital_files.muse(load_case("normal")))
    assert read(tmp_path / "ecg", "--csv", out) == 0
    (row,) = table(out)
    assert row["device"].startswith("GE") and row["filters"]
    assert row["statements"] == "Sinus rhythm; Left bundle branch block"
    assert float(row["qrs_ms_device"]) > 50 and row["pacing_spikes"] == "none seen"


def test_names_of_files_stand_in_their_column_alone(read, folder, capsys):
    out = folder.parent / "out.csv"
    read(folder, "--csv", out)
    said = capsys.readouterr()
    cells = [value for row in table(out) for key, value in row.items() if key != "file"]
    assert not [cell for cell in cells if "ward" in cell or (".hea" in cell and "cut" in cell)]
    assert "ward" not in said.out + said.err


def test_a_prompt_is_no_formula_of_the_spreadsheet(read, folder):
    out = folder.parent / "out.csv"
    read(folder / "a.hea", "--csv", out, prompts=("=atrial flutter",))
    assert not [
        line for line in out.read_text().splitlines() for c in line.split(",") if c[:1] == "="
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="others refuse such a name")
def test_a_name_that_is_no_utf_8_or_has_odd_spaces_has_a_row_of_its_own(read, tmp_path):
    place, made = tmp_path / "ward", tmp_path / "table.csv"
    place.mkdir()
    for name in (b"E  1.csv", b"E 1.csv", b"E\n1.csv", b"Andr\xe9.csv"):
        (place / os.fsdecode(name)).write_text("no ECG")
    for _ in range(2):
        read(place, "--csv", made)
        rows = table(made)
        assert [row["row"] for row in rows] == list("1234")
        assert set(names(rows)) == {"Andr\\xe9.csv", "E\\x0a1.csv", "E\\x20 1.csv", "E 1.csv"}


def test_a_stopped_run_goes_on_and_reads_nothing_twice(read, folder, monkeypatch):
    out, whole = folder.parent / "out.csv", folder.parent / "whole.csv"
    read(folder, "--csv", whole)
    seen = []

    def stopping(path, told):
        seen.append(path.name)
        if path.name == "c.hea" and "again" not in seen:
            raise KeyboardInterrupt
        return opened(path, told)

    monkeypatch.setattr(reading_command, "opened", stopping)
    assert read(folder, "--csv", out) == 130
    assert names(table(out)) == ["a.hea", "b.hea"]
    out.write_text(out.read_text() + "3,half a ro")  # as if it was stopped in the middle of a row
    seen[:] = ["again"]
    assert read(folder, "--csv", out) == 0
    assert sorted(seen) == ["again", "c.hea", "d.hea"]
    assert out.read_text() == whole.read_text()


PDF, TOLD = ("--pdf", "p", "--heatmap"), ("--unit", "mV", "--leads", " ".join(LEADS))


@pytest.mark.parametrize(
    ("first", "then", "said"),
    [
        ((), ("--prompt", "sinus rhythm"), "other findings"),
        ((), ("--start", "0.5"), "asked_from_s '0', now '0.5'"),
        ((), ("--rate-hz", "250", *TOLD), "now 'rate_hz 250.0; unit mV"),
        (PDF, (*PDF, "--tau", "0.5"), "'heatmap yes', now 'heatmap yes; tau 0.5'"),
        (PDF, (), "'heatmap yes', now ''"),
    ],
)
def test_a_table_of_another_question_is_not_gone_on_with(
    read, folder, monkeypatch, capsys, first, then, said
):
    monkeypatch.chdir(folder.parent)
    read(folder / "a.hea", "--csv", "out.csv", *first)
    before = Path("out.csv").read_text()
    assert read(folder, "--csv", "out.csv", *then) == 2
    told = capsys.readouterr().err
    assert "another question" in told and said in told and told.count("\n") == 1
    assert Path("out.csv").read_text() == before


@pytest.mark.parametrize("row", ["", "2,x"])
def test_a_table_with_a_row_that_was_edited_is_refused_in_a_line(read, folder, capsys, row):
    out = folder.parent / "out.csv"
    read(folder / "a.hea", "--csv", out)
    out.write_text(f"{out.read_text()}{row}\n")
    assert read(folder, "--csv", out) == 2
    told = capsys.readouterr().err
    assert "a row that has not its columns" in told and told.count("\n") == 1


def test_a_table_that_a_spreadsheet_saved_is_refused_as_such(read, folder, capsys):
    out = folder.parent / "out.csv"
    read(folder / "a.hea", "--csv", out)
    out.write_bytes(b"\xef\xbb\xbf" + out.read_bytes().replace(b"\n", b"\r\n"))
    assert read(folder, "--csv", out) == 2
    assert "another program saved it" in capsys.readouterr().err


def test_a_table_of_another_model_is_not_gone_on_with(folder, tiny_checkpoint, capsys):
    """Also where both are folders of one's own, which a table does not name."""
    out, other = folder.parent / "out.csv", shutil.copytree(tiny_checkpoint, folder.parent / "m")
    asked = ["read", str(folder / "a.hea"), "--csv", str(out), "--prompt", "LBBB", "--checkpoint"]
    assert main([*asked, str(tiny_checkpoint)]) == main([*asked, str(other)]) == 0
    (other / "figures.json").write_text("{}")
    assert main([*asked, str(other)]) == 2
    assert "checkpoint_digest" in capsys.readouterr().err


def test_a_fault_that_nobody_foresaw_is_the_row_of_its_file(read, folder, monkeypatch):
    def failing(path, told):
        if path.name == "c.hea":
            raise ZeroDivisionError(str(path))
        return opened(path, told)

    monkeypatch.setattr(reading_command, "opened", failing)
    out = folder.parent / "out.csv"
    assert read(folder, "--csv", out) == 2
    rows = table(out)
    assert "ZeroDivisionError" in rows[2]["error"] and "ward" not in rows[2]["error"]
    assert names(rows)[3] == "d.hea" and not rows[3]["error"]


def half_an_hour(place: Path) -> Path:
    """A header that announces half an hour, and a file of it."""
    lines = (CASES / "normal.hea").read_text().replace("normal.dat", "b.dat").splitlines()
    header = "\n".join([lines[0].replace(" 5000", " 900000"), *lines[1:]])
    (place / "b.hea").write_text(header)
    (place / "b.dat").write_bytes(bytes(2 * 12 * 900_000))
    return place / "b.hea"


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (Limits(wall_s=0.05), "takes longer to read than the 0.05 s"),
        (Limits(memory_mb=1), "needs more memory to read than the 1 MB"),
    ],
    ids=["time", "memory"],
)
def test_a_hostile_file_costs_its_own_row_alone(read, folder, monkeypatch, limits, said):
    """It is read within what is left for it, and the others as ever."""
    half_an_hour(folder)
    usual, hostile = Readers(), Readers(limits=limits)

    class Both:
        def read(self, paths):
            return (hostile if paths[0].name == "b.hea" else usual).read(paths)

    monkeypatch.setattr(reading_command, "READERS", Both())
    out = folder.parent / "out.csv"
    assert read(folder, "--csv", out) == 2
    rows = table(out)
    assert [bool(row["error"]) for row in rows] == [False, True, False, False]
    assert said in rows[1]["error"] and "b.hea" not in rows[1]["error"]
    for readers in (usual, hostile):
        readers.close()


@pytest.mark.parametrize("command", ["verify", "compare", "similar"])
def test_every_command_of_one_recording_keeps_to_the_limits(command, monkeypatch, tmp_path, capsys):
    readers, file = Readers(limits=Limits(memory_mb=1)), str(half_an_hour(tmp_path))
    monkeypatch.setattr(reading_command, "READERS", readers)
    more = {"verify": ["--report", "LBBB"], "compare": [file], "similar": []}[command]
    assert main([command, file, *more]) == 2
    assert "more memory to read than the 1 MB" in capsys.readouterr().err
    readers.close()


def test_what_is_told_of_tables_is_for_those_among_the_files(read, folder, tmp_path):
    out = tmp_path / "out.csv"
    np.save(folder / "b.npy", load_case("normal").signal_mv)
    read(folder, "--csv", out, "--rate-hz", 250, "--unit", "mV", "--leads", " ".join(LEADS))
    rates = [(Path(row["file"]).name, row["sampling_rate_hz"]) for row in table(out)]
    assert rates[1:3] == [("b.hea", ""), ("b.npy", "250.0")]
    assert {rate for name, rate in rates if name in ("a.hea", "c.hea", "d.hea")} == {"500.0"}


def test_what_is_told_of_tables_is_told_again_where_only_others_are_left(read, folder, tmp_path):
    out, told = tmp_path / "out.csv", ("--rate-hz", 500, *TOLD)
    np.save(folder / "0.npy", load_case("normal").signal_mv)
    assert read(folder / "0.npy", "--csv", out, *told) == 0
    assert read(folder / "0.npy", folder / "a.hea", "--csv", out, *told) == 0
    assert names(table(out)) == ["0.npy", "a.hea"]


def test_copies_are_named_by_their_row_and_hold_the_recording(read, folder, tmp_path):
    out, pdf, wfdb, dicom = (tmp_path / name for name in ("out.csv", "p", "w", "d"))
    read(folder, "--csv", out, "--pdf", pdf, "--wfdb", wfdb, "--dicom", dicom, "--heatmap")
    assert [path.name for path in sorted(pdf.iterdir())] == [
        f"{row['row']:0>6}.pdf" for row in table(out) if not row["error"]
    ]
    pages = page_texts((pdf / "000001.pdf").read_bytes())
    assert len(pages) > 2 and all(NOTICE in text for text in pages)
    assert all("a checkpoint of your own" in text for text in pages)
    again, original = (read_recording([p]) for p in (wfdb / "000001.hea", folder / "a.hea"))
    assert abs(again.signal_mv - original.signal_mv).max() < 0.0006
    assert (dicom / "000001.dcm").read_bytes()[128:132] == b"DICM"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--csv", "absent/out.csv"), "could not write the table"),
        (("--pdf", "/dev/null/x"), "found no folder to write to"),
    ],
)
def test_what_cannot_be_written_is_told_at_once(
    read, folder, tmp_path, monkeypatch, capsys, options, said
):
    monkeypatch.chdir(tmp_path)
    assert read(folder / "a.hea", *options) == 2
    out, err = capsys.readouterr()
    assert said in err and err.count("\n") == 1 and out == ""


def test_an_empty_folder_is_told_of(read, tmp_path, capsys):
    assert read(tmp_path) == 2
    assert "found no file in the folder" in capsys.readouterr().err


def test_what_is_measured_but_not_read_has_a_row_a_pdf_and_says_why(read, tmp_path):
    flat, out = tmp_path / "few.hea", tmp_path / "out.csv"
    lines = (CASES / "normal.hea").read_text().splitlines()
    kept = [lines[0].replace(" 12 ", " 2 ", 1), *lines[1:3]]
    flat.write_text("\n".join(kept).replace("normal.dat", "few.dat") + "\n")
    samples = np.fromfile(CASES / "normal.dat", "<i2").reshape(-1, 12)[:, :2]
    (tmp_path / "few.dat").write_bytes(samples.tobytes())
    read(flat, "--csv", out, "--pdf", tmp_path / "pdf")
    (row,) = table(out)
    assert row["not_read"] and not row["error"] and None not in row
    assert row["rate_per_min"] and row["probability of LBBB"] == ""
    text = "\n".join(page_texts((tmp_path / "pdf" / "000001.pdf").read_bytes()))
    assert "Not read by the model" in text and "Rate" in text
