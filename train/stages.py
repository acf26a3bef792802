"""The stages of a run, each a function of the recipe and of the files that the one before left.

runs/NAME/text/          the tuned tag encoder
runs/NAME/data/*         prepared recordings, simulated and real
runs/NAME/coarse.safetensors   the run, resumable
runs/NAME/model/         the finished checkpoint
"""

import dataclasses
import json
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModel, AutoTokenizer

from focal_app.lexicon import load_lexicon, load_prompt_sets
from focal_app.model.config import Calibration, FocalConfig, TextConfig
from focal_app.model.focal import Focal, similarities
from focal_app.model.text import TagEncoder, embed_tags
from train import calibrate
from train.batches import Pool, gather
from train.coarse import Coarse
from train.config import Recipe
from train.datasets.real import Source, describe, find_sources
from train.datasets.records import Records, make_records
from train.datasets.simulated import simulated
from train.simulate import VOCABULARY
from train.tag_tuning import FRAMES, TagFigures, measure, tune, tuning_names
from train.targets import TargetMaker
from train.text_source import load_text_model, trim_vocabulary


def tuned_text(recipe: Recipe, run: Path) -> TagEncoder:
    """The tuned tag encoder of a run, made if it is not there; its figures lie beside it."""
    folder = run / "text"
    if not (folder / "figures.json").is_file():
        _tune_text(recipe, folder)
    backbone = AutoModel.from_pretrained(folder)
    encoder = TagEncoder(
        recipe.text, backbone, AutoTokenizer.from_pretrained(folder), recipe.embed_dim
    )
    encoder.projection.load_state_dict(load_file(folder / "projection.safetensors"))
    return encoder.eval()


def text_figures(run: Path) -> TagFigures:
    """What was measured on the tuned tag encoder."""
    return TagFigures(**json.loads((run / "text" / "figures.json").read_text()))


def _tune_text(recipe: Recipe, folder: Path) -> None:
    lexicon = load_lexicon()
    torch.manual_seed(recipe.seed)
    model, tokenizer = load_text_model(recipe.text.name)
    texts = [name for s in lexicon for name in (*tuning_names(s), s.description)]
    texts += [frame.format("x") for frame in FRAMES]
    texts += [prompt for chosen in load_prompt_sets().values() for prompt in chosen.prompts]
    size = recipe.tuning.vocabulary
    model, tokenizer = trim_vocabulary(model, tokenizer, texts=texts, size=size)
    encoder = TagEncoder(recipe.text, model, tokenizer, recipe.embed_dim)
    tune(encoder, lexicon, recipe.tuning, seed=recipe.seed)
    encoder.backbone.save_pretrained(folder)
    encoder.tokenizer.save_pretrained(folder)
    save_file(encoder.projection.state_dict(), folder / "projection.safetensors")
    figures = dataclasses.asdict(measure(encoder, lexicon))
    (folder / "figures.json").write_text(json.dumps(figures, indent=2))


def simulated_records(recipe: Recipe, run: Path, *, count: int, seed: int, name: str) -> Records:
    """Simulated recordings of a run, made once."""
    return make_records(
        run / "data" / name,
        about={"source": "simulated", "count": count, "seed": seed},
        count=count,
        spec=recipe.signal,
        vocabulary=VOCABULARY,
        source=lambda: simulated(count, recipe.signal, seed=seed),
    )


def unseen_records(recipe: Recipe, run: Path) -> Records:
    """Simulated patients that training does not see."""
    return simulated_records(recipe, run, count=500, seed=recipe.seed + 1, name="unseen")


def real_records(recipe: Recipe, run: Path, source: Source) -> Records:
    """The recordings of a real source, made once."""
    return make_records(
        run / "data" / source.name,
        about={"source": source.name, "count": len(source.items)},
        count=len(source.items),
        spec=recipe.signal,
        vocabulary=source.vocabulary,
        source=lambda: source.labelled(recipe.signal),
    )


def train_coarse(recipe: Recipe, run: Path, real: Path | None) -> Focal:
    """Tune, gather, train, calibrate; the finished model lies in `run/model`."""
    lexicon = load_lexicon()
    maker = TargetMaker(lexicon)
    model = new_model(recipe, tuned_text(recipe, run))
    drawn = simulated_records(
        recipe, run, count=recipe.data.simulated, seed=recipe.seed, name="simulated"
    )
    pools, held_out = _real_pools(recipe, run, real, maker)
    coarse = Coarse(model, recipe, Pool(drawn, maker, classes_stated=False), pools, lexicon)
    coarse.run(run / "coarse.safetensors")
    unseen = unseen_records(recipe, run)
    model.config = dataclasses.replace(
        model.config,
        calibration=calibration(model, [Pool(unseen, maker, classes_stated=False), *held_out]),
    )
    model.save_pretrained(run / "model")
    return model


def new_model(recipe: Recipe, text: TagEncoder) -> Focal:
    """An untrained model of the recipe around its tag encoder."""
    torch.manual_seed(recipe.seed)
    config = FocalConfig(
        signal=recipe.signal,
        encoder=recipe.encoder,
        text=TextConfig(recipe.text.name, recipe.text.pooling, recipe.text.max_tokens),
        embed_dim=recipe.embed_dim,
        epsilon=recipe.epsilon,
        tau=recipe.tau,
        temperature=recipe.temperature,
        bias=recipe.bias,
        storage=recipe.storage,
    )
    return Focal(config, text)


def _real_pools(
    recipe: Recipe, run: Path, real: Path | None, maker: TargetMaker
) -> tuple[list[Pool], list[Pool]]:
    """Pools to train on, and pools of the held-out folds."""
    pools, held_out = [], []
    away = {f"fold {fold}" for fold in recipe.data.held_out_folds}
    for source in find_sources(real) if real else []:
        print(describe(source))
        records = real_records(recipe, run, source)
        seen = [i for i, group in enumerate(records.groups) if group not in away]
        kept = [i for i, group in enumerate(records.groups) if group in away]
        pools.append(Pool(records, maker, rows=seen))
        if kept:
            held_out.append(Pool(records, maker, rows=kept))
    return pools, held_out


def calibration(model: Focal, pools: list[Pool]) -> Calibration:
    """Platt scaling over the known pairs of pools that training did not see."""
    z = embed_tags(model.text, list(load_lexicon().statements))
    logits, present = [], []
    for pool in pools:
        for rows in np.array_split(pool.rows, max(1, len(pool.rows) // 64)):
            batch = gather(pool, rows)
            with torch.inference_mode():
                patches = model.encode_ecg(batch.signal, batch.seen)
                similarity, _ = similarities(
                    patches,
                    z,
                    batch.seen.flatten(1),
                    epsilon=model.config.epsilon,
                    tau=model.config.tau,
                )
                known = batch.known > 0
                logits.append(model.logits(similarity)[known].numpy())
                present.append(batch.present[known].numpy())
    return calibrate.fit(np.concatenate(logits), np.concatenate(present))
