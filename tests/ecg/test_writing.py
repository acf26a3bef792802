"""What is written as WFDB and as DICOM is read back equal, by our reader and by others."""

import io
from dataclasses import replace

import numpy as np
import pydicom
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focal_app.ecg.complete import LIMB_COEFFICIENTS, completed
from focal_app.ecg.files import read_recording
from focal_app.ecg.recording import ECG, LEADS, SourceFacts
from focal_app.ecg.wfdb_reader import load_wfdb
from focal_app.ecg.writing.dicom_file import LEAD_CODES, dicom_file
from focal_app.ecg.writing.steps import MISSING, in_steps
from focal_app.ecg.writing.wfdb_file import wfdb_files, zipped
from focal_app.errors import RecordingError

HALF_STEP_MV = 0.000501
IDENTITY = SourceFacts("WFDB", age_years=61, sex="female", device="Cart 9")


def noise_ecg(*, leads=LEADS, rate_hz=500.0, seconds=10.0, seed=0, height_mv=1.0):
    """An ECG in which every lead is its own, but for the limb leads, which follow Einthoven."""
    samples = np.random.default_rng(seed).normal(size=(14, round(rate_hz * seconds))) * height_mv
    rows = [
        np.array(LIMB_COEFFICIENTS[lead]) @ samples[:2]
        if lead in LIMB_COEFFICIENTS
        else samples[LEADS.index(lead)]
        for lead in leads
    ]
    return ECG(np.stack(rows).astype(np.float32), tuple(leads), rate_hz, IDENTITY)


@pytest.fixture
def through_wfdb(tmp_path):
    """Writes a recording as WFDB, and reads it with the app's reader."""

    def both(ecg):
        for name, content in wfdb_files(ecg).items():
            (tmp_path / name).write_bytes(content)
        return read_recording([tmp_path / "recording.hea"])

    return both


@pytest.fixture
def through_dicom():
    """Writes a recording as DICOM, and reads it with pydicom: millivolts by lead."""

    def both(ecg):
        dataset = pydicom.dcmread(io.BytesIO(dicom_file(ecg)))
        (item,) = dataset.WaveformSequence
        channels = item.ChannelDefinitionSequence
        codes = [channel.ChannelSourceSequence[0] for channel in channels]
        units = {one.ChannelSensitivityUnitsSequence[0].CodeValue for one in channels}
        by_code = {code: lead for lead, code in LEAD_CODES.items()}
        assert units == {"uV"} and {code.CodingSchemeDesignator for code in codes} == {"MDC"}
        signal = dataset.waveform_array(0).T / 1000
        padding = np.frombuffer(item.WaveformData, "<i2").reshape(signal.shape[::-1]).T == MISSING
        leads = tuple(by_code[code.CodeValue] for code in codes)
        return dataset, leads, np.where(padding, np.nan, signal)

    return both


def test_wfdb_reads_back_lead_by_lead_within_half_a_step(through_wfdb):
    ecg = noise_ecg()
    again = through_wfdb(ecg)
    assert again.leads == LEADS and again.sampling_rate_hz == 500.0
    assert np.abs(again.signal_mv - ecg.signal_mv).max() < HALF_STEP_MV
    assert (again.source.age_years, again.source.sex) == (61, "female")
    assert again.notes == ()


def test_dicom_reads_back_lead_by_lead_within_half_a_step(through_dicom):
    ecg = noise_ecg()
    dataset, leads, signal = through_dicom(ecg)
    assert leads == LEADS and dataset.WaveformSequence[0].SamplingFrequency == 500
    assert np.abs(signal - ecg.signal_mv).max() < HALF_STEP_MV


def test_another_library_reads_the_dicom_file_alike(tmp_path):
    ecgdatakit = pytest.importorskip("ecgdatakit")
    ecg = noise_ecg()
    ecg.signal_mv[3, 100:150] = np.nan
    path = tmp_path / "recording.dcm"
    path.write_bytes(dicom_file(ecg))
    read = ecgdatakit.FileParser().parse(path)
    assert [lead.label for lead in read.leads] == list(LEADS)
    assert {(lead.units, lead.sampling_rate) for lead in read.leads} == {("mV", 500)}
    samples = np.stack([lead.samples for lead in read.leads])
    np.testing.assert_array_equal(np.isnan(samples), np.isnan(ecg.signal_mv))
    assert np.nanmax(np.abs(samples - ecg.signal_mv)) < HALF_STEP_MV


def test_wfdb_of_our_own_equals_what_the_wfdb_package_reads(tmp_path):
    ecg = noise_ecg()
    for name, content in wfdb_files(ecg).items():
        (tmp_path / name).write_bytes(content)
    record = load_wfdb().rdrecord(str(tmp_path / "recording"))
    assert record.sig_name == list(LEADS) and record.units == ["mV"] * 12
    assert np.abs(record.p_signal.T - ecg.signal_mv).max() < HALF_STEP_MV


def test_gaps_stay_gaps(through_wfdb, through_dicom):
    ecg = noise_ecg()
    ecg.signal_mv[6, 200:900] = np.nan
    gap = np.isnan(ecg.signal_mv)
    np.testing.assert_array_equal(np.isnan(through_wfdb(ecg).signal_mv), gap)
    np.testing.assert_array_equal(np.isnan(through_dicom(ecg)[2]), gap)


