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
from focal_app.model.config import ALIGNMENTS, EncoderConfig, TextConfig
from train.data.augment import Augmentation

RECIPES = Path(__file__).parent / "recipes"
ROUTINGS = ("own", "cross")
TARGETS = ("online", "frozen", "lexicon", "identity")


@dataclass(frozen=True)
class TextTuning:
    """How the tag encoder is tuned on the lexicon before the ECGs come in.

    `steps` 0: not at all; `vocabulary` 0: all word pieces are kept.
    """

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
class ObjectiveConfig:
    """How tags and ECGs are brought together; every choice is one line of a recipe.

    `routing`: `own` routes a report's tags to its own ECG (paper), `cross` every tag of the batch
    to every ECG. `targets`: where the similarity matrix S comes from (`train.fit.soft_targets`).
    `learn_bias`: whether scores have a bias beside the temperature. `place_weight`: weight of the
    known places of simulated findings. `chunk`: tags that are scored at a time; less takes less
    memory and gives the same loss.
    """

    routing: str = "cross"
    targets: str = "lexicon"
    learn_bias: bool = True
    place_weight: float = 0.0
    chunk: int = 1024

    def __post_init__(self) -> None:
        """Refuse unknown choices."""
        _check_choice("objective.routing", self.routing, ROUTINGS)
        _check_choice("objective.targets", self.targets, TARGETS)


@dataclass(frozen=True)
class StageConfig:
    """A stage of training, coarse or fine.

    It ends after `steps`, or after `epochs` where `steps` is 0; `batch` counts the recordings of a
    process in a step, `accumulate` the parts in which they are read. `freeze_text` keeps the tag
    encoder as it came, `frozen_layers` only its embeddings and so many first layers. The first
    `section_share` of the steps sees sections of `section` windows, at half the cost or less; the
    rest sees whole recordings. `average` is the decay of the weights' running mean (0: none).
    """

    steps: int = 0
    epochs: float = 10.0
    batch: int = 64
    accumulate: int = 1
    learning_rate: float = 1e-3
    weight_decay: float = 0.05
    beta2: float = 0.98
    warmup: float = 0.1
    clip: float = 1.0
    average: float = 0.998
    freeze_text: bool = False
    frozen_layers: int = 0
    section: int = 5
    section_share: float = 0.0
    augment: bool = True
    bf16: bool = True
    compile: bool = False


@dataclass(frozen=True)
class EnrichmentConfig:
    """Where waveform features are proposed, and what a verified one must reach.

    `backend`: `curated` (the lexicon, no LLM), `server`, `vllm` or `ray`. `threshold` is a
    calibrated probability.
    """

    backend: str = "curated"
    model: str = "Qwen/Qwen3-8B"
    threshold: float = 0.95


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
    objective: ObjectiveConfig = field(default_factory=ObjectiveConfig)
    augmentation: Augmentation = field(default_factory=Augmentation)
    coarse: StageConfig = field(default_factory=StageConfig)
    fine: StageConfig = field(default_factory=lambda: StageConfig(epochs=3.0))
    enrichment: EnrichmentConfig = field(default_factory=EnrichmentConfig)
    embed_dim: int = 256
    epsilon: float = 0.1
    tau: float = 1.0
    temperature: float = 10.0
    bias: float = 0.0
    alignment: str = "semi-uot"
    storage: str = "float32"


def load_recipe(source: str | Path) -> Recipe:
    """The recipe of that name in `train/recipes`, or of that file; unknown keys are refused."""
    path = Path(source)
    if path.suffix not in (".yaml", ".yml"):
        path = RECIPES / f"{source}.yaml"
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in RECIPES.glob("*.yaml")))
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


def _check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ConfigError(f"{name}: found {value!r}; needed one of {', '.join(choices)}")


def _check_ranges(recipe: Recipe) -> None:
    data, tuning = recipe.data, recipe.tuning
    least_one = {
        "coarse.batch": recipe.coarse.batch,
        "coarse.accumulate": recipe.coarse.accumulate,
        "fine.batch": recipe.fine.batch,
        "fine.accumulate": recipe.fine.accumulate,
        "objective.chunk": recipe.objective.chunk,
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
    _check_choice("recipe.alignment", recipe.alignment, ALIGNMENTS)
    for name, stage in (("coarse", recipe.coarse), ("fine", recipe.fine)):
        if stage.steps <= 0 and stage.epochs <= 0:
            raise ConfigError(f"recipe.{name}: found no steps and no epochs; needed one of them")
    if not 0 < recipe.enrichment.threshold < 1:
        found = recipe.enrichment.threshold
        raise ConfigError(f"recipe.enrichment.threshold: found {found}; needed between 0 and 1")
    if not 0 <= data.real_share <= 1:
        raise ConfigError(f"recipe.data.real_share: found {data.real_share}; needed 0 to 1")
