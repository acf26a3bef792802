"""A joined checkpoint reads with the encoders of several, in the space that they share."""

import copy
import dataclasses
import json
from collections import Counter
from contextlib import nullcontext

import pytest
import torch
from torch.nn import functional as F

from focal_app.errors import ConfigError
from focal_app.model.config import FocalConfig
from focal_app.model.focal import Focal
from focal_app.model.seen import Seen, patient
from train.__main__ import main
from train.benchmark.probe import features_of
from train.benchmark.sets import LabelledSet
from train.data.build import build
from train.data.simulation import Simulation
from train.data.source import Shares
from train.fit.joining import joined
from train.publish.card import model_card
from train.recipe import load_recipe
from train.runs.embedded import refuse_one_held_out, train_embedded
from train.runs.joining import SHARES, join_second, refuse_second
from train.runs.ruler import Ruler
from train.runs.training import Pace, Reports, train_coarse

UNTUNED = load_recipe("paper").tuning


@pytest.fixture
def pair(tiny_checkpoint):
    """Two models of one tag encoder, whose ECG encoders differ."""
    first, other = Focal.load(tiny_checkpoint), Focal.load(tiny_checkpoint)
    with torch.no_grad():
        for name, tensor in other.named_parameters():
            if name.startswith(("encoder.", "projection.")):
                tensor += 0.3 * torch.randn(
                    tensor.shape, generator=torch.Generator().manual_seed(1)
                )
    return first, other


@pytest.fixture
def prepared(pair):
    signal = pair[0].config.signal
    drawn = torch.Generator().manual_seed(0)
    seen = torch.rand(2, 12, signal.windows, generator=drawn) > 0.2
    return torch.randn(2, 12, signal.windows * signal.window_samples, generator=drawn), seen


@torch.inference_mode()
def test_its_patches_are_the_mean_of_unit_vectors_by_their_shares(pair, prepared):
    own, other = (model.encode_ecg(*prepared) for model in pair)
    found = joined(pair, (0.7, 0.3)).encode_ecg(*prepared)
    torch.testing.assert_close(found, F.normalize(0.7 * own + 0.3 * other, dim=-1))
    assert not found[~prepared[1].flatten(1)].any() and not torch.allclose(found, own, atol=1e-2)


@torch.inference_mode()
def test_a_model_joined_to_itself_reads_as_before(pair, prepared):
    twice = joined((pair[0], copy.deepcopy(pair[0])), (0.4, 0.6))
    torch.testing.assert_close(twice.encode_ecg(*prepared), pair[0].encode_ecg(*prepared))


def test_it_is_saved_whole_and_knows_whom_any_of_them_saw(pair, prepared, tmp_path):
    pair[0].seen, pair[1].seen = Seen.of(["a"], ["c"]), Seen.of(["b"], [])
    made = joined(pair, (0.7, 0.3))
    made.save_pretrained(tmp_path / "joined")
    again = Focal.load(tmp_path / "joined")
    assert again.fingerprint() == made.fingerprint() and again.config.shares == (0.7, 0.3)
    with torch.inference_mode():
        torch.testing.assert_close(again.encode_ecg(*prepared), made.encode_ecg(*prepared))
    assert again.seen is not None
    assert again.seen.trained_on(["a", "b", "c"]) == [True, True, False]
    pair[1].seen = None
    assert joined(pair, (0.7, 0.3)).seen is None, "nobody knows whom the second one saw"


def test_its_card_says_of_how_many_encoders_it_is(pair):
    said = "2 of these make 70%, 30% of a patch's embedding"
    assert said in model_card(joined(pair, (0.7, 0.3)), [], None, {})
    assert "of these make" not in model_card(pair[0], [], None, {})


def test_a_probe_which_would_read_one_of_its_encoders_alone_is_refused(pair):
    nothing = LabelledSet("ptbxl-super", ("NORM",), (), "nothing")
    with pytest.raises(ConfigError, match="joined checkpoint"):
        features_of(joined(pair, (0.7, 0.3)), nothing, "test")


def test_training_goes_on_in_all_of_its_encoders(pair, prepared):
    made = joined(pair, (0.5, 0.5)).train()
    made.encode_ecg(*prepared)[..., 0].sum().backward()
    for part in (made.encoder, made.others[0].encoder):
        assert any(p.grad is not None and p.grad.abs().sum() > 0 for p in part.parameters())


def test_what_has_another_space_shape_or_share_is_refused(pair):
    first, other = pair
    for shares in ((1.0,), (0.5, 0.5, 0.0), (1.0, 0.0), (0.6, 0.6)):
        with pytest.raises(ConfigError, match="shares"):
            joined(pair, shares)
    with pytest.raises(ConfigError, match="joined already"):
        joined((first, joined(pair, (0.5, 0.5))), (0.5, 0.5))
    with torch.no_grad():
        next(other.text.parameters()).add_(1)
    with pytest.raises(ConfigError, match="other spaces"):
        joined(pair, (0.5, 0.5))
    other.config = FocalConfig.from_dict({**other.config.to_dict(), "tau": 9.0})
    with pytest.raises(ConfigError, match="another tau"):
        joined(pair, (0.5, 0.5))