def test_a_turned_lead_comes_back_turned(through_wfdb, through_dicom):
    ecg = noise_ecg()
    turned = replace(ecg, signal_mv=-ecg.signal_mv)
    for read in (lambda e: through_wfdb(e).signal_mv, lambda e: through_dicom(e)[2]):
        np.testing.assert_array_equal(read(turned), -read(ecg))


def test_leads_come_in_the_standard_order_whatever_theirs_was(through_wfdb, through_dicom):
    ecg = noise_ecg()
    order = list(range(11, -1, -1))
    mixed = replace(ecg, signal_mv=ecg.signal_mv[order], leads=tuple(LEADS[i] for i in order))
    np.testing.assert_array_equal(through_wfdb(mixed).signal_mv, through_wfdb(ecg).signal_mv)
    np.testing.assert_array_equal(through_dicom(mixed)[2], through_dicom(ecg)[2])


def test_wfdb_holds_what_was_recorded_and_dicom_names_what_was_derived(through_wfdb, through_dicom):
    eight = noise_ecg(leads=("I", "II", "V1", "V2", "V3", "V4", "V5", "V6"))
    assert through_wfdb(eight).leads == eight.leads
    again = completed(through_wfdb(eight))
    assert np.abs(again.signal_mv - completed(eight).signal_mv).max() < 2 * HALF_STEP_MV
    dataset, leads, _ = through_dicom(eight)
    channels = dataset.WaveformSequence[0].ChannelDefinitionSequence
    said = {c.ChannelLabel for c in channels if "ChannelDerivationDescription" in c}
    assert leads == LEADS and said == {"III", "aVR", "aVL", "aVF"}


@given(st.floats(0.0, 4000.0), st.integers(0, 99))
@settings(max_examples=60)
def test_a_step_is_never_too_small_for_the_tallest_sample(height_mv, seed):
    signal = np.random.default_rng(seed).uniform(-1, 1, (2, 50)) * height_mv
    signal[0, 0] = height_mv
    steps = in_steps(signal)
    assert steps.values.min() > MISSING
    error = np.abs(steps.values * steps.step_uv / 1000 - signal).max()
    assert error <= steps.step_uv / 2000 + 1e-9 and steps.step_uv >= 1.0


def test_a_tall_signal_is_written_in_coarser_steps(through_wfdb, through_dicom):
    ecg = noise_ecg()
    ecg.signal_mv[:, 1000] = 50.0  # a spike
    step_mv = in_steps(ecg.signal_mv).step_uv / 1000
    assert step_mv > 0.001
    assert np.abs(through_dicom(ecg)[2] - ecg.signal_mv).max() <= step_mv / 2 + 1e-5
    assert np.abs(through_wfdb(ecg).signal_mv - ecg.signal_mv).max() <= step_mv / 2 + 1e-5


@pytest.mark.parametrize(
    ("rate_hz", "seconds", "kind"),
    [
        (500.0, 10.0, "12-lead ECG Waveform Storage"),
        (500.0, 40.0, "General ECG Waveform Storage"),
        (100.0, 10.0, "Ambulatory ECG Waveform Storage"),
        (257.0, 10.0, "12-lead ECG Waveform Storage"),
    ],
)
def test_the_kind_of_dicom_object_is_one_that_may_hold_the_recording(
    through_dicom, rate_hz, seconds, kind
):
    dataset, _, signal = through_dicom(noise_ecg(rate_hz=rate_hz, seconds=seconds))
    assert dataset.SOPClassUID.name == kind == dataset.file_meta.MediaStorageSOPClassUID.name
    assert dataset.WaveformSequence[0].SamplingFrequency == rate_hz
    assert signal.shape == (12, round(rate_hz * seconds))


def test_a_rate_that_dicom_does_not_know_is_refused():
    with pytest.raises(RecordingError, match="WFDB"):
        dicom_file(noise_ecg(rate_hz=2000.0, seconds=2.0))


def test_dicom_says_nobody_and_no_day(through_dicom):
    dataset, _, _ = through_dicom(noise_ecg())
    assert (dataset.PatientName, dataset.PatientID, dataset.PatientBirthDate) == ("", "", "")
    assert (dataset.PatientSex, dataset.PatientAge) == ("F", "061Y")
    assert dataset.PatientIdentityRemoved == "YES" and dataset.StudyDate == ""
    assert dataset.AcquisitionDateTime.startswith("1900")
    uids = [dataset.SOPInstanceUID, dataset.StudyInstanceUID, dataset.SeriesInstanceUID]
    assert all(uid.is_valid for uid in uids) and len(set(uids)) == 3
    assert dataset.SOPInstanceUID != through_dicom(noise_ecg())[0].SOPInstanceUID


def test_wfdb_files_say_nobody_and_no_day():
    header = wfdb_files(noise_ecg())["recording.hea"].decode()
    assert header.splitlines()[0].split() == ["recording", "12", "500", "5000"]
    assert [line for line in header.splitlines() if line.startswith("#")] == [
        "# Age: 61",
        "# Sex: female",
    ]


def test_a_zip_is_the_same_twice():
    files = {"a.hea": b"one", "a.dat": b"two" * 100}
    assert zipped(files) == zipped(dict(files))


def test_real_recordings_come_back_as_they_were(shared_ecg, through_wfdb, through_dicom):
    for header in sorted((shared_ecg / "ludb").rglob("*.hea"))[:3]:
        ecg = completed(read_recording([header]))
        assert np.abs(through_wfdb(ecg).signal_mv - ecg.signal_mv).max() < HALF_STEP_MV
        assert np.abs(through_dicom(ecg)[2] - ecg.signal_mv).max() < HALF_STEP_MV
