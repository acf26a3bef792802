"""The form for mere numbers: a guess is shown, and nothing is applied before the button."""

import hospital_files
import numpy as np
import pytest
from gradio.blocks import Block

from focal_app.ecg.recording import LEADS
from focal_app.ecg.tables.question import SignalUnknown
from focal_app.errors import RecordingError
from focal_app.ui import wording
from focal_app.ui.read import asking, html
from focal_app.ui.read.findings_list import findings_list
from focal_app.ui.read.state import read, with_recording
from focal_app.ui.read.uploads import read_upload


@pytest.fixture
def unknown(ecg, tmp_path):
    path = tmp_path / "aa" / "doe.csv"
    path.parent.mkdir()
    path.write_bytes(hospital_files.csv(ecg))
    with pytest.raises(SignalUnknown) as raised:
        read_upload([path])
    assert not path.exists()
    return raised.value


@pytest.fixture
def form(parts):
    return parts


def test_the_numbers_come_from_the_reading_process_with_their_guess(unknown, ecg):
    table = unknown.table
    np.testing.assert_allclose(table.values[1:], ecg.signal_mv, atol=0.0001)
    assert (table.guess.rate_hz, table.guess.unit) == (500, "mV")


def test_the_form_opens_with_the_guess_and_says_that_it_is_one(unknown, form):
    updates: dict[Block, object] = asking.opened(form, unknown)
    assert updates[form.rate] == 500 and updates[form.unit] == "mV"
    assert updates[form.leads] == " ".join(["-", *LEADS])
    assert "guess" in str(updates[form.said]) and "13 columns" in str(updates[form.said])


@pytest.mark.parametrize("still", ["Normal ECG", ""])
def test_while_it_asks_the_form_says_that_another_ecg_is_shown(unknown, form, still):
    """Below the form of a CSV the ECG of before stood as "Your recording"."""
    said = str(asking.opened(form, unknown, still=still)[form.said])
    assert f"page shows {f'“{still}”' if still else 'the recording from before'}." in said
    assert "from the numbers alone" not in said  # leads come from the names of the columns


def test_the_answers_make_the_recording_and_not_the_guess(unknown):
    told = asking.answered(unknown.table, 250, "mV", " ".join(["-", *LEADS]))
    assert told.sampling_rate_hz == 250 and told.duration_s == 20


@pytest.mark.parametrize(
    ("rate", "unit", "leads", "said"),
    [
        (None, "mV", "I II", "the sampling rate"),
        (500, None, "", "the unit and the names of the leads"),
        (500, "mV", "I II", "2 names for 13 columns"),
    ],
)
def test_answers_that_are_missing_or_wrong_are_named(unknown, rate, unit, leads, said):
    with pytest.raises(RecordingError, match=said):
        asking.answered(unknown.table, rate, unit, leads)


def test_a_form_whose_numbers_are_gone_says_so(form):
    with pytest.raises(RecordingError, match="upload it again"):
        asking.answered(None, 500, "mV", "I")
    assert asking.closed(form)[form.table] is None


def test_what_the_model_does_not_read_is_drawn_and_says_why(view, ecg, reader):
    reader.not_read = "found 6 leads with signal; at least 8 are needed."
    shown = read(with_recording(view, ecg), reader)
    why = str(wording.not_read(reader.not_read))
    assert why in html.recording(shown) and why in findings_list(shown)
    assert html.places(shown) == "" and shown.heatmap is None


def test_the_cardiographs_statements_stand_apart(view, ecg):
    from dataclasses import replace

    source = replace(
        ecg.source, statements=("Sinus rhythm",), device="Acme Cart 7", filters=("50 Hz notch",)
    )
    page = html.recording(replace(view, ecg=replace(ecg, source=source)))
    for said in ("cardiograph&#39;s own statements: Sinus rhythm", "Acme Cart 7", "50 Hz notch"):
        assert said in page
