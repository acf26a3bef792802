"""Which lines of a recipe a stage reads: held against what it reads while it runs."""

import dataclasses
import sys
from types import SimpleNamespace

import pytest

from focal_app.ecg.signal_spec import SignalSpec
from focal_app.errors import ConfigError
from focal_app.model.focal import Focal
from train.recipe import Recipe, by_place, load_recipe
from train.runs import recipe_lines
from train.runs.commands import training
from train.runs.commands.common import Workers
from train.runs.plan import EnrichOptions, Plan, Whole
from train.runs.training import (
    Pace,
    Reports,
    say_what_a_start_decides,
    train_coarse,
    train_fine,
)

EVERY = recipe_lines.lines(*(field.name for field in dataclasses.fields(Recipe)))


def of_both(**values):
    """Lines of the coarse and of the fine stage."""
    return {f"{stage}.{name}": one for stage in ("coarse", "fine") for name, one in values.items()}


SMALL = {
    "encoder": {"width": 16, "depth": 1, "heads": 2, "dropout": 0},
    "tuning.steps": 2,
    "data.keep_prepared": True,
    "embed_dim": 8,
    **of_both(steps=1, epochs=0, batch=4, bf16=False, compile=False),
}
READ_BY_ANY = {
    **SMALL,
    "augmentation.dropout": 1.0,
    **of_both(steps=0, epochs=1, section=5, section_share=0.5),
    **of_both(freeze_text=False, frozen_layers=1, frozen_embeddings=True),
}
"""A recipe that makes no line idle."""


def noting(part, read, place=""):
    """A part of a recipe that notes which lines are read, other than to copy or hash all of it."""
    kind = type(part)

    def noted(self, name):
        if sys._getframe(1).f_globals["__name__"] != "dataclasses":
            read.add(f"{place}{name}")
        return kind.__getattribute__(self, name)

    # Made without the checks of a recipe, which read every line.
    own = {"__getattribute__": noted, "__post_init__": lambda self: None}
    values = {field.name: getattr(part, field.name) for field in dataclasses.fields(part)}
    for name, value in values.items():
        if dataclasses.is_dataclass(value):
            values[name] = noting(value, read, f"{place}{name}.")
    return type(kind.__name__, (kind,), own)(**values)


def test_a_stage_reads_every_line_that_it_is_said_to_read_and_no_other(
    shards, text, tmp_path, caplog
):
    plain = load_recipe("tiny", changes={**READ_BY_ANY, "text.name": str(text)})
    read = set()
    recipe, reports, pace = noting(plain, read), Reports((shards,)), Pace(workers=0)
    chosen, one = SimpleNamespace(load=lambda *_: recipe), Workers(workers=1)
    of_commands = {"name"}  # which name the folder of a run by it
    for run, said in (
        (lambda: training.text(chosen, tmp_path / "0"), recipe_lines.text(plain)),
        (
            lambda: training.prepare(chosen, (shards,), one, tmp_path / "1"),
            recipe_lines.prepare(plain),
        ),
        (
            lambda: train_coarse(recipe, tmp_path, reports, pace),
            recipe_lines.coarse(plain) - of_commands,
        ),
        (
            lambda: train_fine(recipe, tmp_path, reports, (), pace),
            recipe_lines.fine(plain) - of_commands,
        ),
    ):
        read.clear()
        run()
        assert read & EVERY == said
    assert "decides" not in caplog.text, "the coarse model is of the same recipe"


def test_what_goes_on_from_a_checkpoint_trains_by_no_line_of_what_a_model_is_made_of(
    shards, tiny_checkpoint, tmp_path
):
    plain, read = load_recipe("tiny", changes=READ_BY_ANY), set()
    recipe, reports, pace = noting(plain, read), Reports((shards,)), Pace(workers=0)
    train_coarse(recipe, tmp_path, reports, pace, start=str(tiny_checkpoint))
    assert read & EVERY == recipe_lines.coarse(plain, start=True) - {"name"}


def test_a_recipe_is_told_by_name_what_the_checkpoint_to_go_on_from_decides(
    shards, tiny_checkpoint, tmp_path, caplog
):
    recipe = load_recipe("tiny", changes={**SMALL, "data.keep_prepared": False, "tau": 3.0})
    start, reports = str(tiny_checkpoint), Reports((shards,))
    found = train_coarse(recipe, tmp_path, reports, Pace(workers=0), start=start)
    assert found.config.tau != 3.0
    [told] = [one for one in caplog.messages if "decides" in one]
    assert " tau" in told and " tuning" in told and "signal.sampling_rate_hz" in told
    assert "epsilon" not in told and "calibration" not in told
    kept = load_recipe(str(tmp_path / "coarse" / "recipe.yaml"))
    assert (kept.tau, kept.signal) == (found.config.tau, found.config.signal)
    train_coarse(kept, tmp_path, reports, Pace(workers=0), start=start)  # which goes on with it


def test_a_recipe_that_does_not_go_with_the_signals_of_its_start_is_refused(tiny_checkpoint):
    config = Focal.load(tiny_checkpoint).config
    other = dataclasses.replace(config, signal=SignalSpec(normalisation="record-minmax"))
    say_what_a_start_decides(load_recipe("tiny"), config)
    with pytest.raises(ConfigError, match="found record-minmax, which keeps no 0"):
        say_what_a_start_decides(load_recipe("tiny"), other)


def test_a_pipeline_reads_every_line_of_its_recipe_for_which_no_option_stands():
    whole = Whole(source=("simulated=4",))
    plan = Plan(recipe=load_recipe("tiny"), whole=whole, enrich=EnrichOptions())
    asked = dataclasses.replace(plan, enrich=EnrichOptions(backend="server"))
    assert EVERY - plan.reads == {"enrichment.model"}
    assert EVERY - asked.reads == {"enrichment.backend"}


@pytest.mark.parametrize("stage", ["coarse", "fine"])
def test_a_stage_without_augmentation_reads_none_of_its_lines(stage):
    lines = {one for one in EVERY if one.startswith("augmentation.")}
    for augment, read in ((False, set()), (True, lines)):
        recipe = load_recipe("tiny", changes={f"{stage}.augment": augment})
        assert recipe_lines.STAGES[stage](recipe) & lines == read


def test_a_part_of_a_recipe_names_all_its_lines():
    changes = {"coarse": {"batch": 2, "steps": 3}, "tau": 1, "data.weights": ["a=1"]}
    named = set(dict(by_place(changes)))
    assert named == {"coarse.batch", "coarse.steps", "tau", "data.weights"}
