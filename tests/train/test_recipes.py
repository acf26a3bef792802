"""Claims about recipes: every choice in one file that validates itself."""

from pathlib import Path

import pytest

from focal_app.ecg.signal_spec import SignalSpec
from focal_app.errors import ConfigError
from focal_app.model.config import EncoderConfig
from focal_app.strict_yaml import parsed
from train.recipe import (
    RECIPES,
    EnrichmentConfig,
    ObjectiveConfig,
    Recipe,
    StageConfig,
    TextTuning,
    load_recipe,
    save_recipe,
)
from train.runs.recipe_lines import parsed_changes
from train.runs.training import steps_of


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
    recipe = load_recipe(written(tmp_path, "data: {weights: [simulated=0.9]}\n"))
    assert recipe.data.weights == ("simulated=0.9",)


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
        ("tau: 1\ntau: 2\n", "found tau twice"),
        (f"tau: {'9' * 400}\n", "a number that is too large"),
        (f"a: {'[' * 100_000}\n", "nested too deeply"),
        ("coarse: {steps: many}\n", r"coarse\.steps: found 'many'; needed a whole number"),
        ("coarse: {steps: 1.5}\n", r"coarse\.steps"),
        ("coarse: {bf16: 1}\n", r"coarse\.bf16"),
        ("coarse: {batch: 0}\n", r"coarse\.batch"),
        ("coarse: {learning_rate: true}\n", "learning_rate"),
        ("data: {weights: 7}\n", "weights"),
        ("data: {rarity: 0}\n", "rarity"),
        ("coarse: {steps: 3, epochs: 2}\n", r"coarse\.steps.*one of them"),
        ("coarse: {steps: 3, section: 2}\n", r"coarse\.section"),
        ("coarse: {steps: 3, section: 20, section_share: 0.5}\n", r"coarse\.section"),
        ("coarse: {steps: 3, freeze_text: true, frozen_layers: 2}\n", "frozen_layers"),
        ("tuning: {steps: 0, names: 2}\n", "tuning"),
        ("coarse: {steps: 3, frozen_embeddings: false}\n", "frozen_embeddings"),
        ("coarse: {steps: 3, decayed: everything, weight_decay: 0}\n", "decayed"),
        ("coarse: {steps: 3, keep: best}\n", r"coarse\.keep.*judged 0"),
        ("coarse: {steps: 3, keep: first}\n", "one of last, best"),
        ("objective: {free_words: cosine, targets: identity}\n", "free_words"),
        ("objective: {free_words: cosine, ask_over: lexicon}\n", "free_words"),
        ("objective: {hedged: 1.5}\n", "hedged"),
        ("objective: {hedged: 0.5}\ndata: {tagging: commas}\n", r"objective\.hedged"),
        ("data: {tagging: words}\n", "one of curated, commas"),
        (
            "enrichment: {score: cosine}\n",
            "one of auto, candidate, unstated, ",
        ),
        ("text: {head: deep}\n", "one of linear, mlp"),
        ("encoder: {head_bias: 3}\n", "head_bias"),
        (
            "encoder: {record_path: true}\nsignal: {sampling_rate_hz: 250, window_samples: 250}\n",
            "record_path: found true, and signal.sampling_rate_hz 250; needed a multiple of 100",
        ),
        ("tau: -1\n", "tau"),
        ("epsilon: .nan\n", "epsilon"),
    ],
)
def test_what_is_unknown_or_out_of_range_is_refused(tmp_path, text, said):
    with pytest.raises(ConfigError, match=said):
        load_recipe(written(tmp_path, text))


