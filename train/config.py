"""Recipes: every choice of a training run, in one YAML file that validates itself.

recipe = load_recipe("embedded")                 # or the path of a YAML file
"""

import dataclasses
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_origin

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
    """Coarse training: alignment of the tags with the patches that show them.

    The first `section_share` of the steps sees sections of `section` windows, at half the cost or
    less; the rest sees whole recordings.
    """

    steps: int = 4000
    batch: int = 64
    learning_rate: float = 1e-3
    weight_decay: float = 0.05
    warmup: float = 0.1
    place_weight: float = 0.1
    average: float = 0.998
    section: int = 5
    section_share: float = 0.0
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
    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path.name} is not a YAML file: {error}") from error
    recipe = _build(Recipe, values, "recipe", name=path.stem)
    _check_ranges(recipe)
    return recipe


KINDS = {int: int, float: (int, float), str: str, bool: bool}
"""What a YAML value must be for a field of this type; a whole number may stand for a float."""


def _build(kind: type, values: Any, where: str, **more: Any) -> Any:  # noqa: ANN401
    if not isinstance(values, dict):
        raise ConfigError(f"{where}: found {values!r}; needed names and values")
    values = {**more, **values}
    fields = {field.name: field.type for field in dataclasses.fields(kind)}
    unknown = values.keys() - fields.keys()
    if unknown:
        raise ConfigError(f"{where}: found unknown {sorted(unknown)}; known are {sorted(fields)}")
    made = {}
    for name, value in values.items():
        inner, here = fields[name], f"{where}.{name}"
        if dataclasses.is_dataclass(inner) and isinstance(inner, type):
            made[name] = _build(inner, value, here)
        else:
            made[name] = _value(inner, value, here)
    return kind(**made)


def _value(kind: Any, value: Any, where: str) -> Any:  # noqa: ANN401
    if get_origin(kind) is tuple:
        fits, value = isinstance(value, list), tuple(value) if isinstance(value, list) else value
    else:
        wanted = KINDS.get(kind, object)
        fits = isinstance(value, wanted) and (kind is bool or not isinstance(value, bool))
    if not fits:
        raise ConfigError(f"{where}: found {value!r}; needed {getattr(kind, '__name__', kind)}")
    return value


def _check_ranges(recipe: Recipe) -> None:
    coarse, data, tuning = recipe.coarse, recipe.data, recipe.tuning
    least_one = {
        "coarse.steps": coarse.steps,
        "coarse.batch": coarse.batch,
        "data.simulated": data.simulated,
        "tuning.statements": tuning.statements,
        "tuning.names": tuning.names,
    }
    for name, value in least_one.items():
        if value < 1:
            raise ConfigError(f"recipe.{name}: found {value}; needed at least 1")
    for name in ("epsilon", "tau", "temperature"):
        if not getattr(recipe, name) > 0:
            raise ConfigError(f"recipe.{name}: found {getattr(recipe, name)}; needed above 0")
    if not 0 <= data.real_share <= 1:
        raise ConfigError(f"recipe.data.real_share: found {data.real_share}; needed 0 to 1")
