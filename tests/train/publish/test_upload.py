"""What reaches the Hub, held against a server on this machine that takes its calls."""

import shutil

import pytest
from huggingface_hub import constants
from huggingface_hub.utils import disable_progress_bars, enable_progress_bars

from focal_app.__main__ import main as gallery_main
from focal_app.explore.cases.gallery.build import Plan, Record, build
from focal_app.explore.cases.gallery.case import Facts
from focal_app.explore.reading.bundled_cases import load_case
from focal_app.explore.reading.explorer import Explorer
from train.__main__ import main

# huggingface_hub 2.4 uploads large files with a keyword that its HTTP client deprecates.
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")


@pytest.fixture
def push(hub, monkeypatch, capsys):
    """`push(what, options...)`: the command, sent to the stand-in; exit code, output, errors."""
    monkeypatch.setattr(constants, "ENDPOINT", hub.url)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setenv("HF_TOKEN", "hf_test")
    disable_progress_bars()

    def run(*arguments):
        code = main(["push", *map(str, arguments)])
        return code, *capsys.readouterr()

    yield run
    enable_progress_bars()


def _tree(folder):
    return {
        f.relative_to(folder).as_posix(): f.read_bytes() for f in folder.rglob("*") if f.is_file()
    }


def test_what_is_pushed_is_what_the_dry_run_writes(hub, push, tiny_checkpoint, tmp_path):
    assert push("model", tiny_checkpoint, "--dry-run", tmp_path / "tree")[0] == 0
    assert not hub.created and not hub.files
    code, shown, said = push("model", tiny_checkpoint, "--repo", "me/it", "--private")
    assert code == 0, said
    assert shown.splitlines()[-1].startswith(hub.url)
    assert hub.held == _tree(tmp_path / "tree")
    assert hub.large and hub.commits == 1
    assert hub.created[0]["visibility"] == "private" and hub.tokens == {"Bearer hf_test"}


def test_a_public_repository_is_not_taken_for_a_private_one(hub, push, tiny_checkpoint):
    hub.public = True
    code, _, said = push("model", tiny_checkpoint, "--repo", "me/it", "--private")
    assert code == 2 and "public already" in said and not hub.commits


@pytest.mark.parametrize("public", [False, True])
def test_a_gallery_is_pushed_as_a_private_data_set_or_not_at_all(
    hub, push, public, tiny_checkpoint, tmp_path
):
    record = Record(load_case("normal"), Facts(key="a", source="made", licence="MIT"))
    folder, hub.public = tmp_path / "gallery", public
    build([record], Explorer.load(tiny_checkpoint), folder, Plan(title="One"))
    code = gallery_main(["gallery", "push", str(folder), "--to", "me/it", "--private"])
    assert code == (2 if public else 0) and hub.commits == (0 if public else 1)
    assert (hub.created[0]["type"], hub.created[0]["visibility"]) == ("dataset", "private")


def test_a_card_that_is_brought_along_is_not_written_from_flags_that_are_given(
    push, tmp_path, tiny_checkpoint
):
    checkpoint = shutil.copytree(tiny_checkpoint, tmp_path / "checkpoint")
    (checkpoint / "figures.json").write_text("{}")
    (checkpoint / "README.md").write_text("---\nlicense: mit\n---\n# Mine\n")
    asked = ("model", checkpoint, "--dry-run", tmp_path / "tree")
    code, _, said = push(*asked, "--config", "tiny")
    assert code == 2 and "found --config or --shards, without effect" in said
    assert push(*asked)[0] == 0


def test_a_space_is_made_with_its_kind(hub, push):
    assert push("space", "--repo", "me/it")[0] == 0
    assert hub.created[0]["type"] == "space" and hub.created[0]["sdk"] == "gradio"
    assert "app.py" in hub.files and not any(name.startswith("train/") for name in hub.files)


@pytest.fixture
def corpus(make_told, make_verified):
    """`corpus(source)`: the options of a push of one record of that source."""

    def options(source):
        shards = make_told(source, [("train", "secret words")])
        verified = make_verified(shards)
        return ("corpus", "--verified", verified, "--shards", shards.folder, "--repo", "me/it")

    return options


def test_a_corpus_becomes_a_data_set(hub, push, corpus):
    assert push(*corpus("ptb-xl"))[0] == 0
    assert hub.created[0]["type"] == "dataset" and "data/train-00000.jsonl" in hub.files


def test_restricted_text_never_leaves(hub, push, corpus):
    code, _, said = push(*corpus("mimic-iv-ecg"))
    assert code == 2 and "--i-hold-the-rights" in said
    assert not hub.created and not hub.files and not hub.tokens


@pytest.mark.parametrize(
    ("status", "wanted"), [(401, "hf auth login"), (403, "HF_TOKEN"), (418, "418")]
)
def test_a_refusal_is_one_line(hub, push, tiny_checkpoint, status, wanted):
    hub.refuse = status
    code, _, said = push("model", tiny_checkpoint, "--repo", "me/it")
    assert code == 2 and wanted in said and "hf_test" not in said
    assert said.startswith("error: ") and said.count("\n") == 1


def test_no_connection_is_one_line(push, tiny_checkpoint, monkeypatch):
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    code, _, said = push("model", tiny_checkpoint, "--repo", "me/it")
    assert code == 2 and "connection" in said and said.count("\n") == 1


def test_the_offline_switch_is_respected_and_named(hub, push, tiny_checkpoint, monkeypatch):
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    code, _, said = push("model", tiny_checkpoint, "--repo", "me/it")
    assert code == 2 and "HF_HUB_OFFLINE" in said and not hub.created


def test_a_repository_without_an_owner_is_refused(hub, push, tiny_checkpoint):
    code, _, said = push("model", tiny_checkpoint, "--repo", "it")
    assert code == 2 and "owner/name" in said and not hub.created
