"""Tables of mere numbers: nothing is read before rate, unit and leads are told."""

import io
import struct
import time
import zlib
from pathlib import Path

import hospital_files
import numpy as np
import pytest
from hospital_files import TABLES
from plain_recordings import plain_ecg

from focal_app.ecg.files import read_recording
from focal_app.ecg.recording import ECG, LEADS
from focal_app.ecg.tables.question import EIGHT, SignalQuestion, SignalUnknown, leads_of
from focal_app.ecg.tables.text import text_table
from focal_app.errors import RecordingError

TOLD = SignalQuestion(rate_hz=500, unit="mV", leads=LEADS)
WITH_TIME = SignalQuestion(rate_hz=500, unit="mV", leads=("-", *LEADS))


@pytest.fixture
def read(tmp_path: Path):
    def of(content: bytes, asked: SignalQuestion | None = None, name: str = "doe.x") -> ECG:
        path = tmp_path / name
        path.write_bytes(content)
        return read_recording([path], asked=asked)

    return of


def guess(read, content: bytes) -> SignalQuestion:
    with pytest.raises(SignalUnknown) as unknown:
        read(content)
    return unknown.value.table.guess


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_never_read_silently(name: str, ecg: ECG, read) -> None:
    with pytest.raises(SignalUnknown) as unknown:
        read(TABLES[name](ecg))
    said = str(unknown.value)
    assert "the sampling rate, the unit and the names of the leads must be told" in said
    assert "A guess, to be checked: 500 Hz, mV, leads" in said


@pytest.mark.parametrize("name", TABLES)
def test_what_was_told_makes_the_recording(name: str, ecg: ECG, read) -> None:
    found = read(TABLES[name](ecg), WITH_TIME if name == "CSV" else TOLD)
    assert (found.source.format, found.leads, found.sampling_rate_hz) == (name, LEADS, 500)
    np.testing.assert_allclose(found.signal_mv, ecg.signal_mv, atol=0.0001)
    assert any("as they were told" in note for note in found.notes)


def test_what_is_told_in_part_says_what_is_missing(ecg: ECG, read) -> None:
    with pytest.raises(SignalUnknown, match="; the names of the leads must be told"):
        read(hospital_files.npy(ecg), SignalQuestion(rate_hz=500, unit="mV"))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"separator": ";", "comma": True},
        {"separator": "\t"},
        {"separator": " "},
        {"separator": ";"},
    ],
)
def test_tables_of_every_punctuation_hold_the_same(options: dict, ecg: ECG, read) -> None:
    found = read(hospital_files.csv(ecg, **options), WITH_TIME)
    np.testing.assert_allclose(found.signal_mv, ecg.signal_mv, atol=0.0001)


def test_the_guess_takes_names_times_and_sizes_from_the_table(ecg: ECG, read) -> None:
    assert guess(read, hospital_files.csv(ecg)) == WITH_TIME
    slow = plain_ecg(rate=250, duration_s=7)
    assert guess(read, hospital_files.csv(slow)).rate_hz == 250
    assert guess(read, hospital_files.mat(plain_ecg(rate=240, duration_s=7))).rate_hz == 240
    assert guess(read, hospital_files.npz(plain_ecg(rate=240, duration_s=7))).rate_hz == 240


@pytest.mark.parametrize(
    ("heading", "leads", "unit"),
    [
        ("I,II,V1", ("I", "II", "V1"), "mV"),
        ("time,lead I (mV),lead II (mV)", ("-", "I", "II"), "mV"),
        ("# I [uV],II [uV],V1 [uV]", ("I", "II", "V1"), "uV"),
        ("ECG_I_µV,ECG_II_µV,ECG_V1_µV", ("I", "II", "V1"), "uV"),
        ("t,I (mV),marker", ("-", "I", "-"), "mV"),
        ("t,I (nV),II (nV)", ("-", "I", "II"), None),
        ("t,I [adu],II [adu]", ("-", "I", "II"), None),
        ("t,I (Einthoven),II (Einthoven)", ("-", "I", "II"), "mV"),
    ],
)
def test_headings_make_the_guess_of_leads_and_unit_and_nothing_more(heading, leads, unit, read):
    rows = np.column_stack([np.arange(2500) / 500, *plain_ecg(rate=500).signal_mv[:2, :2500]])
    rows[:, 0] += 0 if heading.startswith("t") else np.sin(7 * rows[:, 0])
    lines = [heading, *(",".join(f"{value:.4f}" for value in row) for row in rows)]
    found = guess(read, "\n".join(lines).encode())
    assert (found.leads, found.unit) == (leads, unit)


def _npy(values: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, values)
    return file.getvalue()


def test_the_guess_says_nothing_where_there_is_nothing_to_say(ecg: ECG, read) -> None:
    assert guess(read, _npy(ecg.signal_mv * 1000)).unit == "uV"
    assert guess(read, _npy(ecg.signal_mv[:8])).leads == EIGHT
    odd = guess(read, _npy(np.zeros((5, 777))))
    assert odd == SignalQuestion()


def test_leads_may_lie_in_rows_or_in_columns(ecg: ECG, read) -> None:
    one, other = (read(_npy(values), TOLD) for values in (ecg.signal_mv, ecg.signal_mv.T))
    np.testing.assert_array_equal(one.signal_mv, other.signal_mv)


def test_leads_told_in_another_order_come_in_the_standard_order(ecg: ECG, read) -> None:
    told = SignalQuestion(rate_hz=500, unit="mV", leads=LEADS[::-1])
    found = read(_npy(ecg.signal_mv[::-1]), told)
    assert found.leads == LEADS
    np.testing.assert_allclose(found.signal_mv, ecg.signal_mv, atol=1e-6)


