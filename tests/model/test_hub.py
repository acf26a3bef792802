"""Claims about where a checkpoint is found: a folder, or `org/name@revision` of the Hub."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from focal_app.errors import CheckpointError
from focal_app.model.checkpoint_folder import local_folder
from focal_app.model.focal import Focal

OLD, NEW = "a" * 40, "b" * 40


@pytest.fixture
def cache(make_focal, tmp_path: Path) -> Path:
    """A Hub cache with `org/model` in two commits: `main` is NEW, the tag `v1` is OLD."""
    repository = tmp_path / "hub" / "models--org--model"
    for commit, bias in ((OLD, -1.0), (NEW, -2.0)):
        make_focal(bias=bias).save_pretrained(repository / "snapshots" / commit)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(NEW)
    (repository / "refs" / "v1").write_text(OLD)
    return tmp_path / "hub"


@pytest.mark.parametrize(
    ("source", "commit"),
    [
        ("org/model", NEW),
        ("org/model@main", NEW),
        ("org/model@v1", OLD),
        (f"org/model@{OLD}", OLD),
    ],
)
def test_a_repository_is_found_at_its_revision(cache, source, commit):
    folder = local_folder(source, cache_dir=cache, local_files_only=True)
    assert folder.name == commit


@pytest.mark.parametrize(("revision", "bias"), [(None, -2.0), ("v1", -1.0), (OLD, -1.0)])
def test_the_hub_mixin_loads_the_revision(cache, revision, bias):
    model = Focal.from_pretrained(
        "org/model", revision=revision, cache_dir=cache, local_files_only=True
    )
    assert model.bias.item() == bias


def test_a_folder_goes_before_a_repository_of_the_same_name(make_focal, tmp_path, monkeypatch):
    make_focal().save_pretrained(tmp_path / "org" / "model")
    monkeypatch.chdir(tmp_path)
    assert local_folder("org/model") == Path("org/model")


@pytest.mark.parametrize(
    "source",
    ("", ".", "..", "model", "a/b/c", "/no/where", "../up/model", "./org/model", "@v1", "model@v1"),
)
def test_what_is_neither_a_folder_nor_a_repository_is_refused(tmp_path, monkeypatch, source):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CheckpointError):
        Focal.load(source)


@pytest.mark.parametrize(
    "source",
    (
        "org/absent",
        "org/model@absent",
        f"org/model@{'c' * 40}",
        "org/..",
        "o rg/model",
        "org/mo?del",
        "org/model@../../main",
    ),
)
def test_what_the_hub_does_not_have_is_a_clear_refusal(cache, source):
    with pytest.raises(CheckpointError, match=r"could not fetch|found no"):
        local_folder(source, cache_dir=cache, local_files_only=True)


def test_a_repository_that_holds_no_model_is_refused(cache):
    folder = local_folder("org/model", cache_dir=cache, local_files_only=True)
    (folder / "config.json").unlink()
    with pytest.raises(CheckpointError, match=r"config\.json"):
        Focal.load(folder)


READ = """
import sys
from focal_app.model.focal import Focal
models = [Focal.load(source) for source in sys.argv[1:]]
print(*(model.bias.item() for model in models))
print(*models[0].encode_tags(["sinus rhythm"])[0].tolist())
"""


def test_a_folder_or_a_cached_repository_is_enough_for_a_new_process_offline(
    make_focal, cache, tmp_path
):
    model = make_focal(bias=-3.0)
    model.save_pretrained(tmp_path / "made")
    shutil.move(tmp_path / "made", tmp_path / "moved")
    offline = {"HF_HOME": str(tmp_path), "HF_HUB_CACHE": str(cache), "HF_HUB_OFFLINE": "1"}
    out = subprocess.run(
        [sys.executable, "-c", READ, str(tmp_path / "moved"), "org/model@v1", "org/model"],
        env={**os.environ, **offline},
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    biases, embedding = ([float(x) for x in line.split()] for line in out.splitlines())
    assert biases == [-3.0, -1.0, -2.0]
    assert embedding == pytest.approx(model.encode_tags(["sinus rhythm"])[0].tolist(), abs=1e-6)
