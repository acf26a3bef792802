"""Claims about the trees that are pushed: exact, whole, and with no text that is not ours."""

import json
import shutil
import textwrap

import pytest

from focal_app.errors import ConfigError
from focal_app.explore.reading.explorer import Explorer
from focal_app.model.focal import Focal
from focal_app.model.seen import Seen, patient
from train.__main__ import main
from train.publish import corpus as corpus_module
from train.publish.corpus import fill_corpus
from train.publish.model import Evidence, fill_model
from train.publish.sources import TERMS
from train.publish.space import PROJECT, fill_space
from train.publish.tree import LARGE, described, front_matter, listing, write_tree


def _paths(folder):
    return set(listing(folder))


def _records(files):
    lines = [line for f in files for line in f.read_text(encoding="utf-8").split("\n") if line]
    return [json.loads(line) for line in lines]


def test_a_tree_is_whole_or_absent(tmp_path):
    def stop(folder):
        (folder / "half").write_text("half")
        raise OSError(28, "No space left on device")

    with pytest.raises(ConfigError, match="No space left"):
        write_tree(tmp_path / "tree", stop)
    assert not list(tmp_path.iterdir())


def test_a_folder_with_files_is_left_alone(tmp_path):
    (tmp_path / "mine").write_text("")
    with pytest.raises(ConfigError, match="empty"):
        write_tree(tmp_path, lambda folder: None)
    assert [file.name for file in tmp_path.iterdir()] == ["mine"]


def test_files_above_ten_megabytes_are_flagged(tmp_path):
    def fill(folder):
        (folder / "small").write_bytes(b"0" * 10_000_000)
        (folder / "large").write_bytes(b"0" * 10_000_001)

    large, small, total = described(write_tree(tmp_path / "tree", fill)).splitlines()
    assert "LFS" in large and "LFS" not in small and "2 files" in total


def test_the_space_holds_the_app_and_no_training(tmp_path):
    files = write_tree(tmp_path / "space", fill_space)
    paths = set(files)
    assert {"app.py", "README.md", "requirements.txt", "focal_app/errors.py"} <= paths
    assert {"assets/lexicon.yaml", "assets/checkpoint/config.json"} <= paths
    tops = {path.split("/")[0] for path in paths}
    assert tops == {"app.py", "README.md", "LICENSE", "requirements.txt", "focal_app", "assets"}
    assert not any("__pycache__" in path or path.endswith(".pyc") for path in paths)
    assert not any(size > LARGE for size in files.values())


def test_the_space_can_be_started_from_its_settings(tmp_path):
    write_tree(tmp_path / "space", fill_space)
    settings = front_matter((tmp_path / "space" / "README.md").read_text())
    assert (
        settings["sdk"] == "gradio" and (tmp_path / "space" / str(settings["app_file"])).is_file()
    )
    assert str(settings["python_version"]).startswith("3.1")


def test_a_space_without_settings_is_refused(tmp_path):
    project = tmp_path / "project"
    for name in ("focal_app", "assets/checkpoint"):
        (project / name).mkdir(parents=True)
    for name in ("app.py", "requirements.txt", "LICENSE", "assets/checkpoint/config.json"):
        (project / name).write_text("")
    (project / "README.md").write_text("# No settings")
    with pytest.raises(ConfigError, match="sdk"):
        fill_space(tmp_path, project=project)
    (project / "app.py").unlink()
    with pytest.raises(ConfigError, match=r"app\.py"):
        fill_space(tmp_path, project=project)


@pytest.fixture
def run(tiny_checkpoint, tmp_path):
    """The folder of a finished fine training."""
    model = Focal.load(tiny_checkpoint)
    model.seen = Seen.of([patient("ptb-xl", "17")], [])
    model.save_pretrained(tmp_path / "fine" / "model")
    (tmp_path / "fine" / "model" / "optimizer.bin").write_text("not for the Hub")
    used = {"sources": {"simulated": {"train": 17, "validation": 3}}}
    (tmp_path / "fine" / "used.json").write_text(json.dumps(used))
    return tmp_path / "fine" / "model"


def test_a_pushed_model_loads_and_scores_as_before(run, tmp_path):
    import torch

    write_tree(tmp_path / "tree", lambda folder: fill_model(folder, run, Evidence()))
    one, other = Focal.load(run).state_dict(), Focal.load(tmp_path / "tree").state_dict()
    assert all(torch.equal(one[name], other[name]) for name in one)
    assert "optimizer.bin" not in _paths(tmp_path / "tree")


