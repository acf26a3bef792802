"""Claims about the spatial-temporal ViT."""

import subprocess
import sys

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from focal_app.ecg.signal_spec import SignalSpec
from focal_app.errors import ConfigError
from focal_app.model.config import EncoderConfig, FocalConfig
from focal_app.model.encoder import ConvStem, ECGEncoder
from focal_app.model.record_path import RecordPath
from focal_app.model.text import parameters_of

SPEC = SignalSpec(sampling_rate_hz=100, windows=4, window_samples=100)
STEMS = ("linear", "conv")
KINDS = (*STEMS, "record path")


def encoder(kind: str = "linear", **sizes: int) -> ECGEncoder:
    torch.manual_seed(0)
    sizes = {"width": 16, "depth": 2, "heads": 2, **sizes}
    choices = {"record_path": True} if kind == "record path" else {"stem": kind}
    return ECGEncoder(EncoderConfig(**choices, **sizes), SPEC).eval()


def signals(records: int = 3) -> Tensor:
    return torch.randn(records, 12, 400, generator=torch.Generator().manual_seed(1))


def some_seen(records: int = 3) -> Tensor:
    """A lead missing, the end missing, and single holes."""
    seen = torch.rand(records, 12, 4, generator=torch.Generator().manual_seed(2)) < 0.8
    seen[0, 3], seen[1, :, 3] = False, False
    seen[:, 0, 0] = True
    return seen


@pytest.mark.parametrize("kind", KINDS)
def test_signal_under_a_mask_changes_nothing(kind):
    model, seen = encoder(kind), some_seen()
    hidden = ~seen.repeat_interleave(100, dim=2)
    other = torch.where(hidden, 1e3 * signals().flip(0), signals())
    assert torch.equal(model(signals(), seen), model(other, seen))


@pytest.mark.parametrize("stem", STEMS)
def test_masked_patches_equal_removed_patches(stem):
    model, seen = encoder(stem), some_seen()
    out = model(signals(), seen)
    for i, kept in enumerate(seen.flatten(1)):
        tokens = model.stem(signals()[i].reshape(48, 100)).view(12, 4, -1)
        tokens = (tokens + model.lead_embedding + model.time_embedding).flatten(0, 1)[kept][None]
        for block in model.blocks:
            tokens = block(tokens, None)
        torch.testing.assert_close(out[i][kept], model.norm(tokens)[0], rtol=1e-4, atol=1e-5)
        assert not out[i][~kept].any()


