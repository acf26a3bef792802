"""Claims about trimming a vocabulary: what is kept reads as before, and nothing becomes unknown."""

import json

import pytest
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

from focal_app.errors import CheckpointError, ConfigError
from train.fit.text_source import load_text_model, trim_vocabulary
from train.recipe import load_recipe
from train.runs.preflight import text_model

SPECIAL = ["[PAD]", "[unused0]", "[unused1]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
LETTERS = [chr(code) for code in range(ord("a"), ord("z") + 1)]
WORDS = ["the", "of", "heart", "block", "##ed", "sinus", "é", "heartbeat", "wave", "rare"]
TEXTS = ["Sinus waves", "rare block"]


def tokenizer() -> PreTrainedTokenizerFast:
    """A word-piece tokenizer as BERT's: pieces by frequency, special tokens around a text."""
    pieces = [*SPECIAL, *WORDS, *LETTERS, *(f"##{letter}" for letter in LETTERS)]
    made = Tokenizer(models.WordPiece({p: i for i, p in enumerate(pieces)}, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[("[CLS]", pieces.index("[CLS]")), ("[SEP]", pieces.index("[SEP]"))],
    )
    names = {"pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"}
    return PreTrainedTokenizerFast(
        tokenizer_object=made, **{f"{name}_token": token for name, token in names.items()}
    )


def model(size: int) -> BertModel:
    torch.manual_seed(0)
    return BertModel(
        BertConfig(
            vocab_size=size,
            hidden_size=16,
            intermediate_size=32,
            num_hidden_layers=1,
            num_attention_heads=2,
        )
    ).eval()


def trimmed(size: int = 66):
    whole = tokenizer()
    return whole, trim_vocabulary(model(len(whole)), tokenizer(), texts=TEXTS, size=size)


@pytest.mark.parametrize(
    "text", [*TEXTS, "the waves of the heart", "blocked", "zyx", "[MASK] wave"]
)
def test_texts_of_kept_pieces_read_as_before(text):
    whole, (small_model, small) = trimmed()
    assert small.tokenize(text) == whole.tokenize(text)
    before = model(len(whole))(**whole(text, return_tensors="pt")).last_hidden_state
    after = small_model(**small(text, return_tensors="pt")).last_hidden_state
    torch.testing.assert_close(after, before)


def test_padding_and_masks_stay_what_they_were():
    whole, (small_model, small) = trimmed()
    texts = ["sinus", "rare block of the heart"]
    ours, theirs = (t(texts, padding=True, return_tensors="pt") for t in (small, whole))
    assert torch.equal(ours["attention_mask"], theirs["attention_mask"])
    assert small_model.config.pad_token_id == small.pad_token_id == ours["input_ids"][0, -1]
    kept = ours["attention_mask"].bool()
    torch.testing.assert_close(
        small_model(**ours).last_hidden_state[kept],
        model(len(whole))(**theirs).last_hidden_state[kept],
    )


def test_a_dropped_word_is_spelt_and_never_unknown():
    _, (_, small) = trimmed(size=len(LETTERS) * 2 + len(SPECIAL) + 4)
    assert "heartbeat" not in small.get_vocab()
    assert small.unk_token not in small.tokenize("heartbeat")
    assert "".join(p.removeprefix("##") for p in small.tokenize("heartbeat")) == "heartbeat"


def test_the_most_frequent_others_fill_the_size():
    whole, (small_model, small) = trimmed(size=66)
    assert len(small) == small_model.get_input_embeddings().weight.shape[0] == 66
    dropped = whole.get_vocab().keys() - small.get_vocab().keys()
    assert dropped == {"[unused0]", "[unused1]", "heartbeat"}


def test_a_size_below_what_is_needed_keeps_what_is_needed():
    _, (_, small) = trimmed(size=1)
    for text in TEXTS:
        assert small.unk_token not in small.tokenize(text)
    assert set(LETTERS) < set(small.get_vocab())


def test_a_trimmed_tokenizer_survives_saving(tmp_path):
    _, (_, small) = trimmed()
    small.save_pretrained(tmp_path)
    again = PreTrainedTokenizerFast.from_pretrained(tmp_path)
    assert again("rare heart waves")["input_ids"] == small("rare heart waves")["input_ids"]
    state = json.loads((tmp_path / "tokenizer.json").read_text())
    assert sorted(state["model"]["vocab"].values()) == list(range(66))


def test_a_model_that_is_not_there_is_refused_with_a_way_out(tmp_path):
    with pytest.raises(ConfigError, match="give a folder or a Hub name"):
        load_text_model(str(tmp_path / "absent"))


def test_a_model_whose_checkpoint_could_not_be_loaded_is_refused_before_training(tmp_path):
    BertConfig(num_hidden_layers=97).save_pretrained(tmp_path)
    with pytest.raises(CheckpointError, match=r"num_hidden_layers .* from 1 to 96"):
        load_text_model(str(tmp_path))


def test_a_model_that_is_stored_in_half_precision_is_trained_in_whole(tmp_path):
    whole = tokenizer()
    model(len(whole)).half().save_pretrained(tmp_path)
    whole.save_pretrained(tmp_path)
    loaded, _ = load_text_model(str(tmp_path))
    assert {one.dtype for one in loaded.parameters()} == {torch.float32}


def test_a_vocabulary_of_other_pieces_is_not_trimmed(tmp_path):
    pairs = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
    by_pairs = PreTrainedTokenizerFast(tokenizer_object=pairs, pad_token="a")
    with pytest.raises(ConfigError, match=r"a vocabulary of BPE.* tuning\.vocabulary 0"):
        trim_vocabulary(model(3), by_pairs, texts=["ab"], size=2)
    model(3).save_pretrained(tmp_path)
    by_pairs.save_pretrained(tmp_path)
    small, tiny = load_recipe("focal-small"), load_recipe("tiny")
    assert any("a vocabulary of BPE" in one for one in text_model(small, str(tmp_path)))
    assert not list(text_model(tiny, str(tmp_path)))
