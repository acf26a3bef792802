"""One or several files, good and hostile: the recording, or a reason and nothing left behind."""

import contextlib
import os
import shutil
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from plain_recordings import RecordWriter, header_text, plain_ecg

from focal_app.ecg.files import read_recording
from focal_app.ecg.recording import ECG, LEADS
from focal_app.errors import RecordingError


def moved(path: Path, folder: str, name: str | None = None) -> Path:
    target = path.parent.parent / folder / (name or path.name)
    target.parent.mkdir(exist_ok=True)
    return Path(shutil.move(path, target))


@pytest.mark.parametrize("ending", [".dat", ".mat"])
def test_reading_from_two_folders_equals_reading_from_one(
    ecg: ECG, write_record: RecordWriter, ending: str
) -> None:
    header, signal = write_record(ecg, ending=ending)
    together = read_recording([header, signal])
    apart = read_recording([moved(signal, "other"), header])
    np.testing.assert_array_equal(together.signal_mv, apart.signal_mv)
    np.testing.assert_allclose(together.signal_mv, ecg.signal_mv, atol=0.0006)


@pytest.mark.parametrize("ending", [".hea", ".dat", ".mat"])
def test_one_path_finds_its_sibling(ecg: ECG, write_record: RecordWriter, ending: str) -> None:
    header, signal = write_record(ecg, ending=ending if ending != ".hea" else ".dat")
    alone = header if ending == ".hea" else signal
    np.testing.assert_allclose(read_recording([alone]).signal_mv, ecg.signal_mv, atol=0.0006)


@pytest.mark.parametrize(
    ("header_name", "signal_name"),
    [
        ("rec.hea", "rec (1).dat"),
        ("rec (1).hea", "rec.dat"),
        ("rec (2).hea", "rec (1).dat"),
        ("other.hea", "other.dat"),
        ("other (1).hea", "other (3).dat"),
        ("rec.hea", "REC.DAT"),
        ("rec.hea", "rec copy 2.dat"),
        ("rec.hea", "anything.dat"),
    ],
)
def test_renamed_files_still_find_each_other(
    ecg: ECG, write_record: RecordWriter, header_name: str, signal_name: str
) -> None:
    header, signal = write_record(ecg)
    paths = [moved(header, "a", header_name), moved(signal, "b", signal_name)]
    np.testing.assert_allclose(read_recording(paths).signal_mv, ecg.signal_mv, atol=0.0006)


def test_a_renamed_copy_prefers_the_sibling_of_its_own_name(
    ecg: ECG, write_record: RecordWriter
) -> None:
    header, signal = write_record(ecg)
    moved(header, "files", "rec (1).hea")
    moved(signal, "files", "rec (1).dat")
    write_record(plain_ecg(seed=7))
    read = read_recording([header.with_name("rec (1).hea")])
    np.testing.assert_allclose(read.signal_mv, ecg.signal_mv, atol=0.0006)


def test_foreign_files_of_other_names_are_not_paired(ecg: ECG, write_record: RecordWriter) -> None:
    header, _ = write_record(ecg)
    _, foreign = write_record(plain_ecg(seed=7), stem="foreign", folder="b")
    with pytest.raises(RecordingError, match="checksums do not fit"):
        read_recording([header, foreign])


def test_a_changed_signal_file_is_read_with_a_note(ecg: ECG, write_record: RecordWriter) -> None:
    header, signal = write_record(ecg)
    content = bytearray(signal.read_bytes())
    content[24:26] = b"\x10\x00"
    signal.write_bytes(content)
    assert any("checksum does not fit 1 of 12" in note for note in read_recording([header]).notes)


def test_the_order_of_rows_in_the_file_changes_nothing(
    ecg: ECG, write_record: RecordWriter
) -> None:
    header, _ = write_record(ecg)
    straight = read_recording([header])
    rows = np.random.default_rng(3).permutation(12)
    shuffled = replace(
        ecg, signal_mv=ecg.signal_mv[rows], leads=tuple(LEADS[row].lower() for row in rows)
    )
    header, _ = write_record(shuffled, stem="shuffled")
    np.testing.assert_array_equal(read_recording([header]).signal_mv, straight.signal_mv)


def test_several_signal_files_of_one_header_are_read(ecg: ECG, tmp_path: Path) -> None:
    lines = ["rec 12 500 5000"]
    paths = []
    for number, rows in enumerate((slice(0, 6), slice(6, 12))):
        path = tmp_path / f"part{number}.dat"
        path.write_bytes(np.rint(ecg.signal_mv[rows] * 1000).astype("<i2").T.tobytes())
        lines += [f"{path.name} 16 1000/mV 16 0 0 0 0 {lead}" for lead in LEADS[rows]]
        paths.append(path)
    header = tmp_path / "rec.hea"
    header.write_text("\n".join(lines))
    for given in ([header, *paths], [header]):
        np.testing.assert_allclose(read_recording(given).signal_mv, ecg.signal_mv, atol=0.0006)


