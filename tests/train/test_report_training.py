"""Training on reports as a user runs it: by command, killed, resumed, refused."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from focal_app.model.focal import Focal
from train.__main__ import main
from train.data import verified_files
from train.data.shards import Shards

ROOT = Path(__file__).parents[2]
RECIPE = """
seed: 3
signal: {{normalisation: millivolt}}
encoder: {{width: 16, depth: 1, heads: 2, stem: linear, dropout: 0.1}}
text: {{name: {text}, pooling: mean, max_tokens: 16}}
tuning: {{steps: 0}}
objective: {{routing: {routing}, targets: {targets}}}
coarse: {{steps: {steps}, batch: 4, accumulate: 2, bf16: false, average: 0.9}}
fine: {{steps: 4, batch: 4, bf16: false}}
embed_dim: 8
tau: 0.1
"""


@pytest.fixture
def recipe(tmp_path, text):
    def write(*, steps: int = 12, routing: str = "own", targets: str = "online") -> Path:
        path = tmp_path / "tiny.yaml"
        path.write_text(RECIPE.format(text=text, steps=steps, routing=routing, targets=targets))
        return path

    return write


def command(stage: str, recipe: Path, out: Path, shards: Path, *more: str) -> list[str]:
    common = ["--config", str(recipe), "--out", str(out), "--shards", str(shards)]
    return [stage, *common, *(() if "--workers" in more else ("--workers", "0")), *more]


def alone(*arguments: str) -> subprocess.Popen:
    """The command in a process of its own, with as many threads, for the order of sums."""
    threads = str(torch.get_num_threads())
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": threads}
    once = [sys.executable, "-m", "train", *arguments]
    return subprocess.Popen(once, env=environment, stderr=subprocess.DEVNULL)


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_file(folder / "run.safetensors")


def test_a_run_killed_in_the_middle_ends_on_the_weights_of_an_unbroken_one(
    recipe, shards, tmp_path
):
    chosen = recipe(steps=12)
    assert main(command("coarse", chosen, tmp_path / "straight", shards)) == 0
    arguments = command("coarse", chosen, tmp_path / "killed", shards, "--save-every", "1")
    process = alone(*arguments)
    saved = tmp_path / "killed" / "coarse" / "run.safetensors"
    while not saved.is_file() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (tmp_path / "killed" / "coarse" / "model").exists()
    assert main(arguments) == 0
    one, other = (weights(tmp_path / n / "coarse") for n in ("straight", "killed"))
    assert one.keys() == other.keys()
    assert [name for name in one if not torch.equal(one[name], other[name])] == []


def test_without_a_bias_to_learn_it_stays_as_the_recipe_sets_it(recipe, shards, tmp_path):
    chosen = recipe(steps=3)
    chosen.write_text(chosen.read_text() + "bias: -2.0\n")
    assert main(command("coarse", chosen, tmp_path / "learnt", shards)) == 0
    fixed = chosen.read_text().replace("targets: online", "targets: online, learn_bias: false")
    chosen.write_text(fixed)
    assert main(command("coarse", chosen, tmp_path / "fixed", shards)) == 0
    learnt, kept = (Focal.load(tmp_path / n / "coarse" / "model").bias for n in ("learnt", "fixed"))
    assert kept == -2 and learnt != -2


def test_reading_ahead_in_other_processes_changes_nothing(recipe, shards, tmp_path):
    chosen = recipe(steps=3, routing="cross", targets="lexicon")
    for workers in ("0", "1"):
        more = ("--workers", workers)
        assert main(command("coarse", chosen, tmp_path / workers, shards, *more)) == 0
    one, other = (weights(tmp_path / n / "coarse") for n in ("0", "1"))
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_an_unfinished_run_of_another_recipe_is_refused(recipe, shards, tmp_path, capsys):
    assert main(command("coarse", recipe(steps=2), tmp_path / "run", shards)) == 0
    assert main(command("coarse", recipe(steps=3), tmp_path / "run", shards)) == 2
    assert "another recipe" in capsys.readouterr().err


def test_fine_training_needs_the_coarse_model(recipe, shards, tmp_path, capsys):
    assert main(command("fine", recipe(), tmp_path / "run", shards)) == 2
    assert "coarse" in capsys.readouterr().err


def test_a_weight_for_a_source_that_is_not_there_is_refused(recipe, shards, tmp_path, capsys):
    more = ("--weight", "mimic=0.5")
    assert main(command("coarse", recipe(), tmp_path / "run", shards, *more)) == 2
    assert "mimic" in capsys.readouterr().err


def test_shards_whose_tags_were_made_otherwise_are_refused(recipe, shards, tmp_path, capsys):
    changed = ["--set", "data.tagging=commas"]
    assert main([*command("coarse", recipe(), tmp_path / "run", shards), *changed]) == 2
    assert "other tags in" in capsys.readouterr().err


def test_coarse_training_reads_verified_features_from_scratch(recipe, shards, tmp_path, caplog):
    """The same command on enriched reports: another model; what was added, and how, is noted."""
    opened = Shards.open(shards)
    lines = [
        {"key": key, "tags": [], "rejected": [], "accepted": [{"feature": "a new feature"}]}
        for key in opened.keys
    ]
    folder = tmp_path / "verified"
    by = {"threshold": 0.3, "score": "auto", "free_text": "apart"}
    verified_files.start(folder, by)
    verified_files.write_part(folder / verified_files.part_name(0), lines)
    verified_files.finish(folder, 1, {})
    chosen = recipe(steps=3, routing="cross", targets="lexicon")
    for name, more in (("plain", []), ("enriched", ["--verified", str(folder)])):
        assert main(command("coarse", chosen, tmp_path / name, shards, *more)) == 0
    used = json.loads((tmp_path / "enriched" / "coarse" / "used.json").read_text())
    assert (used["verified_features"], used["verified_by"]) == (len(opened), [by])
    told = [one for one in caplog.messages if "recipe says otherwise" in one]
    assert len(told) == 1 and "verified was verified by threshold 0.3;" in told[0]
    one, other = (weights(tmp_path / name / "coarse") for name in ("plain", "enriched"))
    assert any(not torch.equal(one[name], other[name]) for name in one)


def curves_of(folder):
    """The steps of every curve in TensorBoard's own files."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    found = {}
    for place in {one.parent for one in folder.rglob("events.out.tfevents*")}:
        events = EventAccumulator(str(place)).Reload()
        for tag in events.Tags()["scalars"]:
            found[tag] = [one.step for one in events.Scalars(tag)]
    return found


def test_two_stages_are_compared_by_one_command(recipe, shards, tmp_path, capsys):
    """Only lines that differ, and every curve that a researcher looks at."""
    chosen, judged = recipe(steps=12), ["--set", "coarse.judged=2"]
    for name, more in (("one", []), ("other", ["--set", "coarse.learning_rate=1e-2"])):
        assert main([*command("coarse", chosen, tmp_path / name, shards), *judged, *more]) == 0
    capsys.readouterr()
    folders = [str(tmp_path / name / "coarse") for name in ("one", "other")]
    assert main(["compare", *folders]) == 0
    rows = capsys.readouterr().out.splitlines()
    said = {row.split("|")[1].strip(): row for row in rows}
    assert rows[0] == "| | one/coarse | other/coarse |"
    assert said["coarse.learning_rate"] == "| coarse.learning_rate | 0.001 | 0.01 |"
    assert "coarse.batch" not in said and "coarse.judged" not in said
    curves = ("loss/tags", "gradient_norm", "temperature", "bias", "plan_entropy")
    assert all("-" not in said[curve].split("|")[2] for curve in curves[:1]) and {*curves} <= {
        *said
    }
    assert " at step " in said["validation/auc"]
    drawn = {tag: steps for folder in folders for tag, steps in curves_of(Path(folder)).items()}
    assert {*curves, "validation/auc"} <= drawn.keys(), "TensorBoard draws each of them"
    assert drawn["loss/tags"][-1] == 12
    assert main(["compare", str(tmp_path), folders[0]]) == 2
    assert "needed the folder of a stage" in capsys.readouterr().err
