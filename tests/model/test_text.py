"""Claims about the tag encoder."""

import pytest
import torch

from focal_app.model.text import embed_tags


def count_rows(encoder) -> list[tuple[int, int]]:
    """The (tags, tokens) of every call of the backbone, as they come."""
    shapes: list[tuple[int, int]] = []
    encoder.backbone.register_forward_pre_hook(
        lambda _module, _args, kwargs: shapes.append(tuple(kwargs["input_ids"].shape)),
        with_kwargs=True,
    )
    return shapes


def test_equal_tags_are_encoded_once(make_text):
    encoder = make_text()
    shapes = count_rows(encoder)
    out = encoder(["sinus rhythm", "LBBB", "sinus rhythm", " lbbb ", "sinus rhythm"])
    assert [rows for rows, _ in shapes] == [2]
    assert torch.equal(out[0], out[2]) and torch.equal(out[0], out[4])
    assert torch.equal(out[1], out[3]) and not torch.equal(out[0], out[1])


def test_equal_tags_are_equal_in_training_too(make_text):
    encoder = make_text(dropout=0.5).train()
    out = encoder(["sinus rhythm", "sinus rhythm"])
    assert torch.equal(out[0], out[1])


def test_tags_are_padded_only_to_the_longest(make_text):
    encoder = make_text()
    shapes = count_rows(encoder)
    encoder(["st", "abcdef"])
    assert shapes == [(2, 6)]


def test_a_long_tag_is_cut_at_the_limit(make_text):
    encoder = make_text(max_tokens=10)
    shapes = count_rows(encoder)
    encoder(["a" * 50])
    assert shapes == [(1, 10)]


@pytest.mark.parametrize("pooling", ("pooler", "cls", "mean"))
def test_embeddings_are_unit_vectors_whatever_else_is_in_the_list(make_text, pooling):
    encoder = make_text(pooling=pooling)
    tags = ["af", "left bundle branch block", "st elevation"]
    out = encoder(tags)
    torch.testing.assert_close(out.norm(dim=-1), torch.ones(3))
    for i, tag in enumerate(tags):
        torch.testing.assert_close(encoder([tag])[0], out[i], rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(encoder(tags[::-1]), out.flip(0), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("pooling", ("pooler", "cls", "mean"))
def test_pooling_takes_what_it_says(make_text, pooling):
    encoder = make_text(pooling=pooling)
    batch = encoder.tokenizer(["abc", "abcdefg"], padding=True, return_tensors="pt")
    output = encoder.backbone(**batch)
    hidden = output.last_hidden_state
    pooled = {
        "pooler": output.pooler_output,
        "cls": hidden[:, 0],
        "mean": torch.stack([hidden[0, :3].mean(0), hidden[1].mean(0)]),
    }[pooling]
    expected = torch.nn.functional.normalize(encoder.projection(pooled), dim=-1)
    torch.testing.assert_close(encoder(["abc", "abcdefg"]), expected, rtol=1e-4, atol=1e-5)


def test_embedding_many_tags_is_the_same_in_batches_and_keeps_the_mode(make_text):
    encoder = make_text(dropout=0.5).train()
    tags = [f"tag {i % 7}" for i in range(20)]
    out = embed_tags(encoder, tags, batch=6)
    assert encoder.training and not out.requires_grad
    torch.testing.assert_close(out, encoder.eval()(tags), rtol=1e-4, atol=1e-5)
