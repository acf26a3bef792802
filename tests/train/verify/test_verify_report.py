"""Claims about what a verification says of itself, and about its command."""

import json

import pytest

from train.__main__ import main
from train.data.verified_files import read_verified, write_whole
from train.enrich.candidates import Candidate, CandidateFiles
from train.enrich.verify import verify
from train.enrich.verify_report import summarise, write_report

RHYTHM = frozenset({"sinus rhythm"})


def _line(key, accepted, below=(), known=()):
    rejected = [{"feature": f, "probability": p, "reason": "below the threshold"} for f, p in below]
    rejected += [
        {"feature": f, "probability": 0.9, "reason": "already in the report"} for f in known
    ]
    return {
        "key": key,
        "tags": ["sinus rhythm"],
        "accepted": [{"feature": f, "probability": p} for f, p in accepted],
        "rejected": rejected,
    }


LINES = [
    _line("a", [("wide QRS complex", 0.97)], [("delta wave", 0.4)], ["sinus rhythm"]),
    _line("b", [], [("delta wave", 0.6), ("wide QRS complex", 0.2)]),
    _line("c", []),
]


def test_candidates_are_counted_a_report_and_a_feature():
    found = summarise(LINES)
    assert found["candidates_per_report"] == {
        "mean": pytest.approx(5 / 3),
        "reports": {"0": 1, "2": 1, "3": 1},
    }
    assert found["accepted_per_report"]["mean"] == pytest.approx(1 / 3)
    by_name = {one["feature"]: one for one in found["features"]}
    assert by_name["wide QRS complex"]["accepted"] == 1
    assert by_name["delta wave"]["mean_probability"] == pytest.approx(0.5)


def test_the_curve_counts_what_the_threshold_alone_decides():
    rows = {row["threshold"]: row for row in summarise(LINES)["thresholds"]}
    assert rows[0.95]["kept"] == 1 and rows[0.5]["kept"] == 2 and rows[0.05]["kept"] == 4


def test_nothing_to_count_is_a_report_too():
    found = summarise([])
    assert found["candidates_per_report"]["mean"] == 0 and found["thresholds"][0]["share"] is None


@pytest.fixture
def verified_folder(oracle, make_shards, features, tmp_path):
    """A finished verification, one of whose features comes with markup."""
    shards = make_shards([("train", RHYTHM, (0,)), ("train", RHYTHM, ())])
    asked = [*features, "<img src=x onerror=alert(1)> | a *wave*"]
    options = {"score": "probability", "free_text": "scored"}
    verify(oracle, [shards], {RHYTHM: asked}, tmp_path / "out", **options)
    return tmp_path / "out"


def test_the_page_says_unit_score_counts_and_reasons(verified_folder, features):
    report = write_report(verified_folder)
    assert json.loads((verified_folder / "report.json").read_text()) == report
    page = (verified_folder / "report.md").read_text()
    for said in ("calibrated probability", "Threshold 0.95", "2 records", "below the threshold"):
        assert said in page
    assert f"- accepted: {features[0]}" in page


def test_words_of_a_model_bring_no_markup_into_the_page(verified_folder):
    write_report(verified_folder)
    page = (verified_folder / "report.md").read_text()
    assert "<img" not in page.replace("\\<img", "") and "\\| a \\*wave\\*" in page


def test_a_report_does_not_change_what_fine_training_reads(verified_folder):
    before = read_verified(verified_folder)
    write_report(verified_folder)
    assert read_verified(verified_folder) == before


@pytest.fixture
def files(make_shards, tiny_checkpoint, features, tmp_path):
    """The options of the command, on real files."""
    make_shards([("train", RHYTHM, (lead,)) for lead in range(6)])
    (tmp_path / "candidates").mkdir()
    made = Candidate(tuple(RHYTHM), "ok", features, (), (), (), "curated", "lexicon", "", ())
    files = CandidateFiles(tmp_path / "candidates")
    files.add([made])
    files.finish({})
    return {
        "--checkpoint": tiny_checkpoint,
        "--shards": tmp_path / "data" / "planted",
        "--candidates": tmp_path / "candidates",
        "--out": tmp_path / "out",
        "--score": "probability",
        "--device": "cpu",
    }


def _run(files):
    return main(["verify", *(str(part) for option in files.items() for part in option)])


def test_the_command_verifies_and_reports(files, capsys):
    assert _run(files) == 0
    assert json.loads(capsys.readouterr().out)["records"] == 6
    assert (files["--out"] / "report.md").is_file()
    assert len(read_verified(files["--out"])) == 6


def test_a_cut_shard_is_one_line_and_leaves_nothing_behind(files, capsys):
    part = next(files["--shards"].glob("*.npy"))
    part.write_bytes(part.read_bytes()[:-100])
    assert _run(files) == 2
    assert capsys.readouterr().err.startswith("error: ")
    assert not files["--out"].exists()


def test_a_checkpoint_of_another_architecture_is_one_line(files, tiny_checkpoint, tmp_path, capsys):
    import shutil

    other = tmp_path / "other"
    shutil.copytree(tiny_checkpoint, other)
    config = json.loads((other / "config.json").read_text())
    config["encoder"]["width"] = 32
    write_whole(other / "config.json", json.dumps(config))
    assert _run({**files, "--checkpoint": other}) == 2
    assert "do not fit" in capsys.readouterr().err
    assert not files["--out"].exists()


def test_records_without_candidates_are_counted(files, capsys):
    CandidateFiles(files["--candidates"]).finish({})
    assert _run(files) == 0
    assert json.loads(capsys.readouterr().out)["without_candidates"] == 6


@pytest.mark.parametrize("option", [("--threshold", "95"), ("--score", "cosine")])
def test_a_score_or_threshold_in_another_unit_is_refused(files, capsys, option):
    assert _run({**files, option[0]: option[1]}) == 2
    said = capsys.readouterr().err
    assert option[0] in said and "; needed " in said
