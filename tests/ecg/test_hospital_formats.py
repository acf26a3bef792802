"""One signal in every format of hospitals: equal, rightly named, without identity, or refused."""

import base64
import struct
from dataclasses import replace
from pathlib import Path

import hospital_files
import numpy as np
import pytest
from hospital_files import CLINICAL, EIGHT, IDENTITY, KEPT
from plain_recordings import RecordWriter, plain_ecg

from focal_app.ecg.clinical.formats import CLINICAL as FORMATS
from focal_app.ecg.clinical.formats import recognised
from focal_app.ecg.complete import completed
from focal_app.ecg.files import read_recording
from focal_app.ecg.measurements import Measurements
from focal_app.ecg.recording import ECG, LEADS
from focal_app.ecg.tables.question import SignalQuestion
from focal_app.errors import RecordingError

QUANTISATION_MV = 0.00051


@pytest.fixture
def read(tmp_path: Path):
    def of(content: bytes, name: str = "doe.bin") -> ECG:
        path = tmp_path / name
        path.write_bytes(content)
        return read_recording([path])

    return of


@pytest.mark.parametrize("name", CLINICAL)
def test_a_signal_is_the_same_in_every_format(name: str, ecg: ECG, read) -> None:
    found = read(CLINICAL[name](ecg))
    rows = [LEADS.index(lead) for lead in found.leads]
    assert found.source.format == name and found.sampling_rate_hz == 500
    np.testing.assert_allclose(found.signal_mv, ecg.signal_mv[rows], atol=QUANTISATION_MV)
    assert found.signal_mv.dtype == np.float32


@pytest.mark.parametrize("name", CLINICAL)
def test_a_file_is_recognised_by_its_content_whatever_its_name(name: str, ecg: ECG, read) -> None:
    for other in ("ecg.hea", "ecg.dat", "ecg.mat", "ecg.csv", "ecg", "scan.png"):
        assert read(CLINICAL[name](ecg), other).source.format == name


@pytest.mark.parametrize("name", CLINICAL)
def test_no_identity_stays_of_a_file(name: str, ecg: ECG, read) -> None:
    content = CLINICAL[name](ecg)
    found = completed(read(content))
    said = f"{found.source} {found.notes} {found.leads}".lower()
    assert not [word for word in IDENTITY if word.lower() in said]
    assert any(word.encode() in content for word in IDENTITY)


@pytest.mark.parametrize("name", [name for name in CLINICAL if name not in ("EDF", "MFER")])
def test_age_sex_and_the_cardiographs_own_statements_are_kept(name: str, ecg: ECG, read) -> None:
    facts = read(CLINICAL[name](ecg)).source
    assert (facts.age_years, facts.sex, facts.statements) == (85, "female", KEPT)
    assert facts.device and ("Cart 7" in facts.device or "CART7" in facts.device.upper())


@pytest.mark.parametrize("name", ["HL7 aECG", "GE MUSE XML", "Philips XML"])
def test_the_cardiographs_values_have_the_names_of_measurements(name: str, ecg: ECG, read) -> None:
    values = read(CLINICAL[name](ecg)).source.device_values
    assert values["pr_ms"] == 148
    assert set(values) <= set(vars(Measurements()))


@pytest.mark.parametrize("name", CLINICAL)
@pytest.mark.parametrize("seed", [1, 2])
def test_cut_and_damaged_files_are_read_or_refused_in_a_sentence(
    name: str, seed: int, ecg: ECG, read
) -> None:
    random = np.random.default_rng(seed)
    whole = CLINICAL[name](ecg)
    for share in (0.02, 0.3, 0.9):
        damaged = bytearray(whole[: int(len(whole) * share)])
        for place in random.integers(0, len(damaged), 20):
            damaged[place] = random.integers(0, 256)
        try:
            read(bytes(damaged))
        except RecordingError as refused:
            said = str(refused)
            assert said.startswith("found ") and said.endswith(".") and "/" not in said.split()
            assert not [word for word in IDENTITY if word in said] and "doe" not in said


