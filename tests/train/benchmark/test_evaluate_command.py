"""The commands: figures as JSON, results as files, tables from files alone, clear refusals."""

import csv
import json
from typing import Annotated

import pytest
import torch

from focal_app.errors import ConfigError
from focal_app.model.focal import Focal
from train.__main__ import main
from train.benchmark.publication import published
from train.benchmark.results import command_line, read_results
from train.benchmark.table import Table
from train.benchmark.tasks import TASKS, Task
from train.runs.commands.evaluate import evaluate_commands
from train.settings import Flag
from train.settings import run as run_app

WITHOUT_DATA = ("similarity-matrix", "inference-time", "enrichment-auc")


@pytest.fixture
def run(ptbxl, tiny_checkpoint, encoded):
    def call(task: str, *more: str) -> int:
        given = ["--data", str(ptbxl), "--cache", str(encoded)] if task not in WITHOUT_DATA else []
        return main(["evaluate", task, "--checkpoint", str(tiny_checkpoint), *given, *more])

    return call


def test_zero_shot_prints_figures_with_intervals_as_json(run, capsys):
    assert run("zeroshot", "--dataset", "ptbxl-super", "--folds", "7", "8", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["recordings"] == 10 and found["folds"] == [7, 8]
    macro = found["macro_auc"]
    assert macro["low"] <= macro["value"] <= macro["high"]
    assert len(found["classes"]) == 5 and found["read_by"] == "prompt"


def test_results_become_tables_without_published_rows_beside_a_sample(run, tmp_path, capsys):
    results, out = tmp_path / "results", tmp_path / "tables"
    sets = ["--dataset", "ptbxl-super", "--results", str(results), "--name", "tiny"]
    assert run("zeroshot", *sets) == 0
    assert run("probe", *sets, "--shares", "1") == 0
    assert run("similarity-matrix", *sets) == 0
    assert run("inference-time", *sets[2:], "--rounds", "1") == 0
    assert run("activation-maps", *sets[2:], "--count", "2") == 0
    capsys.readouterr()
    assert main(["tables", "--results", str(results), "--out", str(out)]) == 0
    made = {path.split("/")[-1] for path in capsys.readouterr().out.split()}
    assert {"zeroshot.md", "zeroshot.csv", "zeroshot.tex", "probe.md", "index.html"} <= made
    assert {name.split("-1")[0] for name in made if name.endswith(".png")} >= {
        "zero-shot",
        "calibration",
        "similarity-of-prompts",
        "activation-maps",
    }
    rows = list(csv.reader((out / "zeroshot.csv").read_text().splitlines()))
    assert rows[0] == ["", "ptbxl-super", "average"]
    assert rows[1][0].startswith("tiny, routed") and rows[1][1].endswith("*")
    every = (out / "results.md").read_text()
    assert "(published) |" not in every  # of a sample nothing can be set beside
    assert "http" not in (out / "index.html").read_text()


def test_a_result_says_what_it_was_made_from_and_names_no_place(run, ptbxl, tmp_path):
    run("zeroshot", "--dataset", "ptbxl-super", "--results", str(tmp_path))
    run("zeroshot", "--dataset", "ptbxl-super", "--results", str(tmp_path))
    [found] = read_results(tmp_path)
    assert len(found.checkpoint) == 16 and len(found.data) == 16 and found.seed == 0
    assert found.config["labels"] == "corrected" and found.host.cores >= 1
    text = next(tmp_path.glob("*.json")).read_text()
    assert str(ptbxl.parent) not in text and str(tmp_path.parent) not in text


def test_the_data_hash_follows_the_recordings(run, ptbxl, tmp_path):
    run("zeroshot", "--dataset", "ptbxl-super", "ptbxl-rhythm", "--results", str(tmp_path))
    one, other = read_results(tmp_path)
    assert one.data != other.data and one.checkpoint == other.checkpoint


def test_several_checkpoints_become_one_table(run, tiny_checkpoint, ptbxl, encoded, capsys):
    pairs = [f"one={tiny_checkpoint}", f"two={tiny_checkpoint}"]
    given = ["--data", str(ptbxl), "--cache", str(encoded), "--dataset", "ptbxl-super"]
    few = ["--simulated", "20"]
    assert main(["evaluate", "ablation", "--checkpoints", *pairs, *given, *few]) == 0
    shown = capsys.readouterr().out
    assert "| one |" in shown and "| two |" in shown
    assert "(published) |" not in shown


def test_a_folder_of_runs_is_compared_by_stage(tiny_checkpoint, ptbxl, encoded, tmp_path, capsys):
    for inside in ("a/coarse/model", "a/fine/model", "b/model", "unfinished/fine"):
        place = tmp_path / inside
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(tiny_checkpoint) if place.name == "model" else place.mkdir()
    given = ["--data", str(ptbxl), "--cache", str(encoded), "--dataset", "ptbxl-super"]
    assert main(["evaluate", "components", "--runs", str(tmp_path), *given, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 3


@pytest.mark.slow
def test_everything_that_the_data_allow_is_run_and_the_rest_named(run, pair, tmp_path, caplog):
    more = ["--results", str(tmp_path), "--simulated", "0", "--count", "1", "--rounds", "1"]
    more += ["--original", str(pair[0]), "--enriched", str(pair[1])]
    sets = ["--dataset", "ptbxl-super", "csn"]
    assert run("all", *more, *sets) == 0
    tasks = {result.task for result in read_results(tmp_path)}
    assert {"zeroshot", "probe", "subgroups", "retrieval", "localisation", "sensitivity"} <= tasks
    assert {"inference-time", "activation-maps", "similarity-matrix", "transferability"} <= tasks
    assert "left out: zeroshot csn" in caplog.text


@pytest.mark.parametrize(
    ("task", "more", "said"),
    [
        ("zeroshot", ["--dataset", "mimic"], "one of ptbxl-super"),
        ("zeroshot", ["--dataset", "csn"], "no recording of csn"),
        ("zeroshot", ["--folds", "12"], "folds 12"),
        ("zeroshot", ["--labels", "published"], "--splits"),
        ("zeroshot", ["--mode", "mean"], "one of routed"),
        ("zeroshot", ["--classes", "phrases"], "without a prompt file"),
        ("zeroshot", ["--split", "dev"], "one of all"),
        ("probe", ["--shares", "0"], "above 0"),
        ("transfer", ["--methods", "guess"], "one of zeroshot"),
        ("enrichment-auc", [], "--verified"),
        ("similarity-matrix", ["--dataset", "mimic"], "one of everyday"),
    ],
)
def test_what_cannot_be_measured_is_one_clear_line(task, more, said, run, capsys):
    assert run(task, *more) == 2
    message = capsys.readouterr().err.splitlines()[-1]
    assert message.startswith("error: ") and said in message


def test_no_data_and_no_results_are_clear_lines(tiny_checkpoint, tmp_path, capsys):
    assert main(["evaluate", "zeroshot", "--checkpoint", str(tiny_checkpoint)]) == 2
    assert "--data" in capsys.readouterr().err
    assert main(["tables", "--results", str(tmp_path)]) == 2
    assert "no result" in capsys.readouterr().err
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(ConfigError, match=r"other\.json is no result"):
        read_results(tmp_path)


def test_a_command_is_noted_without_folders():
    line = command_line(["evaluate", "zeroshot", "--data", "/home/someone/data", "--seed", "1"])
    assert line == "python -m train evaluate zeroshot --data data --seed 1"


def test_every_published_row_fits_its_columns():
    for name, table in published().items():
        if name not in {"test-recordings", "mended-labels", "models"}:
            assert all(len(row) == len(table["columns"]) for row in table["rows"].values()), name


def test_an_entry_is_all_that_a_new_task_needs(tiny_checkpoint, tmp_path, monkeypatch, capsys):
    """Its flags, its help, its file of results and its table come from the entry alone."""
    monkeypatch.setattr("train.benchmark.task.TASKS", tasks := dict(TASKS))
    monkeypatch.setattr("train.benchmark.render.TASKS", tasks)
    monkeypatch.setattr("train.runs.commands.evaluate.TASKS", tasks)

    def table(results):
        yield Table(
            "width", "Width", ("", "width"), tuple((r.name, r.figures["w"]) for r in results)
        )

    def width(asked, *, times: Annotated[int, Flag("how often", "N")] = 1):
        yield asked.result("width", "", {"w": str(asked.model.config.encoder.width * times)}, {})

    tasks["width"] = Task("width", "how wide the encoder is", width, table)
    app = evaluate_commands()
    measured = ["--checkpoint", str(tiny_checkpoint), "--name", "tiny", "--times", "2"]
    assert run_app(app, ["width", *measured, "--results", str(tmp_path)], name="evaluate") == 0
    assert "| tiny | 32 |" in capsys.readouterr().out
    assert main(["tables", "--results", str(tmp_path)]) == 0
    assert (tmp_path / "tables" / "width.csv").is_file()
    assert run_app(app, ["--help"], name="evaluate") == 0
    assert "How wide the encoder is." in capsys.readouterr().out


def test_a_flag_that_a_task_does_not_read_is_refused(tiny_checkpoint, capsys):
    given = ["evaluate", "inference-time", "--checkpoint", str(tiny_checkpoint), "--folds", "7"]
    assert main(given) == 2
    assert "--folds" in capsys.readouterr().err


@pytest.fixture(scope="module")
def astray(tiny_checkpoint, ptbxl, tmp_path_factory) -> tuple[str, str]:
    """A checkpoint whose weights are no numbers, and a cache of what it says."""
    folder = tmp_path_factory.mktemp("astray")
    model = Focal.load(tiny_checkpoint)
    with torch.no_grad():
        model.encoder.norm.weight.fill_(torch.nan)
    model.save_pretrained(folder / "model")
    return str(folder / "model"), str(folder / "cache")


@pytest.mark.parametrize(
    "task", ("zeroshot", "probe", "subgroups", "retrieval", "localisation", "sensitivity")
)
def test_a_checkpoint_that_gives_no_numbers_is_ranked_by_no_task(task, astray, ptbxl, capsys):
    checkpoint, cache = astray
    sets = {"retrieval": [], "localisation": ["--simulated", "9"]}
    more = sets.get(task, ["--dataset", "ptbxl-super"])
    given = ["--checkpoint", checkpoint, "--data", str(ptbxl), "--cache", cache, *more]
    assert main(["evaluate", task, *given]) == 2
    assert "scores of the model that are no numbers: " in capsys.readouterr().err
