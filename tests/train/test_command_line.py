"""The command line: every flag acts or is refused, and what the documents show can be asked."""

import ast
import inspect
import re
import shlex
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest
import typer
from shown_commands import training_commands

from focal_app.errors import ConfigError
from train import extra
from train.__main__ import APP, main
from train.benchmark.tasks import TASKS
from train.recipe import recipe_names
from train.runs.commands import (
    assets,
    data,
    delineator,
    enrich,
    evaluate,
    merl,
    push,
    ruler,
    training,
    verify,
    whole,
)
from train.runs.commands.enrich import Asking
from train.runs.components import Components, check
from train.runs.plan import Plan, VerifyOptions
from train.settings import arguments, parameters_of, refuse

ROOT = Path(__file__).parents[2]
DOCUMENTS = (
    *("README.md", "docs/training.md", "docs/ablation.md", "docs/tables.md"),
    *("docs/hosting.md", "docs/measurements.md", "docs/scale.md"),
)
FUNCTIONS = (
    *(training.text, training.prepare, training.coarse, training.fine, training.compare),
    training.join,
    *(enrich.enrich, verify.verify, verify.verify_planted, verify.verify_zones),
    *(whole.pipeline, whole.ablation, whole.components, whole.experiment),
    *(push.model, push.corpus, push.space, evaluate.tables),
    *(assets.embedded, assets.cases, assets.gallery_cases, delineator.delineator),
    *(ruler.ruler, ruler.gain, ruler.combine, merl.merl),
    *(data.simulated, data.mimic_fixture, data.check, data._folds_of, data._splits_of("csn")),
    data._tags_of,
    *(task.measure for task in TASKS.values()),
)


def leaves(command, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], object]]:
    """Every command with the words that lead to it."""
    if not hasattr(command, "commands"):
        yield words, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from leaves(inner, (*words, name))


COMMANDS = dict(leaves(typer.main.get_command(APP)))


def parsed(words: list[str]) -> None:
    """Read a command as `main` would, and do nothing."""
    place = next(place for place in COMMANDS if tuple(words[: len(place)]) == place)
    COMMANDS[place].make_context("train", words[len(place) :])


def settings_of(function) -> Iterator[type]:
    for one in parameters_of(function).values():
        if is_dataclass(one.kind):
            yield one.kind


def names_read(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def all_kinds() -> dict[str, type]:
    """Every class of settings by its name, those that it extends among them."""
    kinds = {kind for function in FUNCTIONS for kind in settings_of(function)} | {Plan}
    return {base.__name__: base for kind in kinds for base in kind.__mro__ if is_dataclass(base)}


class Reads(ast.NodeVisitor):
    """Which field of which settings the code reads, by the types that its parameters name."""

    def __init__(self) -> None:
        self.found: set[tuple[type, str]] = set()
        self.kinds, self.scope, self.of = all_kinds(), {}, None

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.of = self.kinds.get(node.name)
        self.generic_visit(node)
        self.of = None

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        outer, given = self.scope, [*node.args.args, *node.args.kwonlyargs]
        here = {one.arg: self.named(one.annotation) for one in given if one.annotation}
        self.scope = {**outer, "self": self.of, **here}
        self.generic_visit(node)
        self.scope = outer

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if owner := self.kind(node.value):
            self.found.add((owner, node.attr))
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        """`arguments(settings)` hands all of them on, `arguments(part(Kind, ...))` a kind's."""
        if getattr(node.func, "id", "") == "arguments":
            asked = node.args[0]
            whole = self.named(asked.args[0]) if isinstance(asked, ast.Call) else self.kind(asked)
            self.found |= {(whole, one.name) for one in fields(whole)} if whole else set()
        self.generic_visit(node)

    def named(self, annotation: ast.expr) -> type | None:
        words = re.findall(r"\w+", ast.unparse(annotation))
        return next((self.kinds[word] for word in words if word in self.kinds), None)

    def kind(self, node: ast.expr) -> type | None:
        """The settings that an expression is: a parameter, or a field of one."""
        if isinstance(node, ast.Name):
            return self.scope.get(node.id)
        owner = self.kind(node.value) if isinstance(node, ast.Attribute) else None
        inner = {one.name: one.type for one in fields(owner)}.get(node.attr) if owner else None
        return inner if is_dataclass(inner) else None


def fields_read() -> set[tuple[type, str]]:
    """Every field of settings that train reads, with the class by which it is read."""
    reads = Reads()
    for path in ROOT.glob("train/**/*.py"):
        reads.visit(ast.parse(path.read_text()))
    # `Asking.generation` reads these by their names.
    return reads.found | {(Asking, one.name) for one in fields(generation())}


def generation() -> type:
    from train.enrich.prompts import Generation

    return Generation


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f"{f.__module__}.{f.__name__}")
def test_every_parameter_of_a_command_is_read_by_it(function):
    [tree] = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    read = set().union(*(names_read(line) for line in tree.body))
    assert set(parameters_of(function)) <= read


