"""A killed run continues as if it had never been killed."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from transformers import AutoConfig, AutoModel, AutoTokenizer

from focal_app.ecg.signal_spec import SignalSpec
from focal_app.errors import ConfigError
from focal_app.lexicon import load_lexicon
from focal_app.model.config import EncoderConfig, TextConfig
from focal_app.model.text import TagEncoder
from train.data.corpus import Corpus, Drawing, Sections
from train.data.shards import Shards
from train.fit.asked import Asked
from train.fit.judging import speech_of
from train.fit.loop import Loop, freeze_text
from train.fit.objective import Objective
from train.recipe import ObjectiveConfig, Recipe, StageConfig
from train.runs.training import new_model

STEPS = 6
SPEC = SignalSpec(sampling_rate_hz=100, windows=4, window_samples=100, normalisation="millivolt")


@pytest.fixture
def make_run(tiny_checkpoint: Path, shards: Path):
    """`make_run(steps=...)`: a fresh run that asks simulated records for every statement."""
    opened = Shards.open(shards)
    recipe = Recipe(
        name="tiny",
        signal=SPEC,
        encoder=EncoderConfig(16, 1, 2, dropout=0.2),
        text=TextConfig("tiny", pooling="mean", max_tokens=64),
        objective=ObjectiveConfig(ask_over="lexicon", place_weight=1.0),
        coarse=StageConfig(steps=STEPS, batch=6, warmup=0.3, bf16=False, freeze_text=True),
        embed_dim=8,
    )

    def make(**changes) -> Run:
        torch.manual_seed(0)
        backbone = AutoModel.from_config(AutoConfig.from_pretrained(tiny_checkpoint / "text"))
        tokenizer = AutoTokenizer.from_pretrained(tiny_checkpoint / "text")
        stage = replace(recipe.coarse, **changes)
        model = new_model(recipe, TagEncoder(recipe.text, backbone, tokenizer, 8).eval())
        asked = Asked.by_statements(opened.vocabulary, [speech_of(opened)], load_lexicon())
        corpus = Corpus([opened], SPEC, numbers=asked.vocabulary.numbers, drawing=Drawing(rarity=3))
        freeze_text(model, stage)
        objective = Objective(model, recipe.objective, asked, text_fixed=True)
        return Run(Loop(objective, model, stage, steps=stage.steps, seed=0), corpus)

    return make


class Run:
    """A loop with its batches."""

    def __init__(self, loop: Loop, corpus: Corpus) -> None:
        self.loop, self.corpus = loop, corpus
        self.model, self.save, self.resume = loop.model, loop.save, loop.resume

    def __getattr__(self, name: str):
        return getattr(self.loop, name)

    def batches(self, first: int):
        return self.corpus.batches(6, first=first, sections=Sections(2, 4))

    def run(self, path: Path, **options) -> None:
        self.loop.run(self.batches, path, **options)

    def advanced(self, steps: int) -> "Run":
        source = self.batches(self.loop.step)
        self.losses = [sum(self.loop.advance(source).values()) for _ in range(steps)]
        return self


def state(run: Run) -> dict[str, torch.Tensor]:
    """Everything that decides the rest of a run."""
    tensors = {f"model.{name}": t for name, t in run.model.state_dict().items()}
    tensors |= {f"average.{name}": t for name, t in run.average.items()}
    for number, moments in run.optimizer.state_dict()["state"].items():
        tensors |= {f"{number}.{name}": t for name, t in moments.items()}
    rates = [group["lr"] for group in run.optimizer.param_groups]
    return {name: t.clone() for name, t in tensors.items()} | {"rates": torch.tensor(rates)}


def assert_equal(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> None:
    assert one.keys() == other.keys()
    assert [name for name in one if not torch.equal(one[name], other[name])] == []


@pytest.mark.parametrize("killed_after", (1, 3, 5))
def test_a_resumed_run_ends_bit_for_bit_where_the_straight_one_does(
    make_run, tmp_path, killed_after
):
    straight = make_run()
    straight.run(tmp_path / "straight.safetensors")
    path = tmp_path / "run.safetensors"
    make_run().advanced(killed_after).save(path)
    resumed = make_run()
    resumed.run(path)
    assert resumed.step == straight.step == STEPS
    assert_equal(state(resumed), state(straight))


def test_resuming_restores_the_rate_the_moments_and_the_average(make_run, tmp_path):
    killed = make_run().advanced(3)
    killed.save(tmp_path / "run.safetensors")
    resumed = make_run()
    resumed.resume(tmp_path / "run.safetensors")
    assert_equal(state(resumed), state(killed))


def test_a_save_that_was_cut_short_is_passed_over(make_run, tmp_path):
    path = tmp_path / "run.safetensors"
    make_run().advanced(2).save(path)
    path.with_suffix(".partial").write_bytes(b"half of a checkpoint")
    resumed = make_run()
    resumed.run(path)
    assert resumed.step == STEPS
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_finished_run_is_only_read(make_run, tmp_path):
    path = tmp_path / "run.safetensors"
    first, second = make_run(), make_run()
    first.run(path)
    written = path.stat().st_mtime_ns
    second.run(path)
    assert path.stat().st_mtime_ns == written
    assert_equal(
        {n: t for n, t in state(second).items() if n.startswith("model.")},
        {n: t for n, t in state(first).items() if n.startswith("model.")},
    )


def test_the_finished_model_holds_the_average_of_its_weights(make_run, tmp_path):
    run = make_run(average=0.9).advanced(STEPS - 1)
    run.save(tmp_path / "run.safetensors")
    last = {name: p.detach().clone() for name, p in run.model.named_parameters()}
    run.run(tmp_path / "run.safetensors")
    finished = dict(run.model.named_parameters())
    assert all(torch.equal(finished[name], t) for name, t in run.average.items())
    assert not torch.equal(finished["projection.weight"], last["projection.weight"])


def test_the_tag_encoder_stays_as_it_was_tuned(make_run, tmp_path):
    run = make_run()
    before = {name: t.clone() for name, t in run.model.text.state_dict().items()}
    run.run(tmp_path / "run.safetensors")
    assert_equal(before, dict(run.model.text.state_dict()))


def test_training_lowers_the_loss(make_run):
    run = make_run(steps=60, learning_rate=1e-2, warmup=0.1)
    losses = run.advanced(60).losses
    assert sum(losses[-10:]) / 10 < 0.5 * losses[0]


def test_norms_biases_and_embeddings_do_not_decay(make_run):
    run = make_run(weight_decay=0.1)
    decayed, plain = run.optimizer.param_groups
    names = {id(p): name for name, p in run.model.named_parameters()}
    assert decayed["weight_decay"] == 0.1 and plain["weight_decay"] == 0
    assert all(names[id(p)].endswith("weight") and p.ndim == 2 for p in decayed["params"])
    assert {"encoder.lead_embedding", "encoder.norm.weight", "bias", "log_temperature"} <= {
        names[id(p)] for p in plain["params"]
    }


def test_decay_on_everything_leaves_nothing_out(make_run):
    decayed, plain = make_run(weight_decay=0.1, decayed="everything").optimizer.param_groups
    assert decayed["weight_decay"] == 0.1 and plain["params"] == []


def judge_by(scores: list[float]):
    """A judge that finds these scores in turn, and the weights that it was shown."""
    left, shown = list(scores), []

    def judge(model) -> float:
        assert not model.training
        shown.append(model.projection.weight.detach().clone())
        return left.pop(0)

    return judge, shown


@pytest.mark.parametrize("average", (0.0, 0.9))
def test_a_stage_ends_on_its_best_weights(make_run, tmp_path, average):
    run = make_run(judged=3, keep="best", average=average)
    judge, shown = judge_by([0.6, 0.9, 0.7])
    run.run(tmp_path / "run.safetensors", judge=judge)
    assert torch.equal(run.model.projection.weight, shown[1])
    assert not torch.equal(shown[1], shown[2])


def test_judging_changes_nothing_of_the_training(make_run, tmp_path):
    plain, judged = make_run(), make_run(judged=3)
    plain.run(tmp_path / "plain" / "run.safetensors")
    judged.run(tmp_path / "judged" / "run.safetensors", judge=judge_by([0.6, 0.9, 0.7])[0])
    assert_equal(state(plain), state(judged))


def test_a_killed_run_still_ends_on_the_best_weights_of_before(make_run, tmp_path):
    path = tmp_path / "run.safetensors"
    first = make_run(judged=3, keep="best")
    judge, shown = judge_by([0.9, 0.6])
    with pytest.raises(IndexError):  # killed where it would be judged the third time
        first.loop.run(first.batches, path, judge=judge, every=3)
    again = make_run(judged=3, keep="best")
    again.loop.run(again.batches, path, judge=judge_by([0.6, 0.7])[0])
    assert torch.equal(again.model.projection.weight, shown[0])


def test_best_weights_of_another_run_are_forgotten(make_run, tmp_path):
    path = tmp_path / "run.safetensors"
    old = make_run(judged=2, keep="best")
    old.run(path, judge=judge_by([0.99, 0.98])[0])
    path.unlink()
    run = make_run(judged=2, keep="best", learning_rate=1e-2)
    judge, shown = judge_by([0.5, 0.6])
    run.run(path, judge=judge)
    assert torch.equal(run.model.projection.weight, shown[1])


@pytest.mark.parametrize("bf16", (True, False))
def test_a_lost_loss_says_what_may_be_changed_and_nothing_else(make_run, bf16):
    run = make_run(bf16=bf16)
    with torch.no_grad():
        run.model.projection.weight.fill_(torch.nan)
    with pytest.raises(ConfigError, match="no longer a number at step 0") as refused:
        run.advanced(1)
    assert ("bf16" in str(refused.value)) == bf16
