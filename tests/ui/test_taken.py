"""What the menu makes of a view: every kind, without identity, or a refusal in a sentence."""

import csv
import io
import json
import re
import subprocess
import sys
import zipfile
from dataclasses import replace

import hospital_files
import numpy as np
import pypdf
import pytest

from focal_app.ecg.complete import completed
from focal_app.ecg.files import read_recording
from focal_app.ecg.measured import Measured
from focal_app.ecg.measurements import Measurement, Measurements, Waves
from focal_app.ecg.writing.wfdb_file import wfdb_files
from focal_app.errors import RecordingError
from focal_app.explore.reading.document import NOTICE, document
from focal_app.explore.reading.plain_text import plain_text
from focal_app.explore.reading.spreadsheet import cells, headings, listed_csv
from focal_app.figures.paper_settings import PaperSettings
from focal_app.ui.read import wording_take_away as wording
from focal_app.ui.read.state import choosing, read, with_recording
from focal_app.ui.read.taken import COPY, taken


def rows(view):
    return list(csv.DictReader(io.StringIO(listed_csv(view.reading))))


@pytest.mark.parametrize("kind", wording.CHOICES)
def test_every_choice_of_the_menu_is_made(view, kind):
    made = taken(choosing(view, "ST elevation"), kind, checkpoint="embedded")
    assert made.content and made.kind
    assert (made.name == "") == (made.kind == COPY)


def test_nothing_but_the_menu_is_made(view):
    with pytest.raises(RecordingError):
        taken(view, "../../etc/passwd", checkpoint="embedded")


@pytest.mark.parametrize("kind", wording.CHOICES)
def test_without_a_reading_the_ecg_can_be_taken_and_the_reading_is_refused(view, kind):
    unread = replace(view, reading=None)
    if kind in {"png", "svg", "wfdb", "dicom"}:
        assert taken(unread, kind, checkpoint="embedded").content
    else:
        with pytest.raises(RecordingError, match="no reading"):
            taken(unread, kind, checkpoint="embedded")


def test_the_drawing_is_the_paper_as_it_is_set(view):
    set_otherwise = replace(view, paper=PaperSettings(layout="12x1", speed_mm_per_s=50.0))
    drawn = taken(set_otherwise, "svg", checkpoint="embedded").content.decode()
    assert 'data-speed="50"' in drawn and drawn.count('class="strip"') == 12


def test_json_is_that_of_the_command_line_with_heatmaps(view):
    told = json.loads(taken(view, "json", checkpoint="embedded").content)
    assert told["notice"] == NOTICE and len(told["heatmap"]["weights"]) == len(view.prompts)


def test_the_table_lists_what_was_found_the_likeliest_first(view):
    found = [row for row in rows(view) if row["kind"] == "finding"]
    values = [float(row["value"]) for row in found]
    assert values == sorted(values, reverse=True)
    assert {row["name"] for row in found} == set(view.prompts)
    assert [row["value"] for row in rows(view) if row["name"] == "age_years"] == ["61"]


def test_what_is_measured_and_named_by_none_has_a_line_and_a_column(view):
    waves = Waves(*np.zeros((3, 0, 2)), np.zeros(0))
    wide = Measured(Measurements(qrs_ms=Measurement(154.0, 2.0, None)), waves)
    told = replace(view, reading=replace(view.reading, measured=wide))
    (line,) = [row for row in rows(told) if row["kind"] == "unnamed"]
    assert (line["name"], line["value"]) == ("wide QRS complex", "QRS 154 ms")
    row = dict(zip(headings(view.prompts), cells(told.reading, view.prompts), strict=True))
    assert row["unnamed"] == "wide QRS complex (QRS 154 ms)"
    assert "unnamed" not in {row["kind"] for row in rows(view)}


def test_the_table_holds_values_as_json_does(view):
    waves = Waves(*np.zeros((3, 0, 2)), np.zeros(0))
    values = Measurements(cornell_mv=Measurement(1.2344, 0.0666), qt_ms=Measurement(401.26))
    reading = replace(view.reading, measured=Measured(values, waves))
    row = dict(zip(headings(view.prompts), cells(reading, view.prompts), strict=True))
    told = document(reading, heatmap=False)["measurements"]
    assert (row["cornell_mv"], row["cornell_mv_spread"], row["qt_ms"]) == (1.234, 0.067, 401.3)
    assert {name: row[name] for name in told} == {k: one["value"] for k, one in told.items()}
    assert "Cornell,,1.234,mV,0.067" in listed_csv(reading)


