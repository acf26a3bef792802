"""What every test may ask for."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from jaxtyping import install_import_hook

# Before any test imports the packages: their annotated shapes are checked while tests run.
install_import_hook(["focal_app", "train"], "shape_check.checked")

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

ROOT = Path(__file__).parents[1]
SHARED_ECG = ROOT.parent / "shared" / "ecg"
SHARED_BENCHMARK = ROOT.parent / "shared" / "benchmark"


@pytest.fixture(scope="session")
def shared_ecg() -> Path:
    """The folder of real recordings beside the project, or a skip where it is absent."""
    if not SHARED_ECG.is_dir():
        pytest.skip("the folder of real recordings (../shared/ecg) is absent")
    return SHARED_ECG


@pytest.fixture(scope="session")
def shared_benchmark() -> Path:
    """The published splits and prompts beside the project, or a skip where they are absent."""
    if not SHARED_BENCHMARK.is_dir():
        pytest.skip("the folder of published splits (../shared/benchmark) is absent")
    return SHARED_BENCHMARK


@pytest.fixture(scope="session")
def tiny_checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An untrained model of a few kilobytes, saved as any other: its scores mean nothing."""
    import torch
    from transformers import BertConfig, BertModel

    from focal_app.model.config import EncoderConfig, FocalConfig, TextConfig
    from focal_app.model.focal import Focal
    from focal_app.model.text import TagEncoder

    torch.manual_seed(0)
    tokenizer = _spelling_tokenizer()
    sizes = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
    )
    text = TextConfig("tiny", pooling="mean", max_tokens=64)
    config = FocalConfig(encoder=EncoderConfig(16, 1, 2), text=text, embed_dim=8, tau=0.1)
    folder = tmp_path_factory.mktemp("tiny-checkpoint")
    Focal(config, TagEncoder(text, BertModel(sizes), tokenizer, 8)).save_pretrained(folder)
    return folder


def _spelling_tokenizer() -> "PreTrainedTokenizerFast":
    """A word-piece tokenizer that spells every word in single characters."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    letters = [chr(code) for code in range(33, 127)]
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *letters, *(f"##{c}" for c in letters)]
    tokenizer = Tokenizer(models.WordPiece({p: i for i, p in enumerate(pieces)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]")