def test_a_pushed_model_knows_whom_it_was_trained_on(run, tmp_path):
    write_tree(tmp_path / "tree", lambda folder: fill_model(folder, run, Evidence()))
    seen = Focal.load(tmp_path / "tree").seen
    assert seen and seen.trained_on([patient("ptb-xl", "17"), patient("ptb-xl", "18")]) == [
        True,
        False,
    ]


def test_the_card_says_what_the_result_files_say(run, tmp_path):
    results = tmp_path / "zeroshot.json"
    results.write_text(json.dumps({"ptbxl-super": {"macro_auc": 0.8765}, "folds": [9, 10]}))
    evidence = Evidence(recipe="embedded", results=[results])
    write_tree(tmp_path / "tree", lambda folder: fill_model(folder, run, evidence))
    card = (tmp_path / "tree" / "README.md").read_text()
    assert "| ptbxl-super, macro_auc | 0.8765 |" in card
    assert "| sources, simulated, train | 17 |" in card
    assert "learning_rate" in card and "not for diagnosis" in card
    assert front_matter(card)["license"] == "mit"
    assert json.loads((tmp_path / "tree" / "zeroshot.json").read_text())["folds"] == [9, 10]


def test_the_code_of_the_card_runs_as_it_stands(run, tmp_path, monkeypatch, capsys):
    write_tree(tmp_path / "tree", lambda folder: fill_model(folder, run, Evidence()))
    card = (tmp_path / "tree" / "README.md").read_text()
    lines = [line for line in card.splitlines() if line.startswith("    ") or not line]
    code = textwrap.dedent("\n".join(lines)).replace("OWNER/NAME@REVISION", str(tmp_path / "tree"))
    for file in (PROJECT / "assets" / "cases").glob("atrial-fibrillation.*"):
        shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)
    exec(code.replace("recording.hea", "atrial-fibrillation.hea"), {})
    assert capsys.readouterr().out.startswith("tensor([[")


def test_the_card_names_the_data_of_the_shards(run, make_told, tmp_path):
    make_told("ptb-xl", [("train", "a"), ("train", "b"), ("test", "c")])
    evidence = Evidence(shards=[tmp_path / "data" / "ptb-xl"])
    write_tree(tmp_path / "tree", lambda folder: fill_model(folder, run, evidence))
    card = (tmp_path / "tree" / "README.md").read_text()
    assert "doi:10.13026/kfzx-aw45" in card and "2 train, 1 test" in card


def test_a_card_that_embedding_wrote_goes_with_its_figures(run, tmp_path):
    (run / "README.md").write_text("---\nlicense: mit\n---\n\nAUC 0.81\n")
    (run / "figures.json").write_text('{"auc": 0.81}')
    write_tree(tmp_path / "tree", lambda folder: fill_model(folder, run, Evidence()))
    assert (tmp_path / "tree" / "README.md").read_text() == (run / "README.md").read_text()
    assert "figures.json" in _paths(tmp_path / "tree")


def test_a_model_that_was_not_measured_says_so(tiny_checkpoint, tmp_path):
    write_tree(tmp_path / "tree", lambda folder: fill_model(folder, tiny_checkpoint, Evidence()))
    card = (tmp_path / "tree" / "README.md").read_text()
    assert "None were measured" in card and "not calibrated" in card


def test_the_embedded_checkpoint_brings_its_own_card_and_figures():
    figures = PROJECT / "assets" / "checkpoint" / "figures.json"
    assert json.loads(figures.read_text())
    assert "license" in front_matter(figures.with_name("README.md").read_text())


def test_what_was_made_for_the_embedded_checkpoint_goes_with_it(tmp_path):
    source, tree = PROJECT / "assets" / "checkpoint", tmp_path / "tree"
    write_tree(tree, lambda folder: fill_model(folder, source, Evidence()))
    pushed, here = Explorer.load(tree), Explorer.load(source)
    assert pushed.combination == here.combination and pushed.combination
    assert pushed.zones == here.zones and pushed.zones.measured


def test_a_broken_result_file_is_refused_before_anything_stands(run, tmp_path):
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(ConfigError, match=r"bad\.json"):
        evidence = Evidence(results=[tmp_path / "bad.json"])
        write_tree(tmp_path / "tree", lambda folder: fill_model(folder, run, evidence))
    assert not (tmp_path / "tree").exists()


OPEN = [("train", "sinus rhythm."), ("validation", "rythme sinusal."), ("train", "weird\u2028line")]


