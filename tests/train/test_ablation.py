"""An ablation changes one choice at a time, and trains what it names."""

import json
from dataclasses import asdict, replace

import pytest
import yaml

from focal_app.errors import ConfigError
from focal_app.model.focal import Focal
from train.__main__ import main
from train.benchmark.comparison import checkpoints_of
from train.recipe import load_recipe, save_recipe
from train.runs.ablation import VARIANTS, check, commands, whole_length
from train.runs.ablation_plan import Variants
from train.runs.recipe_lines import parsed_changes

KNOWN = yaml.safe_load(VARIANTS.read_text())
RECIPE = """
signal: {{normalisation: millivolt}}
encoder: {{width: 16, depth: 1, heads: 2, stem: linear, dropout: 0}}
text: {{name: {text}, pooling: mean, max_tokens: 16}}
tuning: {{steps: 0}}
coarse: {{steps: 3, batch: 4, bf16: false, freeze_text: true}}
fine: {{steps: 2, batch: 4, bf16: false, freeze_text: true}}
embed_dim: 8
tau: 0.1
"""
ALONE = ("--workers", "0")
"""Processes that read ahead start more slowly than a few steps are trained."""


@pytest.fixture
def recipe(text, tmp_path):
    path = tmp_path / "tiny.yaml"
    path.write_text(RECIPE.format(text=text))
    return path


def flat(values: dict, before: str = "") -> dict:
    """Values by their path."""
    made = {}
    for key, value in values.items():
        inner = value if isinstance(value, dict) else None
        made |= flat(inner, f"{before}{key}.") if inner else {before + key: value}
    return made


@pytest.mark.parametrize("name", KNOWN["coarse"])
def test_a_variant_is_the_recipe_but_for_what_it_names(name, recipe, shards, tmp_path):
    plan = Variants(config=str(recipe), out=tmp_path / "out", shards=(shards,), names=(name,))
    [command] = commands(plan)
    made, base = load_recipe(tmp_path / "out" / f"{name}.yaml"), load_recipe(recipe)
    one, other = flat(asdict(made)), flat(asdict(base))
    differs = {path: value for path, value in one.items() if other[path] != value}
    wanted = {path: v for path, v in flat(KNOWN["coarse"][name]).items() if other[path] != v}
    assert differs == {**wanted, "name": name}
    assert command.arguments[:3] == ["-m", "train", "coarse"]


@pytest.mark.slow
@pytest.mark.usefixtures("stages_here")
def test_variants_are_trained_and_verified(recipe, tmp_path):
    drawn, out = tmp_path / "drawn", tmp_path / "out"
    halves = ["--split", "0.5", "0.5", "0"]
    alone = ["--workers", "1"]
    assert main(["data", "simulated", "--count", "90", *halves, *alone, "--out", str(drawn)]) == 0
    given = ["--shards", str(drawn)]
    candidates = str(tmp_path / "candidates")
    assert main(["enrich", *given, "--backend", "curated", "--out", candidates]) == 0
    ablation = ["ablation", "--config", str(recipe), *given, *ALONE, "--out", str(out)]
    chosen = ["base", "global", "fine-plain", "fine-unverified"]
    assert main([*ablation, "--candidates", candidates, "--only", *chosen]) == 0
    assert Focal.load(out / "global" / "coarse" / "model").config.alignment == "global"
    assert not (out / "fine-plain" / "verified").exists()
    used = json.loads((out / "fine-unverified" / "fine" / "used.json").read_text())
    assert used["verified_features"] > 0
    assert used["start"] == "base/coarse/model"
    assert json.loads((out / "base" / "coarse" / "used.json").read_text())["start"] is None
    for name in ("fine-plain", "fine-unverified"):
        assert (out / name / "fine" / "model" / "config.json").is_file()


@pytest.mark.usefixtures("stages_here")
def test_every_seed_trains_what_one_would_and_shares_what_it_can(recipe, shards, tmp_path):
    out = tmp_path / "out"
    settings = ["objective.place_weight=0", "data.keep_prepared=true"]
    kept = tmp_path / "kept.yaml"
    save_recipe(load_recipe(recipe, changes=parsed_changes(settings)), kept)
    given = ["--shards", str(shards), *ALONE]
    ablation = ["ablation", "--config", str(kept), *given, "--out", str(out)]
    assert main([*ablation, "--only", "base", "fine-plain", "--seeds", "3", "4"]) == 0
    found = checkpoints_of(out)
    assert sorted(found) == [f"{n}, seed {s}" for n in ("base coarse", "fine-plain") for s in "34"]
    weights = [Focal.load(found[f"base coarse, seed {seed}"]).fingerprint() for seed in (3, 4)]
    assert weights[0] != weights[1]
    assert len(list((out / "prepared").iterdir())) == 1
    assert load_recipe(out / "seed-4" / "base" / "coarse" / "recipe.yaml").seed == 4
    alone = Variants(config=str(kept), out=out, shards=(shards,), names=("fine-plain",))
    check(replace(alone, seeds=(3, 4)))
    with pytest.raises(ConfigError, match="found fine-plain without base"):
        check(replace(alone, seeds=(3, 5)))


