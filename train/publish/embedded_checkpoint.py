"""Put a finished run into `assets/checkpoint`, with figures measured there and then and a card.

python -m train embedded --real DIR     # trains and embeds, see `train.runs.embedded`
"""

import dataclasses
import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Int

from focal_app.errors import ConfigError
from focal_app.lexicon import load_lexicon
from focal_app.model.device import best_device
from focal_app.model.focal import Focal
from focal_app.model.text import parameters_of
from train.benchmark.localisation import localise
from train.benchmark.results import plain
from train.benchmark.settings import Chosen, Reading
from train.benchmark.zeroshot import evaluate
from train.data.ptbxl_labels import COLUMNS
from train.data.shards import Shards
from train.fit import calibration
from train.fit.judging import Judged, judged
from train.fit.tag_tuning import measure as measure_tags
from train.read_back import read_json_back
from train.recipe import Recipe

ASSETS = Path(__file__).parents[2] / "assets" / "checkpoint"
LIMIT_MB = 40
STILL_TO_MAKE = """\
No measurement joins its percentages, and nothing is measured of Verify's zones, before you run
    python -m train ruler --config ruler --real DIR --out runs/ruler --text {0}
    python -m train combine --ruler runs/ruler --real DIR --checkpoint {0}
    python -m train verify-zones --checkpoint {0} --data DIR --write
A gallery is read by the checkpoint that made it alone: build it again, as its README.md says."""
"""What lies beside the weights, and goes with the checkpoint for which it was made."""
READ = (*((dataset, "prompt") for dataset in COLUMNS), ("ptbxl-super", "statements"))
"""What is measured zero-shot: each set by one prompt a class, superclasses by statements too."""


@dataclass(frozen=True)
class Trained:
    """A finished run: its recipe, its folder, and the recipe of a second reader, if one is joined.

    The model lies in `coarse/model`, or with a second reader in `joined`.
    """

    recipe: Recipe
    run: Path
    second: Recipe | None = None

    @property
    def model(self) -> Path:
        """The folder of the checkpoint."""
        return self.run / ("joined" if self.second else "coarse/model")


def embed(
    trained: Trained, folders: Sequence[Path], data: Path | None, target: Path = ASSETS
) -> None:
    """Measure the model of a run, write its card, and only then put it in place of `target`.

    `folders` are the shards that it was trained on: their validation records are what is measured
    on. `data` holds `ptb-xl/`, for the zero-shot figures of its validation folds.
    """
    noted = trained.run / "coarse" / "used.json"
    if not (trained.model / "config.json").is_file() or not noted.is_file():
        raise ConfigError(
            f"found no finished model in {trained.run.name!r}; run `python -m train coarse` first"
        )
    remedy = "run `python -m train coarse` again: what is trained is only read"
    used = read_json_back(noted, remedy)
    with tempfile.TemporaryDirectory(dir=target.parent) as beside:
        made = Path(beside) / target.name
        shutil.copytree(trained.model, made)
        model = Focal.load(made).to(best_device())
        shards = [Shards.open(folder) for folder in folders]
        figures = {"data": used, **measure(model, shards, data)}
        written = json.dumps(plain(figures), indent=2, default=str, allow_nan=False)
        (made / "figures.json").write_text(written + "\n", encoding="utf-8")
        (made / "README.md").write_text(card(model, trained, figures), encoding="utf-8")
        size = sum(file.stat().st_size for file in made.rglob("*") if file.is_file()) / 2**20
        if size > LIMIT_MB:
            raise ConfigError(f"found a checkpoint of {size:.1f} MB; at most {LIMIT_MB} MB")
        shutil.rmtree(target, ignore_errors=True)
        shutil.move(made, target)
    print(f"{target.name}: {size:.1f} MB (limit {LIMIT_MB})\n{STILL_TO_MAKE.format(target)}")


def measure(model: Focal, shards: Sequence[Shards], data: Path | None) -> dict[str, Any]:
    """Every figure of the card."""
    held_out = [(one, one.rows("validation")) for one in shards if len(one.rows("validation"))]
    drawn = next(((s, rows) for s, rows in held_out if s.name == "simulated"), None)
    if drawn is None:
        raise ConfigError("found no simulated validation records among the shards; give them all")
    folds = tuple(
        fold
        for one in shards
        for fold in one.manifest["made_from"]["choices"].get("validation_folds", ())
    )
    figures = {
        "tag_encoder": dataclasses.asdict(measure_tags(model.text, load_lexicon())),
        "localisation_on_simulated": dataclasses.asdict(localise(model, *drawn)),
        "calibration": _calibration_figures(model, held_out),
        "held_out_folds": list(folds),
        "zeroshot": {},
    }
    if data is not None and folds:
        for dataset, classes in READ:
            sets = Chosen(data=data / "ptb-xl", folds=folds, cache=None)
            found = evaluate(model, dataset, sets, Reading(classes=classes))
            figures["zeroshot"][f"{dataset} by {classes}"] = dataclasses.asdict(found)
    return figures


