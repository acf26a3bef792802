"""Every real file of the shared folder opens, or is refused in a sentence."""

from pathlib import Path

import numpy as np
import pytest

from focal_app.ecg.complete import completed
from focal_app.ecg.files import read_recording
from focal_app.ecg.preprocess import prepare
from focal_app.ecg.recording import LEADS
from focal_app.ecg.signal_spec import SignalSpec
from focal_app.errors import RecordingError, TooLittleSignal

OPEN = {
    "dicom/ecgtoolkit-example.dcm": ("DICOM", 500, 10.0),
    "dicom/hemodynamic-240hz.dcm": ("DICOM", 240, 10.0),
    "dicom/pydicom-waveform_ecg.dcm": ("DICOM", 1000, 10.0),
    "edf/contec-0000050.edf": ("EDF", 800, 47.31875),
    "ge-muse/braveheart-example1.xml": ("GE MUSE XML", 500, 10.0),
    "ge-muse/braveheart-example2.xml": ("GE MUSE XML", 500, 10.0),
    "ge-muse/braveheart-example3.xml": ("GE MUSE XML", 500, 10.0),
    "ge-muse/braveheart-example4.xml": ("GE MUSE XML", 500, 10.0),
    "ge-muse/egm-sinus.xml": ("GE MUSE XML", 500, 10.0),
    "hl7-aecg/cvrg-example2.xml": ("HL7 aECG", 1000, 10.0),
    "hl7-aecg/fda-subject1_0.xml": ("HL7 aECG", 500, 10.0),
    "hl7-aecg/liryc-example.xml": ("HL7 aECG", 100, 10.0),
    "philips/sierra-1.03.xml": ("Philips XML", 500, 10.528),
    "philips/sierra-1.04.01.xml": ("Philips XML", 500, 10.6),
    "philips/sierra-1.04.xml": ("Philips XML", 500, 10.6),
    "scp-ecg/example.scp": ("SCP-ECG", 500, 10.0),
}
REFUSED = {
    "hl7-aecg/minimum-one-lead.xml": r"0\.026 s of 1 lead; at least 1 s is needed",
    "hl7-aecg/empty.xml": "without a recording in it",
    "scp-ecg/bad-crc.scp": "announces more bytes than it holds",
    "scp-ecg/contec-0000050.scp": "leads are shorter than it announces",
}
IDENTITY = ("clark", "sbj-123", "doe", "081486213", "zzdemo", "galliera", "ford", "642341", "w721")


def test_every_file_of_the_folder_is_named_here(shared_ecg: Path) -> None:
    folder = shared_ecg / "formats"
    found = {str(path.relative_to(folder)) for path in folder.rglob("*.*") if path.is_file()}
    assert found == {*OPEN, *REFUSED} and len(OPEN) == 16


@pytest.mark.parametrize("name", OPEN)
def test_a_real_file_opens(shared_ecg: Path, name: str) -> None:
    ecg = completed(read_recording([shared_ecg / "formats" / name]))
    found = (ecg.source.format, ecg.sampling_rate_hz, ecg.duration_s)
    assert found == OPEN[name]
    assert ecg.leads == LEADS and np.isfinite(ecg.signal_mv).all()
    assert 0.4 < np.ptp(ecg.signal_mv, axis=1).max() < (12 if "contec" in name else 6)
    said = f"{ecg.source} {ecg.notes}".lower()
    assert not [word for word in IDENTITY if word in said]


@pytest.mark.parametrize("name", REFUSED)
def test_a_real_file_that_cannot_be_read_says_why(shared_ecg: Path, name: str) -> None:
    with pytest.raises(RecordingError, match=REFUSED[name]) as refused:
        read_recording([shared_ecg / "formats" / name])
    said = str(refused.value)
    assert said.endswith(".") and str(shared_ecg) not in said and "SBJ" not in said


@pytest.mark.parametrize("name", OPEN)
def test_a_real_file_is_read_by_the_model_or_says_why_not(shared_ecg: Path, name: str) -> None:
    ecg = read_recording([shared_ecg / "formats" / name])
    if name.startswith("edf/"):
        with pytest.raises(TooLittleSignal, match="found 6 leads with signal"):
            prepare(ecg, SignalSpec())
    else:
        assert prepare(ecg, SignalSpec()).seen.all()


def test_the_recording_in_three_formats_is_equal_in_all(shared_ecg: Path) -> None:
    names = ("dicom/ecgtoolkit-example.dcm", "hl7-aecg/fda-subject1_0.xml", "scp-ecg/example.scp")
    dicom, hl7, scp = (read_recording([shared_ecg / "formats" / name]) for name in names)
    np.testing.assert_allclose(dicom.signal_mv, hl7.signal_mv, atol=1e-6)
    np.testing.assert_allclose(scp.signal_mv, hl7.signal_mv, atol=1e-6)
    values = {"pr_ms": 148, "qrs_ms": 120, "qt_ms": 420}
    for ecg in (dicom, hl7, scp):
        assert values.items() <= dict(ecg.source.device_values).items()


def test_eight_of_the_real_files_give_the_cardiographs_rate(shared_ecg: Path) -> None:
    sources = [read_recording([shared_ecg / "formats" / name]).source for name in OPEN]
    assert sum("rate_per_min" in source.device_values for source in sources) >= 8
    assert sum(bool(source.statements) for source in sources) >= 5
