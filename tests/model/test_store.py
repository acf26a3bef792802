"""Claims about checkpoints on disk: complete, strict, and nothing in them is ever executed."""

import json
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from focal_app.errors import CheckpointError
from focal_app.model.config import Calibration, EncoderConfig
from focal_app.model.focal import Focal
from focal_app.model.store import CONFIG, INDEX, SINGLE, check_text_sizes

TAGS = ["sinus rhythm", "left bundle branch block"]


@pytest.fixture
def saved(make_focal, tmp_path: Path) -> Path:
    """A checkpoint that a test may spoil."""
    make_focal().save_pretrained(tmp_path / "checkpoint")
    return tmp_path / "checkpoint"


def spoil(folder: Path, change: Callable[[dict[str, Tensor]], dict[str, Tensor]]) -> None:
    save_file(change(load_file(folder / SINGLE)), folder / SINGLE)


def write_index(folder: Path, weight_map: object) -> None:
    (folder / INDEX).write_text(json.dumps({"metadata": {}, "weight_map": weight_map}))


def sharded(make_focal, folder: Path) -> Focal:
    """A model of some 20 MB, saved."""
    model = make_focal(encoder=EncoderConfig(192, 12, 3))
    model.save_pretrained(folder)
    return model


# Round trips


@pytest.mark.parametrize("storage", ("float32", "float16"))
def test_a_loaded_model_equals_the_saved_one_to_its_storage(make_focal, tmp_path, storage):
    model = make_focal(storage=storage)
    model.save_pretrained(tmp_path / "checkpoint")
    loaded = Focal.load(tmp_path / "checkpoint")
    kept = getattr(torch, storage)
    before, after = model.state_dict(), loaded.state_dict()
    assert before.keys() == after.keys()
    for name, tensor in after.items():
        assert tensor.dtype == torch.float32
        assert torch.equal(tensor, before[name].to(kept).float()), name
    stored = load_file(tmp_path / "checkpoint" / SINGLE)
    assert {tensor.dtype for tensor in stored.values()} == {kept}


def test_a_tag_encoder_whose_config_says_half_precision_is_loaded_in_full(make_focal, saved):
    config = saved / "text" / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"dtype": "float16"}))
    model, loaded = make_focal(), Focal.load(saved)
    torch.testing.assert_close(loaded.encode_tags(TAGS), model.encode_tags(TAGS), rtol=0, atol=5e-3)


def test_no_random_weights_are_made_for_those_of_a_checkpoint(saved, monkeypatch):
    for made in ("normal_", "uniform_"):
        monkeypatch.setattr(Tensor, made, None)
    Focal.load(saved)


def test_a_loaded_model_reads_as_the_saved_one(make_focal, saved):
    model, loaded = make_focal(), Focal.load(saved)
    signal = torch.randn(2, 12, 400, generator=torch.Generator().manual_seed(0))
    seen = torch.ones(2, 12, 4, dtype=torch.bool)
    assert torch.equal(loaded.encode_ecg(signal, seen), model.encode_ecg(signal, seen))
    assert torch.equal(loaded.encode_tags(TAGS), model.encode_tags(TAGS))
    assert not loaded.training


def test_the_config_that_is_saved_is_the_one_the_model_holds_then(make_focal, saved):
    model = make_focal()
    model.config = type(model.config).from_dict(
        {**model.config.to_dict(), "calibration": {"scale": 0.5, "shift": -1.0}}
    )
    model.save_pretrained(saved)
    assert Focal.load(saved).config == model.config
    assert Focal.load(saved).config.calibration == Calibration(0.5, -1.0)


def test_the_hub_mixin_loads_the_same_model_from_a_folder(make_focal, saved):
    loaded = Focal.from_pretrained(saved)
    assert loaded.config == make_focal().config
    assert torch.equal(loaded.encode_tags(TAGS), make_focal().encode_tags(TAGS))
    assert torch.equal(Focal.from_pretrained(str(saved)).bias, loaded.bias)


def test_every_file_stays_below_ten_megabytes(make_focal, tmp_path):
    model = sharded(make_focal, tmp_path)
    sizes = {file.name: file.stat().st_size for file in tmp_path.rglob("*") if file.is_file()}
    assert sum(name.endswith(".safetensors") for name in sizes) > 1
    assert max(sizes.values()) < 10_000_000
    loaded = Focal.load(tmp_path).state_dict()
    assert all(torch.equal(loaded[name], t) for name, t in model.state_dict().items())


def test_saving_over_an_older_checkpoint_leaves_none_of_its_shards(make_focal, tmp_path):
    sharded(make_focal, tmp_path)
    make_focal().save_pretrained(tmp_path)
    assert [file.name for file in tmp_path.glob("model*")] == [SINGLE]
    assert Focal.load(tmp_path).config == make_focal().config


# Strictness