def _calibration_figures(
    model: Focal, held_out: Sequence[tuple[Shards, Int[np.ndarray, " _"]]]
) -> dict[str, float]:
    """Cross-fitted: each half of the recordings is judged by a curve fitted on the other.

    The last source, which is real where there is one, is what is judged.
    """

    def read(sources: Sequence[tuple[Shards, Int[np.ndarray, " _"]]], half: int) -> Judged:
        halved = [(one, rows[half::2]) for one, rows in sources]
        return judged(model, halved, statements=True)

    errors = []
    for half in (0, 1):
        fitted, found = read(held_out, half).calibration(), read(held_out[-1:], 1 - half)
        probability = 1 / (1 + np.exp(-(fitted.scale * found.logit + fitted.shift)))
        ece = calibration.expected_error(probability, found.present)
        errors.append((ece, float(np.square(probability - found.present).mean())))
    ece, brier = np.mean(errors, axis=0)
    return {"expected_error": float(ece), "brier": float(brier)}


def card(model: Focal, trained: Trained, figures: dict[str, Any]) -> str:
    """The model card, its numbers from `figures` alone."""
    recipe, second = trained.recipe, trained.second
    folds = " ".join(map(str, figures["held_out_folds"]))
    zeroshot, sources = figures["zeroshot"], figures["data"]["sources"]
    text = CARD.format(
        encoder=parameters_of(model.encoder) / 1e6,
        text=parameters_of(model.text) / 1e6,
        recipe=recipe,
        entrance=recipe.encoder.entrance,
        option=(" --real DIR" if len(sources) > 1 else "")
        + (f" --second {second.name}" if second else ""),
        second=_second(second, model.config.shares[-1], figures["data"]) if second else "",
        data="\n".join(_data_lines(sources, recipe)),
        tags=figures["tag_encoder"],
        places=figures["localisation_on_simulated"],
        leads=LEADS_TAUGHT if _taught_leads(trained, sources) else LEADS_UNTAUGHT,
        calibration=figures["calibration"],
        judged="PTB-XL recordings of the held-out folds" if zeroshot else "simulated recordings",
    )
    if zeroshot:
        rows = "\n".join(_row(name, found) for name, found in zeroshot.items())
        classes = "\n".join(_class_rows(zeroshot["ptbxl-super by prompt"]))
        text += ZEROSHOT.format(folds=folds, rows=rows, classes=classes)
    return text


def _taught_leads(trained: Trained, sources: Mapping[str, Any]) -> bool:
    """Whether a real recording taught any reader the lexicon's leads."""
    recipes = [trained.recipe, *([trained.second] if trained.second else [])]
    return len(sources) > 1 and any(one.objective.places == "leads" for one in recipes)


def _second(recipe: Recipe, share: float, data: dict[str, Any]) -> str:
    """What the card says of a second reader, which may have learnt from other drawn recordings."""
    drawn = data.get("second", data)["sources"]["simulated"]["train"]
    return SECOND.format(second=recipe, share=share, drawn=drawn)


def _data_lines(sources: dict[str, dict[str, int]], recipe: Recipe) -> list[str]:
    lines = []
    for name, count in sources.items():
        held = f", {count['validation']} held out" if count["validation"] else ""
        lines.append(f"- {ATTRIBUTION[name]}: {count['train']} recordings{held}.")
    shares = ", ".join(recipe.data.weights)
    return [*lines, f"- Shares of the draws: {shares}, the rest by size." if shares else ""]


def _row(name: str, found: dict[str, Any]) -> str:
    macro, few = found["macro_auc"], sum(one["few"] for one in found["classes"])
    return (
        f"| {name} | {found['recordings']} | {len(found['classes'])} ({few} with fewer than 5 "
        f"positives) | {macro['value']:.3f} ({macro['low']:.3f} to {macro['high']:.3f}) |"
    )


def _class_rows(found: dict[str, Any]) -> list[str]:
    return [
        f"| {c['label']} | {c['prompt']} | {c['positives']} | {c['auc']:.3f} "
        f"| {c['expected_error']:.3f} | {c['brier']:.3f} | {_base_rate(c, found):.3f} |"
        for c in found["classes"]
    ]


def _base_rate(one: dict[str, Any], found: dict[str, Any]) -> float:
    """The Brier score of saying of every recording what share of all has the class."""
    share = one["positives"] / found["recordings"]
    return share * (1 - share)


