"""Which lines of a recipe a stage reads: held against what it reads while it runs."""

import dataclasses
import sys

import pytest

from train.recipe import Recipe, by_place, load_recipe
from train.runs import recipe_lines
from train.runs.plan import EnrichOptions, Plan, Whole
from train.runs.training import Pace, Reports, train_coarse, train_fine

EVERY = recipe_lines.lines(*(field.name for field in dataclasses.fields(Recipe)))
SMALL = {
    "encoder": {"width": 16, "depth": 1, "heads": 2, "dropout": 0},
    "tuning.steps": 2,
    "data.keep_prepared": True,
    "embed_dim": 8,
    **{
        f"{stage}.{name}": value
        for stage in ("coarse", "fine")
        for name, value in {
            "steps": 1,
            "epochs": 0,
            "batch": 4,
            "bf16": False,
            "compile": False,
        }.items()
    },
}


class Noting(Recipe):
    """A recipe that notes which of its sections are read, other than to copy or hash all of it."""

    def __getattribute__(self, name):
        if sys._getframe(1).f_globals["__name__"] != "dataclasses":
            read.add(name)
        return super().__getattribute__(name)


read: set[str] = set()


def sections(places):
    return {place.split(".")[0] for place in places} - {"name"}


def test_a_stage_reads_the_sections_that_it_is_said_to_read(shards, text, tmp_path, caplog):
    plain = load_recipe("tiny", changes={**SMALL, "text.name": str(text)})
    known = {field.name for field in dataclasses.fields(Recipe)} - {"name"}
    recipe = Noting(
        **{field.name: getattr(plain, field.name) for field in dataclasses.fields(plain)}
    )
    reports, pace = Reports((shards,)), Pace(workers=0)
    read.clear()
    train_coarse(recipe, tmp_path, reports, pace)
    assert read & known == sections(recipe_lines.coarse(plain))
    read.clear()
    train_fine(recipe, tmp_path, reports, (), pace)
    assert read & known == sections(recipe_lines.fine(plain))
    assert "decides" not in caplog.text, "the coarse model is of the same recipe"


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


def test_a_pipeline_reads_every_line_of_its_recipe_for_which_no_option_stands():
    whole = Whole(source=("simulated=4",))
    plan = Plan(recipe=load_recipe("tiny"), whole=whole, enrich=EnrichOptions())
    asked = dataclasses.replace(plan, enrich=EnrichOptions(backend="server"))
    assert EVERY - plan.reads == {"enrichment.model"}
    assert EVERY - asked.reads == {"enrichment.backend"}


@pytest.mark.parametrize("stage", ["coarse", "fine"])
def test_a_stage_without_augmentation_reads_none_of_its_lines(stage):
    recipe = load_recipe("tiny", changes={f"{stage}.augment": False})
    reads = recipe_lines.STAGES[stage]
    assert "augmentation" not in sections(reads(recipe))
    assert "augmentation" in sections(
        reads(load_recipe("tiny", changes={f"{stage}.augment": True}))
    )


def test_a_part_of_a_recipe_names_all_its_lines():
    changes = {"coarse": {"batch": 2, "steps": 3}, "tau": 1, "data.weights": ["a=1"]}
    named = set(dict(by_place(changes)))
    assert named == {"coarse.batch", "coarse.steps", "tau", "data.weights"}