def test_every_command_is_one_of_these_functions():
    assert len(COMMANDS) == len(FUNCTIONS) + len(data.DESCRIBED) - 3


def test_every_field_of_settings_is_read_from_settings_of_its_class():
    read = fields_read()
    kinds = {kind for function in FUNCTIONS for kind in settings_of(function)}
    unread = {
        (kind.__name__, one.name)
        for kind in kinds
        for one in fields(kind)
        if not any(name == one.name and _related(kind, by) for by, name in read)
    }
    assert len(kinds) > 20 and not unread


def _related(kind: type, by: type) -> bool:
    return issubclass(kind, by) or issubclass(by, kind)


WITHOUT_EFFECT = (
    ("coarse --config tiny --shards x --real y", "--real"),
    ("data ptb-xl x --out y --without-validation --validation-folds 9", "needed one of them"),
    (
        "data mimic-fixture --count 4 --out x --nothing-left-out --left-out LBBB",
        "found --left-out, without effect with --nothing-left-out",
    ),
    ("prepare --config tiny --shards x --weight a=1", "--weight"),
    ("ruler --real REAL --final --groups 2", "found --groups, without effect with --final"),
    ("fine --config tiny --shards x --verified y --without-verified", "needed one of them"),
    (
        "enrich --shards x --out y --backend curated --top-p 1 --thinking",
        "found --top-p and --thinking, without effect with --backend curated",
    ),
    (
        "verify --checkpoint x --shards x --candidates x --out x --score confidence --calibrate y",
        "found --calibrate, without effect with --score confidence",
    ),
    ("verify-zones --checkpoint a/b --data x --write", "--write needs a checkpoint that is"),
    ("evaluate zeroshot --checkpoint x --dataset csn --folds 7", "found --folds, without effect"),
    ("evaluate zeroshot --checkpoint x --folds 7 --split test", "found --split, without effect"),
    ("evaluate ablation --runs x --name y", "found --name without --checkpoint"),
    ("evaluate transfer --checkpoint TINY --source ludb", "found no pair from --source ludb"),
    ("evaluate localisation --checkpoint TINY --folds 7", "found --folds, without effect"),
    ("push model x --dry-run y --repo a/b", "found --repo, without effect with --dry-run"),
    ("push space --dry-run y --private", "found --private, without effect with --dry-run"),
    ("text --set coarse.batch=2", "found --set coarse.batch (read by coarse, pipeline)"),
    ("prepare --shards x --set data.rarity=2", "data.rarity (read by coarse, fine, pipeline)"),
    ("coarse --shards x --set enrichment.threshold=0.9", "threshold (read by pipeline)"),
    ("coarse --shards x --set fine.steps=9", "found --set fine.steps (read by fine, pipeline)"),
    ("coarse --shards x --start y --set tau=1", "found --set tau (read by coarse, pipeline)"),
    ("coarse --shards x --weight x=1", "found --weight x=1, without effect on one folder"),
    ("coarse --shards x --set alignment=global --set tau=1", "tau: found 1, which nothing reads"),
    ("pipeline --source x=y --set enrichment.model=z", "model: found z, which nothing reads"),
    ("coarse --shards x --weight y=1 --set data.weights=[y=1]", "found --set data.weights"),
    (
        "fine --shards x --set text.name=y --set tau=1",
        "tau (read by coarse, pipeline) and text.name (read by text, coarse, pipeline), without",
    ),
    ("ruler --real REAL --set fine.steps=2", "found --set fine.steps"),
    ('embedded --real REAL --set fine={"steps":2}', "found --set fine.steps"),
    (
        "pipeline --source nowhere=x --verify.threshold 0.8 --set enrichment.threshold=0.9",
        "found --set enrichment.threshold (read by pipeline), without effect on `pipeline`",
    ),
)
"""What is asked for and would do nothing beside the rest, and what is told of it."""