def test_one_signal_through_wfdb_dicom_edf_and_csv_is_equal(
    ecg: ECG, read, write_record: RecordWriter, tmp_path: Path
) -> None:
    header, _ = write_record(ecg)
    told = SignalQuestion(rate_hz=500, unit="mV", leads=("-", *LEADS))
    table = tmp_path / "ecg.csv"
    table.write_bytes(hospital_files.csv(ecg))
    signals = [read_recording([header]), read_recording([table], asked=told)]
    signals += [read(hospital_files.dicom(ecg)), read(hospital_files.edf(ecg))]
    for found in signals:
        np.testing.assert_allclose(found.signal_mv, ecg.signal_mv, atol=QUANTISATION_MV)
        assert found.leads == LEADS and found.sampling_rate_hz == 500


def test_reading_a_hospital_file_logs_nothing(ecg: ECG, read, caplog) -> None:
    read(hospital_files.dicom(ecg).replace(b"1.2.3.4.5", b"1.2..4.5."))
    assert caplog.text == ""


@pytest.mark.parametrize("name", CLINICAL)
def test_leads_are_known_by_name_in_whatever_order_a_file_holds_them(
    name: str, ecg: ECG, read, monkeypatch: pytest.MonkeyPatch
) -> None:
    for order in ("LEADS", "EIGHT"):
        monkeypatch.setattr(hospital_files, order, getattr(hospital_files, order)[::-1])
    monkeypatch.setattr(hospital_files.steps, "__defaults__", (LEADS[::-1],))
    found = completed(read(CLINICAL[name](ecg)))
    assert found.leads == LEADS
    np.testing.assert_allclose(found.signal_mv, ecg.signal_mv, atol=3 * QUANTISATION_MV)


@pytest.mark.parametrize("name", CLINICAL)
def test_leads_keep_their_names_signs_and_sizes(name: str, ecg: ECG, read) -> None:
    sizes = np.arange(1, 13, dtype=np.float32) * np.where(np.arange(12) % 2, -0.1, 0.1)
    wave = ecg.signal_mv[1] / np.ptp(ecg.signal_mv[1])
    told = replace(ecg, signal_mv=(sizes[:, None] * wave).astype(np.float32))
    found = read(CLINICAL[name](told))
    for lead, row in zip(found.leads, found.signal_mv, strict=True):
        np.testing.assert_allclose(row, told.signal_mv[LEADS.index(lead)], atol=QUANTISATION_MV)


@pytest.mark.parametrize("rate", [250, 1000])
@pytest.mark.parametrize("name", CLINICAL)
def test_rate_and_length_are_those_of_the_file(name: str, rate: float, read) -> None:
    found = read(CLINICAL[name](plain_ecg(rate=rate, duration_s=4)))
    assert (found.sampling_rate_hz, found.duration_s) == (rate, 4)


def test_an_edf_in_millivolts_equals_one_in_microvolts(ecg: ECG, read) -> None:
    one, other = (read(hospital_files.edf(ecg, unit=unit)).signal_mv for unit in ("uV", "mV"))
    np.testing.assert_allclose(one, other, atol=1e-5)


def test_eight_leads_of_muse_become_twelve(ecg: ECG, read) -> None:
    found = read(hospital_files.muse(ecg))
    assert found.leads == EIGHT
    np.testing.assert_allclose(completed(found).signal_mv, ecg.signal_mv, atol=0.0011)


def test_the_rhythm_is_taken_and_not_the_averaged_beat(ecg: ECG, read) -> None:
    for write in (hospital_files.dicom, hospital_files.muse):
        assert read(write(ecg)).duration_s == ecg.duration_s


def test_an_averaged_beat_alone_is_refused(ecg: ECG, read) -> None:
    content = hospital_files.muse(ecg).replace(b">Rhythm<", b">Median<")
    with pytest.raises(RecordingError, match="without a recording in it"):
        read(content)


