"""Recipes: every choice of a training run, typed, and checked when it is made.

recipe = load_recipe("embedded")                 # or the path of a YAML file
recipe = load_recipe("embedded", changes={"coarse.batch": 32})
"""

import dataclasses
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml

from focal_app.ecg.signal_spec import SignalSpec
from focal_app.errors import ConfigError
from focal_app.model.config import RECORD_RATE_HZ, Alignment, EncoderConfig, Storage, TextConfig
from focal_app.strict_yaml import parsed
from train.checked import Checked, Range, Refused, built
from train.data.augment import Augmentation
from train.data.source import Tagging
from train.data.verified_files import write_whole

RECIPES = Path(__file__).parent / "recipes"
WHOLE, END = "# A whole recipe, its defaults included.\n", "# The end of the recipe.\n"
"""First and last line of a written one: YAML that was cut off would pass for a shorter recipe."""

AskOver = Literal["batch", "lexicon"]
Places = Literal["drawn", "leads"]
Routing = Literal["own", "cross"]
Targets = Literal["online", "online-dropout", "frozen", "lexicon", "identity"]
FreeText = Literal["apart", "scored"]
FreeWords = Literal["equal", "cosine"]
Decayed = Literal["matrices", "everything"]
Kept = Literal["last", "best"]
Score = Literal["auto", "candidate", "unstated", "unstated-lenient", "probability", "confidence"]
NOT_FITTED = ("probability", "confidence")
"""Scores for which no validation record is asked."""
Backend = Literal["curated", "server", "vllm", "ray"]

_WITHOUT_EFFECT: tuple[tuple[str, dict[str, tuple[Any, ...]]], ...] = (
    ("tau", {"alignment": ("balanced-ot", "cross-attention", "global")}),
    ("epsilon", {"alignment": ("cross-attention", "global")}),
    ("epsilon", {"alignment": ("balanced-ot",), "objective.routing": ("cross",)}),
    ("objective.place_weight", {"alignment": ("balanced-ot", "global")}),
    ("augmentation.dropped_leads", {"augmentation.dropout": (0,)}),
    ("enrichment.model", {"enrichment.backend": ("curated",)}),
    ("enrichment.free_text", {"enrichment.backend": ("curated",)}),
)
"""Lines that do nothing beside these values of others: a plan that is even knows no places, and is
so by balanced transport for one tag alone; what the lexicon proposes names a statement."""

Count = Annotated[int, Range(1)]
CountOrNone = Annotated[int, Range(0)]
Positive = Annotated[float, Range(0, above=True)]
NotNegative = Annotated[float, Range(0)]
Share = Annotated[float, Range(0, 1)]
Probability = Annotated[float, Range(0, 1, above=True, below=True)]
Decay = Annotated[float, Range(0, 1, below=True)]


@dataclass(frozen=True)
class TextTuning(Checked):
    """How the tag encoder is tuned on the lexicon before the ECGs come in.

    `steps` 0: not at all; `vocabulary` 0: all word pieces are kept.
    """

    steps: CountOrNone = 1500
    statements: Count = 64
    names: Count = 3
    learning_rate: Positive = 1e-4
    temperature: Positive = 0.05
    vocabulary: CountOrNone = 8000


@dataclass(frozen=True)
class DataConfig(Checked):
    """How records are drawn and held.

    `weights`: shares of the draws as SOURCE=SHARE; sources without one share the rest by size.
    `rarity`: records with rare tags come up to so many times as often as others. `keep_prepared`:
    signals are filtered once and kept beside the run (120 KB a record at 500 Hz), not read anew in
    every epoch. `tagging`: how reports became tags, `curated` or cut at `commas` as published;
    shards that were made otherwise are refused.
    """

    weights: tuple[str, ...] = ()
    rarity: Annotated[float, Range(1, 100)] = 1.0
    keep_prepared: bool = False
    tagging: Tagging = "curated"


