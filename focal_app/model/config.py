"""What a checkpoint is made of, saved as `config.json` beside its weights."""

import dataclasses
import math
from dataclasses import dataclass, field
from typing import Any, Literal, Self, get_args

from focal_app.ecg.signal_spec import SignalSpec
from focal_app.errors import ConfigError

Stem = Literal["linear", "conv"]
Pooling = Literal["pooler", "cls", "mean"]
Storage = Literal["float32", "float16"]
Alignment = Literal["semi-uot", "balanced-ot", "cross-attention", "global"]


@dataclass(frozen=True)
class EncoderConfig:
    """The spatial-temporal ViT: the paper's is 192 wide, 12 deep, with 3 heads, linear patches.

    `stem` turns a patch of samples into a token: `linear` as published, or `conv`, two strided
    convolutions within the patch, which learn from far fewer recordings.
    """

    width: int = 192
    depth: int = 12
    heads: int = 3
    stem: Stem = "linear"
    dropout: float = 0.0

    def __post_init__(self) -> None:
        """Refuse sizes that do not fit together."""
        _check_choice("stem", self.stem, Stem)
        _check_sizes(width=self.width, depth=self.depth, heads=self.heads)
        if self.width % self.heads:
            raise ConfigError(
                f"found width {self.width} and {self.heads} heads; the heads must divide the width"
            )


@dataclass(frozen=True)
class TextConfig:
    """The tag encoder: any Hugging Face `AutoModel` by name, and how its tokens are pooled."""

    name: str = "emilyalsentzer/Bio_ClinicalBERT"
    pooling: Pooling = "pooler"
    max_tokens: int = 64

    def __post_init__(self) -> None:
        """Refuse an unknown pooling."""
        _check_choice("pooling", self.pooling, Pooling)
        _check_sizes(max_tokens=self.max_tokens)


@dataclass(frozen=True)
class Calibration:
    """Platt scaling of the logit t cos + b, fitted on records that training did not see."""

    scale: float = 1.0
    shift: float = 0.0


@dataclass(frozen=True)
class FocalConfig:
    """Everything needed to rebuild a model and to feed it as it was trained."""

    signal: SignalSpec = field(default_factory=SignalSpec)
    encoder: EncoderConfig = field(default_factory=EncoderConfig)
    text: TextConfig = field(default_factory=TextConfig)
    calibration: Calibration = field(default_factory=Calibration)
    embed_dim: int = 256
    epsilon: float = 0.1
    tau: float = 1.0
    temperature: float = 10.0
    bias: float = 0.0
    storage: Storage = "float32"
    alignment: Alignment = "semi-uot"

    def __post_init__(self) -> None:
        """Refuse numbers that the transport or the store cannot take."""
        _check_sizes(embed_dim=self.embed_dim)
        for name in ("epsilon", "tau", "temperature"):
            if not 0 < getattr(self, name) < math.inf:
                raise ConfigError(f"found {name} {getattr(self, name)}; needed a number above 0")
        _check_choice("storage", self.storage, Storage)
        _check_choice("alignment", self.alignment, Alignment)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """The config from plain values; an unknown or missing key is a `ConfigError`."""
        parts = {"encoder": EncoderConfig, "text": TextConfig, "calibration": Calibration}
        try:
            made = {name: part(**values[name]) for name, part in parts.items()}
            rest = {key: value for key, value in values.items() if key not in (*parts, "signal")}
            return cls(**made, signal=SignalSpec.from_dict(values["signal"]), **rest)
        except (KeyError, TypeError) as error:
            raise ConfigError(f"config.json does not describe a FOCAL model: {error}") from error


def _check_sizes(**sizes: int) -> None:
    for name, value in sizes.items():
        if not isinstance(value, int) or value < 1:
            raise ConfigError(f"found {name} {value!r}; needed a whole number of at least 1")


def _check_choice(name: str, value: str, choices: Any) -> None:  # noqa: ANN401
    if value not in (known := get_args(choices)):
        raise ConfigError(f"found {name} {value!r}; needed one of {', '.join(known)}")