def test_the_calibration_pulse_of_philips_is_cut_off(ecg: ECG, read) -> None:
    found = read(hospital_files.sierra(ecg))
    assert found.duration_s == ecg.duration_s
    assert any("calibration pulse" in note for note in found.notes)
    assert read(hospital_files.sierra(ecg, pulse=False)).notes == ()


def test_true_zeros_that_a_dicom_file_calls_padding_are_kept(ecg: ECG, read) -> None:
    found = read(hospital_files.dicom(ecg, padding=0))
    np.testing.assert_allclose(found.signal_mv, ecg.signal_mv, atol=QUANTISATION_MV)
    assert any("continue the trace" in note for note in found.notes)


def test_short_padding_of_dicom_is_bridged_and_long_padding_is_refused(ecg: ECG, read) -> None:
    holed = replace(ecg, signal_mv=ecg.signal_mv.copy())
    holed.signal_mv[3, 1000:1020] = -32.768
    found = read(hospital_files.dicom(holed, padding=-32768))
    assert np.isfinite(found.signal_mv).all() and abs(found.signal_mv[3, 1000:1020]).max() < 1
    assert any("Interpolated 20 samples" in note for note in found.notes)
    holed.signal_mv[3, 1000:1300] = -32.768
    with pytest.raises(RecordingError, match=r"gap of 0\.6 s"):
        read(hospital_files.dicom(holed, padding=-32768))


def test_dicom_without_its_sensitivity_is_refused(ecg: ECG, read) -> None:
    with pytest.raises(RecordingError, match="how many millivolts a step is"):
        read(hospital_files.dicom(ecg, sensitivity=False))


def test_dicom_without_a_waveform_is_refused(ecg: ECG, read) -> None:
    content = hospital_files.dicom(ecg)
    with pytest.raises(RecordingError, match="without a waveform"):
        read(content.replace(b"\x00\x54\x00\x01SQ", b"\x00\x54\x01\x01SQ", 1))


def test_a_dicom_deflate_bomb_is_refused_before_it_is_inflated(read) -> None:
    import zlib

    packing = zlib.compressobj(9, zlib.DEFLATED, -15)
    bomb = b"".join([*(packing.compress(bytes(1_000_000)) for _ in range(200)), packing.flush()])
    syntax = b"1.2.840.10008.1.2.1.99"
    element = b"\x02\x00\x10\x00UI" + struct.pack("<H", len(syntax)) + syntax
    with pytest.raises(RecordingError, match="compressed DICOM"):
        read(bytes(128) + b"DICM" + element + bomb)


def test_a_length_beyond_a_dicom_file_is_refused_without_its_memory(ecg: ECG, read) -> None:
    content = bytearray(hospital_files.dicom(ecg))
    at = content.index(b"\x00\x54\x00\x01SQ")
    content[at + 8 : at + 12] = struct.pack("<I", 2**31)
    with pytest.raises(RecordingError, match="damaged DICOM"):
        read(bytes(content))


XML = [name for name, kind in zip(CLINICAL, FORMATS, strict=True) if kind.is_xml]


def _with_doctype(content: bytes, declared: bytes) -> bytes:
    head, _, rest = content.partition(b"?>")
    if b"<!DOCTYPE" in rest:
        rest = rest.replace(b'<!DOCTYPE RestingECG SYSTEM "restecg.dtd">', b"")
    return head + b"?><!DOCTYPE x [" + declared + b"]>" + rest


@pytest.mark.parametrize("name", XML)
def test_an_xml_bomb_is_refused(name: str, ecg: ECG, read) -> None:
    lines = [b'<!ENTITY a0 "ha">']
    lines += [b'<!ENTITY a%d "%s">' % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, 12)]
    content = _with_doctype(CLINICAL[name](ecg), b"".join(lines))
    with pytest.raises(RecordingError, match="entities of its own"):
        read(content.replace(b"Sinus rhythm", b"&a11;"))