def test_a_missing_weight_is_refused(saved):
    spoil(saved, lambda w: {n: t for n, t in w.items() if n != "projection.bias"})
    with pytest.raises(CheckpointError, match=r"1 missing \['projection.bias'\]"):
        Focal.load(saved)


def test_an_unknown_weight_is_refused(saved):
    spoil(saved, lambda w: {**w, "extra": torch.zeros(2)})
    with pytest.raises(CheckpointError, match=r"1 unknown \['extra'\]"):
        Focal.load(saved)


def test_a_weight_of_another_shape_is_refused(saved):
    spoil(saved, lambda w: {**w, "projection.bias": torch.zeros(9)})
    with pytest.raises(CheckpointError, match=r"1 of another shape \['projection.bias'\]"):
        Focal.load(saved)


def test_the_hub_mixin_is_as_strict(saved):
    spoil(saved, lambda w: {**w, "extra": torch.zeros(2)})
    with pytest.raises(CheckpointError, match="unknown"):
        Focal.from_pretrained(saved)


@pytest.mark.parametrize("size", (0, 5, 1000))
def test_a_truncated_weight_file_is_refused(saved, size):
    (saved / SINGLE).write_bytes((saved / SINGLE).read_bytes()[:size])
    with pytest.raises(CheckpointError, match="not a safetensors file"):
        Focal.load(saved)


def test_a_shard_that_is_not_there_is_refused(make_focal, tmp_path):
    sharded(make_focal, tmp_path)
    sorted(tmp_path.glob("model-*.safetensors"))[1].unlink()
    with pytest.raises(CheckpointError, match="missing"):
        Focal.load(tmp_path)


@pytest.mark.parametrize(
    "name", ("../evil.safetensors", "/evil.safetensors", "text/x.safetensors", "evil.bin", "", 5)
)
def test_an_index_that_names_anything_else_than_its_own_safetensors_is_refused(saved, name):
    (saved / SINGLE).rename(saved.parent / "evil.safetensors")
    write_index(saved, {"bias": name})
    with pytest.raises(CheckpointError, match=INDEX):
        Focal.load(saved)


@pytest.mark.parametrize("weight_map", (None, [], {"a": ["b"]}, {"a": 1, "b": "c"}))
def test_an_index_that_is_no_index_is_refused(saved, weight_map):
    write_index(saved, weight_map)
    with pytest.raises(CheckpointError):
        Focal.load(saved)


# Nothing is executed


