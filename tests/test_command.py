"""The command line reads every record, says what is wrong, and tells nobody who it was."""

import json
import logging
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import hospital_files
import numpy as np
import pytest

from focal_app.__main__ import main
from focal_app.ecg.recording import LEADS
from focal_app.explore.reading.bundled_cases import load_case
from focal_app.explore.reading.document import NOTICE
from focal_app.lexicon import load_prompt_sets
from focal_app.ui.wording import DISCLAIMER

ROOT = Path(__file__).parents[1]
CASE = ROOT / "assets" / "cases" / "normal.hea"
SOURCES = {"ptb-xl/records500": 344, "ludb/data": 100, "challenge": 32, "code15": 60}
COMMENTS = "# Name: Jane Roe\n# Age: 47\n# Id: 4711-0815\n# Sex: F\n# Born: 1940-01-02\n"
IDENTITY = re.compile(r"Roe|jane|4711-0815|(?<![\d.])1940(?!\d)")
"""Of a patient; a number's decimals may hold the year by chance."""
LBBB = "left bundle branch block"
PROMPTS = ["atrial fibrillation", "LBBB", "slurred terminal S"]


@dataclass(frozen=True)
class Result:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out, parse_constant=pytest.fail)


@pytest.fixture(autouse=True)
def private_temp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Everything temporary goes here, and must be gone again when the command ends."""
    folder = tmp_path / "temp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield
    assert list(folder.iterdir()) == []


@pytest.fixture
def read(tiny_checkpoint: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """Run `read` in this process, over the untrained model."""

    def run(*arguments: object) -> Result:
        code = main(["read", *map(str, arguments), "--checkpoint", str(tiny_checkpoint)])
        printed = capsys.readouterr()
        return Result(code, printed.out, printed.err)

    return run


@pytest.fixture
def patient(tmp_path: Path) -> Callable[..., Path]:
    """A recording of a made-up patient, named in the files' names and in the header.

    `change` works on the samples, (T, 12) in microvolts, `edit` on the text of the header.
    """

    def write(
        change: Callable[[np.ndarray], np.ndarray] = lambda samples: samples,
        edit: Callable[[str], str] = lambda text: text,
    ) -> Path:
        samples = np.fromfile(CASE.with_suffix(".dat"), dtype="<i2").reshape(-1, 12)
        header = tmp_path / "jane_roe_1940.hea"
        text = CASE.read_text().partition("#")[0].replace(CASE.stem, header.stem)
        header.write_text(edit(text + COMMENTS))
        header.with_suffix(".dat").write_bytes(change(samples).astype("<i2").tobytes())
        return header

    return write


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
def test_real_records_are_read(shared_ecg: Path, read, source: str, caplog) -> None:
    """Every fourth; that each of them opens is shown by `tests/ecg/test_shared_records.py`."""
    caplog.set_level(logging.DEBUG)
    found = sorted((shared_ecg / source).rglob("*.hea"))
    assert len(found) == SOURCES[source]
    headers = found[::4]
    result = read(*headers, "--json", "--prompt-set", "ptbxl-super", "--heatmap")
    entries = result.json
    assert (result.code, result.err, len(entries)) == (0, "", len(headers))
    assert all(entry["record"]["duration_s"] > 5 for entry in entries)
    assert all(len(entry["findings"]) == 5 for entry in entries)
    stems = {header.stem for header in headers if len(header.stem) > 4}
    told = result.out + result.err + caplog.text
    assert not [stem for stem in stems if stem in told]
    assert str(shared_ecg) not in told


def test_signal_files_are_read_like_their_headers(shared_ecg: Path, read) -> None:
    for ending in (".dat", ".mat"):
        signal = min(shared_ecg.rglob(f"*{ending}"))
        pair = (signal, signal.with_suffix(".hea"))
        by_signal, by_header = (read(path, "--json", "--prompt", "LBBB") for path in pair)
        assert by_signal == by_header


def test_facts_come_without_identity(read, patient, caplog) -> None:
    caplog.set_level(logging.DEBUG)
    header = patient()
    for options in ([], ["--json"], ["--json", "--heatmap"]):
        result = read(header, *options)
        assert result.code == 0
        assert not IDENTITY.findall(result.out + result.err + caplog.text)
    assert result.json["record"] == {
        "format": "WFDB",
        "sampling_rate_hz": 500.0,
        "duration_s": 10.0,
        "leads": list(LEADS),
        "age_years": 47,
        "sex": "female",
        "device": None,
        "filters": [],
        "statements": [],
    }


def _flat_v2(samples: np.ndarray) -> np.ndarray:
    samples[:, 7] = 0
    return samples


def _clipped(samples: np.ndarray) -> np.ndarray:
    return samples.clip(-400, 400)


@pytest.mark.parametrize(
    ("change", "said"), [(_flat_v2, "Flat: V2"), (_clipped, "Clipped at an extreme value")]
)
def test_a_flat_or_clipped_lead_is_warned_of(read, patient, change, said: str) -> None:
    header = patient(change)
    assert any(said in warning for warning in read(header, "--json").json["warnings"])
    assert f"Warning: {said}" in read(header).out


BROKEN_HEADERS = {
    "cut off": lambda text: text[:200],
    "without a rate": lambda text: text.replace(" 500 5000", "", 1),
    "points outside": lambda text: text.replace("jane_roe_1940.dat", "../../etc/passwd"),
    "claims too much": lambda text: text.replace(" 5000\n", " 100000000000\n", 1),
    "in microvolts called millivolts": lambda text: text.replace("1000.0(0)", "1(0)"),
    "of another unit": lambda text: text.replace("/mV", "/mmHg"),
    "empty": lambda _: "",
}


@pytest.mark.parametrize("edit", BROKEN_HEADERS.values(), ids=BROKEN_HEADERS)
def test_a_broken_header_is_one_line_and_exit_code_2(read, patient, edit, caplog) -> None:
    caplog.set_level(logging.DEBUG)
    result = read(patient(edit=edit), "--json")
    assert result.code == 2
    assert result.err.startswith("error: found ") and result.err.count("\n") == 1
    assert result.json == {"file": 1, "error": result.err.removeprefix("error: ").rstrip()}
    assert not IDENTITY.findall(result.out + result.err + caplog.text)


@pytest.mark.parametrize("content", [b"", b"<html>not found</html>" * 99, b"\x00\x80" * 60_000])
def test_an_empty_a_text_and_a_nan_signal_are_refused(read, patient, content: bytes) -> None:
    header = patient()
    header.with_suffix(".dat").write_bytes(content)
    result = read(header)
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)


def test_a_header_without_its_signal_is_refused(read, patient) -> None:
    header = patient()
    header.with_suffix(".dat").unlink()
    assert "without its signal file" in read(header).err


def test_one_failing_file_does_not_stop_the_others(read, tmp_path: Path) -> None:
    result = read(CASE, tmp_path / "absent.hea", CASE.with_name("hypertrophy.dat"), "--json")
    entries = result.json
    assert [entry["file"] for entry in entries] == [1, 2, 3]
    assert ["error" in entry for entry in entries] == [False, True, False]
    assert result.code == 2
    assert result.err.startswith("error: file 2: found ") and result.err.count("\n") == 1


def test_tables_of_several_files_are_counted_and_errors_named_by_number(read, tmp_path) -> None:
    result = read(tmp_path / "absent.hea", CASE)
    assert (result.code, result.out.count(NOTICE)) == (2, 1)
    assert result.out.startswith("File 2 of 2\n")
    assert result.err.startswith("error: file 1: ")


def test_both_files_of_a_pair_count_as_one(read) -> None:
    entries = read(CASE, CASE.with_suffix(".dat"), "--json").json
    assert [entry["file"] for entry in entries] == [1]


def test_measurements_stand_in_json_with_spread_and_the_devices_own_value(read) -> None:
    told = read(CASE, "--json", "--prompt", *PROMPTS).json
    assert list(told["measurements"]) == [
        *("rate_per_min", "rr_variation_percent", "pr_ms", "qrs_ms", "qt_ms"),
        *("qtc_bazett_ms", "qtc_fridericia_ms", "axis_degrees"),
        *("lowest_st_mv", "lateral_t_mv", "lowest_t_percent", "sokolow_lyon_mv", "cornell_mv"),
        *("limb_qrs_mv", "anterior_r_mv", "inferior_q_percent", "inferior_qs_percent"),
        *("anterior_q_ms", "v6_s_mv", "v1_late_r_mv"),
    ]
    for one in told["measurements"].values():
        assert set(one) == {"value", "spread", "device"} and one["device"] is None
    assert 70 < told["measurements"]["rate_per_min"]["value"] < 90
    fibrillation, _, own = told["findings"]
    assert fibrillation["contradicted"] is True
    assert fibrillation["measured"] == "RR varies by 3 %, P waves before each QRS"
    assert own["measured"] is None and own["contradicted"] is None


def test_findings_stand_in_the_order_in_which_they_were_asked(read) -> None:
    result = read(CASE, "--json", "--prompt", *PROMPTS, "--prompt", PROMPTS[0])
    findings = result.json["findings"]
    assert [finding["prompt"] for finding in findings] == PROMPTS
    assert [finding["group"] for finding in findings] == ["rhythm", "conduction", "other"]
    assert all(-1 <= finding["similarity"] <= 1 for finding in findings)
    assert all(0 <= finding["probability"] <= 1 for finding in findings)


def test_prompts_replace_the_everyday_set_and_add_to_a_named_one(read) -> None:
    sets = load_prompt_sets()

    def asked(*options: str) -> tuple[str, ...]:
        return tuple(f["prompt"] for f in read(CASE, "--json", *options).json["findings"])

    assert asked() == sets["everyday"].prompts
    assert asked("--prompt", *PROMPTS) == tuple(PROMPTS)
    named = asked("--prompt-set", "ptbxl-super", "--prompt", *PROMPTS)
    assert named == (*sets["ptbxl-super"].prompts, *PROMPTS)


def test_asking_more_moves_no_score(read) -> None:
    alone, among = (
        read(CASE, "--json", "--prompt", *prompts).json["findings"]
        for prompts in (PROMPTS[:1], PROMPTS)
    )
    assert among[0] == alone[0]


def test_a_name_of_the_lexicon_is_read_as_its_statement_and_said_to_be(read) -> None:
    (short, whole) = read(CASE, "--json", "--prompt", "LBBB", LBBB).json["findings"]
    assert (short["prompt"], short["read_as"]) == ("LBBB", LBBB)
    assert (short["probability"], short["similarity"]) == (
        whole["probability"],
        whole["similarity"],
    )
    assert f"LBBB (read as {LBBB})" in read(CASE, "--prompt", "LBBB").out


def test_a_smaller_tau_sharpens_the_heatmap_and_moves_no_score(read) -> None:
    sharp, soft = (
        read(CASE, "--json", "--heatmap", "--tau", tau, "--prompt", *PROMPTS).json
        for tau in (0.01, 100)
    )
    assert sharp["findings"] == soft["findings"]
    sharpest, softest = (np.array(one["heatmap"]["weights"]).max() for one in (sharp, soft))
    assert sharpest > softest > 1


def test_heatmaps_average_to_the_even_share_and_are_null_where_unseen(read, patient) -> None:
    result = read(patient(_flat_v2), "--json", "--heatmap", "--prompt", *PROMPTS)
    heatmap = result.json["heatmap"]
    weights = np.array(heatmap["weights"], dtype=float)
    assert weights.shape == (3, len(heatmap["leads"]), len(heatmap["seconds"])) == (3, 12, 10)
    assert heatmap["seconds"][:2] == [[0.0, 1.0], [1.0, 2.0]]
    unseen = np.flatnonzero(np.isnan(weights).all(axis=(0, 2)))
    assert [heatmap["leads"][row] for row in unseen] == ["V2"]
    assert np.nanmean(weights, axis=(1, 2)) == pytest.approx(1, abs=1e-3)


def test_the_table_is_sorted_and_says_what_it_is_not_for(read) -> None:
    lines = read(CASE, "--heatmap").out.splitlines()
    rows = [line for line in lines if " % " in line]
    listed = [0.5 if "<1 %" in row else float(row.split("%")[0].strip(" >")) for row in rows]
    assert len(rows) == len(load_prompt_sets()["everyday"].prompts)
    assert listed == sorted(listed, reverse=True)
    assert lines[-1] == NOTICE == DISCLAIMER


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--prompt-set", "unknown"], "needed one of everyday"),
        (["--prompt", "x" * 201], "shorten it"),
        (["--heatmap", "--tau", "nan"], "found tau = nan"),
        (["--start", "-1"], "starts at -1 s"),
        (["--start", "nan"], "starts at nan s"),
    ],
)
def test_a_wrong_question_is_one_line_and_exit_code_2(read, options, said: str) -> None:
    result = read(CASE, *options)
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
    assert said in result.err


def test_a_missing_checkpoint_is_told_of_once(capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(CASE), str(CASE.with_name("hypertrophy.hea"))]
    assert main(["read", *files, "--json", "--checkpoint", "absent"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("error: found no folder")


def test_help_names_every_prompt_set(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["read", "--help"])
    said = capsys.readouterr().out
    assert all(name in said for name in load_prompt_sets())


@pytest.fixture
def ecg():
    return load_case("normal")


def test_a_hospital_file_is_read_and_its_format_is_told(read, ecg, tmp_path: Path) -> None:
    path = tmp_path / "zyxqvardson.xml"
    path.write_bytes(hospital_files.muse(ecg))
    result = read(path, "--json", "--prompt", "LBBB")
    assert (result.code, result.err) == (0, "")
    record = result.json["record"]
    assert (record["format"], record["device"]) == ("GE MUSE XML", "GE CART7")
    assert record["statements"] == list(hospital_files.KEPT)
    assert result.json["not_read"] is None and len(result.json["findings"]) == 1
    told = result.out.lower()
    assert not [word for word in hospital_files.IDENTITY if word.lower() in told]


def test_a_table_is_read_with_what_is_told_and_refused_without(read, ecg, tmp_path: Path) -> None:
    path = tmp_path / "ecg.csv"
    path.write_bytes(hospital_files.csv(ecg, time=False))
    refused = read(path)
    assert refused.code == 2 and "--rate-hz, --unit and --leads" in refused.err
    assert "A guess, to be checked: 500 Hz, mV, leads I II III" in refused.err
    options = ("--rate-hz", 500, "--unit", "mV", "--leads", " ".join(LEADS))
    result = read(path, *options, "--json", "--prompt", "LBBB")
    assert (result.code, result.json["record"]["format"]) == (0, "CSV")


def test_too_few_leads_are_told_of_and_not_read(read, ecg, tmp_path: Path) -> None:
    path = tmp_path / "ecg.npy"
    np.save(path, ecg.signal_mv[:2])
    options = ("--rate-hz", 500, "--unit", "mV", "--leads", "I II", "--prompt", "LBBB")
    result = read(path, *options, "--json")
    assert result.code == 0 and result.json["findings"] == []
    assert "at least 8 of 12 are needed" in result.json["not_read"]
    assert "Not read by the model: found 2 leads" in read(path, *options).out


def test_files_of_one_name_and_several_formats_are_all_read(read, ecg, tmp_path: Path) -> None:
    for ending, write in (("dcm", hospital_files.dicom), ("scp", hospital_files.scp)):
        (tmp_path / f"ecg.{ending}").write_bytes(write(ecg))
    result = read(*sorted(tmp_path.glob("ecg.*")), "--json", "--prompt", "LBBB")
    assert [entry["record"]["format"] for entry in result.json] == ["DICOM", "SCP-ECG"]


def test_the_table_tells_what_is_measured_and_named_by_no_probable_finding(capsys):
    case = str(ROOT / "assets" / "cases" / "complete-heart-block.hea")
    assert main(["read", case, "--prompt", "LBBB", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["unnamed"]
    said = ", ".join(f"{one['statement']} ({one['measured']})" for one in told)
    assert "bradycardia" in said
    assert main(["read", case, "--prompt", "LBBB"]) == 0
    line = f"measured, and named by no probable finding: {said}"
    assert line in capsys.readouterr().out.splitlines()
