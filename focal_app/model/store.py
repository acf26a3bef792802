"""A checkpoint on disk or on the Hub: config, safetensors in small shards, the tag encoder inside.

config.json                          FocalConfig, the signal's settings included
model-00001-of-0000N.safetensors     weights, each file below 10 MB where a tensor allows it
model.safetensors.index.json         which tensor lies in which file
text/config.json, text/tokenizer...  the tag encoder, complete: nothing is fetched by name
seen.safetensors                     hashes of the patients of training and calibration, if known
combination.yaml                     where measurements join the model, if anywhere
zones.json                           from which probability on Verify supports, if that was measured
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from huggingface_hub import save_torch_state_dict
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor
from torch.overrides import TorchFunctionMode

from focal_app.errors import CheckpointError, ConfigError
from focal_app.model import hub
from focal_app.model.checkpoint_folder import CONFIG
from focal_app.model.config import MOST_PARAMETERS, FocalConfig
from focal_app.model.seen import SEEN, Seen
from focal_app.model.text import TagEncoder
from focal_app.untrusted import read_json

SHARD = "9MB"
INDEX, SINGLE = "model.safetensors.index.json", "model.safetensors"
LARGEST_JSON = 4_000_000
TEXT_SIZES = {
    "hidden_size": range(1, 8193),
    "intermediate_size": range(1, 32_769),
    "num_hidden_layers": range(1, 97),
    "num_attention_heads": range(1, 129),
    "vocab_size": range(1, 1_000_001),
    "max_position_embeddings": range(1, 1_000_001),
    "type_vocab_size": range(101),
}
"""Every text encoder lies within; Transformers makes what a config says, however large."""


@dataclass(frozen=True)
class Checkpoint:
    """What a model is made of: its choices, its tag encoder, every weight by name, whom it saw."""

    config: FocalConfig
    text: TagEncoder
    weights: Mapping[str, Tensor]
    seen: Seen | None = None


def save(checkpoint: Checkpoint, folder: Path) -> None:
    """Write everything that `load` needs; tensors in the config's storage type."""
    config, text = checkpoint.config, checkpoint.text
    folder.mkdir(parents=True, exist_ok=True)
    for old in (*folder.glob("model*.safetensors"), folder / INDEX, folder / SEEN):
        old.unlink(missing_ok=True)
    kind = getattr(torch, config.storage)
    state = {
        name: tensor.detach().to("cpu", kind).contiguous()
        for name, tensor in checkpoint.weights.items()
    }
    save_torch_state_dict(state, folder, max_shard_size=SHARD)
    text.backbone.config.save_pretrained(folder / "text")
    text.tokenizer.save_pretrained(folder / "text")
    written = json.dumps(config.to_dict(), indent=2)
    (folder / CONFIG).write_text(written + "\n", encoding="utf-8")
    if checkpoint.seen:
        checkpoint.seen.save(folder)


class Unfilled(TorchFunctionMode):
    """Leaves out the random values that layers begin with: a checkpoint's come in their place."""

    RANDOM = frozenset({"kaiming_uniform_", "normal_", "uniform_"})
    """By name, since Transformers puts functions of its own in the place of torch's."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        given = kwargs or {}
        if getattr(func, "__name__", "") in self.RANDOM:
            return args[0] if args else given["tensor"]
        return func(*args, **given)


def load(folder: Path) -> Checkpoint:
    """What lies in a folder; the tag encoder is not filled with its weights yet."""
    from transformers import AutoConfig, AutoModel, AutoTokenizer

    config = _read_config(folder)
    # Without `safe`, a config that names code of its own would ask on the terminal to run it.
    safe = {"trust_remote_code": False}
    files = {"local_files_only": True, **safe}
    try:
        _check_text_files(folder)
        sizes = AutoConfig.from_pretrained(folder / "text", **files)
        backbone = AutoModel.from_config(sizes, **safe).float()  # whatever its config says
        tokenizer = AutoTokenizer.from_pretrained(folder / "text", use_fast=True, **files)
    except CheckpointError:
        raise
    except Exception as error:  # spoilt files make the two libraries raise anything
        raise CheckpointError(
            "the folder text/ of the checkpoint holds no usable tag encoder; needed its config and "
            "tokenizer. Save the checkpoint again with this version"
        ) from error
    text = TagEncoder(config.text, backbone, tokenizer, config.embed_dim)  # pyrefly: ignore[bad-argument-type]
    seen = Seen.load(inside(folder, SEEN).parent)
    return Checkpoint(config, text, _read_weights(folder), seen)


def fitting(weights: Mapping[str, Tensor], wanted: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Weights in float32 for a model that has those of `wanted`: strict in names and shapes."""
    missing, unknown = sorted(wanted.keys() - weights.keys()), sorted(weights.keys() - wanted)
    shapes = [n for n in wanted.keys() & weights.keys() if wanted[n].shape != weights[n].shape]
    if missing or unknown or shapes:
        raise CheckpointError(
            f"the checkpoint's weights do not fit its config: {len(missing)} missing "
            f"{missing[:3]}, {len(unknown)} unknown {unknown[:3]}, {len(shapes)} of another shape "
            f"{shapes[:3]}; use the config.json that was saved with them"
        )
    return {name: tensor.float() for name, tensor in weights.items()}