def test_a_variant_that_changes_nothing_is_refused_before_any_is_trained(recipe, shards, tmp_path):
    recipe.write_text(recipe.read_text().replace("tau: 0.1", "alignment: global"))
    given = {"config": str(recipe), "out": tmp_path / "out", "shards": (shards,)}
    with pytest.raises(ConfigError, match=r"variant tau-1: recipe\.tau: found 1\.0, which nothing"):
        check(Variants(**given, names=("base", "tau-1")))
    check(Variants(**given, names=("base", "s-online")))


@pytest.mark.parametrize(
    ("weight", "folders", "said"),
    [
        ("x=1", 1, "without effect on one folder"),
        ("x=0.5", 2, "a weight for x, which is no source"),
    ],
)
def test_weights_are_looked_at_before_anything_is_trained(
    weight, folders, said, recipe, shards, tmp_path
):
    given = {"config": str(recipe), "out": tmp_path / "out", "shards": (shards,) * folders}
    with pytest.raises(ConfigError, match=said):
        check(Variants(**given, weight=(weight,), names=("base",)))


def test_scratch_is_as_long_as_coarse_and_fine_together(recipe, shards, tmp_path):
    right = tmp_path / "right"
    given = {"config": str(recipe), "out": tmp_path / "out", "shards": (shards,)}
    plan = Variants(**given, candidates=right, names=("from-scratch-0.80", "fine-right"))
    with pytest.raises(ConfigError, match="no --right, which fine-right needs"):
        check(plan)
    plan = Variants(**given, right=right, names=("fine-right", "from-scratch-right"))
    fine, scratch = (one.arguments for one in commands(plan))
    assert fine[-4:-2] == scratch[-2:] == ["--verified", str(right)]
    control = next(commands(Variants(**given, names=("from-scratch-plain",)))).arguments
    assert control[2] == "coarse" and "verified" not in " ".join(control)
    recipe = load_recipe(tmp_path / "out" / "fine-right.yaml")
    assert whole_length(recipe) == {"coarse.steps": recipe.coarse.steps + recipe.fine.steps}


@pytest.mark.parametrize(
    ("names", "given", "said"),
    [
        (["magic"], [], "no variant magic"),
        (["base", "fine-0.80"], ["--right", "x"], "no --candidates, which fine-0.80 needs"),
        (["fine-plain", "from-scratch-0.80"], [], "fine-plain, from-scratch-0.80 without base"),
        (["base", "global-fine-plain"], [], "found global-fine-plain without global"),
        (["base", "fine-plain"], ["--candidates", "x"], "--candidates, without effect on base"),
        (["base", "fine-plain"], ["--right", "x"], "--right, without effect on base, fine-plain"),
        (
            ["fine-plain"],
            ["--text", "x", "--config", "focal-small"],
            "--text, without effect on fine",
        ),
    ],
)
def test_what_cannot_be_trained_is_one_clear_line(
    names, given, said, recipe, shards, tmp_path, capsys
):
    out = tmp_path / "out"
    asked = ["ablation", "--config", str(recipe), "--shards", str(shards), "--out", str(out)]
    assert main([*asked, "--only", *names, *given]) == 2
    assert said in capsys.readouterr().err
    assert not out.exists()


def test_all_that_is_missing_is_said_at_once_and_nothing_is_begun(recipe, tmp_path, capsys):
    out, cut = tmp_path / "out", tmp_path / "cut-off"
    cut.mkdir()
    (cut / "manifest.json").write_text("{")
    given = [f"--{one}={tmp_path / one}" for one in ("shards", "candidates", "right")]
    asked = ["ablation", "--config", str(recipe), *given, "--shards", str(cut), "--out", str(out)]
    assert main([*asked, "--only", "fine-0.80", "fine-right", "magic"]) == 2
    said = capsys.readouterr().err
    for one in (
        "no manifest.json in 'shards'",
        "manifest.json of 'cut-off' cannot be read",
        "no report.json in 'candidates'",
        "no finished verification in 'right'",
        "no variant magic",
    ):
        assert one in said
    assert not out.exists()
