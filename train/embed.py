"""Put a finished run into `assets/checkpoint`, with figures measured there and then and a card.

python -m train embed --config embedded --real ../shared/ecg
"""

import dataclasses
import json
import shutil
from pathlib import Path

from focal_app.lexicon import load_lexicon
from focal_app.model.focal import Focal
from focal_app.model.text import parameters_of
from train.batches import Pool
from train.config import Recipe
from train.datasets.ptbxl_labels import COLUMNS
from train.evaluate.localisation import localise
from train.evaluate.zeroshot import evaluate
from train.stages import text_figures, unseen_records
from train.targets import TargetMaker

ASSETS = Path(__file__).parents[1] / "assets" / "checkpoint"
LIMIT_MB = 40


def embed(recipe: Recipe, run: Path, real: Path | None, target: Path = ASSETS) -> None:
    """Copy the model, measure the copy, write `figures.json` and the card `README.md`."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(run / "model", target)
    model = Focal.load(target)
    figures = measure(model, recipe, run, real)
    (target / "figures.json").write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    (target / "README.md").write_text(card(model, recipe, figures), encoding="utf-8")
    size = sum(file.stat().st_size for file in target.rglob("*") if file.is_file()) / 2**20
    print(f"{target.name}: {size:.1f} MB (limit {LIMIT_MB})")


def measure(model: Focal, recipe: Recipe, run: Path, real: Path | None) -> dict:
    """Every figure of the card."""
    unseen = unseen_records(recipe, run)
    pool = Pool(unseen, TargetMaker(load_lexicon()), classes_stated=False)
    figures = {
        "tag_encoder": dataclasses.asdict(text_figures(run)),
        "localisation_on_simulated": dataclasses.asdict(localise(model, pool)),
        "zeroshot": {},
    }
    if real is not None and (real / "ptb-xl").is_dir():
        folds = recipe.data.held_out_folds
        for dataset in COLUMNS:
            found = evaluate(model, dataset, real / "ptb-xl", folds=folds)
            figures["zeroshot"][dataset] = dataclasses.asdict(found)
    return figures


def card(model: Focal, recipe: Recipe, figures: dict) -> str:
    """The model card, its numbers from `figures` alone."""
    folds = " ".join(map(str, recipe.data.held_out_folds))
    tags, places = figures["tag_encoder"], figures["localisation_on_simulated"]
    return CARD.format(
        encoder=parameters_of(model.encoder) / 1e6,
        text=parameters_of(model.text) / 1e6,
        recipe=recipe,
        folds=folds,
        rows="\n".join(_row(name, found, folds) for name, found in figures["zeroshot"].items()),
        classes="\n".join(_class_rows(figures["zeroshot"].get("ptbxl-super"))),
        tags=tags,
        places=places,
    )


def _row(name: str, found: dict, folds: str) -> str:
    macro, few = found["macro_auc"], sum(one["few"] for one in found["classes"])
    return (
        f"| {name} | {found['recordings']} | {len(found['classes'])} ({few} with fewer than 5 "
        f"positives) | {macro['value']:.3f} ({macro['low']:.3f} to {macro['high']:.3f}) |"
    )


def _class_rows(found: dict | None) -> list[str]:
    classes = found["classes"] if found else []
    return [
        f"| {c['label']} | {c['prompt']} | {c['positives']} | {c['auc']:.3f} |" for c in classes
    ]


CARD = """---
license: mit
library_name: focal
tags: [ecg, zero-shot]
---

# The embedded checkpoint

A small FOCAL model that comes with FOCAL Explorer, so that the app works without any download.
**For research and teaching, not for diagnosis.** It has seen a few hundred real recordings and is
far weaker than a model trained on a hospital's archive.

- ECG encoder: ViT of width {recipe.encoder.width}, depth {recipe.encoder.depth},
  {recipe.encoder.heads} heads, `{recipe.encoder.stem}` patches, 120 patches of 1 s
  ({encoder:.2f} M parameters). Signal: {recipe.signal.normalisation}, high-pass
  {recipe.signal.highpass_hz} Hz, 500 Hz.
- Tag encoder: all-MiniLM-L6-v2 (Apache-2.0), its vocabulary trimmed to
  {recipe.tuning.vocabulary} word pieces, tuned on the lexicon ({text:.1f} M parameters).
- epsilon {recipe.epsilon}, tau {recipe.tau}; cross routing, targets from the lexicon, a learnt
  bias. Weights stored as {recipe.storage}.

## Data

- {recipe.data.simulated} simulated recordings (`train/simulate`), every tag and place known.
- Real recordings, {recipe.data.real_share:.0%} of every batch: PTB-XL (a sample, folds other than
  {folds}; Wagner et al. 2020, CC BY 4.0), the PhysioNet challenge samples of CSN, CPSC2018,
  CPSC-Extra and Georgia (CC BY 4.0), LUDB (Kalyakulina et al. 2020, ODC-BY).

## Command

    python -m train coarse --config {recipe.name} --real DIR
    python -m train embed --config {recipe.name} --real DIR

Seed {recipe.seed}; {recipe.coarse.steps} steps of {recipe.coarse.batch} recordings.

## Figures

Zero-shot on PTB-XL patients that training never saw (folds {folds} of the sample), one prompt a
class, macro AUC with a 95 % bootstrap interval:

    python -m train evaluate zeroshot --checkpoint assets/checkpoint --dataset NAME \\
        --data DIR/ptb-xl --folds {folds}

| set | recordings | classes | macro AUC |
|---|---|---|---|
{rows}

| superclass | prompt | positives | AUC |
|---|---|---|---|
{classes}

The probabilities are calibrated (Platt scaling) on 500 further simulated recordings and on these
held-out recordings: one scale and one shift for all statements.

Tag encoder: of {tags[held_out]} wordings that tuning never saw, {tags[held_out_accuracy]:.1%} lie
nearest to their own statement; the {tags[opposite_pairs]} pairs of statements that exclude or
mirror each other have cosines of at most {tags[highest_opposite]:.2f}
({tags[highest_opposite_name]:.2f} over all their wordings).

Heatmaps, on 500 simulated recordings not trained on: {places[findings]} findings with a known
place; the patches of the place rank above the others with an AUC of {places[patch_auc]:.3f}; they
get {places[share_on_place]:.0%} of the plan, where an even plan gives {places[even_share]:.0%}.
"""
