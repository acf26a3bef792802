"""Recipes: every choice of a training run, in one YAML file that validates itself.

recipe = load_recipe("embedded")                 # or the path of a YAML file
"""

import dataclasses
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from focal_app.ecg.signal_spec import SignalSpec
from focal_app.errors import ConfigError
from focal_app.model.config import EncoderConfig, TextConfig

CONFIGS = Path(__file__).parent / "configs"


@dataclass(frozen=True)
class TextTuning:
    """How the tag encoder is tuned on the lexicon before the ECGs come in."""

    steps: int = 1500
    statements: int = 64
    names: int = 3
    learning_rate: float = 1e-4
    temperature: float = 0.05
    vocabulary: int = 8000


@dataclass(frozen=True)
class DataConfig:
    """What is trained on: simulated recordings, and the share of real ones in every batch."""

    simulated: int = 20000
    real_share: float = 0.25
    held_out_folds: tuple[int, ...] = (7, 8)


@dataclass(frozen=True)
class CoarseConfig:
    """Coarse training: alignment of the tags with the patches that show them."""

    steps: int = 4000
    batch: int = 64
    learning_rate: float = 1e-3
    weight_decay: float = 0.05
    warmup: float = 0.1
    place_weight: float = 0.1
    average: float = 0.998
    augment: bool = True
    bf16: bool = True


@dataclass(frozen=True)
class Recipe:
    """A whole training run."""

    name: str
    seed: int = 0
    signal: SignalSpec = field(default_factory=SignalSpec)
    encoder: EncoderConfig = field(default_factory=EncoderConfig)
    text: TextConfig = field(default_factory=TextConfig)
    tuning: TextTuning = field(default_factory=TextTuning)
    data: DataConfig = field(default_factory=DataConfig)
    coarse: CoarseConfig = field(default_factory=CoarseConfig)
    embed_dim: int = 256
    epsilon: float = 0.1
    tau: float = 1.0
    temperature: float = 10.0
    bias: float = 0.0
    storage: str = "float32"


def load_recipe(source: str | Path) -> Recipe:
    """The recipe of that name in `train/configs`, or of that file; unknown keys are refused."""
    path = Path(source)
    if path.suffix not in (".yaml", ".yml"):
        path = CONFIGS / f"{source}.yaml"
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in CONFIGS.glob("*.yaml")))
        raise ConfigError(f"found no recipe {str(source)!r}; needed one of {known}, or a YAML file")
    values = yaml.safe_load(path.read_text(encoding="utf-8"))
    return _build(Recipe, {"name": path.stem, **values}, "recipe")


def _build(kind: type, values: dict[str, Any], where: str) -> Any:  # noqa: ANN401
    fields = {field.name: field.type for field in dataclasses.fields(kind)}
    unknown = values.keys() - fields.keys()
    if unknown:
        raise ConfigError(f"{where}: found unknown {sorted(unknown)}; known are {sorted(fields)}")
    made = {}
    for name, value in values.items():
        inner = fields[name]
        if dataclasses.is_dataclass(inner) and isinstance(inner, type):
            made[name] = _build(inner, value, f"{where}.{name}")
        else:
            made[name] = tuple(value) if isinstance(value, list) else value
    return kind(**made)
