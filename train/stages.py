"""The stages of a run, each a function of the recipe and of the files that the one before left.

runs/NAME/text/          the tuned tag encoder
runs/NAME/data/*         prepared recordings, simulated and real
runs/NAME/coarse.safetensors   the run, resumable
runs/NAME/model/         the finished checkpoint
"""

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModel, AutoTokenizer

from focal_app.errors import ConfigError
from focal_app.lexicon import load_lexicon, load_prompt_sets
from focal_app.model.config import FocalConfig, TextConfig
from focal_app.model.focal import Focal
from focal_app.model.text import TagEncoder, embed_tags
from train.batches import Pool, gather
from train.coarse import coarse_loop
from train.data.fingerprint import LEXICON, fingerprint, simulator_files
from train.data.real import Source, describe, find_sources
from train.data.records import Records, make_records
from train.data.simulated import simulated
from train.fit import calibration as calibrate
from train.fit.tag_tuning import FRAMES, TagFigures, measure, tune, tuning_names
from train.fit.text_source import load_text_model, trim_vocabulary
from train.recipe import Recipe
from train.simulate import VOCABULARY
from train.targets import TargetMaker


def tuned_text(recipe: Recipe, run: Path) -> TagEncoder:
    """The tuned tag encoder of a run, made if it is not there; its figures lie beside it."""
    folder = run / "text"
    made_from = fingerprint(recipe.seed, recipe.text, recipe.tuning, files=[LEXICON])
    if not (folder / "figures.json").is_file():
        _tune_text(recipe, folder)
        (folder / "made_from").write_text(made_from)
    refuse_another(folder / "made_from", made_from, "tag encoder")
    backbone = AutoModel.from_pretrained(folder)
    encoder = TagEncoder(
        recipe.text, backbone, AutoTokenizer.from_pretrained(folder), recipe.embed_dim
    )
    encoder.projection.load_state_dict(load_file(folder / "projection.safetensors"))
    return encoder.eval()


def refuse_another(noted: Path, wanted: str, what: str) -> None:
    """A `ConfigError` where a part of a run was made from something else than is asked for now."""
    if not noted.is_file() or noted.read_text() != wanted:
        raise ConfigError(
            f"the {what} in this run's folder was made by another recipe, lexicon or data; give "
            "another --out, or delete the folder to make it again"
        )


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
    if size:
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
        about={
            "source": "simulated",
            "count": count,
            "seed": seed,
            "made_from": fingerprint(files=simulator_files()),
        },
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
        about={
            "source": source.name,
            "count": len(source.items),
            "made_from": fingerprint([(p.name, tags, group) for p, tags, group in source.items]),
        },
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
    records = simulated_records(
        recipe, run, count=recipe.data.simulated, seed=recipe.seed, name="simulated"
    )
    pools, held_out = real_pools(recipe, run, real, maker)
    used = describe_data(records, pools, held_out)
    made_from = fingerprint(recipe, used, files=[LEXICON, *simulator_files()])
    noted = run / "made_from"
    if (run / "coarse.safetensors").is_file():
        refuse_another(noted, made_from, "unfinished training")
    noted.parent.mkdir(parents=True, exist_ok=True)
    noted.write_text(made_from)
    simulated_pool = Pool(records, maker, classes_stated=False)
    loop, drawn = coarse_loop(model, recipe, simulated_pool, list(pools.values()), lexicon)
    loop.run(drawn.from_step, run / "coarse.safetensors", log=run / "log")
    finish(model, run, unseen_pool(recipe, run, maker), held_out, used)
    return model


def finish(
    model: Focal, run: Path, unseen: Pool, held_out: dict[str, Pool], used: dict[str, Any]
) -> None:
    """Calibrate on what training did not see, and write the model with what it was trained on."""
    fitted = calibrate.fit(*logits_of(model, [unseen, *held_out.values()]))
    model.config = dataclasses.replace(model.config, calibration=fitted)
    model.save_pretrained(run / "model")
    (run / "used.json").write_text(json.dumps(used, indent=2))


def describe_data(
    drawn: Records, pools: dict[str, Pool], held_out: dict[str, Pool]
) -> dict[str, Any]:
    """How many recordings of each source are trained on, and how many held out."""
    real = {
        name: {"trained": len(pool.rows), "held_out": len(held_out[name].rows)}
        if name in held_out
        else {"trained": len(pool.rows), "held_out": 0}
        for name, pool in pools.items()
    }
    return {"simulated": len(drawn), "real": real}


def unseen_pool(recipe: Recipe, run: Path, maker: TargetMaker) -> Pool:
    """Simulated patients that training does not see, with their targets."""
    return Pool(unseen_records(recipe, run), maker, classes_stated=False)


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
        alignment=recipe.alignment,
        storage=recipe.storage,
    )
    return Focal(config, text)


def real_pools(
    recipe: Recipe, run: Path, real: Path | None, maker: TargetMaker
) -> tuple[dict[str, Pool], dict[str, Pool]]:
    """Pools to train on, and pools of the held-out folds, by source."""
    pools, held_out = {}, {}
    away = {f"fold {fold}" for fold in recipe.data.held_out_folds}
    for source in find_sources(real) if real else []:
        print(describe(source))
        records = real_records(recipe, run, source)
        seen = [i for i, group in enumerate(records.groups) if group not in away]
        kept = [i for i, group in enumerate(records.groups) if group in away]
        pools[source.name] = Pool(records, maker, rows=seen)
        if kept:
            held_out[source.name] = Pool(records, maker, rows=kept)
    return pools, held_out


def logits_of(model: Focal, pools: Sequence[Pool]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Logits, truths and weights of all known pairs; every pool weighs the same in sum."""
    parts = [_logits_of_pool(model, pool) for pool in pools]
    weights = [np.full(len(logit), 1 / len(logit)) for logit, _ in parts]
    total = sum(len(logit) for logit, _ in parts)
    weight = np.concatenate(weights) * total / len(parts)
    return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts]), weight


def _logits_of_pool(model: Focal, pool: Pool) -> tuple[np.ndarray, np.ndarray]:
    z = embed_tags(model.text, list(load_lexicon().statements))
    logits, present = [], []
    for rows in np.array_split(pool.rows, max(1, len(pool.rows) // 64)):
        batch = gather(pool, rows)
        kept, known = batch.seen.flatten(1), batch.known > 0
        with torch.inference_mode():
            patches = model.encode_ecg(batch.signal, batch.seen)
            similarity, _ = model.route(patches, z, kept)
            logits.append(model.logits(similarity)[known].numpy())
        present.append(batch.present[known].numpy())
    return np.concatenate(logits), np.concatenate(present)
