"""Before its first hour the pipeline says all that its stages will miss."""

import shutil

import numpy as np
import pytest
from llm_server import answering

from train.__main__ import main
from train.data.prepared import PreparedStore
from train.recipe import load_recipe
from train.runs.training import Reports, prepare_signals


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


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("--weight nosuch=0.5", "a weight for nosuch, which is no source here"),
        ("--set data.weights=[nosuch=0.5]", "a weight for nosuch, which is no source here"),
        ("--weight simulated=abc", "found weight 'simulated=abc'; needed SOURCE=SHARE"),
        ("--weight simulated=2", "found weight 'simulated=2'; needed a share above 0"),
        ("--weight simulated=0.5", "--weight, without effect on one --source"),
        ("--data.split 1 0 0 --set coarse.judged=2", "a stage that is judged"),
        ("--set coarse.freeze_text=false --set coarse.frozen_layers=99", "frozen_layers 99"),
        ("--fine.verified nowhere", "found no finished verification in 'nowhere'"),
        ("--source simulated=²", "found --source simulated=²; needed a count"),
        ("--fine.verified LOOP", "found no finished verification in 'loop'"),
        ("--verify.device nonsense", "found no device 'nonsense' that works here"),
    ],
)
def test_what_a_later_stage_would_refuse_is_said_before_the_first(
    options, told, asked, tmp_path, capsys
):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    options = options.replace("LOOP", str(tmp_path / "loop"))
    assert main([*asked, "--source", "simulated=2000", *options.split()]) == 2
    said = capsys.readouterr().err
    assert told in said and "nothing was begun" in said


def test_what_the_run_itself_will_verify_is_not_missed(asked, tmp_path, capsys):
    own = ["--fine.verified", str(tmp_path / "run" / "verified"), "--private"]
    assert main([*asked, "--source", "simulated=2000", *own]) == 2
    assert "finished verification" not in capsys.readouterr().err


def test_places_that_no_source_knows_are_missed(asked, tmp_path, capsys):
    places = ["--set", "objective.place_weight=5"]
    assert main([*asked, "--source", f"ptb-xl={tmp_path}", *places]) == 2
    assert "no source that knows where its findings were drawn" in capsys.readouterr().err
    assert main([*asked, "--source", f"ptb-xl={tmp_path}", "simulated=2000", *places]) == 2
    assert "were drawn" not in capsys.readouterr().err


def test_too_few_records_to_calibrate_on_are_refused_where_that_score_was_asked_for(asked, capsys):
    asked = [*asked, "--source", "simulated=100", "--verify.score", "candidate"]
    assert main(asked) == 2
    assert "about 5 validation records" in capsys.readouterr().err


def test_ready_signals_that_are_not_there_are_missed_before_anything_is_trained(
    asked, tmp_path, capsys
):
    kept = tmp_path / "kept" / "simulated-0123"
    kept.mkdir(parents=True)
    signals = ("--verify.prepared", str(kept.parent))
    asked += ["--source", "simulated=2000", "--private", *signals]
    assert main(asked) == 2
    assert "found no ready signals of simulated in 'kept'" in capsys.readouterr().err
    (kept / "prepared.json").touch()
    assert main(asked) == 2
    assert "ready signals" not in capsys.readouterr().err
    (kept / "prepared.json").unlink()
    own = tmp_path / "kept" / ".." / "run" / "prepared"
    again = ("--verify.prepared", str(own), "--set", "data.keep_prepared=true")
    assert main([*asked[:-2], *again]) == 2
    assert "ready signals" not in capsys.readouterr().err


def test_an_option_that_no_stage_would_read_is_refused(asked, capsys):
    fitted = ("--verify.score", "probability", "--verify.calibrate", "x")
    assert main([*asked, "--source", "simulated=2000", "--data.test-folds", "9", *fitted]) == 2
    said = capsys.readouterr().err
    assert "--data.test-folds, without effect without PTB-XL" in said
    assert "--verify.calibrate, without effect with --verify.score probability" in said


def test_a_disk_without_room_for_the_signals_is_told_of(asked, capsys):
    """A hundred thousand million recordings are 12 PB; the first hundred of them fit."""
    asked += ["--source", "simulated=100000000000", "--private"]
    assert main(asked) == 2
    assert "GB free where the run goes; about 12100000.0 GB" in capsys.readouterr().err
    assert main([*asked, "--data.limit", "100"]) == 2
    assert "GB free" not in capsys.readouterr().err


