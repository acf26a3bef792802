"""The card of a trained model: sizes, data, recipe and figures, none of them typed by hand."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from focal_app.model.config import Calibration, FocalConfig
from focal_app.model.focal import Focal
from focal_app.model.text import parameters_of
from train.data.shards import Shards
from train.publish.sources import terms_of
from train.publish.tree import with_front_matter
from train.recipe import load_recipe

HEAD = {"license": "mit", "library_name": "focal", "tags": ["ecg", "zero-shot"]}
ROWS = 60
"""Figures of one file in the card; the file itself lies beside it."""


def model_card(
    model: Focal, shards: Sequence[Path], recipe: str | None, results: Mapping[str, Any]
) -> str:
    """The card, its numbers from config, manifests, recipe and result files alone."""
    config = model.config
    text = CARD.format(
        config=config,
        encoder=parameters_of(model.encoder) / 1e6,
        joined=_joined(config.shares),
        entrance=config.encoder.entrance,
        text=parameters_of(model.text) / 1e6,
        data="\n".join(_data(shards)) or "Not said: no shards were named.",
        recipe=_recipe(recipe),
        calibration=_calibration(config),
        results="\n\n".join(_table(name, values) for name, values in results.items())
        or "None were measured.",
    )
    return with_front_matter({**HEAD}, text)


def _joined(shares: Sequence[float]) -> str:
    if len(shares) == 1:
        return ""
    parts = ", ".join(f"{one:.0%}" for one in shares)
    return f";\n  {len(shares)} of these make {parts} of a patch's embedding"


def _data(folders: Sequence[Path]) -> Iterator[str]:
    for folder in folders:
        shards = Shards.open(folder)
        terms = terms_of(shards.name)
        counts = (f"{shards.splits.count(s)} {s}" for s in dict.fromkeys(shards.splits))
        yield f"- {terms.citation} ({terms.licence}): {', '.join(counts)}."
        for what, count in shards.manifest["counted"].items():
            yield f"  - {what}: {count}"


def _calibration(config: FocalConfig) -> str:
    if config.calibration == Calibration():
        return "not calibrated, sigma of the logit"
    fitted = f"sigma({config.calibration.scale:.4g} logit {config.calibration.shift:+.4g})"
    return f"{fitted}, fitted on recordings that training did not see"


def _recipe(name: str | None) -> str:
    if name is None:
        return "Not said: no recipe was named."
    values = dataclasses.asdict(load_recipe(name))
    written = yaml.safe_dump(_plain(values), sort_keys=False, default_flow_style=None, width=96)
    return f"```yaml\n{written}```"


def _plain(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, (list, tuple)) else value


def _table(name: str, values: Any) -> str:  # noqa: ANN401
    rows = list(_numbers(values, ""))
    shown = [f"| {path} | {value:.4g} |" for path, value in rows[:ROWS]]
    left = [f"\n{len(rows) - ROWS} more in the file."] if len(rows) > ROWS else []
    return "\n".join([f"From `{name}`:", "", "| figure | value |", "|---|---|", *shown, *left])


def _numbers(value: Any, path: str) -> Iterator[tuple[str, float]]:  # noqa: ANN401
    """Every number of a result file with the names that lead to it; lists are left to the file."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _numbers(inner, f"{path}, {name}" if path else str(name))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path.replace("|", "\\|"), value


CARD = """# A FOCAL model

Scores findings named in plain words on 12-lead ECGs, and shows where each lies. **For research and
teaching, not for diagnosis.**

    import torch

    from focal_app.ecg.files import read_recording
    from focal_app.ecg.preprocess import prepare
    from focal_app.model.focal import Focal

    model = Focal.load("OWNER/NAME@REVISION")
    recording = prepare(read_recording(["recording.hea"]), model.config.signal)
    signal = torch.from_numpy(recording.signal)[None].float()
    seen = torch.from_numpy(recording.seen)[None]
    with torch.inference_mode():
        tags = model.encode_tags(["atrial fibrillation", "left bundle branch block"])
        patches = model.encode_ecg(signal, seen)
        similarity, plan = model.route(patches, tags, seen.flatten(1))
        print(model.probability(similarity))

- ECG encoder: ViT of width {config.encoder.width}, depth {config.encoder.depth} and
  {config.encoder.heads} heads, {entrance} ({encoder:.2f} M parameters){joined},
  over {config.signal.windows} windows of {config.signal.window_samples} samples a lead at
  {config.signal.sampling_rate_hz:g} Hz; signal normalised by `{config.signal.normalisation}`.
- Tag encoder: {config.text.name}, `{config.text.pooling}` pooling ({text:.1f} M parameters).
- epsilon {config.epsilon:g}, tau {config.tau:g}. Weights stored as {config.storage}.
- Probabilities: {calibration}.

## Data

{data}

## Recipe

{recipe}

## Figures

{results}
"""
