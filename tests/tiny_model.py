"""An untrained model of a few kilobytes, for tests in which its scores mean nothing."""

from pathlib import Path

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

from focal_app.model.config import EncoderConfig, FocalConfig, TextConfig
from focal_app.model.focal import Focal
from focal_app.model.text import TagEncoder


def save_tiny_model(folder: Path, *, seed: int = 0, record_path: bool = False) -> None:
    """Saves it as any other checkpoint; other seeds have other weights."""
    torch.manual_seed(seed)
    tokenizer = _spelling_tokenizer()
    sizes = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
    )
    text = TextConfig("tiny", pooling="mean", max_tokens=64)
    encoder = EncoderConfig(16, 1, 2, record_path=record_path)
    config = FocalConfig(encoder=encoder, text=text, embed_dim=8, tau=0.1)
    Focal(config, TagEncoder(text, BertModel(sizes), tokenizer, 8)).save_pretrained(folder)


def _spelling_tokenizer() -> PreTrainedTokenizerFast:
    """A word-piece tokenizer that spells every word in single characters."""
    letters = [chr(code) for code in range(33, 127)]
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *letters, *(f"##{c}" for c in letters)]
    tokenizer = Tokenizer(models.WordPiece({p: i for i, p in enumerate(pieces)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]")
