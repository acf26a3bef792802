"""An ablation changes one choice at a time, and trains what it names."""

from dataclasses import asdict

import pytest
import yaml

from focal_app.model.focal import Focal
from train.__main__ import main
from train.recipe import load_recipe
from train.runs.ablation import VARIANTS, Variants, commands

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
    assert command[:3] == ["-m", "train", "coarse"]


@pytest.mark.slow
def test_variants_are_trained_and_verified(recipe, tmp_path):
    drawn, out = tmp_path / "drawn", tmp_path / "out"
    halves = ["--split", "0.5", "0.5", "0"]
    assert main(["data", "simulated", "--count", "90", *halves, "--out", str(drawn)]) == 0
    given = ["--shards", str(drawn)]
    candidates = str(tmp_path / "candidates")
    assert main(["enrich", *given, "--backend", "curated", "--out", candidates]) == 0
    ablation = ["ablation", "--config", str(recipe), *given, "--out", str(out)]
    chosen = ["base", "global", "fine-plain", "fine-unverified"]
    assert main([*ablation, "--candidates", candidates, "--only", *chosen]) == 0
    assert Focal.load(out / "global" / "coarse" / "model").config.alignment == "global"
    assert not (out / "fine-plain" / "verified").exists()
    used = (out / "fine-unverified" / "fine" / "used.json").read_text()
    assert '"verified_features": 0' not in used
    for name in ("fine-plain", "fine-unverified"):
        assert (out / name / "fine" / "model" / "config.json").is_file()


@pytest.mark.parametrize(
    ("names", "said"), [(["magic"], "no variant magic"), (["fine-plain"], "--candidates")]
)
def test_what_cannot_be_trained_is_one_clear_line(names, said, recipe, shards, tmp_path, capsys):
    asked = ["ablation", "--config", str(recipe), "--shards", str(shards), "--out", str(tmp_path)]
    assert main([*asked, "--only", *names]) == 2
    assert said in capsys.readouterr().err