def _read_config(folder: Path) -> FocalConfig:
    try:
        values = read_json(inside(folder, CONFIG), most_bytes=LARGEST_JSON)
        return FocalConfig.from_dict(values)
    except FileNotFoundError as error:
        raise CheckpointError(f"found no {CONFIG} in the checkpoint; needed one") from error
    except (OSError, ValueError, ConfigError, AttributeError) as error:
        raise CheckpointError(f"{CONFIG} of the checkpoint cannot be used: {error}") from error


def _read_weights(folder: Path) -> dict[str, Tensor]:
    weights: dict[str, Tensor] = {}
    for name in _weight_files(folder):
        try:
            weights.update(load_file(inside(folder, name)))
        except (OSError, SafetensorError) as error:
            raise CheckpointError(
                f"{name} of the checkpoint is missing or not a safetensors file; fetch or save the "
                "checkpoint again"
            ) from error
    return weights


def _weight_files(folder: Path) -> list[str]:
    if not (folder / INDEX).is_file():
        return [SINGLE]
    try:
        index = read_json(inside(folder, INDEX), most_bytes=LARGEST_JSON)
        names = sorted(set(index["weight_map"].values()))
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise CheckpointError(f"{INDEX} of the checkpoint cannot be read") from error
    for name in names:
        if Path(str(name)).name != name or not name.endswith(".safetensors"):
            raise CheckpointError(
                f"{INDEX} names {name!r}; only safetensors files of the same folder are loaded"
            )
    return names


def inside(folder: Path, name: str) -> Path:
    """A file of the folder, or of the Hub's cache around it; a link to anywhere else is refused."""
    path = folder / name
    if not any(path.resolve().is_relative_to(root) for root in hub.roots(folder)):
        raise CheckpointError(
            f"{name} of the checkpoint is a link out of its folder; put the file itself there"
        )
    return path


def _check_text_files(folder: Path) -> None:
    """Refuse a tag encoder that no machine of ours holds, before anything of it is made."""
    for path in (folder / "text").iterdir():
        inside(folder, f"text/{path.name}")
    check_text_sizes(read_json(folder / "text" / CONFIG, most_bytes=LARGEST_JSON))


def check_text_sizes(config: Mapping[str, object]) -> None:
    """A `CheckpointError` for sizes of a tag encoder that no checkpoint is loaded with."""
    sizes: dict[str, int] = {}
    for name, possible in TEXT_SIZES.items():
        size = config.get(name, 1)
        if type(size) is not int or size not in possible:
            raise CheckpointError(
                f"found {name} in the tag encoder's config that is no whole number from "
                f"{possible[0]} to {possible[-1]}; needed another tag encoder, or the checkpoint "
                "saved again with this version"
            )
        sizes[name] = size
    width = sizes["hidden_size"]
    wide = sizes["intermediate_size"] if "intermediate_size" in config else 4 * width
    layers = sizes["num_hidden_layers"] * (4 * width + 2 * wide)
    if width * (layers + sizes["vocab_size"] + sizes["max_position_embeddings"]) > MOST_PARAMETERS:
        raise CheckpointError(
            "found a hidden_size and other sizes in the tag encoder's config that make more than "
            f"{MOST_PARAMETERS:.0e} parameters; needed a smaller tag encoder, or the checkpoint "
            "saved again with this version"
        )