@pytest.mark.parametrize("typed", ["=1+1", "+cmd", "-2", "@SUM(A1)"])
def test_a_prompt_is_never_a_formula_of_the_spreadsheet(view, typed):
    finding = replace(view.reading.findings[0], prompt=typed)
    reading = replace(view.reading, findings=(finding,))
    assert f"finding,'{typed}" in listed_csv(reading)


@pytest.mark.parametrize("typed", ["a;=1+1", "a;@SUM(A1)", "\uff1d1+1", "\t=1", "a;\n=1"])
def test_no_cell_begins_a_formula_where_semicolons_part_cells_or_signs_are_wide(view, typed):
    """As in programs of countries whose lists have semicolons, and with East Asian keyboards."""
    finding = replace(view.reading.findings[0], prompt=typed)
    table = listed_csv(replace(view.reading, findings=(finding,)))
    assert not re.search('(^|[,;"])[=@\uff1d\uff0b\uff0d\uff20]', table, re.MULTILINE)


def hospital_file(format_, ecg, folder):
    """A file of a made-up patient, whose name is the file's as well."""
    path = folder / f"{hospital_files.SURNAME}.bin"
    path.write_bytes(hospital_files.CLINICAL[format_](ecg))
    return [path]


def wfdb_pair(ecg, folder):
    """A header that tells all that it can: in its record's name, in comments, in descriptions."""
    name = hospital_files.SURNAME
    for file, content in wfdb_files(ecg, name=name).items():
        said = "".join(f"# {word}: {word}\n" for word in NAMED) if file.endswith("hea") else ""
        (folder / file).write_bytes(content + said.encode())
    return [folder / f"{name}.hea", folder / f"{name}.dat"]


NAMED = (*hospital_files.IDENTITY[:5], hospital_files.BORN, hospital_files.TAKEN)


def unpacked(made):
    """All that a file says, what is packed in it included."""
    if made.kind == "application/zip":
        with zipfile.ZipFile(io.BytesIO(made.content)) as archive:
            assert not [name for name in archive.namelist() if not re.fullmatch(r"\w+\.\w+", name)]
            return "".join(archive.namelist()) + str([archive.read(n) for n in archive.namelist()])
    if made.kind == "application/pdf":
        document = pypdf.PdfReader(io.BytesIO(made.content))
        return str(document.metadata) + "".join(page.extract_text() for page in document.pages)
    return made.name + made.content.decode("utf-8", errors="replace")


@pytest.mark.parametrize("format_", [*hospital_files.CLINICAL, "WFDB"])
def test_no_name_number_or_date_of_a_patient_leaves_with_any_file(
    format_, ecg, view, reader, tmp_path
):
    folder = tmp_path / hospital_files.SURNAME
    folder.mkdir()
    paths = wfdb_pair(ecg, folder) if format_ == "WFDB" else hospital_file(format_, ecg, folder)
    opened = read(with_recording(view, completed(read_recording(paths))), reader)
    for kind in wording.CHOICES:
        said = unpacked(taken(opened, kind, checkpoint="embedded"))
        assert said and not [word for word in NAMED if word.casefold() in said.casefold()], kind


def test_measurements_and_contradictions_stand_in_table_and_text(view):
    measurements = Measurements(rate_per_min=Measurement(61.2, 1.5, 60.0))
    finding = replace(
        view.reading.findings[0], probability=0.9, measured="RR varies by 2 %", contradicted=True
    )
    waves = Waves(*np.zeros((3, 0, 2)), np.zeros(0))
    reading = replace(view.reading, findings=(finding,), measured=Measured(measurements, waves))
    (rate,) = (row for row in rows(replace(view, reading=reading)) if row["name"] == "Rate")
    assert (rate["value"], rate["unit"], rate["device"]) == ("61.2", "/min", "60.0")
    said = plain_text(reading)
    assert "Rate 61/min" in said and "90 %" in said and NOTICE in said
    assert "measured against it: RR varies by 2 %" in said


def test_laying_the_page_out_loads_neither_reportlab_nor_pydicom():
    script = (
        "import sys; import focal_app.ui.read.take_away;"
        "print(sorted({'reportlab', 'pydicom'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr
