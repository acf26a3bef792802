"""Files that a command reads back, each cut at some byte: refused in a sentence, or made again.

What is refused is left as it lies; what is made again ends on the same bytes.
"""

import random
import shutil
from fnmatch import fnmatch
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from train.__main__ import main
from train.benchmark.results import Result, write_result
from train.recipe import load_recipe, save_recipe

SHORT = {
    "tuning.steps": 2,
    "coarse.steps": 2,
    "coarse.judged": 2,
    "coarse.keep": "best",
    "fine.steps": 2,
    "data.keep_prepared": True,
}
DATA, RECIPE = "--shards {run}/data", "--config {run}/recipe.yaml --out {run} --workers 0"
COMMANDS = {
    "data": "data simulated --count 24 --seed 5 --workers 1 --out {run}/data",
    "text": "text --config {run}/recipe.yaml --out {run}",
    "coarse": f"coarse {RECIPE} {DATA}",
    "enrich": f"enrich {DATA} --backend curated --out {{run}}/candidates",
    "verify": f"verify --checkpoint {{run}}/coarse/model {DATA} --candidates {{run}}/candidates "
    "--out {run}/verified --threshold 0.5 --score probability",
    "fine": f"fine {RECIPE} {DATA}",
    "merl": f"merl {DATA} --text {{run}}/coarse/model --verified {{run}}/verified --steps 2 "
    "--batch 4 --width 2 --blocks 1 --out {run}/merl --workers 0",
    "compare": "compare {run}/coarse {run}/fine",
    "tables": "tables --results {run}/results",
}
TEXT = ("config.json", "tokenizer.json", "tokenizer_config.json")
MODEL = ("config.json", "model.safetensors", "seen.safetensors", *(f"text/{one}" for one in TEXT))
PREPARED = ("prepared.json", "seen-00000.npy", "shard-00000.npy")
SHARDS = ("manifest.json", "shard-00000.npy", "shard-00000.jsonl")
INDEX = [f"index-{one}.npy" for one in ("records", "tags", "hedged", "places", "names")]
READ = {
    "data": [f"data/{one}" for one in (*SHARDS, *INDEX)],
    "text": [f"text/{one}" for one in (*TEXT, "figures.json", "made_from")],
    "coarse": [
        *(f"coarse/{one}" for one in ("made_from", "run.safetensors", "best.safetensors")),
        *(f"text/{one}" for one in (*TEXT, "model.safetensors", "projection.safetensors")),
        *(f"prepared/simulated-*/{one}" for one in PREPARED),
        *(f"data/{one}" for one in SHARDS),
        "recipe.yaml",
    ],
    "enrich": [
        f"candidates/{one}" for one in ("answers.jsonl", "candidates-00000.jsonl", "report.json")
    ],
    "verify": [
        *(f"verified/{x}" for x in ("started.json", "score.json", "part-00000.jsonl")),
        *(f"candidates/{one}" for one in ("candidates-00000.jsonl", "report.json")),
        "verified/manifest.json",
        "verified/report.json",
    ],
    "fine": [
        *(f"fine/{one}" for one in ("made_from", "run.safetensors")),
        *(f"coarse/model/{one}" for one in MODEL),
        *(f"verified/{one}" for one in ("part-00000.jsonl", "manifest.json")),
    ],
    "merl": [f"merl/{one}" for one in ("made_from", "run.safetensors", "config.json")],
    "compare": [f"coarse/{one}" for one in ("recipe.yaml", "used.json", "log/figures.jsonl")],
    "tables": ["results/*.json"],
}

UNREAD = ["README.md", "report.md"]
"""What is for people."""


def run(command: str, folder: Path) -> int:
    return main(COMMANDS[command].format(run=folder).split())


def contents(folder: Path) -> dict[Path, bytes]:
    """Every file but TensorBoard's curves and the counts of answers, which are begun anew."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {
        path.relative_to(folder): path.read_bytes()
        for path in files
        if "tfevents" not in path.name and path != folder / "candidates" / "report.json"
    }


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of every stage, each of a few steps."""
    folder = tmp_path_factory.mktemp("finished") / "run"
    save_recipe(load_recipe("tiny", changes=SHORT), folder / "recipe.yaml")
    figures = {"ways": [{"name": "global", "relative": 1.0, "ecg_per_second": 9.0}]}
    result = Result("inference-time", "", "tiny", "", "", {}, "", 0, figures)
    write_result(folder / "results", result)
    for command in COMMANDS:
        assert run(command, folder) == 0
    return folder


@pytest.fixture
def copied(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "run"))


@pytest.mark.parametrize("command, file", [(one, file) for one in READ for file in READ[one]])
def test_a_file_that_was_cut_is_refused_or_made_again(command, file, finished, copied, capsys):
    [path] = copied.glob(file)
    whole = path.read_bytes()
    path.write_bytes(whole[: random.Random(file).randrange(len(whole))])
    before = contents(copied)
    code = run(command, copied)
    if code:
        assert code == 2 and capsys.readouterr().err.splitlines()[-1].startswith("error: ")
        assert contents(copied) == before
    else:
        assert contents(copied) == contents(finished)


def test_every_kind_of_file_that_is_read_back_was_cut(finished):
    names = {Path(file).name for files in READ.values() for file in files}
    kinds = {path.name for path in contents(finished) if path.parent.name != "tables"}
    assert sorted(k for k in kinds if not any(fnmatch(k, name) for name in names)) == UNREAD


@pytest.mark.parametrize("command", ("coarse", "fine", "merl"))
@pytest.mark.parametrize("part", ("model", "average", "optimizer"))
def test_the_state_of_another_training_is_refused_and_left_alone(command, part, copied, capsys):
    path = copied / command / "run.safetensors"
    tensors = load_file(path)
    name = next(n for n, t in tensors.items() if n.startswith(part) and t.ndim == 2)
    save_file({**tensors, name: torch.zeros(3, 3)}, path, metadata={"step": "1"})
    before = contents(copied)
    assert run(command, copied) == 2
    assert f"found no run.safetensors in '{command}' that is whole" in capsys.readouterr().err
    assert contents(copied) == before


def test_a_state_that_does_not_say_its_step_is_refused(copied, capsys):
    path = copied / "coarse" / "run.safetensors"
    save_file(load_file(path), path)
    assert run("coarse", copied) == 2
    assert "found no run.safetensors" in capsys.readouterr().err
