"""Every `python -m train` that a document shows in a block, run in its order on the recipe `tiny`.

A command is made small, not another one: its recipe is `tiny` with fewer steps, what it draws is a
handful, folders of real data are fixtures, and flags that need what no test has are taken off
(`SMALL`, `WITHOUT`). Commands that ask a language model ask a stand-in of a server.
"""

import re
import shlex
import shutil
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest
from shown_commands import training_commands
from stand_in_server import StandIn

from train.__main__ import main
from train.enrich.backends import simulated
from train.enrich.backends.simulated import SimulatedModel
from train.runs import experiment

ROOT = Path(__file__).parents[3]
SMALL = {
    "--config": ["tiny.yaml"],
    "--count": ["30"],
    "--simulated": ["60"],
    "--steps": ["2"],
    "--seeds": ["1"],
    "--encoders": ["untrained-tiny-bert", "untrained-mini-bert"],
    "--models": ["curated"],
    "--limit": ["20"],
    "--second": ["tiny.yaml"],
    "--base-url": ["SERVER"],
}
WITHOUT = {"--processes", "--enrich-python", "--enrich.engine"}
"""Several processes are tests/train/distributed; vLLM is `make test-enrich`."""
ALONE = {"--workers": ["0"]}
"""Nothing is worth a second process here."""
MORE = {
    "pipeline": {"--out": ["runs/pipeline"], **ALONE},
    "coarse": ALONE,
    "evaluate all": {"--simulated": ["20"], "--rounds": ["1"]},
    "evaluate ablation": {"--simulated": ["20"]},
    "evaluate localisation": {"--simulated": ["20"]},
    "merl": {"--width": ["4"], "--batch": ["8"], **ALONE},
    "components": ALONE,
    "experiment": {
        "--config": ["tiny.yaml"],
        "--studies": ["40"],
        "--judged": ["20"],
        "--seeds": ["1"],
    },
    "embedded": {
        "--config": ["tiny.yaml"],
        "--simulated": ["60"],
        "--out": ["runs/embedded"],
        "--target": ["runs/target"],
    },
    "ablation": {"--config": ["tiny.yaml"], "--only": ["base", "fine-0.95"], **ALONE},
    "ruler": {"--simulated": ["60"], "--groups": ["2"], **ALONE},
}
OTHER = {
    "join": {"--shards": ["runs/held-out"]},
    "text": {"--out": ["runs/cluster"]},
    "coarse": {"--out": ["runs/cluster"]},
    "evaluate": {"--dataset": ["ptbxl-super"]},
}
NAMED = {
    "mimic-iv-ecg=DIR": "mimic-iv-ecg=fixture",
    "ptb-xl=DIR": "ptb-xl=DIR/ptb-xl",
    "PTB-XL": "DIR/ptb-xl",
    "$MODEL": "runs/ablation/seed-1/base/coarse/model",
    "runs/ablation/seed-7/base/coarse/model": "runs/ablation/seed-1/base/coarse/model",
    "runs/alone/seed-7/base/coarse/model": "runs/alone/seed-1/base/coarse/model",
    "runs/experiment/runs/seed-7/base/coarse/model": "assets/checkpoint",
    "runs/experiment/runs/seed-7/fine-unstated-0.95/verified": "runs/left-out/verified",
    "runs/experiment/raw": "fixture",
    "runs/one/coarse": "runs/focal/coarse",
    "runs/other/coarse": "runs/tiny/coarse",
    "runs/other": "runs/seeds/seed-1",
    "ONE": "runs/focal/coarse/model",
    "OTHER": "runs/focal/fine/model",
    "S": "runs/focal/data/ptb-xl",
    "...": "runs/focal/data/ptb-xl",
    "C": "runs/candidates",
}
BEFORE = {
    "docs/measurements.md": ["ruler --config ruler --real DIR --out runs/ruler"],
    "docs/training.md": ["data simulated --count 60 --out runs/held-out --split 0 1 0"],
    "docs/tables.md": [
        "data mimic-iv-ecg fixture --out runs/left-out",
        "enrich --shards runs/left-out --backend curated --out runs/left-out/candidates",
        "verify --checkpoint assets/checkpoint --shards runs/left-out --candidates "
        "runs/left-out/candidates --threshold 0.5 --out runs/left-out/verified",
    ],
}
"""What a document takes from another one, or from its reader."""
ELSEWHERE = {
    "README.md": r"data|pipeline|evaluate all|tables|delineator",
    "docs/measurements.md": "delineator",
}
"""Left out of a document: docs/tables.md has the pipeline of `focal`, and evaluates and renders
another checkpoint; that of `tiny` runs as it stands (test_documented_run.py); LUDB, from which a
delineator learns, is no fixture (tests/train/delineate)."""
ROWS = {
    "docs/tables.md": [
        *("untrained-mini-bert", "untrained-mini-bert coarse", "curated"),
        *("few-merl: original reports", "few-merl-enriched: enriched reports"),
        "few-merl-enriched less few-merl",
    ]
}
"""Rows of tables that a document's commands print."""