OF_GLOBAL = "recipe.tau: found 2.0, which nothing reads beside alignment global; leave it out"
BALANCED = "objective: {routing: %s, targets: online}\nalignment: balanced-ot\n"
WITHOUT_EFFECT = (
    ("alignment: global\ntau: 2.0\n", OF_GLOBAL),
    ("alignment: cross-attention\nepsilon: 0.2\n", "epsilon: found 0.2"),
    (BALANCED % "own" + "tau: 1.0\n", "tau: found 1.0, which nothing reads"),
    (BALANCED % "cross" + "epsilon: 0.2\n", "balanced-ot and objective.routing cross"),
    ("augmentation: {dropout: 0, dropped_leads: 2}\n", "dropped_leads: found 2"),
    ("enrichment: {backend: curated, model: my/own}\n", "model: found my/own"),
    ("enrichment: {model: my/own}\n", "beside enrichment.backend curated"),
    ("enrichment: {free_text: scored}\n", "free_text: found scored, which nothing reads"),
    ("alignment: global\nobjective: {place_weight: 5}\n", "place_weight: found 5"),
    ("alignment: balanced-ot\nobjective: {place_weight: 5}\n", "beside alignment balanced-ot"),
)
"""Lines that nothing reads beside others, their defaults among them."""


@pytest.mark.parametrize(("text", "said"), WITHOUT_EFFECT)
def test_a_stated_line_without_effect_is_refused_by_name(text, said, tmp_path):
    with pytest.raises(ConfigError) as refused:
        load_recipe(written(tmp_path, text))
    assert said in str(refused.value)
    with pytest.raises(ConfigError) as refused:
        load_recipe("tiny", changes=parsed(text))
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("tau: 2.0\nepsilon: 0.2\n", {"alignment": "global"}),
        ("augmentation: {dropped_leads: 3}\n", {"augmentation.dropout": 0}),
        ("enrichment: {backend: ray, model: my/own}\n", {"enrichment": {"backend": "curated"}}),
        (BALANCED % "own" + "epsilon: 0.2\n", {"objective": {"routing": "cross"}}),
        ("alignment: global\n", {}),
        ("augmentation: {dropout: 0}\n", {}),
    ],
)
def test_a_line_that_is_inherited_or_not_stated_may_be_without_effect(text, changes, tmp_path):
    recipe = load_recipe(written(tmp_path, text), changes=changes)
    save_recipe(recipe, tmp_path / "whole.yaml")
    assert load_recipe(tmp_path / "whole.yaml") == recipe


def test_a_line_whose_effect_an_option_decides_is_left_to_it(tmp_path):
    file = written(tmp_path, "enrichment: {model: my/own}\n")
    assert load_recipe(file, decided=("enrichment.backend",)).enrichment.model == "my/own"


def test_s_under_dropout_is_refused_where_the_tag_encoder_is_fixed():
    fixed = {"coarse.freeze_text": True, "fine.freeze_text": True}
    layers = {"coarse.frozen_layers": 0, "fine.frozen_layers": 0}
    embeddings = {"coarse.frozen_embeddings": True, "fine.frozen_embeddings": True}
    with pytest.raises(ConfigError, match="online-dropout, and freeze_text"):
        load_recipe("paper", changes={**fixed, **layers, **embeddings})


@pytest.mark.parametrize("name", ("absent", "absent.yaml"))
def test_a_recipe_that_is_not_there_is_refused_with_those_that_are(name):
    with pytest.raises(ConfigError, match="embedded"):
        load_recipe(name)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: StageConfig(batch=0), "batch: found 0; needed at least 1"),
        (lambda: StageConfig(), "steps: found 0 and 0 epochs; needed one of them"),
        (
            lambda: StageConfig(steps=1, batch=6, accumulate=4),
            "accumulate: found 4; needed a divisor",
        ),
        (lambda: StageConfig(average=1.0), "average: found 1.0; needed 0 to less than 1"),
        (lambda: ObjectiveConfig(routing="both"), "found 'both'; needed one of own, cross"),
        (lambda: EnrichmentConfig(threshold=1), "found 1; needed between 0 and 1"),
        (lambda: EnrichmentConfig(backend="gpt"), "needed one of curated, server, vllm, ray"),
        (lambda: TextTuning(names=0), "names: found 0; needed at least 1"),
        (lambda: Recipe("mine", alignment="none"), "alignment: found 'none'; needed one of semi"),
        (lambda: Recipe("mine", epsilon=float("nan")), "epsilon: found nan"),
        (lambda: Recipe("mine", coarse={"batch": 1}), "coarse: found {'batch': 1}"),
        (
            lambda: StageConfig(steps=3, section=5, section_share=0.1),
            "section_share: found 0.1 of 3 steps; needed one step",
        ),
        (
            lambda: Recipe("mine", coarse=StageConfig(steps=9, section=10, section_share=0.5)),
            "coarse.section: found 10; needed less than 10 windows",
        ),
        (
            lambda: Recipe("mine", signal=SignalSpec(normalisation="record-minmax")),
            "signal.normalisation: found record-minmax, which keeps no 0 at the baseline",
        ),
    ],
)
def test_an_object_is_checked_when_it_is_made(make, said):
    with pytest.raises(ConfigError) as refused:
        make()
    assert said in str(refused.value)