@dataclass(frozen=True)
class ObjectiveConfig(Checked):
    """How tags and ECGs are brought together; every choice is one line of a recipe.

    `ask_over`: what a step asks of its ECGs, the tags of the `batch` or every statement of the
    `lexicon` of which a source speaks. `routing`: `own` routes a report's tags to its own ECG
    (paper), `cross` all that is asked to every ECG. `targets`: where the similarity matrix S comes
    from (`train.fit.soft_targets`). `free_words`: phrases outside the lexicon are the same where
    their words are `equal`, or where a frozen `cosine` says so (`train.fit.phrases`). `hedged`: the
    target of a finding that a report only suspects. `learn_bias`: whether scores have a bias beside
    the temperature. `place_weight`: weight of the places of findings in the loss. `places`: those
    that were `drawn` with simulated ECGs, or of other ECGs the `leads` too that the lexicon names
    for a finding. `chunk`: tags that are scored at a time; less takes less memory and gives the
    same loss.
    """

    ask_over: AskOver = "batch"
    routing: Routing = "cross"
    targets: Targets = "lexicon"
    free_words: FreeWords = "equal"
    hedged: Share = 1.0
    learn_bias: bool = True
    place_weight: NotNegative = 0.0
    places: Places = "drawn"
    chunk: Count = 1024

    def __post_init__(self) -> None:
        """Refuse choices that another one leaves without effect."""
        super().__post_init__()
        if self.ask_over == "lexicon" and self.targets != "lexicon":
            raise Refused(
                "targets",
                f"found {self.targets}, which has no effect where the lexicon is asked; needed "
                "lexicon, or ask_over batch",
            )
        if self.free_words == "cosine" and (self.ask_over, self.targets) != ("batch", "lexicon"):
            raise Refused("free_words", "found cosine; needed ask_over batch and targets lexicon")
        if self.routing == "own" and self.ask_over == "lexicon":
            raise Refused("ask_over", "found lexicon; own routing needs batch: it asks own tags")
        if self.routing == "own" and self.place_weight:
            raise Refused(
                "place_weight",
                f"found {self.place_weight}; own routing needs 0: it knows no place of one tag",
            )
        if self.places == "leads" and not self.place_weight:
            raise Refused("places", "found leads; needed place_weight above 0, or places drawn")


@dataclass(frozen=True)
class StageConfig(Checked):
    """A stage of training, coarse or fine.

    It ends after `steps`, or after `epochs`; one of them is given. `batch` counts the recordings of
    a process in a step, `accumulate` the parts in which they are read. `freeze_text` keeps the tag
    encoder as it came, `frozen_layers` only so many first layers, with its embeddings unless
    `frozen_embeddings` is off. `decayed`: weight decay acts on `matrices` other than embeddings, or
    on `everything` that is trained. The first `section_share` of the steps sees sections of
    `section` windows, which cost as much less; the rest sees whole recordings (0 and 0: all do).
    `average` is the decay of the weights' running mean (0: none). The model is `judged` so many
    times, evenly spaced, by its AUC on validation records; `keep` says whether the stage ends on
    its last weights or on the best of those.
    """

    steps: CountOrNone = 0
    epochs: NotNegative = 0.0
    batch: Count = 64
    accumulate: Count = 1
    learning_rate: Positive = 1e-3
    weight_decay: NotNegative = 0.05
    decayed: Decayed = "matrices"
    beta2: Decay = 0.98
    warmup: Share = 0.1
    clip: NotNegative = 1.0
    average: Decay = 0.998
    freeze_text: bool = False
    frozen_layers: CountOrNone = 0
    frozen_embeddings: bool = True
    judged: CountOrNone = 0
    keep: Kept = "last"
    section: CountOrNone = 0
    section_share: Share = 0.0
    augment: bool = True
    bf16: bool = True
    compile: bool = False

    def __post_init__(self) -> None:
        """Refuse a stage that never ends or never begins, and parts that do not fill a batch."""
        super().__post_init__()
        if bool(self.steps) == bool(self.epochs):
            raise Refused(
                "steps", f"found {self.steps} and {self.epochs:g} epochs; needed one of them"
            )
        if bool(self.section) != bool(self.section_share):
            raise Refused(
                "section",
                f"found {self.section} windows in a share of {self.section_share:g}; "
                "needed both, or neither",
            )
        if self.freeze_text and self.frozen_layers:
            raise Refused("frozen_layers", "found some, and freeze_text freezes all; needed one")
        if not (self.frozen_embeddings or self.frozen_layers):
            raise Refused("frozen_embeddings", "found false, and no frozen_layers; leave it out")
        if self.decayed == "everything" and not self.weight_decay:
            raise Refused("decayed", "found everything, and weight_decay 0; leave it out")
        if self.keep == "best" and self.judged < 2:
            raise Refused("keep", f"found best, and judged {self.judged}; needed 2 times or more")
        if self.batch % self.accumulate:
            raise Refused(
                "accumulate", f"found {self.accumulate}; needed a divisor of batch {self.batch}"
            )
        if self.steps:
            self.sectioned(self.steps)

    def sectioned(self, steps: int) -> int:
        """How many steps, the first of so many, see sections alone."""
        found = round(self.section_share * steps)
        if self.section and not found:
            raise Refused(
                "section_share", f"found {self.section_share:g} of {steps} steps; needed one step"
            )
        return found


