"""Training of the MERL-style model from shards: what it reads, repeats, continues and refuses."""

import json
from pathlib import Path

import pytest
import torch

from focal_app.errors import ConfigError
from train.__main__ import main
from train.benchmark.merl import Finished
from train.data.batch import Batch
from train.data.shards import Shards
from train.data.verified_files import finish, part_name, start, write_part
from train.fit.loop import Loop
from train.runs.merl import reports_of


@pytest.fixture
def trained(shards, tiny_checkpoint, tmp_path):
    """`trained(name, *flags)`: the folder of a tiny model, and the exit code of its command."""

    def run(name: str, *flags: str) -> tuple[Path, int]:
        given = ["--shards", str(shards), "--text", str(tiny_checkpoint), "--workers", "0"]
        sizes = ["--steps", "3", "--batch", "4", "--width", "2", "--blocks", "1"]
        out = tmp_path / name
        return out, main(["merl", *given, *sizes, "--out", str(out), *flags])

    return run


@pytest.fixture
def verified(shards, tmp_path):
    """`verified(key)`: one feature accepted for every record of training, or for another key."""

    def make(key: str = "") -> Path:
        folder = tmp_path / "verified"
        accepted = [{"feature": "tall R wave in V6", "probability": 0.99}]
        opened = Shards.open(shards)
        keys = [key] if key else [opened.keys[int(row)] for row in opened.rows("train")]
        start(folder, {})
        lines = [{"key": one, "accepted": accepted} for one in keys]
        write_part(folder / part_name(0), lines)
        finish(folder, 1, {})
        return folder

    return make


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return Finished.load(folder).model.state_dict()


def same(one: Path, other: Path) -> bool:
    there = weights(other)
    return all(torch.equal(tensor, there[name]) for name, tensor in weights(one).items())


def test_a_report_is_its_tags_and_says_which_are_only_suspected():
    names = ("LBBB", "ST elevation", "sinus rhythm")
    batch = Batch.of(torch.zeros(2, 12, 10), torch.ones(2, 12, 1) > 0, [(2, 0), (1,)])
    batch = batch.suspecting([(False, True), (False,)])
    assert reports_of(batch, names) == ["sinus rhythm, possible LBBB", "ST elevation"]


class Stopped(Exception):
    """The run was stopped from outside."""


def test_equal_runs_end_on_equal_weights_and_a_stopped_one_too(trained, monkeypatch):
    (one, _), (other, _) = trained("one"), trained("other")
    assert same(one, other)
    advance = Loop.advance

    def stopped(loop, *given):
        if loop.step == 2:
            raise Stopped
        return advance(loop, *given)

    with monkeypatch.context() as patched, pytest.raises(Stopped):
        patched.setattr(Loop, "advance", stopped)
        trained("third", "--save-every", "1")
    assert not (one.parent / "third" / "config.json").exists()
    third, code = trained("third", "--save-every", "1")
    assert code == 0 and same(one, third)
    assert not same(one, trained("fourth", "--seed", "1")[0])


def test_it_says_what_it_learnt_from_and_whom_it_saw(trained, shards):
    found, opened = Finished.load(trained("run")[0]), Shards.open(shards)
    rows = opened.rows("train")
    assert (found.learnt.records, found.learnt.sources) == (len(rows), ("simulated",))
    assert (found.learnt.steps, found.learnt.verified_features) == (3, 0)
    everyone = [f"simulated\0{subject}" for subject in opened.subjects]
    held_out = {int(row) for row in range(len(opened))} - {
        int(row) for row in opened.rows("train", tagged=False)
    }
    seen = found.seen.trained_on(everyone)
    assert [row for row, known in enumerate(seen) if not known] == sorted(held_out)


def test_enriched_reports_change_the_weights_and_are_counted(trained, verified):
    one, other = trained("plain")[0], trained("enriched", "--verified", str(verified()))[0]
    learnt = Finished.load(other).learnt
    assert learnt.verified_features == learnt.records and not same(one, other)
    told = [json.loads((folder / "config.json").read_text()) for folder in (one, other)]
    assert told[0]["model"] == told[1]["model"]


def test_signals_made_ready_are_kept_and_taken(trained, tmp_path):
    kept = tmp_path / "kept"
    first = trained("first", "--prepared", str(kept))[0]
    made = {path: path.stat().st_mtime_ns for path in kept.rglob("*.npy")}
    assert made and same(first, trained("second", "--prepared", str(kept))[0])
    assert {path: path.stat().st_mtime_ns for path in kept.rglob("*.npy")} == made


def test_what_cannot_be_trained_is_one_clear_line(trained, verified, tiny_checkpoint, capsys):
    other = verified("of another archive")
    assert trained("run", "--verified", str(other))[1] == 2
    assert "no accepted feature for any of the" in capsys.readouterr().err
    assert trained("run")[1] == 0
    assert trained("run", "--learning-rate", "0.1")[1] == 2
    assert "made by another --text, --shards, --verified" in capsys.readouterr().err
    assert trained("run", "--batch", "1")[1] == 2
    assert "--batch: found 1; needed at least 2" in capsys.readouterr().err
    given = ["--text", str(tiny_checkpoint), "--steps", "1", "--out", "nowhere"]
    assert main(["merl", *given]) == 2
    assert "no --shards" in capsys.readouterr().err


def test_nothing_of_another_kind_is_laid_over(trained, tmp_path, capsys):
    out = tmp_path / "run"
    out.mkdir()
    (out / "config.json").write_text("a model of another kind")
    assert trained("run")[1] == 2 and "no run of `merl`" in capsys.readouterr().err
    assert (out / "config.json").read_text() == "a model of another kind"


def test_a_finished_model_stays_where_its_last_state_was_deleted(trained, capsys):
    out, _ = trained("run")
    (out / "run.safetensors").unlink()
    before = (out / "model.safetensors").read_bytes()
    assert trained("run", "--seed", "4")[1] == 2 and "another --out" in capsys.readouterr().err
    assert (out / "model.safetensors").read_bytes() == before


def test_a_model_that_does_not_say_whom_it_saw_is_refused(trained):
    out, _ = trained("run")
    (out / "seen.safetensors").unlink()
    with pytest.raises(ConfigError, match="whom it has seen"):
        Finished.load(out)


@pytest.mark.parametrize("told", ["[" * 100_000, '{"model": {"width": 1000000}}', "3"])
def test_a_config_of_no_sense_is_refused(trained, told):
    out, _ = trained("run")
    (out / "config.json").write_text(told)
    with pytest.raises(ConfigError):
        Finished.load(out)


def test_a_lost_loss_names_no_option_that_the_command_has_not(trained, capsys):
    assert trained("run", "--learning-rate", "1e30")[1] == 2
    said = capsys.readouterr().err
    assert "no longer a number" in said and "bf16" not in said
