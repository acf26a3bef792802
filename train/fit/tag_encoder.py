"""The tag encoder of a run: tuned on the lexicon, or as it is published.

    python -m train text --config focal --out runs/focal

A stage of its own, on one process and its accelerator: training over several processes finds the
tuned encoder in the run's folder and does not wait for one of them to make it.
"""

import dataclasses
import json
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModel, AutoTokenizer

from focal_app.errors import ConfigError
from focal_app.lexicon import load_lexicon, load_prompt_sets
from focal_app.model.text import TagEncoder
from train.data.fingerprint import LEXICON, fingerprint, refuse_another
from train.fit.tag_tuning import FRAMES, TagFigures, measure, tune
from train.fit.text_source import load_text_model, trim_vocabulary
from train.fit.wordings import tuning_names
from train.read_back import read_back
from train.recipe import Recipe

AGAIN = "put it back, or delete the folder of the tag encoder to make it again"


def tag_encoder(recipe: Recipe, run: Path, *, alone: bool = True) -> TagEncoder:
    """The tag encoder that training starts from; one that has to be tuned is, where `alone`."""
    if recipe.tuning.steps:
        if not alone and not is_tuned(run):
            raise ConfigError(
                f"found no tuned tag encoder in {run.name!r}, and several processes; run `python "
                f"-m train text --config {recipe.name}` with the same --out first, on one process"
            )
        return tuned_text(recipe, run)
    backbone, tokenizer = load_text_model(recipe.text.name)
    torch.manual_seed(recipe.seed)  # loading may draw numbers too
    return TagEncoder(recipe.text, backbone, tokenizer, recipe.embed_dim)  # pyrefly: ignore[bad-argument-type]


def is_tuned(run: Path) -> bool:
    """Whether a tuned tag encoder lies in the folder of a run."""
    return (run / "text" / "figures.json").is_file()


def tuned_text(recipe: Recipe, run: Path) -> TagEncoder:
    """The tuned tag encoder of a run, made if it is not there; its figures lie beside it."""
    folder = run / "text"
    made_from = fingerprint(recipe.seed, recipe.text, recipe.tuning, files=[LEXICON])
    if not is_tuned(run):
        _tune(recipe, folder)
        (folder / "made_from").write_text(made_from)
    refuse_another(folder / "made_from", made_from, "tag encoder", "recipe or lexicon")
    with read_back(folder, AGAIN):
        backbone = AutoModel.from_pretrained(folder)
        tokenizer = AutoTokenizer.from_pretrained(folder)
        encoder = TagEncoder(recipe.text, backbone, tokenizer, recipe.embed_dim)  # pyrefly: ignore[bad-argument-type]
        encoder.projection.load_state_dict(load_file(folder / "projection.safetensors"))
        return encoder.eval()


def keep_tuned(encoder: TagEncoder, recipe: Recipe, run: Path) -> None:
    """Lay the tag encoder of a finished checkpoint into a run, in place of tuning one.

    It must have been tuned by the same lines of a recipe, and kept as it was while ECGs came in.
    """
    if is_tuned(run):
        return
    if encoder.config != recipe.text:
        raise ConfigError(
            f"found a tag encoder {encoder.config.name!r}; the recipe {recipe.name} needs "
            f"{recipe.text.name!r}. Leave the checkpoint out, and one is tuned"
        )
    _write(encoder, run / "text")
    made_from = fingerprint(recipe.seed, recipe.text, recipe.tuning, files=[LEXICON])
    (run / "text" / "made_from").write_text(made_from)


def text_figures(run: Path) -> TagFigures:
    """What was measured on the tuned tag encoder."""
    path = run / "text" / "figures.json"
    with read_back(path, AGAIN):
        return TagFigures(**json.loads(path.read_text()))


def _tune(recipe: Recipe, folder: Path) -> None:
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
    _write(encoder, folder)


def _write(encoder: TagEncoder, folder: Path) -> None:
    encoder.backbone.save_pretrained(folder)
    encoder.tokenizer.save_pretrained(folder)
    save_file(encoder.projection.state_dict(), folder / "projection.safetensors")
    figures = dataclasses.asdict(measure(encoder, load_lexicon()))
    (folder / "figures.json").write_text(json.dumps(figures, indent=2))
