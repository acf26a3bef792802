"""Before its first hour the pipeline says all that its stages will miss."""

import pytest

from train.__main__ import main


@pytest.fixture
def asked(tmp_path):
    return ["pipeline", "--config", "tiny", "--out", str(tmp_path / "run")]


def test_all_that_is_missing_is_said_at_once_and_nothing_is_begun(asked, tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    sources = ["--source", f"ptb-xl={tmp_path / 'empty'}", f"csn={tmp_path / 'absent'}"]
    enrich = ["--enrich.backend", "server", "--enrich.base-url", "http://127.0.0.1:9/v1"]
    text = ["--set", f"text.name={tmp_path / 'nowhere'}", "--private"]
    assert main([*asked, *sources, *enrich, *text]) == 2
    said = capsys.readouterr().err
    for one in (
        "ptb-xl: ",
        "found no folder 'absent'",
        "text model",
        "does not answer",
        "--private",
    ):
        assert one in said
    assert not (tmp_path / "run").exists()


def test_an_engine_that_is_not_installed_is_missed_before_the_data_are_read(asked, capsys):
    assert main([*asked, "--source", "simulated=2000", "--set", "enrichment.backend=vllm"]) == 2
    said = capsys.readouterr().err
    assert "enrichment lacks vllm" in said and "--enrich-python" in said


def test_a_python_that_cannot_enrich_is_missed(asked, capsys, tmp_path):
    engine = ["--enrich.backend", "vllm", "--enrich-python", str(tmp_path / "python")]
    assert main([*asked, "--source", "simulated=2000", *engine]) == 2
    assert "found no Python" in capsys.readouterr().err


def test_too_few_records_to_calibrate_on_are_refused_where_that_score_was_asked_for(asked, capsys):
    asked = [*asked, "--source", "simulated=100", "--verify.score", "candidate"]
    assert main(asked) == 2
    assert "about 5 validation records" in capsys.readouterr().err


def test_an_option_that_no_stage_would_read_is_refused(asked, capsys):
    fitted = ("--verify.score", "probability", "--verify.calibrate", "x")
    assert main([*asked, "--source", "simulated=2000", "--data.test-folds", "9", *fitted]) == 2
    said = capsys.readouterr().err
    assert "--data.test-folds, without effect without PTB-XL" in said
    assert "--verify.calibrate, without effect with --verify.score probability" in said
