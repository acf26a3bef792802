"""A checkpoint on disk or on the Hub: config, safetensors in small shards, the tag encoder inside.

config.json                          FocalConfig, the signal's settings included
model-00001-of-0000N.safetensors     weights, each file below 10 MB where a tensor allows it
model.safetensors.index.json         which tensor lies in which file
text/config.json, text/tokenizer...  the tag encoder, complete: nothing is fetched by name
"""

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import torch
from huggingface_hub import save_torch_state_dict
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from focal_app.errors import CheckpointError, ConfigError
from focal_app.model import hub
from focal_app.model.config import FocalConfig

if TYPE_CHECKING:
    from focal_app.model.focal import Focal

Model = TypeVar("Model", bound="Focal")

SHARD = "9MB"
CONFIG, INDEX, SINGLE = "config.json", "model.safetensors.index.json", "model.safetensors"
_WANTED = hub.Wanted(
    patterns=("*.json", "*.safetensors", "text/*.json", "text/*.txt"),
    needed=f"a folder with {CONFIG}, or a Hub repository",
    error=CheckpointError,
)


def local_folder(source: str | Path, **download: Any) -> Path:  # noqa: ANN401
    """The folder of a checkpoint: `source` itself, or a download of `org/name[@revision]`."""
    return hub.local_folder(source, _WANTED, **download)


def save(model: "Focal", folder: Path) -> None:
    """Write everything that `load` needs; tensors in the config's storage type."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in (*folder.glob("model*.safetensors"), folder / INDEX):
        old.unlink(missing_ok=True)
    kind = getattr(torch, model.config.storage)
    state = {name: t.detach().to("cpu", kind).contiguous() for name, t in _weights(model).items()}
    save_torch_state_dict(state, folder, max_shard_size=SHARD)
    text = folder / "text"
    model.text.backbone.config.save_pretrained(text)
    model.text.tokenizer.save_pretrained(text)
    written = json.dumps(model.config.to_dict(), indent=2)
    (folder / CONFIG).write_text(written + "\n", encoding="utf-8")


def load(folder: Path, kind: type[Model]) -> Model:
    """Rebuild the model of a folder; strict in names and shapes, float32 in memory."""
    from transformers import AutoConfig, AutoModel, AutoTokenizer

    from focal_app.model.text import TagEncoder

    config = _read_config(folder)
    # Without `safe`, a config that names code of its own would ask on the terminal to run it.
    safe = {"trust_remote_code": False}
    files = {"local_files_only": True, **safe}
    try:
        sizes = AutoConfig.from_pretrained(folder / "text", **files)
        backbone = AutoModel.from_config(sizes, **safe)
        tokenizer = AutoTokenizer.from_pretrained(folder / "text", use_fast=True, **files)
    except Exception as error:  # spoilt files make the two libraries raise anything
        raise CheckpointError(
            "the folder text/ of the checkpoint holds no usable tag encoder; needed its config and "
            "tokenizer. Save the checkpoint again with this version"
        ) from error
    text = TagEncoder(config.text, backbone, tokenizer, config.embed_dim)
    model = kind(config, text)
    _fill(model, _read_weights(folder))
    return model


def fingerprint(model: "Focal") -> str:
    """What tells one checkpoint from another: SHA-256 over its config and all of its weights."""
    digest = hashlib.sha256(json.dumps(model.config.to_dict(), sort_keys=True).encode())
    for name, tensor in sorted(_weights(model).items()):
        digest.update(name.encode())
        digest.update(tensor.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def _weights(model: "Focal") -> dict[str, Tensor]:
    return dict(model.state_dict())


def _read_config(folder: Path) -> FocalConfig:
    try:
        values = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        return FocalConfig.from_dict(values)
    except FileNotFoundError as error:
        raise CheckpointError(f"found no {CONFIG} in the checkpoint; needed one") from error
    except (json.JSONDecodeError, UnicodeDecodeError, ConfigError, AttributeError) as error:
        raise CheckpointError(f"{CONFIG} of the checkpoint cannot be used: {error}") from error


def _read_weights(folder: Path) -> dict[str, Tensor]:
    weights: dict[str, Tensor] = {}
    for name in _weight_files(folder):
        try:
            weights.update(load_file(folder / name))
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
        names = sorted(set(json.loads((folder / INDEX).read_text())["weight_map"].values()))
    except (json.JSONDecodeError, KeyError, AttributeError, TypeError) as error:
        raise CheckpointError(f"{INDEX} of the checkpoint cannot be read") from error
    for name in names:
        if Path(str(name)).name != name or not name.endswith(".safetensors"):
            raise CheckpointError(
                f"{INDEX} names {name!r}; only safetensors files of the same folder are loaded"
            )
    return names


def _fill(model: "Focal", weights: dict[str, Tensor]) -> None:
    wanted = _weights(model)
    missing, unknown = sorted(wanted.keys() - weights.keys()), sorted(weights.keys() - wanted)
    shapes = [n for n in wanted.keys() & weights.keys() if wanted[n].shape != weights[n].shape]
    if missing or unknown or shapes:
        raise CheckpointError(
            f"the checkpoint's weights do not fit its config: {len(missing)} missing "
            f"{missing[:3]}, {len(unknown)} unknown {unknown[:3]}, {len(shapes)} of another shape "
            f"{shapes[:3]}; use the config.json that was saved with them"
        )
    model.load_state_dict({name: tensor.float() for name, tensor in weights.items()}, strict=True)
