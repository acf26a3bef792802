"""`verify` on the command line: the engine of the page, and nobody's name in what it prints."""

import json
import shutil

import pytest

from focal_app.__main__ import main
from focal_app.explore.reading.bundled_cases import CASES
from focal_app.explore.reading.document import NOTICE

REPORT = "Sinus rhythm. LBBB, no AF."


@pytest.fixture
def verify(tiny_checkpoint, capsys):
    """Runs `verify` in this process over the untrained model."""

    def run(*arguments):
        code = main(["verify", *map(str, arguments), "--checkpoint", str(tiny_checkpoint)])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


def test_json_holds_tags_verdicts_and_the_recording(verify):
    code, out, err = verify(CASES / "normal.hea", "--report", REPORT, "--json", "--threshold", 0)
    told = json.loads(out, parse_constant=pytest.fail)
    assert (code, err) == (0, "")
    assert [row["denied"] for row in told["statements"]] == [False, False, True]
    assert told["statements"][1]["features"] and told["no_feature_because"] is None
    assert told["record"]["format"] == "WFDB" and told["report"] == REPORT


def test_text_is_the_enriched_report_and_a_table(verify):
    code, out, _ = verify(CASES / "normal.hea", "--report", REPORT, "--threshold", 1)
    assert code == 0 and out.startswith(REPORT) and NOTICE in out
    assert "verdict" in out and "  + wide QRS complex" in out


def test_doubt_and_unknown_words_are_told_apart_from_what_is_said(verify):
    said = "Possible LBBB. AF. asdf"
    code, out, _ = verify(CASES / "normal.hea", "--report", said, "--threshold", 0)
    assert code == 0 and "deep S waves in V1-V3 (from a suspected finding)" in out
    assert "possible left bundle branch block" in out
    (line,) = (line for line in out.splitlines() if "  asdf  " in line)
    assert line.startswith("not checked") and line.endswith("not a known ECG term")


def test_what_of_a_report_is_not_checked_is_named(verify):
    said = "LBBB. When compared with ECG of 2019, no change. Rythme sinusal. LBBB in woodwork."
    _, out, _ = verify(CASES / "normal.hea", "--report", said)
    for told in ("(comparison): When compared", "(French): Rythme", "Not understood: woodwork"):
        assert told in out


def test_every_denial_of_what_is_stated_too_is_named_and_the_stated_is_checked(verify):
    said = "Sinus rhythm. No sinus rhythm. ST elevation in V2. No ST elevation in V5. "
    said += "No ST elevation in I. No LBBB. RBBB? No RBBB."
    _, out, _ = verify(CASES / "normal.hea", "--report", said)
    denials = ["no sinus rhythm", "no ST elevation in V5", "no ST elevation in I"]
    denials.append("no right bundle branch block")
    for told in denials:
        assert f"of another time): {told}\n" in f"{out}\n"
    assert out.count("Not checked") == len(denials)
    _, out, _ = verify(CASES / "normal.hea", "--report", said, "--json")
    told = json.loads(out)
    assert told["denied_and_stated"] == denials
    assert [row["denied"] for row in told["statements"]] == [False, False, True, False]


def test_a_report_may_lie_in_a_file(verify, tmp_path):
    (tmp_path / "report.txt").write_text(REPORT, encoding="utf-8")
    code, out, _ = verify(CASES / "normal.hea", "--report", f"@{tmp_path}/report.txt", "--json")
    assert code == 0 and json.loads(out)["report"] == REPORT


def test_no_name_and_no_path_is_printed(verify, tmp_path):
    for suffix in (".hea", ".dat"):
        shutil.copy(CASES / f"normal{suffix}", tmp_path / f"jane-roe{suffix}")
    header = (tmp_path / "jane-roe.hea").read_text().replace("normal", "jane-roe")
    (tmp_path / "jane-roe.hea").write_text(header)
    _, out, err = verify(tmp_path / "jane-roe.hea", "--report", REPORT, "--json")
    assert "jane" not in out + err and str(tmp_path) not in out + err


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (["--report", ""], "finding"),
        (["--report", "@/nowhere/at/all"], "@FILE"),
        (["--report", "LBBB", "--threshold", "2"], "threshold"),
    ],
)
def test_what_cannot_be_verified_is_one_line_and_code_2(verify, wrong, said):
    code, out, err = verify(CASES / "normal.hea", *wrong)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err
