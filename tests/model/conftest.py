"""Untrained models of a few kilobytes, for the claims about the model's parts."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from transformers import AutoTokenizer, BertConfig, BertModel

from focal_app.ecg.signal_spec import SignalSpec
from focal_app.model.config import EncoderConfig, FocalConfig, TextConfig
from focal_app.model.focal import Focal
from focal_app.model.text import TagEncoder

SMALL = FocalConfig(
    signal=SignalSpec(sampling_rate_hz=100, windows=4, window_samples=100, minimum_duration_s=0.5),
    encoder=EncoderConfig(16, 2, 2),
    text=TextConfig("tiny", pooling="mean", max_tokens=48),
    embed_dim=8,
)


@pytest.fixture
def make_text(tiny_checkpoint: Path) -> Callable[..., TagEncoder]:
    """`make_text(pooling=..., dropout=...)`: a tag encoder around a tiny BERT."""

    def make(*, pooling: str = "mean", dropout: float = 0.0, max_tokens: int = 48) -> TagEncoder:
        torch.manual_seed(1)
        tokenizer = AutoTokenizer.from_pretrained(tiny_checkpoint / "text")
        sizes = BertConfig(
            vocab_size=len(tokenizer),
            hidden_size=16,
            intermediate_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            hidden_dropout_prob=dropout,
            attention_probs_dropout_prob=dropout,
            initializer_range=0.5,
        )
        config = TextConfig("tiny", pooling=pooling, max_tokens=max_tokens)
        return TagEncoder(config, BertModel(sizes), tokenizer, 8).eval()

    return make


@pytest.fixture
def make_focal(make_text: Callable[..., TagEncoder]) -> Callable[..., Focal]:
    """`make_focal(embed_dim=..., storage=...)`: a whole model, its config changed as given."""

    def make(**changes) -> Focal:
        torch.manual_seed(2)
        config = dataclasses.replace(SMALL, **changes)
        return Focal(config, make_text(pooling=config.text.pooling)).eval()

    return make