@pytest.mark.parametrize("kind", KINDS)
def test_a_mask_that_keeps_all_is_no_mask(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a CPU is spared, an accelerator computes: the numbers are the same."""
    model, seen = encoder(kind), torch.ones(3, 12, 4, dtype=torch.bool)
    spared = model(signals(), seen)
    monkeypatch.setattr(torch.compiler, "is_compiling", lambda: True)
    torch.testing.assert_close(model(signals(), seen), spared, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_waits_for_an_accelerator(kind: str) -> None:
    """The meta device holds no number that could be asked for."""
    model = encoder(kind).to("meta")
    out = model(signals().to("meta"), some_seen().to("meta"))
    assert (out.device.type, out.shape) == ("meta", (3, 48, 16))


EXPLAINED = """
import torch
from focal_app.model.config import EncoderConfig, FocalConfig
from focal_app.model.encoder import ECGEncoder

signal = FocalConfig().signal
model = ECGEncoder(EncoderConfig(stem="conv", record_path=True), signal)
seen = torch.ones(2, 12, signal.windows, dtype=torch.bool)
found = torch._dynamo.explain(model)(torch.zeros(2, 12, signal.samples), seen)
print(found.graph_count, found.graph_break_count)
"""


def test_the_encoder_compiles_to_one_graph() -> None:
    """In a process of its own: the shapes that tests check would break the graph."""
    done = subprocess.run([sys.executable, "-c", EXPLAINED], capture_output=True, text=True)
    assert done.stdout.split() == ["1", "0"], done.stderr


@pytest.mark.parametrize("kind", KINDS)
def test_masked_patches_get_no_gradient(kind):
    model, seen = encoder(kind), some_seen()
    signal = signals().requires_grad_()
    model(signal, seen).square().sum().backward()
    hidden = ~seen.repeat_interleave(100, dim=2)
    assert signal.grad is not None
    assert not signal.grad[hidden].any() and signal.grad[~hidden].all()


@pytest.mark.parametrize("kind", KINDS)
def test_a_record_with_nothing_seen_is_zero_and_harms_no_other(kind):
    model, seen = encoder(kind), torch.ones(2, 12, 4, dtype=torch.bool)
    seen[0] = False
    out = model(signals(2), seen)
    assert not out[0].any()
    torch.testing.assert_close(out[1:], model(signals(2)[1:], seen[1:]), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_records_of_a_batch_do_not_see_each_other(kind):
    model, seen = encoder(kind), some_seen()
    alone = [model(signals()[i : i + 1], seen[i : i + 1]) for i in range(3)]
    torch.testing.assert_close(model(signals(), seen), torch.cat(alone), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("stem", STEMS)
def test_patch_number_is_lead_times_windows_plus_window(stem):
    """Without a block nothing is mixed: one changed window changes its own patch alone."""
    model, seen = encoder(stem), torch.ones(1, 12, 4, dtype=torch.bool)
    model.blocks = nn.ModuleList()
    signal = signals(1)
    other = signal.clone()
    other[0, 7, 200:300] += 1
    changed = (model(signal, seen) != model(other, seen)).any(-1)[0]
    assert changed.nonzero().flatten().tolist() == [7 * 4 + 2]


def test_the_record_path_gives_every_patch_what_one_window_holds():
    model, seen = encoder("record path"), torch.ones(1, 12, 4, dtype=torch.bool)
    model.blocks = nn.ModuleList()
    other = signals(1)
    other[0, 7, 200:300] += 1
    assert (model(signals(1), seen) != model(other, seen)).any(-1).all()


def test_the_record_path_sees_the_same_at_any_multiple_of_its_rate():
    torch.manual_seed(0)
    slow, signal = RecordPath(100, 16), signals()
    fast = RecordPath(500, 16)
    fast.load_state_dict(slow.state_dict())
    torch.testing.assert_close(fast(signal.repeat_interleave(5, dim=2)), slow(signal))


def test_a_silent_record_has_a_gradient_that_is_a_number():
    path = RecordPath(100, 16)
    path(torch.zeros(2, 12, 400)).square().sum().backward()
    assert all(one.grad is not None and one.grad.isfinite().all() for one in path.parameters())


def test_a_rate_that_is_no_multiple_of_the_record_path_s_is_refused():
    with pytest.raises(ConfigError, match=r"250 Hz.*multiple of 100 Hz"):
        RecordPath(250, 16)


def test_lead_and_window_are_told_apart_by_their_embeddings():
    model = encoder()
    out = model(torch.zeros(1, 12, 400), torch.ones(1, 12, 4, dtype=torch.bool))[0]
    distance = torch.cdist(out, out) + torch.eye(48)
    assert distance.min() > 1e-3


def test_conv_stem_equals_two_strided_convolutions():
    torch.manual_seed(0)
    stem = ConvStem(500, 16)
    patches = torch.randn(6, 500)
    first = stem.frames.weight[:, None]
    x = F.gelu(F.conv1d(F.pad(patches[:, None], (7, 7)), first, stem.frames.bias, stride=10))
    second = stem.groups.weight.view(64, 64, 6)
    x = F.gelu(F.conv1d(F.pad(x, (0, 1)), second, stem.groups.bias, stride=5))
    expected = stem.out(x.transpose(1, 2).flatten(1))
    torch.testing.assert_close(stem(patches), expected, rtol=1e-4, atol=1e-5)


def test_conv_stem_refuses_a_patch_that_its_strides_do_not_divide():
    with pytest.raises(ConfigError, match="multiple of 50"):
        ConvStem(510, 16)


def test_dropout_acts_in_training_only():
    torch.manual_seed(0)
    config = EncoderConfig(16, 2, 2, dropout=0.5)
    model, seen = ECGEncoder(config, SPEC), torch.ones(1, 12, 4, dtype=torch.bool)
    assert not torch.equal(model(signals(1), seen), model(signals(1), seen))
    model.eval()
    assert torch.equal(model(signals(1), seen), model(signals(1), seen))


@pytest.mark.parametrize("kind", KINDS)
def test_bfloat16_autocast_stays_close_to_float32(kind):
    model, seen = encoder(kind), some_seen()
    with torch.autocast("cpu", torch.bfloat16):
        rough = model(signals(), seen)
    assert (rough.float() - model(signals(), seen)).abs().max() < 0.1


def test_default_sizes_are_those_of_the_paper():
    config = FocalConfig()
    model = ECGEncoder(config.encoder, config.signal)
    assert (config.encoder.width, config.encoder.depth, config.encoder.heads) == (192, 12, 3)
    assert config.signal.windows * 12 == 120 and config.signal.window_samples == 500
    projection = config.encoder.width * config.embed_dim + config.embed_dim
    assert parameters_of(model) + projection == pytest.approx(5.49e6, rel=0.005)