def shown(document: str) -> list[str]:
    """The commands of a document's blocks, lines that go on joined, variables of its shell read."""
    text = (ROOT / document).read_text(encoding="utf-8")
    for name, value in re.findall(r"^ {4}(\w+)=(runs\S*)$", text, re.M):
        text = text.replace(f"${name}/", f"{value}/")
    return list(dict.fromkeys([*BEFORE.get(document, ()), *training_commands(text)]))


def flags(words: Sequence[str]) -> Iterator[list[str]]:
    """The words of a command, each flag with what it is given."""
    part: list[str] = []
    for word in words:
        if word.startswith("--"):
            yield part
            part = []
        part.append(word)
    yield part


def small(line: str) -> list[str]:
    """The same command, of a size for a test."""
    first, *given = flags([NAMED.get(word, word) for word in shlex.split(line, comments=True)])
    found = list(first)
    for flag, *values in given:
        smaller = {**SMALL, **OTHER.get(first[0], {})}
        found += [] if flag in WITHOUT else [flag, *smaller.get(flag, values)]
    for flag, values in (MORE.get(first[0]) or MORE.get(" ".join(first[:2]), {})).items():
        without_effect = flag == "--groups" and "--final" in found
        found += [] if flag in found or without_effect else [flag, *values]
    return found


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory, shards) -> Path:
    """A checkpoint whose tag encoder is that of the recipe."""
    folder = tmp_path_factory.mktemp("checkpoint")
    few = "--config tiny --set coarse.steps=2 --set tuning.steps=2 --workers 0"
    assert main(["coarse", "--shards", str(shards), "--out", str(folder), *shlex.split(few)]) == 0
    return folder / "coarse" / "model"


@pytest.fixture
def folder(tmp_path, monkeypatch, ptbxl, checkpoint):
    """An empty folder but for the data that the documents speak of."""
    monkeypatch.chdir(tmp_path)
    for module in (experiment, simulated):  # where it is looked up when a command runs
        monkeypatch.setattr(module, "SimulatedModel", partial(SimulatedModel, recordings=200))
    Path("DIR").symlink_to(ptbxl)
    shutil.copytree(checkpoint, "assets/checkpoint")
    recipe = (ROOT / "train/recipes/tiny.yaml").read_text(encoding="utf-8")
    for line, value in {"seed": 1, "steps": 2, "batch": 4}.items():
        recipe = re.sub(rf"\b{line}: \d+", f"{line}: {value}", recipe)
    Path("tiny.yaml").write_text(recipe)
    assert main(["data", "mimic-fixture", "--out", "fixture", "--count", "40"]) == 0


DOCUMENTS = [
    str(path.relative_to(ROOT))
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    if shown(str(path.relative_to(ROOT)))
]


@pytest.mark.slow
@pytest.mark.usefixtures("stages_here", "folder")
@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_commands_of_a_document_run_one_after_the_other(document, capsys):
    with StandIn() as server:
        for line in shown(document):
            words = [server.url if word == "SERVER" else word for word in small(line)]
            if not re.match(ELSEWHERE.get(document, "$"), line):
                assert main(words) == 0, line
    told = capsys.readouterr().out
    assert not [row for row in ROWS.get(document, ()) if f"| {row} |" not in told]