CARD = """---
license: mit
library_name: focal
tags: [ecg, zero-shot]
---

# The embedded checkpoint

A small FOCAL model that comes with FOCAL Explorer, so that the app works without any download.
**For research and teaching, not for diagnosis.** It has seen a few hundred real recordings and is
far weaker than a model trained on a hospital's archive.

- ECG encoder: ViT of width {recipe.encoder.width}, depth {recipe.encoder.depth} and
  {recipe.encoder.heads} heads over 120 patches of 1 s, {entrance}
  ({encoder:.2f} M parameters). Signal in {recipe.signal.normalisation}s at 500 Hz, high-pass
  {recipe.signal.highpass_hz} Hz.
- Tag encoder: all-MiniLM-L6-v2 (Apache-2.0), its vocabulary trimmed to
  {recipe.tuning.vocabulary} word pieces, tuned on the lexicon ({text:.1f} M parameters).
- epsilon {recipe.epsilon}, tau {recipe.tau}; cross routing, targets from the lexicon, a learnt
  bias. Weights stored as {recipe.storage}.

## Data

{data}

## Command

    python -m train embedded{option}

Seed {recipe.seed}; {recipe.coarse.steps} steps of {recipe.coarse.batch} recordings, the weights
averaged with a decay of {recipe.coarse.average} a step. {second}Every figure below is in
`figures.json`.

## Figures

Tag encoder: of {tags[held_out]} wordings that tuning never saw, {tags[held_out_accuracy]:.1%} lie
nearest to their own statement. The {tags[opposite_pairs]} pairs of statements that exclude or
mirror each other have cosines of at most {tags[highest_opposite]:.2f} between their preferred
names, and of at most {tags[highest_opposite_name]:.2f} between any two of their wordings, the
unseen ones included.

Heatmaps, on simulated recordings not trained on: {places[findings]} findings with a known place;
the patches of the place rank above the others with an AUC of {places[patch_auc]:.3f} and get
{places[share_on_place]:.0%} of the plan, where an even plan gives {places[even_share]:.0%}. On real
recordings nobody drew places{leads}

Probabilities come from one logistic curve for all statements, fitted on recordings that training
did not see (simulated and, where there are, held-out real ones, with equal weight). Cross-fitted,
on {judged}: expected calibration error {calibration[expected_error]:.3f}, Brier score
{calibration[brier]:.3f}. The app tells some findings by more than their own prompt, which no
figure here does: where measurements join (`combination.yaml`), and a normal ECG as what other
findings leave.
"""

LEADS_UNTAUGHT = """; `evaluate localisation` tells how far heatmaps keep to
the leads of a finding."""
LEADS_TAUGHT = """, and training took the leads that the lexicon
names for a finding: `evaluate localisation` tells how far heatmaps of other patients keep to what
was taught, not that they found it."""

SECOND = """\
A second encoder of the same shape, taught by reports
against each other (recipe `{second.name}`, seed {second.seed};
{second.coarse.steps} steps of {second.coarse.batch}) by {drawn} simulated recordings and the same
real ones, makes {share:.0%} of every patch's embedding. """

ZEROSHOT = """
On held-out patients of a labelled source: PTB-XL recordings (folds {folds} of the sample) whose
patients training never saw, read by one prompt a class. Training has seen other patients of the
same hospital, labelled in the same way, and the recipe was chosen on these folds: not the zero-shot
of a model that learns from reports, and no figure to set beside published ones. Macro AUC with a
95 % bootstrap interval, of the model alone, without measurements. A class is read by one prompt, or
by the statements that PTB-XL files under it (the soft maximum of their logits):

    python -m train evaluate zeroshot --checkpoint assets/checkpoint --dataset ptbxl-super \\
        --data DIR/ptb-xl --folds {folds}

The held-out recordings are few: mind the intervals. The base rate is the Brier score of telling
everybody the share of all recordings that has the class: a probability that is not below it tells
less than that share.

| set | recordings | classes | macro AUC |
|---|---|---|---|
{rows}

| superclass | read by | positives | AUC | ECE | Brier | base rate |
|---|---|---|---|---|---|---|
{classes}
"""

CHALLENGE = "of the PhysioNet challenges 2020 and 2021 (CC BY 4.0)"
ATTRIBUTION = {
    "simulated": "Simulated recordings (`train/simulate`), every tag and place known",
    "ptb-xl": "A sample of PTB-XL (Wagner et al. 2020, doi:10.13026/kfzx-aw45, CC BY 4.0)",
    "csn": f"A sample of CSN {CHALLENGE}",
    "cpsc2018": f"A sample of CPSC2018 {CHALLENGE}",
    "cpsc-extra": f"A sample of CPSC-Extra {CHALLENGE}",
    "georgia": f"A sample of the Georgia set {CHALLENGE}",
    "ludb": "LUDB (Kalyakulina et al. 2020, doi:10.13026/eegm-h675, ODC-BY)",
}