class Bomb:
    """Leaves a file behind when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


@pytest.mark.parametrize("name", ("pytorch_model.bin", "model.safetensors"))
def test_pickles_are_never_loaded(saved, tmp_path, name):
    (saved / SINGLE).unlink()
    for folder in (saved, saved / "text"):
        (folder / name).write_bytes(pickle.dumps(Bomb(tmp_path / "exploded")))
    with pytest.raises(CheckpointError, match=r"model\.safetensors"):
        Focal.load(saved)
    assert not (tmp_path / "exploded").exists()


@pytest.mark.parametrize("model_type", ("bert", "unheard-of"))
def test_code_beside_the_tag_encoder_is_never_run(saved, tmp_path, model_type):
    code = f"from pathlib import Path\nPath({str(tmp_path / 'exploded')!r}).touch()\n"
    (saved / "text" / "evil.py").write_text(code)
    edit_json(
        saved / "text" / CONFIG,
        model_type=model_type,
        auto_map={"AutoConfig": "evil.Config", "AutoModel": "evil.Model"},
    )
    if model_type == "unheard-of":
        with pytest.raises(CheckpointError, match="text/"):
            Focal.load(saved)
    else:
        Focal.load(saved)
    assert not (tmp_path / "exploded").exists()


# What is missing or spoilt beside the weights


def edit_json(path: Path, **changes: object) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


@pytest.mark.parametrize("name", ("config.json", "tokenizer.json", None))
def test_a_checkpoint_without_its_tag_encoder_is_refused(saved, name):
    for file in (saved / "text").iterdir():
        if name in (None, file.name):
            file.unlink()
    if name is None:
        (saved / "text").rmdir()
    with pytest.raises(CheckpointError, match="text/"):
        Focal.load(saved)


@pytest.mark.parametrize("name", ("config.json", "tokenizer.json"))
@pytest.mark.parametrize(
    "content",
    (b"", b"{", b"[]", b"{}", b"\xff\xfe", b'{"added_tokens": [], "model": {"type": "WordPiece"}}'),
)
def test_a_spoilt_tag_encoder_is_refused(saved, name, content):
    (saved / "text" / name).write_bytes(content)
    with pytest.raises(CheckpointError):
        Focal.load(saved)


@pytest.mark.parametrize("content", (b"", b"{", b"[]", b"{}", b"null", b"\xff\xfe", None))
def test_a_spoilt_config_is_refused(saved, content):
    if content is None:
        (saved / CONFIG).unlink()
    else:
        (saved / CONFIG).write_bytes(content)
    with pytest.raises(CheckpointError, match=CONFIG):
        Focal.load(saved)


@pytest.mark.parametrize(
    "change",
    (
        {"colour": "red"},
        {"embed_dim": "wide"},
        {"embed_dim": -1},
        {"epsilon": "small"},
        {"tau": 0},
        {"epsilon": float("nan")},
        {"encoder": {"width": 16}, "unknown": 1},
        {"encoder": {"width": 16.5}},
        {"text": {"name": "tiny", "max_tokens": 0}},
        {"storage": "load"},
        {"embed_dim": True},
        {"embed_dim": 10**9},
        {"bias": "x"},
        {"bias": float("nan")},
        {"bias": None},
        {"tau": True},
        {"epsilon": "x"},
        {"calibration": {"scale": "x", "shift": 0.0}},
        {"calibration": {"scale": float("inf"), "shift": 0.0}},
        {"encoder": {"width": 16, "depth": 1, "heads": 2, "dropout": "x"}},
        {"encoder": {"width": 16, "depth": 1, "heads": 2, "dropout": -1}},
        {"encoder": {"width": 15360, "depth": 12, "heads": 3}},
        {"encoder": {"width": 16, "depth": 10**5, "heads": 10**9}},
        {"signal": {"windows": 4, "colour": "red"}},
    ),
)
def test_a_config_with_unknown_keys_or_impossible_values_is_refused(saved, change):
    edit_json(saved / CONFIG, **change)
    with pytest.raises(CheckpointError, match=CONFIG):
        Focal.load(saved)


@pytest.mark.parametrize("name", (CONFIG, INDEX))
@pytest.mark.parametrize(
    "content", (b"\xff\xfe", b"[" * 100_000, b'{"a":' * 100_000, b" " * 5_000_000)
)
def test_json_that_would_break_a_parser_is_refused(saved, name, content):
    (saved / name).write_bytes(content)
    with pytest.raises(CheckpointError, match=name):
        Focal.load(saved)


@pytest.mark.parametrize(
    "change",
    (
        {"num_hidden_layers": 100_000},
        {"vocab_size": 10**12},
        {"hidden_size": True},
        {"max_position_embeddings": 10**9},
        {"intermediate_size": -1},
        {"num_attention_heads": 2.5},
        {"hidden_size": 8192, "num_hidden_layers": 96},
        {"hidden_size": 8192, "max_position_embeddings": 1_000_000},
        {"hidden_size": 8192, "intermediate_size": 32_768, "num_hidden_layers": 4},
    ),
)
def test_a_tag_encoder_that_no_machine_holds_is_refused_before_it_is_made(saved, change):
    edit_json(saved / "text" / CONFIG, **change)
    with pytest.raises(CheckpointError, match=next(iter(change))):
        Focal.load(saved)


@pytest.mark.parametrize(
    "sizes",
    (
        {"vocab_size": 128_100, "type_vocab_size": 0, "max_position_embeddings": 512},
        {"vocab_size": 262_144, "max_position_embeddings": 131_072},
        {"hidden_size": 1536, "intermediate_size": 6144, "num_hidden_layers": 48},
    ),
    ids=("no types of words", "rotary positions", "DeBERTa v2 xxlarge"),
)
def test_a_large_encoder_that_researchers_use_is_loaded(sizes):
    check_text_sizes(
        {"hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24, **sizes}
    )


def test_the_inside_of_a_layer_is_counted_where_a_config_leaves_it_out():
    with pytest.raises(CheckpointError, match="hidden_size"):
        check_text_sizes({"hidden_size": 8192, "num_hidden_layers": 6})


@pytest.mark.parametrize("name", (CONFIG, SINGLE, f"text/{CONFIG}", "text/tokenizer.json"))
def test_a_link_out_of_the_folder_is_refused(saved, tmp_path, name):
    (saved / name).rename(tmp_path / "outside")
    (saved / name).symlink_to(tmp_path / "outside")
    with pytest.raises(CheckpointError, match="link out of its folder"):
        Focal.load(saved)


@pytest.mark.parametrize(
    "source", ("org/model@" + "a" * 5_000, "a" * 5_000, "org/model@\x00", "\x00")
)
def test_a_source_that_no_system_takes_is_refused(source):
    with pytest.raises(CheckpointError):
        Focal.load(source)


def test_a_config_of_another_size_than_the_weights_is_refused(saved):
    edit_json(saved / CONFIG, embed_dim=16)
    with pytest.raises(CheckpointError, match="of another shape"):
        Focal.load(saved)


def test_messages_name_no_folder_of_the_machine(saved):
    (saved / SINGLE).unlink()
    with pytest.raises(CheckpointError) as caught:
        Focal.load(saved)
    assert str(saved.parent) not in str(caught.value)
