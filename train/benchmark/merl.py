"""A model in the manner of MERL, our own rendering: one vector an ECG, one a whole report.

    model = Finished.load(Path("runs/merl")).model
    score = model.encode_ecg(signal) @ model.encode_text(embed_tags(text, prompts)).T

Its ResNet18 in one dimension sees all samples; a frozen tag encoder embeds the report as one text.
The loss is global contrast between ECG and report, and alignment of two dropout views of the same
ECG (Liu et al. 2024, arXiv:2403.06659). Where MERL pools by attention, we take the mean.

config.json          sizes, signal and text (`MerlConfig`), and what it learnt from (`Learnt`)
model.safetensors    weights
seen.safetensors     hashes of the patients of its training
"""

import copy
import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Self

import numpy as np
import torch
from jaxtyping import Float
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn import functional as F

from focal_app.ecg.recording import LEADS
from focal_app.ecg.signal_spec import SignalSpec
from focal_app.errors import ConfigError
from focal_app.model.seen import Seen
from focal_app.model.store import fitting
from focal_app.model.text import TagEncoder
from train.benchmark.settings import BLOCKS, WIDTHS
from train.checked import Checked, Range, built

CONFIG, WEIGHTS = "config.json", "model.safetensors"
STAGES, EMBED_DIM, DROPOUT = 4, 256, 0.1
REPORT_TOKENS = 256
"""A report is longer than a tag: MERL cuts it here."""


@dataclass(frozen=True)
class MerlConfig(Checked):
    """Sizes (the published ones by default), the signal, and the tag encoder by its hash.

    `width` is that of the first of four stages, each twice as wide as the one before; each has so
    many `blocks`.
    """

    signal: SignalSpec
    text: str
    text_width: Annotated[int, Range(1, 65_536)]
    width: Annotated[int, WIDTHS] = 64
    blocks: Annotated[int, BLOCKS] = 2


@dataclass(frozen=True)
class Learnt(Checked):
    """What a model was trained on.

    `data` is the hash of the shards, `records` are those of training, `prepared` says that their
    filtered signals were kept, in half precision.
    """

    data: str
    sources: tuple[str, ...]
    records: Annotated[int, Range(0)]
    verified_features: Annotated[int, Range(0)]
    steps: int
    batch: int
    learning_rate: float
    seed: int
    prepared: bool


class Merl(nn.Module):
    """A residual network over the samples, mean pooling, and projections to a shared space."""

    def __init__(self, config: MerlConfig) -> None:
        super().__init__()
        self.config = config
        self.encoder = resnet(config.width, config.blocks)
        self.projection = nn.Linear(config.width * 2 ** (STAGES - 1), EMBED_DIM)
        self.dropout = nn.Dropout(DROPOUT)
        self.text_projection = nn.Sequential(
            nn.Linear(config.text_width, EMBED_DIM), nn.GELU(), nn.Linear(EMBED_DIM, EMBED_DIM)
        )
        self.log_temperature = nn.Parameter(torch.tensor(np.log(1 / 0.07), dtype=torch.float32))

    def projected(self, signal: Float[Tensor, "B L T"]) -> Float[Tensor, "B d"]:
        """One vector an ECG, of any length."""
        return self.projection(self.encoder(signal).mean(2))

    def encode_ecg(self, signal: Float[Tensor, "B L T"]) -> Float[Tensor, "B d"]:
        """Unit vector of every ECG."""
        return F.normalize(self.projected(signal), dim=-1)

    def encode_text(self, z: Float[Tensor, "K text"]) -> Float[Tensor, "K d"]:
        """Unit vector of every text, from its frozen embedding."""
        return F.normalize(self.text_projection(z), dim=-1)

    def losses(
        self, signal: Float[Tensor, "B L T"], z: Float[Tensor, "B text"]
    ) -> dict[str, Float[Tensor, ""]]:
        """Contrast of ECGs and reports, and alignment of two dropout views of each ECG."""
        ecg, scale = self.projected(signal), self.log_temperature.exp()
        one, other = (F.normalize(self.dropout(ecg), dim=-1) for _ in range(2))
        reports = contrast(F.normalize(ecg, dim=-1), self.encode_text(z), scale)
        return {"reports": reports, "views": contrast(one, other, scale)}