def test_every_verified_record_stands_in_the_corpus_once(make_told, make_verified, tmp_path):
    shards = [make_told("ptb-xl", OPEN), make_told("simulated", [("test", "drawn")])]
    verified = make_verified(*shards)
    write_tree(tmp_path / "tree", lambda f: fill_corpus(f, verified, shards, rights=False))
    files = sorted((tmp_path / "tree" / "data").iterdir())
    assert [f.name for f in files] == [
        "test-00000.jsonl",
        "train-00000.jsonl",
        "validation-00000.jsonl",
    ]
    records = _records(files)
    assert sorted(r["key"] for r in records) == sorted([*shards[0].keys, *shards[1].keys])
    assert {tuple(r["features"]) for r in records} == {("upright T waves",)}
    assert {r["report"] for r in records} == {*(text for _, text in OPEN), "drawn"}


def test_no_patient_age_or_sex_is_in_the_corpus(make_told, make_verified, tmp_path):
    shards = [make_told("ptb-xl", OPEN)]
    verified = make_verified(*shards)
    write_tree(tmp_path / "tree", lambda f: fill_corpus(f, verified, shards, rights=False))
    text = "".join(file.read_text() for file in (tmp_path / "tree").rglob("*.jsonl"))
    assert "patient-" not in text and "age" not in text and "71" not in text


def test_the_card_of_a_corpus_counts_names_and_says_the_unit(make_told, make_verified, tmp_path):
    shards = [make_told("ptb-xl", OPEN), make_told("csn", OPEN[:1])]
    verified = make_verified(*shards)
    write_tree(tmp_path / "tree", lambda f: fill_corpus(f, verified, shards, rights=False))
    card = (tmp_path / "tree" / "README.md").read_text()
    assert "| ptb-xl | 2 | 1 | PTB-XL (Wagner" in card
    assert "calibrated probability" in card and "4: below the threshold" in card
    head = front_matter(card)
    assert head["license"] == "cc-by-4.0"
    splits = [one["split"] for one in head["configs"][0]["data_files"]]
    assert splits == ["train", "validation"]


@pytest.mark.parametrize("source", ["mimic-iv-ecg", "our-hospital"])
def test_restricted_text_is_refused_without_the_rights(source, make_told, make_verified, tmp_path):
    shards = [make_told("ptb-xl", OPEN), make_told(source, [("train", "secret words")])]
    verified = make_verified(*shards)
    with pytest.raises(ConfigError, match="i-hold-the-rights") as refused:
        write_tree(tmp_path / "tree", lambda f: fill_corpus(f, verified, shards, rights=False))
    assert source in str(refused.value) and not (tmp_path / "tree").exists()
    write_tree(tmp_path / "tree", lambda f: fill_corpus(f, verified, shards, rights=True))
    written = (tmp_path / "tree" / "data" / "train-00000.jsonl").read_text()
    assert "secret words" in written
    assert front_matter((tmp_path / "tree" / "README.md").read_text())["license"] == "other"


def test_mimic_is_the_source_that_is_known_to_be_restricted():
    assert [name for name, terms in TERMS.items() if not terms.open] == ["mimic-iv-ecg"]


def test_shards_that_were_not_verified_with_the_rest_are_noticed(
    make_told, make_verified, tmp_path
):
    both = [make_told("ptb-xl", OPEN), make_told("csn", OPEN)]
    verified = make_verified(*both)
    with pytest.raises(ConfigError, match="every folder"):
        write_tree(tmp_path / "tree", lambda f: fill_corpus(f, verified, both[:1], rights=False))


def test_a_large_corpus_is_cut_into_files(make_told, make_verified, tmp_path, monkeypatch):
    monkeypatch.setattr(corpus_module, "FILE_BYTES", 400)
    shards = [make_told("ptb-xl", [("train", f"report {n}") for n in range(9)])]
    verified = make_verified(*shards)
    files = write_tree(tmp_path / "tree", lambda f: fill_corpus(f, verified, shards, rights=False))
    data = {path: size for path, size in files.items() if path.startswith("data/")}
    assert len(data) > 2 and all(size <= 400 for size in data.values())
    records = _records(tmp_path / "tree" / path for path in data)
    assert [record["report"] for record in records] == [f"report {n}" for n in range(9)]


def test_the_command_writes_the_tree_and_lists_it(tmp_path, capsys):
    assert main(["push", "space", "--dry-run", str(tmp_path / "space")]) == 0
    shown = capsys.readouterr().out
    assert "app.py" in shown and (tmp_path / "space" / "app.py").is_file()


def test_a_push_to_nowhere_is_refused(capsys):
    assert main(["push", "space"]) == 2
    assert "--dry-run DIR nor --repo" in capsys.readouterr().err
