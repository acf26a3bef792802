"""The whole way on an archive in MIMIC-IV-ECG's shape, whose reports keep silent about a feature.

It goes on from the embedded checkpoint's first encoder, so that a few steps are enough. Training on
reports that never mention wide QRS complexes unlearns them; verified features bring them back,
which the same steps without them do not. The coarse stage is short: what it has unlearnt before it
verifies is not verified.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.metrics import average_precision_score, log_loss, roc_auc_score

from focal_app.explore.reading.explorer import EMBEDDED
from focal_app.model.focal import Focal
from train.__main__ import main
from train.data.prepared import PreparedStore
from train.data.shards import Shards
from train.data.verified_files import read_verified
from train.recipe import load_recipe
from train.runs.pipeline import commands
from train.runs.plan import Plan, Whole

FEATURE = "wide QRS complex"
STATES = (
    "normal ECG",
    "complete right bundle branch block",
    "complete left bundle branch block",
    "incomplete right bundle branch block",
    "left anterior fascicular block",
    "nonspecific intraventricular conduction delay",
)
STAGE = "batch: 8, learning_rate: 1.0e-3, average: 0, augment: false, freeze_text: true"
RECIPE = f"""
seed: 3
objective: {{routing: cross, targets: lexicon}}
data: {{keep_prepared: true}}
coarse: {{steps: 5, {STAGE}}}
fine: {{steps: 100, {STAGE}}}
"""


def run(*arguments: str | Path | int) -> None:
    assert main([str(argument) for argument in arguments]) == 0


def sources(archive: Path) -> tuple[Path, Path]:
    return archive / "mimic", archive / "simulated"


def training(out: Path, archive: Path) -> tuple[str | Path | int, ...]:
    """What every training of a run is told, up to the folder that it writes."""
    data = ("--shards", *sources(archive), "--weight", "simulated=0.1", "--workers", 0)
    return ("--config", out / "recipe.yaml", *data, "--out")


@dataclass(frozen=True)
class Found:
    """How well a model finds the feature in recordings that no stage saw."""

    auc: float
    precision: float
    loss: float


@pytest.fixture(scope="module")
def archive(tmp_path_factory) -> Path:
    """Reports without the feature, simulated recordings with it, and recordings to judge on."""
    folder = tmp_path_factory.mktemp("archive")
    left_out = ("--left-out", FEATURE, "--states", *STATES)
    alone = ("--workers", 1)
    run("data", "mimic-fixture", "--out", folder / "raw", "--count", 400, *left_out, *alone)
    run("data", "mimic-iv-ecg", folder / "raw", "--out", folder / "mimic", *alone)
    simulated = ("data", "simulated", *alone, "--count")
    run(*simulated, 240, "--out", folder / "simulated", "--split", 0.4, 0.6, 0)
    run(*simulated, 300, "--seed", 9, "--out", folder / "judged", "--split", 0, 0, 1)
    return folder


@pytest.fixture(scope="module")
def first_encoder(tmp_path_factory) -> Path:
    """The embedded checkpoint without its second encoder, which would double every step."""
    joined, folder = Focal.load(EMBEDDED), tmp_path_factory.mktemp("first")
    alone = Focal(replace(joined.config, shares=(1.0,)), joined.text)
    weights = joined.state_dict().items()
    alone.load_state_dict({name: one for name, one in weights if not name.startswith("others.")})
    alone.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def finished(archive, first_encoder, tmp_path_factory) -> Path:
    """The run: every stage by its command."""
    out = tmp_path_factory.mktemp("run")
    (out / "recipe.yaml").write_text(RECIPE)
    data, train = ("--shards", *sources(archive)), training(out, archive)
    run("coarse", *train, out, "--start", first_encoder)
    run("enrich", *data, "--backend", "curated", "--out", out / "candidates")
    verify = ("verify", "--checkpoint", out / "coarse" / "model", *data, "--threshold", 0.6)
    verify += ("--prepared", out / "prepared")
    run(*verify, "--candidates", out / "candidates", "--out", out / "verified")
    run("fine", *train, out)
    run("push", "model", out / "fine" / "model", "--dry-run", out / "hub")
    return out


@pytest.fixture(scope="module")
def control(finished, archive) -> Path:
    """The same coarse model, and fine training without verified features."""
    out = finished / "control"
    out.mkdir()
    for made in ("coarse", "prepared"):
        (out / made).symlink_to(finished / made)
    run("fine", *training(finished, archive), out, "--without-verified")
    return out


def judged(model: Path, shards: Shards) -> Found:
    focal, scores = Focal.load(model), []
    tag = focal.encode_tags([FEATURE])
    kept = PreparedStore.make(shards, focal.config.signal, shards.folder / "prepared", workers=0)
    for rows in np.array_split(np.arange(len(shards)), 10):
        read = [kept[row] for row in rows.tolist()]
        signals, seen = (torch.from_numpy(np.stack(part)) for part in zip(*read, strict=True))
        with torch.inference_mode():
            patches = focal.encode_ecg(signals.float(), seen)
            similarity, _ = focal.route(patches, tag, seen.flatten(1))
            scores += focal.probability(similarity)[:, 0].tolist()
    truth = np.array([FEATURE in tags for tags in shards.tags])
    return Found(
        float(roc_auc_score(truth, scores)),
        float(average_precision_score(truth, scores)),
        float(log_loss(truth, scores)),
    )


@pytest.mark.slow
def test_what_would_be_pushed_loads_as_a_model(finished):
    assert Focal.load(finished / "hub").config == Focal.load(finished / "fine" / "model").config


@pytest.mark.slow
def test_verified_features_keep_what_the_reports_leave_out_from_being_unlearnt(
    finished, control, archive
):
    """Equal steps without them forget it; how far they lift a model above its start differs."""
    shards = Shards.open(archive / "judged")
    coarse = judged(finished / "coarse" / "model", shards)
    fine = judged(finished / "fine" / "model", shards)
    without = judged(control / "fine" / "model", shards)
    print(f"{coarse=}\n{fine=}\n{without=}")
    assert fine.loss < without.loss - 0.02
    assert fine.auc > without.auc + 0.02 and fine.precision > without.precision + 0.1
    assert fine.auc > coarse.auc - 0.02


@pytest.mark.slow
def test_the_feature_is_in_no_report_and_in_what_was_verified(finished, archive):
    reports = Shards.open(archive / "mimic")
    assert not any(FEATURE in tags for tags in reports.tags)
    accepted = read_verified(finished / "verified")
    found = [key for key in reports.keys if FEATURE in accepted.get(key, ())]
    assert len(found) >= 20


def test_the_pipeline_is_its_stages_in_turn(tmp_path):
    recipe = load_recipe("focal")
    sources = ("mimic-iv-ecg=raw", "simulated=100")
    plan = Plan(recipe=recipe, whole=Whole(source=sources, out=tmp_path, processes=4))
    made = [command.arguments for command in commands(plan)]
    stages = [words[words.index("train") + 1] for words in made]
    first = ["data", "data", "text", "prepare"]
    assert stages == [*first, "coarse", "enrich", "verify", "fine", "push"]
    several = [stage for stage, words in zip(stages, made, strict=True) if _processes(words) == "4"]
    assert several == ["coarse", "verify", "fine"]


def _processes(words: list[str]) -> str | None:
    """How many processes torchrun starts for a command."""
    flag = "--nproc_per_node"
    return words[words.index(flag) + 1] if flag in words else None