@pytest.mark.parametrize(("line", "said"), WITHOUT_EFFECT, ids=lambda text: text[:60])
def test_a_flag_that_would_do_nothing_is_refused_by_name(
    line, said, tiny_checkpoint, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    words = line.replace("TINY", str(tiny_checkpoint)).split()
    assert main(words) == 2
    assert said in " ".join(capsys.readouterr().err.split())
    assert not list(tmp_path.iterdir())


def test_every_command_that_changes_a_recipe_refuses_a_line_that_it_does_not_read():
    changing = {
        words for words, one in COMMANDS.items() if any(p.name == "changes" for p in one.params)
    }
    refused = {line.split()[0] for line, _ in WITHOUT_EFFECT if " --set " in line}
    assert changing == {(name,) for name in refused}


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_flag_of_a_command_has_its_help(words):
    for one in COMMANDS[words].params:
        assert one.name == "help" or len(one.help or "") > 1, one.name


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_default_that_help_names_is_the_default(words):
    for one in COMMANDS[words].params:
        said = re.search(r"\(default (-?[\d.]+)\b", getattr(one, "help", None) or "")
        if said and isinstance(one.default, int | float):
            assert float(said[1]) == one.default, one.name


@pytest.mark.parametrize("words", [["experiment"], ["data", "mimic-fixture", "--count", "4"]])
def test_a_file_where_a_folder_is_needed_is_told_in_a_line(words, tmp_path, capsys):
    (tmp_path / "taken").touch()
    assert main([*words, "--out", str(tmp_path / "taken")]) == 2
    assert capsys.readouterr().err == "error: found a file 'taken'; needed a folder there\n"


def test_a_backend_refuses_what_it_does_not_read():
    with pytest.raises(ConfigError, match=r"--replicas.* with --backend server"):
        Asking(base_url="http://h/v1", model="m", replicas=2).check("server")
    with pytest.raises(ConfigError, match=r"--base-url and --model"):
        Asking(base_url="http://h/v1", model="m").check("curated")


def test_settings_become_the_flags_that_ask_for_them():
    assert arguments(VerifyOptions()) == []
    given = VerifyOptions(calibrate=(Path("a"), Path("b")), batch=8, score="probability")
    asked = ["--score", "probability", "--calibrate", "a", "b", "--batch", "8"]
    assert sorted(arguments(given)) == sorted(asked)
    with pytest.raises(ConfigError, match="--score and --batch, without effect here"):
        refuse(given, "here", ("score", "batch", "device"))


def commands_in(text: str) -> Iterator[list[str]]:
    """Commands of indented blocks and of backticks, lines that go on joined."""
    lines = training_commands(text)
    lines += re.findall(r"`python -m train ([^`]+)`", text.replace("\\\n", " ").replace("\n", " "))
    for line in lines:
        words = shlex.split(line, comments=True)
        known = any(tuple(words[: len(place)]) == place for place in COMMANDS)
        if len(words) > 1 and known and "--help" not in words:
            yield words


SHOWN = [(doc, words) for doc in DOCUMENTS for words in commands_in((ROOT / doc).read_text())]
SOURCES = [
    (str(path.relative_to(ROOT)), words)
    for path in sorted(ROOT.glob("train/**/*.py"))
    for words in commands_in(ast.get_docstring(ast.parse(path.read_text())) or "")
]


def test_the_documents_show_commands():
    assert len(SHOWN) > 20


@pytest.mark.parametrize(("place", "words"), [*SHOWN, *SOURCES], ids=lambda x: x[:60])
def test_what_a_document_shows_can_be_asked(place, words):
    parsed(words)


def test_help_lists_the_recipes_of_the_folder_and_loads_no_torch():
    code = (
        "import sys; from train.__main__ import main; main(['coarse', '--help']); "
        "print('torch' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    shown = " ".join(done.stdout.split())
    assert ", ".join(recipe_names()) in shown and shown.endswith("False")


def test_where_training_is_not_installed_it_says_what_to_do(monkeypatch, capsys):
    monkeypatch.delitem(sys.modules, "train.runs.training", raising=False)
    monkeypatch.setitem(sys.modules, "accelerate", None)
    assert main(["coarse", "--config", "tiny", "--shards", "nowhere"]) == 2
    assert "no package accelerate" in (said := capsys.readouterr().err) and "pip install" in said
    plan = Components(config="tiny", out=Path("out"), shards=(), models=("curated",))
    monkeypatch.setattr(extra, "PACKAGES", ("no_such_package",))
    with pytest.raises(ConfigError, match="no_such_package"):
        check(plan)