@pytest.mark.parametrize("name", XML)
def test_an_xml_file_reads_no_other_file(name: str, ecg: ECG, read, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("Zyxqvardson")
    entity = f'<!ENTITY x SYSTEM "file://{tmp_path}/secret">'.encode()
    content = _with_doctype(CLINICAL[name](ecg), entity)
    with pytest.raises(RecordingError, match="entities of its own") as refused:
        read(content.replace(b"Sinus rhythm", b"&x;"))
    assert "Zyxq" not in str(refused.value)


@pytest.mark.parametrize("name", XML)
def test_deep_and_endless_xml_is_refused(name: str, ecg: ECG, read) -> None:
    content = CLINICAL[name](ecg)
    at = content.rindex(b"</")
    for inner, found in ((b"<a>" * 50_000, "too deeply"), (b"<a/>" * 120_000, "too many")):
        with pytest.raises(RecordingError, match=f"elements nested {found}|{found} elements"):
            read(content[:at] + inner + content[at:])


def test_xml_in_utf_16_is_read(ecg: ECG, read) -> None:
    text = hospital_files.sierra(ecg).decode().replace('encoding="UTF-8"', 'encoding="UTF-16"')
    found = read(text.encode("utf-16"))
    np.testing.assert_allclose(found.signal_mv, ecg.signal_mv, atol=QUANTISATION_MV)


def test_an_scp_file_with_a_wrong_checksum_is_read_with_a_note(ecg: ECG, read) -> None:
    content = bytearray(hospital_files.scp(ecg))
    content[-400] ^= 1
    assert any("checksum does not fit" in note for note in read(bytes(content)).notes)


def test_an_scp_file_that_announces_more_than_it_holds_is_refused(ecg: ECG, read) -> None:
    with pytest.raises(RecordingError, match="announces more bytes than it holds"):
        read(hospital_files.scp(ecg)[:-100])


def test_an_edf_of_thousands_of_signals_is_refused(ecg: ECG, read) -> None:
    content = bytearray(hospital_files.edf(ecg))
    content[252:256] = b"9999"
    with pytest.raises(RecordingError, match="9,999 signals"):
        read(bytes(content))


def test_statements_of_a_person_are_not_those_of_the_cardiograph(ecg: ECG, read) -> None:
    content = hospital_files.muse(ecg).replace(b">UNCONFIRMED<", b">CONFIRMED<")
    assert read(content).source.statements == ()


def test_warnings_of_the_library_are_said_in_words_of_our_own(ecg: ECG, read) -> None:
    content = hospital_files.hl7(ecg).replace(b'value="148" unit="ms"', b'value="148" unit="zyx"')
    found = read(content)
    assert found.source.device_values == {}
    assert found.notes == ("A value of the cardiograph was left out: its unit is unknown.",)


def test_a_recording_shorter_than_a_second_is_refused(read) -> None:
    short = plain_ecg(duration_s=0.5)
    for write in (hospital_files.hl7, hospital_files.dicom):
        with pytest.raises(RecordingError, match="at least 1 s is needed"):
            read(write(short))


def test_what_the_library_knows_beyond_the_list_never_gets_a_file(read) -> None:
    for content in (b"ISHNE1.0" + bytes(4000), b'{"recordedAt": 1, "data": 2}' * 100):
        with pytest.raises(RecordingError, match="files are read"):
            read(content)


def test_no_wfdb_record_is_handed_to_the_library(ecg: ECG, tmp_path: Path) -> None:
    (tmp_path / "rec.hea").write_text("rec 1 500 1000\n../../etc/passwd 16 200 16 0 0 0 0 I\n")
    with pytest.raises(RecordingError, match="points outside its own folder"):
        read_recording([tmp_path / "rec.hea"])
    assert recognised((tmp_path / "rec.hea").read_bytes()) is None


def test_base64_that_is_none_is_refused(ecg: ECG, read) -> None:
    content = hospital_files.mortara(ecg)
    data = base64.b64encode(hospital_files.steps(ecg)[0].tobytes())
    with pytest.raises(RecordingError, match="Mortara XML file that is damaged inside"):
        read(content.replace(data, b"?" * len(data)))