@pytest.mark.parametrize(
    ("second", "said"),
    [
        (load_recipe("second-reader-small"), "another encoder, signal"),
        (load_recipe("second-reader", changes={"coarse.freeze_text": False}), "freeze_text"),
        (dataclasses.replace(load_recipe("second-reader"), tuning=UNTUNED), "tuning.steps"),
    ],
)
def test_a_second_reader_that_could_not_join_is_refused_before_hours_of_training(
    second, said, tmp_path
):
    with pytest.raises(ConfigError, match=said):
        train_embedded(load_recipe("embedded"), tmp_path / "run", None, Pace(), second=second)
    assert not (tmp_path / "run").exists()
    refuse_second(load_recipe("second-reader"), load_recipe("embedded"))
    refuse_second(load_recipe("second-reader-small"), load_recipe("ruler"))


def test_too_few_simulated_recordings_to_hold_some_out_are_refused_before_training(tmp_path):
    with pytest.raises(ConfigError, match="--simulated 60"):
        train_embedded(load_recipe("tiny"), tmp_path / "run", None, Pace(), simulated=60)
    own, second = load_recipe("ruler"), load_recipe("second-reader-small")
    with pytest.raises(ConfigError, match="--simulated 60"):
        Ruler(recipe=own, real=tmp_path, out=tmp_path, simulated=60, second=second)
    Ruler(recipe=own, real=tmp_path, out=tmp_path, simulated=60)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("train", "count", "refused"), [(1, 1, False), (0, 1, True), (0, 2, False)]
)
def test_one_held_out_recording_of_a_source_is_refused_before_training(
    tmp_path, train, count, refused
):
    build(Simulation(count, 7, Shares(train, 1 - train, 0)), tmp_path / "drawn", workers=1)
    with pytest.raises(ConfigError, match="one held-out") if refused else nullcontext():
        refuse_one_held_out([tmp_path / "drawn"])


def test_a_config_of_one_encoder_says_nothing_of_shares(pair):
    values = pair[0].config.to_dict()
    assert "shares" not in values
    for shares in ([], [0.5], [0.5, 0.6], [1.5, -0.5], [1 / 17] * 17, ["x"], 3):
        with pytest.raises(ConfigError):
            FocalConfig.from_dict({**values, "shares": shares})
    assert FocalConfig.from_dict({**values, "shares": [0.5, 0.5]}).shares == (0.5, 0.5)


def test_the_command_joins_calibrates_and_replaces_nothing(pair, tmp_path, capsys):
    for name, model in zip(("one", "other"), pair, strict=True):
        model.seen = Seen.of([], [])
        model.save_pretrained(tmp_path / name)
    shards, out = tmp_path / "shards", tmp_path / "joined"
    split = ["--split", "0", "1", "0"]
    assert main(["data", "simulated", "--count", "6", "--out", str(shards), *split]) == 0
    asked = ["join", "--shards", str(shards), "--out", str(out), "--share", "0.7", "0.3"]
    asked += ["--checkpoint", str(tmp_path / "one"), str(tmp_path / "other")]
    assert main(asked) == 0
    made, numbers = Focal.load(out), [patient("simulated", f"simulated-{n}") for n in range(6)]
    assert made.config.calibration != pair[0].config.calibration
    assert made.seen is not None and len(made.seen.calibrated) == 6
    assert json.loads((out / "config.json").read_text())["shares"] == [0.7, 0.3]
    assert main(asked) == 2
    assert "found a checkpoint in --out" in capsys.readouterr().err
    pair[1].seen = Seen.of(numbers[:2], [])
    pair[1].save_pretrained(tmp_path / "other")
    asked[asked.index(str(out))] = str(tmp_path / "again")
    assert main(asked) == 2
    assert "found 2 of 6 validation records of simulated" in capsys.readouterr().err


def test_a_simulated_patient_has_one_name_and_other_seeds_draw_others():
    drawn = [{s.subject for s in Simulation(50, seed).studies(Counter())} for seed in (0, 1, 8)]
    assert len(set.union(*drawn)) == 150


def test_a_second_reader_learns_in_the_space_of_the_first_and_is_joined_to_it(tmp_path):
    shards, run, pace = tmp_path / "shards", tmp_path / "run", Pace(workers=0)
    drawn = ["data", "simulated", "--count", "40", "--out", str(shards)]
    assert main([*drawn, "--split", "0.8", "0.2", "0"]) == 0
    changes = {"coarse.steps": 2, "tuning.steps": 2, "coarse.batch": 4, "data.keep_prepared": True}
    first = load_recipe("tiny", changes=changes)
    reports = Reports((shards,))
    train_coarse(first, run, reports, pace)
    found = join_second(dataclasses.replace(first, name="second", seed=8), run, reports, pace)
    model, own = Focal.load(found), Focal.load(run / "coarse" / "model")
    assert model.config.shares == SHARES and model.seen is not None
    [kept], [shared] = ((one / "prepared").iterdir() for one in (run, run / "second"))
    assert kept.samefile(shared), "signals are made ready once for both"
    assert torch.equal(model.projection.weight, own.projection.weight)
    assert not torch.equal(model.others[0].projection.weight, own.projection.weight)
    again = join_second(dataclasses.replace(first, name="second", seed=8), run, reports, pace)
    assert Focal.load(again).fingerprint() == model.fingerprint(), "what is trained is only read"
