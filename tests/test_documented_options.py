"""Commands that documents name within a sentence, or that need recordings and hours: each exists,
and has the options that it is shown with."""

import argparse
import re
import shlex
import sys
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import typer

from tests.benchmarks.__main__ import PARTS
from train.__main__ import APP

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
INLINE = re.compile(r"`python -m (train|tests\.\w+(?:\.\w+)?)\b([^`]*)`")
BLOCK = re.compile(
    r"^ {4}(?:\S*python|OMP_\S* python) -m (tests\.\w+(?:\.\w+)?|train(?= delineator))\b(.*)$",
    re.MULTILINE,
)
PLACES = {"...": "runs/some", "NAME": "zeroshot", "TASK": "zeroshot"}
"""Words in capitals or dots, of which the reader knows what to put there."""


def named() -> list[tuple[str, str]]:
    """Modules and what follows them."""
    texts = [page.read_text("utf-8") for page in PAGES]
    return sorted({one for text in texts for way in (INLINE, BLOCK) for one in way.findall(text)})


class Read(Exception):
    """The options were read."""


def test_documents_name_commands_of_all_kinds():
    modules = {module for module, _ in named()}
    assert {"train", "tests.benchmarks", "tests.benchmarks.carts", "tests.fuzz"} <= modules


@pytest.mark.parametrize(("module", "options"), named())
def test_a_command_that_is_named_has_these_options(module, options, monkeypatch):
    words = [PLACES.get(word, word) for word in shlex.split(options)]
    if module == "train":
        descend(typer.main.get_command(APP), words)
    elif module == "tests.benchmarks":
        assert set(words) <= set(PARTS)
    elif not words:
        assert find_spec(module)
    else:
        read_options(module, words, monkeypatch)


def read_options(module: str, words: list[str], monkeypatch) -> None:
    """Has a command read its options, and do nothing."""
    read = argparse.ArgumentParser.parse_args

    def stop(parser, *given):
        read(parser, *given)
        raise Read

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", stop)
    monkeypatch.setattr(sys, "argv", [module, *words])
    package = (find_spec(module) or pytest.fail(module)).submodule_search_locations
    with pytest.raises(Read):
        import_module(f"{module}.__main__" if package else module).main()


def descend(command: Any, words: list[str]) -> None:  # noqa: ANN401 - typer has no public type
    """Reads the words as far as they go: a name alone, or a command with all that it needs."""
    while words and hasattr(command, "resolve_command"):
        name, command, words = command.resolve_command(typer.Context(command), words)
        assert command is not None, name
    if words:
        with suppress(typer.Exit):  # after --help
            command.make_context(command.name, words)