@dataclass(frozen=True)
class Finished:
    """A trained model, what it learnt from, and whom it has seen."""

    model: Merl
    learnt: Learnt
    seen: Seen

    def save(self, folder: Path) -> None:
        """Write all of it; the config last, so that a folder that has it is whole."""
        folder.mkdir(parents=True, exist_ok=True)
        weights = self.model.state_dict().items()
        save_file({name: t.detach().cpu().contiguous() for name, t in weights}, folder / WEIGHTS)
        self.seen.save(folder)
        told = {"model": asdict(self.model.config), "learnt": asdict(self.learnt)}
        (folder / CONFIG).write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> Self:
        """What `save` wrote, ready to read."""
        try:
            told = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
            model = Merl(built(MerlConfig, told["model"], CONFIG))
            learnt = built(Learnt, told["learnt"], CONFIG)
            weights = load_file(folder / WEIGHTS)
        except (OSError, ValueError, KeyError, TypeError, RecursionError, SafetensorError) as error:
            raise ConfigError(
                f"found no finished model in {folder.name!r}; needed a folder that `python -m "
                "train merl` wrote to its end"
            ) from error
        model.load_state_dict(fitting(weights, model.state_dict()))
        if (seen := Seen.load(folder)) is None:
            raise ConfigError(
                f"found a model in {folder.name!r} that does not say whom it has seen; needed the "
                "whole folder that `python -m train merl` wrote"
            )
        return cls(model.eval(), learnt, seen)


def resnet(width: int, blocks: int) -> nn.Sequential:
    """Twelve leads in; stages of 1, 2, 4 and 8 times `width` channels, each but the first halving.

    With 64 and 2 it is ResNet18 in one dimension without its maximum pooling: 5,000 samples become
    313 vectors of 512.
    """
    widths = [width * 2**stage for stage in range(STAGES)]
    layers: list[nn.Module] = [*_normed(len(LEADS), width, 7, stride=2), nn.ReLU()]
    for before, after in zip([width, *widths], widths, strict=False):
        layers += [Block(before, after), *(Block(after, after) for _ in range(blocks - 1))]
    return nn.Sequential(*layers)


class Block(nn.Module):
    """Two convolutions with a shortcut (He et al. 2016); a wider one has half as many samples."""

    def __init__(self, before: int, after: int) -> None:
        super().__init__()
        stride = 1 if before == after else 2
        first, second = _normed(before, after, 3, stride=stride), _normed(after, after, 3)
        self.inner = nn.Sequential(*first, nn.ReLU(), *second)
        widened = nn.Sequential(*_normed(before, after, 1, stride=stride))
        self.shortcut = nn.Identity() if stride == 1 else widened

    def forward(self, x: Float[Tensor, "B before T"]) -> Float[Tensor, "B after fewer"]:
        """The samples, changed by what the block adds."""
        return F.relu(self.inner(x) + self.shortcut(x))


def _normed(before: int, after: int, size: int, *, stride: int = 1) -> tuple[nn.Module, nn.Module]:
    convolution = nn.Conv1d(before, after, size, stride, padding=size // 2, bias=False)
    return convolution, nn.BatchNorm1d(after)


def contrast(
    one: Float[Tensor, "B d"], other: Float[Tensor, "B d"], scale: Tensor
) -> Float[Tensor, ""]:
    """Symmetric InfoNCE: every row belongs to the same row of the other."""
    logits = scale * one @ other.T
    target = torch.arange(len(one), device=one.device)
    return (F.cross_entropy(logits, target) + F.cross_entropy(logits.T, target)) / 2


def for_reports(text: TagEncoder) -> TagEncoder:
    """The same tag encoder that cuts a text as late as MERL does, not after a tag's length."""
    made, longest = copy.copy(text), text.backbone.config.max_position_embeddings
    made.config = replace(text.config, max_tokens=min(REPORT_TOKENS, longest))
    return made