def test_a_recording_says_nothing_of_its_file_names(ecg: ECG, write_record: RecordWriter) -> None:
    header, _ = write_record(ecg, stem="DOE_JANE_19500201", comments=["Name: Jane Doe", "Age: 70"])
    read = read_recording([header])
    assert read.source.age_years == 70
    assert "doe" not in f"{read.source}{read.notes}{read.leads}".lower()


@pytest.mark.parametrize("ending", [".smith", ".29.02.1934", ".Zyxqvardson"])
def test_an_ending_that_is_not_known_is_not_quoted(
    ending: str, ecg: ECG, write_record: RecordWriter, tmp_path: Path
) -> None:
    (tmp_path / f"ecg{ending}").write_bytes(b"x")
    header, signal = write_record(ecg, file_name=f"rec{ending}")
    big = header.with_name(f"rec{ending}")
    big.write_bytes(bytes(30_000_000))
    for paths in ([tmp_path / f"ecg{ending}"], [header], [header, signal], [header.parent / "no"]):
        with pytest.raises(RecordingError) as refused:
            read_recording(paths)
        assert not any(part in str(refused.value).lower() for part in ("smi", "29", "193", "zyx"))


def test_the_private_copy_lies_in_a_folder_of_mode_0700(
    ecg: ECG, write_record: RecordWriter, private_temp: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    header, _ = write_record(ecg)
    modes = []
    copy = shutil.copyfile

    def watched(source: Path, target: Path) -> Path:
        modes.append(target.parent.stat().st_mode & 0o777)
        assert private_temp in target.parents
        return copy(source, target)

    monkeypatch.setattr(shutil, "copyfile", watched)
    read_recording([header])
    assert modes == [0o700]


Break = Callable[[Path, Path], list[Path]]


def rewritten(words: dict) -> Break:
    def change(header: Path, signal: Path) -> list[Path]:
        leads = words.get("leads", LEADS)
        rest = {key: value for key, value in words.items() if key not in ("leads", "samples")}
        header.write_text(header_text(leads, words.get("samples", 5000), **rest))
        return [header, signal]

    return change


def resized(megabytes: float) -> Break:
    def change(header: Path, signal: Path) -> list[Path]:
        os.truncate(signal, int(megabytes * 1e6))
        return [header, signal]

    return change


def overwritten(content: bytes) -> Break:
    def change(header: Path, signal: Path) -> list[Path]:
        signal.write_bytes(content)
        return [header, signal]

    return change


def cut_short(header: Path, signal: Path) -> list[Path]:
    signal.write_bytes(signal.read_bytes()[:-24])
    return [header, signal]


def without_signal(header: Path, signal: Path) -> list[Path]:
    signal.unlink()
    return [header]


def without_header(header: Path, signal: Path) -> list[Path]:
    header.unlink()
    return [signal]


def with_two_headers(header: Path, signal: Path) -> list[Path]:
    return [header, Path(shutil.copy(header, header.with_name("second.hea"))), signal]


def empty_header(header: Path, signal: Path) -> list[Path]:
    header.write_text("")
    return [header, signal]


def huge_header(header: Path, signal: Path) -> list[Path]:
    header.write_text("# a comment\n" * 200_000)
    return [header, signal]


def spaces_without_end(header: Path, signal: Path) -> list[Path]:
    signal.unlink()
    header.write_text(header_text(LEADS, 5000, comments=["age" + " " * 60_000 + "?"]))
    return [header]


def endless_name(header: Path, signal: Path) -> list[Path]:
    signal.unlink()
    header.write_text(header_text(LEADS, 5000, file_name="x" * 5000 + ".dat"))
    return [header]


HOSTILE: dict[str, tuple[Break, str]] = {
    "nothing": (lambda header, signal: [], "found no file"),
    "a folder": (lambda header, signal: [header.parent], "found a folder"),
    "no such file": (lambda header, signal: [header.with_name("x.hea")], "found no .hea file at"),
    "no signal file": (without_signal, "header without its signal file"),
    "no header": (without_header, "without its header"),
    "two headers": (with_two_headers, r"found 2 recordings \(2 WFDB\)"),
    "empty header": (empty_header, "no line that describes"),
    "huge header": (huge_header, "header of 2400 kB"),
    "spaces without end": (spaces_without_end, "header without its signal file"),
    "endless name": (endless_name, "cannot be opened"),
    "parent folder": (rewritten({"file_name": "../rec.dat"}), "points outside its own folder"),
    "absolute path": (rewritten({"file_name": "/etc/passwd"}), "points outside its own folder"),
    "home folder": (rewritten({"file_name": "~root.dat"}), "points outside its own folder"),
    "bucket": (rewritten({"file_name": "s3://a/rec.dat"}), "points outside its own folder"),
    "web": (rewritten({"file_name": "http://a/rec.dat"}), "points outside its own folder"),
    "windows path": (rewritten({"file_name": "C:\\rec.dat"}), "points outside its own folder"),
    "10^11 samples": (rewritten({"samples": 10**11}), "claims more samples a lead"),
    "10^17 skew": (rewritten({"storage": "16:99999999"}), "more samples than can be read"),
    "10^9 a frame": (rewritten({"storage": "16x999999999"}), "more than 10000 Hz"),
    "far offset": (rewritten({"storage": "16+99999999"}), r"its signal file holds \(0\)"),
    "cut short": (cut_short, r"claims more samples a lead than its signal file holds \(4,999"),
    "unknown format": (rewritten({"storage": "99"}), "an unknown WFDB storage format"),
    "not compressed": (rewritten({"storage": "516"}), "not compressed as its header says"),
    "zero bytes": (overwritten(b""), r"empty signal file \(0 bytes\)"),
    "text": (overwritten(b"time,I,II\n0.0,0.1,0.2\n" * 8000), "found text in the signal file"),
    "umlauts": (overwritten("später, größer\n".encode() * 9000), "found text in the signal file"),
    "30 MB": (resized(30), r"\.dat file of 30.0 MB; at most 25 MB"),
    "all missing": (overwritten(b"\x00\x80" * 60_000), "without one valid sample"),
    "all flat": (overwritten(b"\x07\x00" * 60_000), "12 leads, all of them flat"),
    "wrong unit": (rewritten({"gain": "1(0)/mV"}), "an ECG spans a few mV"),
    "unknown unit": (rewritten({"gain": "1000(0)/degC"}), "an unknown unit for channel 1"),
    "zero rate": (rewritten({"rate": 0}), "a sampling rate of less than 50 Hz"),
    "infinite gain": (rewritten({"gain": "inf(0)/mV"}), "gain that is no usable number"),
    "segments": (rewritten({"record_line": "rec/2 12 500 5000"}), "several segments"),
    "lead twice": (rewritten({"leads": ("I", "i", *LEADS[2:])}), "lead I more than once"),
    "no lead": (rewritten({"leads": tuple("abcdefghjklm")}), "none of them named"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_with_its_reason(
    name: str, ecg: ECG, write_record: RecordWriter, tmp_path: Path
) -> None:
    damage, message = HOSTILE[name]
    paths = damage(*write_record(ecg, stem="DOE_JANE"))
    with pytest.raises(RecordingError, match=message) as caught:
        read_recording(paths)
    assert str(tmp_path) not in str(caught.value)
    assert "DOE" not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    "content",
    [
        b"MATLAB 5.0 MAT-file, Platform: GLNXA64" + bytes(200_000),
        b"\x89HDF\r\n\x1a\n" + bytes(200_000),
        np.array([30, 3, 20_000, 0, 4], dtype="<i4").tobytes() + b"val\x00" + bytes(200_000),
        np.array([0, 12, 5000, 0, 4], dtype="<i4").tobytes() + b"val\x00" + bytes(200_000),
    ],
    ids=["level 5", "level 7.3", "three rows", "float64"],
)
def test_another_kind_of_mat_file_is_refused(
    content: bytes, ecg: ECG, write_record: RecordWriter
) -> None:
    header, signal = write_record(ecg, ending=".mat")
    signal.write_bytes(content)
    with pytest.raises(RecordingError, match="mat file of another kind"):
        read_recording([header, signal])


def test_the_size_limit_can_be_set(ecg: ECG, write_record: RecordWriter) -> None:
    header, _ = write_record(ecg)
    with pytest.raises(RecordingError, match=r"at most 0\.1 MB"):
        read_recording([header], max_file_mb=0.1)


def test_microvolts_rightly_named_are_read_as_millivolts(
    ecg: ECG, write_record: RecordWriter
) -> None:
    header, _ = write_record(ecg, gain="1(0)/uV")
    np.testing.assert_allclose(read_recording([header]).signal_mv, ecg.signal_mv, atol=0.0006)


def test_some_missing_samples_stay_missing(ecg: ECG, write_record: RecordWriter) -> None:
    ecg.signal_mv[3, 100:200] = np.nan
    header, _ = write_record(ecg)
    np.testing.assert_array_equal(
        np.isnan(read_recording([header]).signal_mv), np.isnan(ecg.signal_mv)
    )


@pytest.mark.parametrize("seed", range(20))
def test_a_damaged_header_is_read_or_refused_but_never_fails(
    seed: int, ecg: ECG, write_record: RecordWriter
) -> None:
    random = np.random.default_rng(seed)
    header, signal = write_record(ecg, comments=["Age: 51", "Sex: F"])
    whole = bytearray(header.read_bytes())
    for _ in range(10):
        damaged = bytearray(whole)
        for place in random.integers(0, len(whole), 3):
            damaged[place] = random.integers(0, 256)
        header.write_bytes(damaged)
        with contextlib.suppress(RecordingError):
            read_recording([header, signal])


def test_a_false_claim_of_length_allocates_nothing(ecg: ECG, write_record: RecordWriter) -> None:
    header, signal = write_record(ecg, samples=10**11)
    tracemalloc.start()
    with pytest.raises(RecordingError, match="claims more samples"):
        read_recording([header, signal])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1e6
