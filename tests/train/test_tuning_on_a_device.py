"""The tag encoder is tuned on another device than the CPU where there is one."""

import torch
from transformers import AutoModel, AutoTokenizer

from focal_app.lexicon import load_lexicon
from focal_app.model.config import TextConfig
from focal_app.model.text import TagEncoder
from train.fit.tag_tuning import measure, tune
from train.recipe import TextTuning


def encoder(text):
    torch.manual_seed(0)
    model, tokenizer = AutoModel.from_pretrained(text), AutoTokenizer.from_pretrained(text)
    return TagEncoder(TextConfig("tiny", pooling="mean", max_tokens=16), model, tokenizer, 8)


def test_the_tag_encoder_is_tuned_there_and_comes_back(device, text):
    used, tuned = set(), encoder(text)
    tuned.projection.register_forward_hook(lambda _, given, __: used.add(given[0].device.type))
    tune(tuned, load_lexicon(), TextTuning(steps=2, statements=8), seed=1)
    assert used == {device}
    assert {p.device.type for p in tuned.parameters()} == {"cpu"}
    assert measure(tuned, load_lexicon()).held_out > 0
    before = encoder(text).projection.weight
    assert not torch.equal(before, tuned.projection.weight)