def test_kept_signals_need_room_too_until_they_are_there(asked, shards, tmp_path, capsys):
    """At 100 Hz 24 KB each: twelve leads of 1,000 samples of two bytes, and of ten patches."""
    keeps = [*asked, "--set", "data.keep_prepared=true", "--private"]
    assert main([*keeps, "--source", "simulated=100000000000"]) == 2
    assert "GB free where the run goes; about 14512000.0 GB" in capsys.readouterr().err
    (tmp_path / "run" / "data").mkdir(parents=True)
    shutil.copytree(shards, tmp_path / "run" / "data" / "simulated")
    assert main([*keeps, "--source", "simulated=100000000000"]) == 2
    assert "GB free where the run goes; about 2412000.0 GB" in capsys.readouterr().err
    recipe = load_recipe("tiny")
    prepare_signals(recipe, tmp_path / "run", Reports((shards,)), workers=1)
    assert main([*keeps, "--source", "simulated=100000000000"]) == 2
    assert "GB free" not in capsys.readouterr().err


def test_the_room_that_is_reckoned_is_what_a_store_takes(shards, tmp_path):
    recipe = load_recipe("tiny")
    prepare_signals(recipe, tmp_path, Reports((shards,)), workers=1)
    taken = sum(np.load(file).nbytes for file in tmp_path.rglob("*.npy"))
    assert taken == 24 * PreparedStore.bytes_a_record(recipe.signal)


def test_a_push_without_a_token_of_the_hub_is_told_of(asked, capsys, monkeypatch, tmp_path):
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("huggingface_hub.constants.HF_TOKEN_PATH", str(tmp_path / "token"))
    asked += ["--source", "simulated=2000", "--push", "me/mine", "--data.test-folds", "9"]
    assert main(asked) == 2
    assert "found no token of the Hub for --push" in capsys.readouterr().err
    monkeypatch.setenv("HF_TOKEN", "hf_given")
    assert main(asked) == 2
    assert "token" not in capsys.readouterr().err


def test_figures_for_the_card_are_asked_for_before_and_beside_a_tree_of_before_refused(
    asked, capsys, tmp_path
):
    asked += ["--source", "simulated=2000", "--figures", str(tmp_path / "auc.json")]
    assert main(asked) == 2
    assert "found no file auc.json of --figures" in capsys.readouterr().err
    (tmp_path / "auc.json").write_text("# no figures")
    assert main(asked) == 2
    assert "--figures: auc.json is no JSON file of results" in capsys.readouterr().err
    (tmp_path / "run" / "hub").mkdir(parents=True)
    (tmp_path / "auc.json").write_text("{}")
    assert main(asked) == 2
    assert "--figures, without effect on the tree OUT/hub of before" in capsys.readouterr().err


def test_a_server_that_lacks_the_model_is_told_of_with_those_it_has(asked, capsys):
    with answering() as server:
        address = f"http://127.0.0.1:{server.server_port}/v1"
        asked += ["--enrich.backend", "server", "--enrich.base-url", address]
        assert main([*asked, "--source", "simulated=2000", "--enrich.model", "tiny/three"]) == 2
    said = capsys.readouterr().err
    assert "the server knows tiny/one, tiny/two, not 'tiny/three'" in said


def test_the_recipes_model_is_refused_where_no_backend_asks_it(asked, capsys, tmp_path):
    (tmp_path / "mine.yaml").write_text("enrichment: {model: my/own}\n")
    asked = [asked[0], "--config", str(tmp_path / "mine.yaml"), *asked[3:]]
    asked += ["--source", "simulated=2000"]
    assert main(asked) == 2
    assert "my/own, which nothing reads beside" in capsys.readouterr().err
    assert main([*asked, "--enrich.backend", "server"]) == 2
    assert "which nothing reads" not in capsys.readouterr().err


@pytest.mark.parametrize("stage", ["coarse", "fine"])
def test_what_is_no_checkpoint_to_go_on_from_is_told_of(stage, asked, capsys, tmp_path):
    for start, said in (("nowhere", "found no folder 'nowhere'"), (".", "found no config.json")):
        flags = ["--source", "simulated=2000", f"--{stage}.start", str(tmp_path / start)]
        assert main([*asked, *flags]) == 2
        assert said in capsys.readouterr().err


def test_a_table_without_one_of_its_columns_is_told_of(asked, capsys, tmp_path):
    (tmp_path / "record_list.csv").write_text("subject_id,study,path\n1,2,files/2\n")
    (tmp_path / "machine_measurements.csv").write_text("subject_id,study_id,report_0\n")
    assert main([*asked, "--source", f"mimic-iv-ecg={tmp_path}"]) == 2
    said = capsys.readouterr().err
    assert "mimic-iv-ecg: found no column study_id in record_list.csv" in said


def test_lines_that_a_checkpoint_to_go_on_from_decides_are_told_of(
    asked, capsys, caplog, tiny_checkpoint
):
    start = ["--coarse.start", str(tiny_checkpoint), "--data.test-folds", "9"]
    assert main([*asked, "--source", "simulated=2000", *start]) == 2
    assert "test-folds" in capsys.readouterr().err
    assert "decides signal" in caplog.text and "tuning; the recipe's are not read" in caplog.text
