"""`python -m train data`: what it prints, and how it refuses."""

from pathlib import Path

import pytest

from train.__main__ import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    code = main(["data", *map(str, arguments)])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_a_fixture_goes_into_shards_and_every_count_is_printed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    raw, out = tmp_path / "raw", tmp_path / "shards"
    code, said, _ = run(capsys, "mimic-fixture", "--out", raw, "--count", 6, "--workers", 1)
    assert (code, said) == (
        0,
        "6 studies drawn; the reports keep silent about inverted T waves, ST depression\n",
    )
    code, said, _ = run(capsys, "mimic-iv-ecg", raw, "--out", out, "--workers", 1)
    assert code == 0
    assert said.startswith("mimic-iv-ecg: 4 records\n")
    counted = {line[:45].strip(): line.split()[-1] for line in said.splitlines()[1:]}
    assert counted["studies without waveform"] == "1"
    assert counted["reports left out: empty"] == "1"
    assert counted["records stored"] == "4"
    assert run(capsys, "check", out)[1] == said


def test_a_damaged_folder_fails_its_check(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    choices = ("--count", 3, "--workers", 1, "--out", tmp_path)
    assert run(capsys, "simulated", *choices)[0] == 0
    path = tmp_path / "shard-00000.npy"
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    code, _, said = run(capsys, "check", tmp_path)
    assert code == 2
    assert "error: found other bytes in shard-00000.npy" in said


def test_the_splits_are_asked_for(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    choices = ("--count", 4, "--workers", 1, "--split", 0, 0, 1, "--out", tmp_path)
    assert "in test" in run(capsys, "simulated", *choices)[1]


def test_a_wrong_folder_and_wrong_shares_are_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = ("--out", tmp_path / "out")
    code, _, said = run(capsys, "ptb-xl", tmp_path / "absent", *out)
    assert (code, said.count("\n")) == (2, 1)
    assert "found no folder 'absent'" in said
    code, _, said = run(capsys, "csn", tmp_path, *out, "--split", 1, 1, 1)
    assert code == 2
    assert "sum to 1" in said
