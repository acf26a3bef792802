"""Weights with their card: what `Focal.load` reads, and figures that were measured.

    python -m train push model assets/checkpoint --dry-run DIR

A checkpoint that `embed` made brings its card, written from the figures.json beside it. For any
other the card is written here: sizes from config.json, data from the manifests of the shards or
from the run's own used.json, the recipe as it stands, figures from result files.
"""

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from focal_app.errors import ConfigError
from focal_app.model.checkpoint_folder import local_folder
from focal_app.model.combination import COMBINATION
from focal_app.model.config import ZONES
from focal_app.model.focal import Focal
from focal_app.model.seen import SEEN
from train.publish.card import model_card
from train.publish.tree import front_matter

CARD, FIGURES, USED = "README.md", "figures.json", "used.json"
WEIGHTS = (
    "config.json",
    "model*.safetensors",
    "model.safetensors.index.json",
    "text/*.*",
    SEEN,
    COMBINATION,
    ZONES,
)


@dataclass(frozen=True)
class Evidence:
    """What the card is written from: folders of shards, a recipe's name or file, result files."""

    shards: Sequence[Path] = ()
    recipe: str | None = None
    results: Sequence[Path] = ()


def fill_model(folder: Path, checkpoint: str | Path, evidence: Evidence) -> None:
    """Write weights, tag encoder, figures and card; the checkpoint is loaded first, whole."""
    model, source = Focal.load(checkpoint), local_folder(checkpoint)
    for pattern in WEIGHTS:
        for file in sorted(source.glob(pattern)):
            target = folder / file.relative_to(source)
            target.parent.mkdir(exist_ok=True)
            shutil.copyfile(file, target)
    results = _results(source, evidence.results)
    own = source / CARD
    if own.is_file() and FIGURES in results and not evidence.results:
        text = own.read_text(encoding="utf-8")
        if "license" not in front_matter(text):
            raise ConfigError(f"the head of {CARD} names no licence; write the card again")
        if evidence.shards or evidence.recipe:
            raise ConfigError(
                f"found --config or --shards, without effect on the {CARD} that the checkpoint "
                "brings; leave it out, or give --figures to have the card written anew"
            )
    else:
        text = model_card(model, evidence.shards, evidence.recipe, results)
    (folder / CARD).write_text(text, encoding="utf-8")
    for name, values in results.items():
        written = json.dumps(values, indent=2, ensure_ascii=False)
        (folder / name).write_text(written + "\n", encoding="utf-8")


def _results(source: Path, files: Sequence[Path]) -> dict[str, Any]:
    """Result files by name, those first that the run left: figures.json and used.json."""
    own = (source / FIGURES, source.parent / USED)
    found: dict[str, Any] = {}
    for file in [*(file for file in own if file.is_file()), *files]:
        if file.name in found or file.name == "config.json":
            raise ConfigError(f"found two files {file.name!r} for the model; rename one of them")
        found[file.name] = read_results(file)
    return found


def read_results(file: Path) -> Any:  # noqa: ANN401
    """The content of a file of results; a `ConfigError` where it is none."""
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ConfigError(f"{file.name} is no JSON file of results: {error}") from error
