"""What a checkpoint is made of, saved as `config.json` beside its weights."""

import dataclasses
import math
from dataclasses import dataclass, field
from typing import Any, Literal, Self, get_args

from focal_app.ecg.signal_spec import SignalSpec
from focal_app.errors import ConfigError

ZONES = "zones.json"
"""The file beside a checkpoint's weights that says from which probability on Verify supports."""

Stem = Literal["linear", "conv"]
Pooling = Literal["pooler", "cls", "mean"]
TextHead = Literal["linear", "mlp"]
Storage = Literal["float32", "float16"]
Alignment = Literal["semi-uot", "balanced-ot", "cross-attention", "global"]

LATER = (("encoder", "head_bias"), ("encoder", "record_path"), ("text", "head"))
"""Choices that older checkpoints do not name."""

RECORD_RATE_HZ = 100
"""At which rate the record path looks; a signal's own has to be a multiple of it."""

LARGEST_SIZE, MOST_PARAMETERS, MOST_ENCODERS = 100_000, 2_000_000_000, 16
"""Far more than was ever trained."""


@dataclass(frozen=True)
class EncoderConfig:
    """The spatial-temporal ViT: the paper's is 192 wide, 12 deep, with 3 heads, linear patches.

    `stem` turns a patch of samples into a token: `linear` as published, or `conv`, two strided
    convolutions within the patch, which learn from far fewer recordings. `head_bias`: whether the
    projection to the shared space has a bias. `record_path`: whether every patch is also given
    what convolutions over the whole record find (`RecordPath`; the paper has none).
    """

    width: int = 192
    depth: int = 12
    heads: int = 3
    stem: Stem = "linear"
    dropout: float = 0.0
    head_bias: bool = True
    record_path: bool = False

    def __post_init__(self) -> None:
        """Refuse sizes that do not fit together."""
        _check_choice("stem", self.stem, Stem)
        _check_sizes(width=self.width, depth=self.depth, heads=self.heads)
        _check_numbers(0, 1, dropout=self.dropout)
        for name in ("head_bias", "record_path"):
            if type(value := getattr(self, name)) is not bool:
                raise ConfigError(f"found {name} {value!r}; needed true or false")
        if self.width % self.heads:
            raise ConfigError(
                f"found width {self.width} and {self.heads} heads; the heads must divide the width"
            )

    @property
    def entrance(self) -> str:
        """What makes a patch a token, in words for a card."""
        return f"`{self.stem}` stem{' and a path over the whole record' * self.record_path}"


@dataclass(frozen=True)
class TextConfig:
    """The tag encoder: any Hugging Face `AutoModel` by name, and how its tokens are pooled.

    `head` projects to the shared space: one `linear` map, or as published an `mlp` of two with a
    GELU between them.
    """

    name: str = "emilyalsentzer/Bio_ClinicalBERT"
    pooling: Pooling = "pooler"
    max_tokens: int = 64
    head: TextHead = "linear"

    def __post_init__(self) -> None:
        """Refuse an unknown pooling or head."""
        _check_choice("pooling", self.pooling, Pooling)
        _check_choice("head", self.head, TextHead)
        _check_sizes(max_tokens=self.max_tokens)


@dataclass(frozen=True)
class Calibration:
    """Platt scaling of the logit t cos + b, fitted on records that training did not see."""

    scale: float = 1.0
    shift: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what is no finite number."""
        _check_numbers(-1e6, 1e6, scale=self.scale, shift=self.shift)


@dataclass(frozen=True)
class FocalConfig:
    """Everything needed to rebuild a model and to feed it as it was trained.

    `shares` says how much of a patch's embedding comes from each ECG encoder: all from one, or,
    of a joined checkpoint (`train.fit.joining`), from several of the same shape. They sum to 1.
    """

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
    shares: tuple[float, ...] = (1.0,)

    def __post_init__(self) -> None:
        """Refuse numbers that the transport or the store cannot take."""
        _check_sizes(embed_dim=self.embed_dim)
        _check_numbers(-1e6, 1e6, bias=self.bias)
        for name in ("epsilon", "tau", "temperature"):
            _check_numbers(0, math.inf, **{name: getattr(self, name)})
            if not 0 < getattr(self, name) < math.inf:
                raise ConfigError(f"found {name} {getattr(self, name)}; needed a number above 0")
        _check_choice("storage", self.storage, Storage)
        _check_choice("alignment", self.alignment, Alignment)
        _check_numbers(0, 1, **{f"share {n}": one for n, one in enumerate(self.shares, 1)})
        if not 0 < len(self.shares) <= MOST_ENCODERS or abs(sum(self.shares) - 1) > 1e-6:
            raise ConfigError(
                f"found {len(self.shares)} shares of sum {sum(self.shares):g}; needed 1 to "
                f"{MOST_ENCODERS} that sum to 1"
            )

    def _check_parameters(self) -> None:
        """Refuse an encoder that is too large to be made: a file may claim any size."""
        width, signal = self.encoder.width, self.signal
        ends = width * (signal.window_samples + signal.windows + self.embed_dim)
        parameters = len(self.shares) * (12 * width**2 * self.encoder.depth + ends)
        if parameters > MOST_PARAMETERS:
            raise ConfigError(
                f"found an encoder of {parameters:.1e} parameters; needed at most "
                f"{MOST_PARAMETERS:.0e}"
            )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON.

        A choice that came after the first checkpoints is left out at its default: theirs keep
        their fingerprint.
        """
        values = dataclasses.asdict(self)
        for part, name in LATER:
            if values[part][name] == getattr(type(getattr(self, part)), name):
                del values[part][name]
        if self.shares == (1.0,):
            del values["shares"]
        return values

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """The config from plain values; an unknown or missing key is a `ConfigError`."""
        parts = {"encoder": EncoderConfig, "text": TextConfig, "calibration": Calibration}
        try:
            made: dict[str, Any] = {name: part(**values[name]) for name, part in parts.items()}
            rest = {key: value for key, value in values.items() if key not in (*parts, "signal")}
            rest["shares"] = tuple(values.get("shares", (1.0,)))
            config = cls(**made, signal=SignalSpec.from_dict(values["signal"]), **rest)
        except (KeyError, TypeError) as error:
            raise ConfigError(f"config.json does not describe a FOCAL model: {error}") from error
        config._check_parameters()
        return config


def _check_sizes(**sizes: int) -> None:
    for name, value in sizes.items():
        if type(value) is not int or not 1 <= value <= LARGEST_SIZE:
            raise ConfigError(
                f"found {name} {str(value)[:20]!r}; needed a whole number of at least 1 and "
                f"at most {LARGEST_SIZE}"
            )


def _check_numbers(low: float, high: float, **numbers: float) -> None:
    for name, value in numbers.items():
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not low <= value <= high
        ):
            raise ConfigError(
                f"found {name} {str(value)[:20]!r}; needed a number from {low:g} to {high:g}"
            )


def _check_choice(name: str, value: str, choices: Any) -> None:  # noqa: ANN401
    if value not in (known := get_args(choices)):
        raise ConfigError(f"found {name} {value!r}; needed one of {', '.join(known)}")