@dataclass(frozen=True)
class EnrichmentConfig(Checked):
    """Where waveform features are proposed, and what a verified one must reach.

    `backend`: `curated` (the lexicon, no LLM), `server`, `vllm` or `ray`. `threshold` is a
    probability, by the `score` of the command `verify`: calibrated, or with `confidence` the
    model's own sigmoid, as published. `free_text`: wordings that name no statement are held
    `apart`, or `scored` like the others, as published.
    """

    backend: Backend = "curated"
    model: str = "Qwen/Qwen3-8B"
    threshold: Probability = 0.95
    score: Score = "auto"
    free_text: FreeText = "apart"


@dataclass(frozen=True)
class Recipe(Checked):
    """A whole training run."""

    name: str
    seed: CountOrNone = 0
    signal: SignalSpec = field(default_factory=SignalSpec)
    encoder: EncoderConfig = field(default_factory=EncoderConfig)
    text: TextConfig = field(default_factory=TextConfig)
    tuning: TextTuning = field(default_factory=TextTuning)
    data: DataConfig = field(default_factory=DataConfig)
    objective: ObjectiveConfig = field(default_factory=ObjectiveConfig)
    augmentation: Augmentation = field(default_factory=Augmentation)
    coarse: StageConfig = field(default_factory=lambda: StageConfig(epochs=10.0))
    fine: StageConfig = field(default_factory=lambda: StageConfig(epochs=3.0))
    enrichment: EnrichmentConfig = field(default_factory=EnrichmentConfig)
    embed_dim: Count = 256
    epsilon: Positive = 0.1
    tau: Positive = 1.0
    temperature: Positive = 10.0
    bias: float = 0.0
    alignment: Alignment = "semi-uot"
    storage: Storage = "float32"

    def __post_init__(self) -> None:
        """Refuse lines that another one leaves without effect."""
        super().__post_init__()
        if self.augmentation != Augmentation() and not (self.coarse.augment or self.fine.augment):
            raise Refused("augmentation", "found changes, and no stage augments; leave them out")
        if not self.tuning.steps and self.tuning != TextTuning(steps=0):
            raise Refused("tuning", "found choices, and steps 0: not tuned at all; leave them out")
        if self.data.tagging == "commas" and self.objective.hedged != 1:
            found = f"found {self.objective.hedged:g}, and tags cut at commas: no hedge is known"
            raise Refused("objective.hedged", found)
        if self.encoder.record_path and self.signal.sampling_rate_hz % RECORD_RATE_HZ:
            found = f"found true, and signal.sampling_rate_hz {self.signal.sampling_rate_hz}"
            needed = f"needed a multiple of {RECORD_RATE_HZ} Hz, or record_path: false"
            raise Refused("encoder.record_path", f"{found}; {needed}")
        fixed = self.coarse.freeze_text and self.fine.freeze_text
        if self.objective.targets == "online-dropout" and fixed:
            raise Refused(
                "objective.targets", "found online-dropout, and freeze_text: no dropout; use online"
            )
        for name, stage in (("coarse", self.coarse), ("fine", self.fine)):
            if stage.section >= self.signal.windows:
                found = f"found {stage.section}; needed less than {self.signal.windows} windows"
                raise Refused(f"{name}.section", found)
            if stage.augment and self.signal.normalisation == "record-minmax":
                found = "found record-minmax, which keeps no 0 at the baseline, and a stage that"
                needed = f"augments; needed another, or {name}.augment: false"
                raise Refused("signal.normalisation", f"{found} {needed}")