@pytest.mark.parametrize(
    ("told", "found"),
    [
        ({"rate_hz": 5}, "sampling rate of 5 Hz"),
        ({"rate_hz": float("nan")}, "sampling rate of nan Hz"),
        ({"unit": "doe"}, "unknown unit"),
        ({"leads": LEADS[:3]}, "3 names for 12 columns"),
        ({"leads": ("doe", *LEADS[1:])}, "a name that is no standard lead"),
        ({"leads": ("II", *LEADS[1:])}, "lead II more than once"),
        ({"leads": ("-",) * 12}, "12 columns, none of them a lead"),
        ({"unit": "V"}, "waves of"),
    ],
)
def test_answers_that_cannot_be_are_refused(told: dict, found: str, ecg: ECG, read) -> None:
    with pytest.raises(RecordingError, match=found) as refused:
        read(_npy(ecg.signal_mv), SignalQuestion(**{**vars(TOLD), **told}))
    assert "doe" not in str(refused.value)


@pytest.mark.parametrize(
    ("unit", "advice"),
    [("V", "less than 1 V, as was told: tell a smaller unit"), ("uV", "whether one step is 1 uV")],
)
def test_of_a_wrong_unit_that_was_told_no_header_is_blamed(unit, advice, ecg: ECG, read) -> None:
    with pytest.raises(RecordingError, match=advice) as refused:
        read(_npy(ecg.signal_mv), SignalQuestion(rate_hz=500, unit=unit, leads=LEADS))
    assert "header" not in str(refused.value)


def test_a_pickled_npy_is_refused_and_nothing_runs(read, tmp_path: Path) -> None:
    class Planted:
        def __reduce__(self):
            return (Path.touch, (tmp_path / "ran",))

    file = io.BytesIO()
    np.save(file, np.array([Planted()] * 100, dtype=object), allow_pickle=True)
    (tmp_path / "ran").unlink(missing_ok=True)
    for content in (file.getvalue(), hospital_files.zipped(**{"a.npy": file.getvalue()})):
        with pytest.raises(RecordingError, match="could run a program"):
            read(content)
    assert not (tmp_path / "ran").exists()


def test_a_claim_of_a_huge_array_is_refused(read) -> None:
    content = _npy(np.zeros((12, 5000), dtype=np.float32))
    huge = content.replace(b"(12, 5000), }", b"(12,50000000)}")
    for broken in (huge, content[:-100], content.replace(b"descr", b"descs")):
        with pytest.raises(RecordingError, match="NPY file"):
            read(broken)


def test_a_mat_bomb_is_refused(read) -> None:
    packed = zlib.compress(bytes(300_000_000), 9)
    content = b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM"
    with pytest.raises(RecordingError, match="100 MB unpacked"):
        read(content + struct.pack("<II", 15, len(packed)) + packed)


@pytest.mark.parametrize("level", ["4", "5"])
def test_mat_files_of_both_levels_are_read(level: str, ecg: ECG, read) -> None:
    for compressed in (True, False):
        content = hospital_files.mat(ecg, level=level, compressed=compressed)
        np.testing.assert_allclose(read(content, TOLD).signal_mv, ecg.signal_mv, atol=1e-6)
        with pytest.raises(RecordingError, match="MAT file"):
            read(content[: len(content) // 2])


def test_a_mat_file_of_version_7_3_says_how_to_save_it(read) -> None:
    with pytest.raises(RecordingError, match='"-v7"'):
        read(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(512) + bytes(1000))


def test_several_arrays_are_refused(ecg: ECG, read) -> None:
    with pytest.raises(RecordingError, match="an array of 3 dimensions"):
        read(_npy(np.zeros((5, 12, 5000), dtype=np.float32)))
    two = hospital_files.zipped(**{name: _npy(ecg.signal_mv) for name in ("a.npy", "b.npy")})
    with pytest.raises(RecordingError, match="2 arrays"):
        read(two)


def test_a_table_with_words_among_its_numbers_is_refused(ecg: ECG, read) -> None:
    lines = hospital_files.csv(ecg).splitlines()
    lines[2000] = b"Zyxqvardson," + lines[2000]
    with pytest.raises(RecordingError, match="something else than numbers") as refused:
        read(b"\n".join(lines), WITH_TIME)
    assert "Zyx" not in str(refused.value)


def test_empty_fields_are_missing_samples(ecg: ECG, read) -> None:
    lines = hospital_files.csv(ecg, time=False).decode().splitlines()
    lines[500] = "," + lines[500].partition(",")[2]
    found = read("\n".join(lines).encode(), TOLD)
    assert np.isnan(found.signal_mv[0, 499]) and np.isnan(found.signal_mv).sum() == 1


def test_a_heading_of_thousands_of_spaces_takes_no_minutes() -> None:
    started = time.perf_counter()
    text_table(b"a" + b" " * 5000 + b"(b,II\n" + b"1,2\n" * 300)
    assert time.perf_counter() - started < 2.0


def test_names_of_leads_are_read_from_a_line() -> None:
    assert leads_of("I, II;V1  -") == ("I", "II", "V1", "-")


def test_numbers_that_no_converter_gives_are_missing_samples(ecg: ECG, read) -> None:
    values = ecg.signal_mv.astype(np.float64)
    values[2, [10, 20, 30]] = np.inf, -1e300, 1e12
    found = read(_npy(values), TOLD)
    assert np.isnan(found.signal_mv).sum() == 3 and not np.isinf(found.signal_mv).any()
