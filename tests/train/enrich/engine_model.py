"""A Qwen3 of two layers with random weights, and shards for it to enrich."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from focal_app.ecg.recording import ECG, LEADS, SourceFacts
from train.data.build import build
from train.data.source import Annotated, Study

SPECIAL = ["<|im_start|>", "<|im_end|>", "<|endoftext|>"]
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n"
    "{% if enable_thinking is defined and enable_thinking is false %}<think>\n\n</think>\n\n"
    "{% endif %}{% endif %}"
)
"""As Qwen3's: an empty thought is what switches thinking off."""


def save_tiny_model(folder: Path) -> None:
    """Weights, configuration and a tokenizer of bytes, as `from_pretrained` reads them."""
    import torch
    from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=_bytes_tokenizer(),
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        additional_special_tokens=SPECIAL,
        chat_template=TEMPLATE,
    )
    torch.manual_seed(0)
    sizes = Qwen3Config(
        vocab_size=320,
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=32,
        max_position_embeddings=4096,
        tie_word_embeddings=True,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    Qwen3ForCausalLM(sizes).to(torch.bfloat16).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _bytes_tokenizer():
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {letter: i for i, letter in enumerate([*alphabet, *SPECIAL])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(SPECIAL)
    return tokenizer


class Noise:
    """A source of noise with given tags."""

    name = "noise"
    spoken = None
    classes_stated = True

    def __init__(self, reports: Sequence[tuple[str, ...]]) -> None:
        self.reports, self.total = reports, len(reports)
        self.about = {"reports": [list(tags) for tags in reports]}

    def studies(self, counted: Counter[str]) -> Iterator[Study]:
        """A recording a report."""
        for i, tags in enumerate(self.reports):
            yield Study(f"{i}", f"{i}", "train", partial(_noise, tags=tags))


def _noise(_counted: Counter[str], *, tags: tuple[str, ...]) -> Annotated:
    signal = np.random.default_rng(0).normal(size=(12, 5000)).astype(np.float32)
    return Annotated(ECG(signal, LEADS, 500.0, SourceFacts("test")), tags)


def save_shards(folder: Path, reports: Sequence[tuple[str, ...]]) -> None:
    """Shards with these tags; their recordings do not matter."""
    build(Noise(reports), folder, workers=1)
