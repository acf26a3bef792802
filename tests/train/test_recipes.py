"""Claims about recipes: every choice in one file that validates itself."""

from pathlib import Path

import pytest

from focal_app.errors import ConfigError
from focal_app.model.config import EncoderConfig
from train.recipe import RECIPES, Recipe, load_recipe


def written(folder: Path, text: str) -> Path:
    (folder / "mine.yaml").write_text(text)
    return folder / "mine.yaml"


@pytest.mark.parametrize("name", sorted(file.stem for file in RECIPES.glob("*.yaml")))
def test_every_recipe_of_the_package_loads_under_its_name(name):
    assert load_recipe(name).name == name


def test_a_file_overrides_the_defaults_part_by_part(tmp_path):
    recipe = load_recipe(written(tmp_path, "encoder: {width: 64, heads: 4}\ntau: 0.2\n"))
    assert recipe.name == "mine"
    assert recipe.encoder == EncoderConfig(width=64, heads=4)
    assert recipe == Recipe(name="mine", encoder=EncoderConfig(width=64, heads=4), tau=0.2)


def test_a_list_becomes_a_tuple(tmp_path):
    recipe = load_recipe(written(tmp_path, "data: {held_out_folds: [9, 10]}\n"))
    assert recipe.data.held_out_folds == (9, 10)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("colour: red\n", "recipe: found unknown.*colour"),
        ("encoder: {colour: red}\n", r"recipe\.encoder: found unknown.*colour"),
        ("signal: {normalisation: loud}\n", "loud"),
        ("encoder: {width: 10, heads: 3}\n", "divide"),
        ("text: {pooling: max}\n", "max"),
        ("", "needed names and values"),
        ("- 1\n", "needed names and values"),
        ("encoder:\n", r"recipe\.encoder: found None"),
        ("a: [\n", "mine.yaml is not a YAML file"),
        ("coarse: {steps: many}\n", r"coarse\.steps: found 'many'; needed int"),
        ("coarse: {steps: 1.5}\n", r"coarse\.steps"),
        ("coarse: {bf16: 1}\n", r"coarse\.bf16"),
        ("coarse: {batch: 0}\n", r"coarse\.batch"),
        ("coarse: {learning_rate: true}\n", "learning_rate"),
        ("data: {held_out_folds: 7}\n", "held_out_folds"),
        ("data: {real_share: 3}\n", "real_share"),
        ("tau: -1\n", "tau"),
        ("epsilon: .nan\n", "epsilon"),
    ],
)
def test_what_is_unknown_or_out_of_range_is_refused(tmp_path, text, said):
    with pytest.raises(ConfigError, match=said):
        load_recipe(written(tmp_path, text))


@pytest.mark.parametrize("name", ("absent", "absent.yaml"))
def test_a_recipe_that_is_not_there_is_refused_with_those_that_are(name):
    with pytest.raises(ConfigError, match="embedded"):
        load_recipe(name)
