"""Whatever a stage can be asked for by itself, the pipeline can be asked for, and hands on."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pytest
import typer

from train.__main__ import APP
from train.recipe import load_recipe
from train.runs.commands import whole
from train.runs.pipeline import commands
from train.runs.plan import Plan
from train.settings import _flag_of, parameters_of, run

GROUP: Any = typer.main.get_command(APP)
VALUES = {int: "7", float: "0.4", str: "some", Path: "some"}
CHOSEN = {
    "--config": ["focal"],
    "--set": ["data.keep_prepared=true"],
    "--source": ["ptb-xl=a", "csn=b", "mimic-iv-ecg=c", "simulated=8"],
    "--data.split": ["0.5", "0.3", "0.2"],
}
"""What is given of flags that do not take any text or number."""
STAGES = {*("data", "text", "prepare", "coarse"), *("enrich", "verify", "fine", "push")}
NOT_ASKED = {
    **{(stage, "--set"): "recipe.yaml has it" for stage in ("text", "prepare", "coarse", "fine")},
    ("coarse", "--verified"): "what the pipeline verifies is scored by the coarse model",
    ("enrich", "--estimate"): "it says what enriching costs, and enriches nothing",
}
"""What a stage takes and the pipeline does not hand on, and why."""


def value_of(kind: object) -> list[str]:
    """A value of a type, and none for what is on or off."""
    if kind is bool:
        return []
    if get_origin(kind) is Literal:
        return [get_args(kind)[-1]]
    return [VALUES[kind]] if kind in VALUES else value_of(get_args(kind)[0])


def flags() -> Iterator[str]:
    """Every flag of the pipeline, each with a value of its kind."""
    for one in parameters_of(whole.pipeline).values():
        for field in dataclasses.fields(one.kind):
            flag = _flag_of(field.name, field.type, one.prefix)
            yield from (flag, *CHOSEN.get(flag, value_of(field.type)))


@pytest.fixture
def plan(monkeypatch) -> Plan:
    """A pipeline of which everything is asked that can be."""
    plans = []
    monkeypatch.setattr(whole, "run_pipeline", plans.append)
    assert run(APP, ["pipeline", *flags()], name="train") == 0
    return plans[0]


def command_of(words: list[str]) -> tuple[str, Any, list[str]]:
    """The name of a stage, its command, and what it is asked for."""
    name, command, rest = words[0], GROUP.commands[words[0]], words[1:]
    while hasattr(command, "commands"):
        name, command, rest = f"{name} {rest[0]}", command.commands[rest[0]], rest[1:]
    return name, command, rest


def not_handed_on(*plans: Plan) -> dict[str, set[str]]:
    """By stage the options that the pipeline leaves no way to give."""
    lacking: dict[str, set[str]] = {}
    for made in (command for plan in plans for command in commands(plan)):
        words = made.arguments[made.arguments.index("train") + 1 :]
        name, command, rest = command_of(words)
        context = command.make_context("train", rest)
        left = lacking.setdefault(name, {one.opts[0] for one in command.params} - {"--help", "-h"})
        left -= {
            one.opts[0]
            for one in command.params
            if context.get_parameter_source(one.name).name == "COMMANDLINE"
        }
    return lacking


def test_the_pipeline_hands_on_every_option_of_every_stage(plan):
    new = dataclasses.replace(plan, coarse=type(plan.coarse)())
    unsent = dataclasses.replace(plan, whole=dataclasses.replace(plan.whole, push=None))
    cut = dataclasses.replace(plan, recipe=load_recipe("paper"))
    left = not_handed_on(plan, new, unsent, cut)
    assert {name.split()[0] for name in left} == STAGES
    assert {(name, one) for name, options in left.items() for one in options} == set(NOT_ASKED)