def load_recipe(
    source: str | Path,
    *,
    changes: Mapping[str, Any] | None = None,
    decided: Collection[str] = (),
) -> Recipe:
    """The recipe of that name in `train/recipes`, or of that file, with some values changed.

    `changes` are values by their place (`coarse.batch`), or parts of a recipe as a file has them;
    lines for which an option stands are `decided` without it. A line without effect is refused
    where it is stated: not in a whole recipe, which has all, nor where a change made it so.
    """
    path = Path(source)
    if path.suffix not in (".yaml", ".yml"):
        path = RECIPES / f"{source}.yaml"
    if not path.is_file():
        known = ", ".join(recipe_names())
        raise ConfigError(f"found no recipe {str(source)!r}; needed one of {known}, or a YAML file")
    values = own = recipe_values(path)
    for place, value in (changes or {}).items():
        values = _merged(values, _nested(place, value))
    recipe = built(Recipe, {"name": path.stem, **values}, "recipe")
    stated = {} if path.read_text(encoding="utf-8").startswith(WHOLE) else dict(by_place(own))
    _refuse_without_effect(recipe, stated, dict(by_place(changes or {})), decided)
    return recipe


def _refuse_without_effect(
    recipe: Recipe, stated: Collection[str], changed: Collection[str], decided: Collection[str]
) -> None:
    values = dict(by_place(dataclasses.asdict(recipe)))
    for line, beside in _WITHOUT_EFFECT:
        inherited = line not in stated or any(other in changed for other in beside)
        if (line not in changed and inherited) or any(other in decided for other in beside):
            continue
        if values[line] and all(values[other] in found for other, found in beside.items()):
            found = " and ".join(f"{other} {values[other]}" for other in beside)
            reason = f"found {values[line]}, which nothing reads beside {found}; leave it out"
            raise Refused(f"recipe.{line}", reason)


def recipe_values(path: Path) -> dict[str, Any]:
    """Names and values of a file; where it says that it is a whole recipe, with its last line."""
    try:
        text = path.read_text(encoding="utf-8")
        if text.startswith(WHOLE) and not text.endswith(END):
            raise ConfigError(
                f"found {path.name} of {path.parent.name!r} cut off: it begins as a whole recipe "
                f"and lacks the last line, {END.strip()!r}; put it back, or delete it"
            )
        values = parsed(text)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path.name} is not a YAML file: {error}") from error
    if not isinstance(values, dict):
        raise ConfigError(f"recipe: found {values!r}; needed names and values")
    return values


def save_recipe(recipe: Recipe, path: Path, decided: Mapping[str, Any] | None = None) -> None:
    """Write the whole recipe, defaults included, as a file that `load_recipe` reads.

    `decided` are values that hold in place of its own.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # YAML knows lists, not tuples.
    values = json.loads(json.dumps({**dataclasses.asdict(recipe), **(decided or {})}))
    write_whole(path, WHOLE + yaml.safe_dump(values, sort_keys=False) + END)


def recipe_names() -> list[str]:
    """The recipes that come with the package."""
    return sorted(file.stem for file in RECIPES.glob("*.yaml"))


def by_place(values: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Nested values by their place, as `--set` names them."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from by_place(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value


def _nested(place: str, value: Any) -> dict[str, Any]:  # noqa: ANN401
    """`a.b` and a value as the part of a recipe that has it."""
    return reduce(lambda inner, name: {name: inner}, reversed(place.split(".")), value)


def _merged(values: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The values with the changes, part by part."""
    made = dict(values)
    for name, value in changes.items():
        old = made.get(name, {})
        both = isinstance(value, Mapping) and isinstance(old, Mapping)
        made[name] = _merged(old, value) if both else value
    return made
