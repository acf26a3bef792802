"""The experiment on reports that leave features out, from nothing to its tables."""

from pathlib import Path

import pytest

from focal_app.errors import ConfigError, FocalError
from train.__main__ import main
from train.benchmark.render import tables_of
from train.benchmark.results import read_results
from train.data.mimic_fixture import read_truth
from train.data.shards import Shards
from train.data.verified_files import read_verified
from train.enrich.backends.simulated import SimulatedModel
from train.recipe import load_recipe, save_recipe
from train.runs.experiment import commands
from train.runs.experiment_plan import Experiment

ARMS = ("base", "fine-plain", "fine-right")
SCRATCH = ("from-scratch-plain", "from-scratch-right")
TEXT = Path(__file__).parents[2] / "assets" / "checkpoint"


@pytest.mark.slow
@pytest.mark.usefixtures("stages_here")
def test_every_arm_is_trained_judged_and_shown(tmp_path):
    recipe = tmp_path / "short.yaml"
    changes = {"coarse.steps": 3, "fine.steps": 2, "tuning.steps": 2, "data.keep_prepared": True}
    changes |= {"coarse.batch": 4, "fine.batch": 4}
    save_recipe(load_recipe("tiny", changes=changes), recipe)
    out = tmp_path / "out"
    plan = Experiment(config=str(recipe), out=out, studies=90, judged=60, seeds=(7, 8))
    for command in commands(plan, (*ARMS, *SCRATCH), SimulatedModel(100)):
        assert main(command.arguments[2:]) == 0
    scratch = [f"{arm} coarse" for arm in SCRATCH]
    tables = {
        one.name: [row[0] for row in one.rows] for one in tables_of(read_results(out / "results"))
    }
    assert sorted(tables.pop("omitted-features")) == ["base coarse", *ARMS[1:], *scratch]
    assert tables == {
        "omitted-features-gain-over-fine-plain": ["fine-right"],
        "omitted-features-gain-over-from-scratch-plain": [scratch[1]],
    }
    # A perfect verification keeps what shows, and nothing that the report says.
    truth, right = read_truth(out / "raw"), read_verified(out / "right")
    reports = Shards.open(out / "mimic")
    for key, tags in zip(reports.keys, reports.tags, strict=True):
        assert not set(right[key]) & set(tags)
    assert sum(map(len, right.values())) > 30
    assert all(key in truth for key in right)


@pytest.mark.parametrize(
    "given, said",
    [
        ({"config": "nosuch"}, "no recipe"),
        ({"seeds": (7, 7)}, "different"),
        ({"seeds": (-1,)}, "0 or more"),
        ({"config": "paper", "text": TEXT}, "tunes no tag encoder"),
        ({"text": Path("nowhere")}, "nowhere"),
    ],
)
def test_what_no_command_could_run_with_is_refused_before_anything_is_drawn(given, said, tmp_path):
    out = tmp_path / "out"
    asked = {"config": "experiment", "studies": 9, "judged": 9, "seeds": (7,), **given}
    with pytest.raises(FocalError, match=said):
        next(commands(Experiment(out=out, **asked)))
    assert not out.exists()


def test_a_folder_of_other_studies_or_of_another_run_is_refused(tmp_path):
    out = tmp_path / "out"

    def first(folder, studies):
        plan = Experiment(out=folder, studies=studies, judged=9, seeds=(7,))
        return next(commands(plan, proposer=SimulatedModel(100)))

    assert first(out, 9) == first(out, 9)
    with pytest.raises(ConfigError, match="other studies"):
        first(out, 12)
    other = tmp_path / "pipeline"
    (other / "candidates").mkdir(parents=True)
    with pytest.raises(ConfigError, match="another run"):
        first(other, 9)
    assert [one.name for one in other.iterdir()] == ["candidates"]