def test_a_file_says_the_same_with_the_whole_place(tmp_path):
    with pytest.raises(ConfigError) as refused:
        load_recipe(written(tmp_path, "coarse: {batch: 0}\n"))
    assert str(refused.value) == "recipe.coarse.batch: found 0; needed at least 1"


def test_values_are_changed_by_their_place_and_typed_through_the_recipe():
    given = ["coarse.batch=32", "coarse.learning_rate=1e-4", "coarse.bf16=false", "name=mine"]
    given += ["data.weights=[simulated=0.9]"]
    made, base = load_recipe("embedded", changes=parsed_changes(given)), load_recipe("embedded")
    assert (made.coarse.batch, made.coarse.learning_rate, made.coarse.bf16) == (32, 1e-4, False)
    assert (made.name, made.data.weights) == ("mine", ("simulated=0.9",))
    assert (made.coarse.steps, made.encoder) == (base.coarse.steps, base.encoder)


def test_a_part_of_a_recipe_changes_it_as_a_place_does():
    part = load_recipe("embedded", changes={"objective": {"chunk": 9}, "tau": 1})
    assert part == load_recipe("embedded", changes={"objective.chunk": 9, "tau": 1})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            "coarse.btach=3",
            "recipe.coarse: found unknown btach; known: accumulate, augment, average",
        ),
        ("coarse.batch=many", "recipe.coarse.batch: found 'many'; needed a whole number"),
        ("coarse.batch.x=3", "recipe.coarse.batch: found {'x': 3}; needed a whole number"),
        ("coarse=3", "recipe.coarse: found 3; needed names and values"),
        ("coarse.batch", "needed NAME=VALUE"),
    ],
)
def test_a_change_that_cannot_be_is_refused(change, said):
    with pytest.raises(ConfigError) as refused:
        load_recipe("embedded", changes=parsed_changes([change]))
    assert said in str(refused.value)


@pytest.mark.parametrize("name", ("embedded", "paper"))
def test_a_saved_recipe_is_the_same_recipe(name, tmp_path):
    recipe = load_recipe(name)
    save_recipe(recipe, tmp_path / f"{name}.yaml")
    assert load_recipe(tmp_path / f"{name}.yaml") == recipe


@pytest.mark.parametrize("name", sorted(file.stem for file in RECIPES.glob("*.yaml")))
def test_every_recipe_of_the_package_trains_more_than_no_step(name):
    recipe = load_recipe(name)
    for stage in (recipe.coarse, recipe.fine):
        assert steps_of(stage, records=1000, processes=8) > 0
    assert steps_of(StageConfig(epochs=3.0, batch=10), records=101, processes=2) == 16


def test_a_written_recipe_that_was_cut_is_refused_wherever_it_was(tmp_path):
    path = tmp_path / "recipe.yaml"
    save_recipe(load_recipe("tiny"), path)
    lines = path.read_text().splitlines(keepends=True)
    for end in range(1, len(lines)):
        path.write_text("".join(lines[:end]))
        with pytest.raises(ConfigError):
            load_recipe(path)
