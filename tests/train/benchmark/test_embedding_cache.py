"""The cache of embeddings: one pass a recording, resumable, by checkpoint and by data."""

import copy
import dataclasses

import numpy as np
import pytest
import torch

from focal_app.ecg.files import read_recording
from focal_app.ecg.preprocess import prepare
from focal_app.model.focal import Focal
from train.benchmark import embeddings
from train.benchmark.embeddings import embed, encoder_hash


@pytest.fixture
def headers(noise_record, tmp_path):
    made = [tmp_path / f"r{n}.hea" for n in range(5)]
    for number, header in enumerate(made):
        noise_record(header, seed=number)
    return made


def test_what_is_stored_is_what_the_model_says(headers, model, tmp_path):
    held = embed(model, headers, cache=tmp_path / "cache")
    part = next(held.parts())
    for row, patches, kept in zip(part.rows, part.patches, part.kept, strict=True):
        prepared = prepare(read_recording([headers[row]]), model.config.signal)
        seen = torch.from_numpy(prepared.seen)[None]
        with torch.inference_mode():
            signal = torch.from_numpy(prepared.signal)[None]
            torch.testing.assert_close(
                patches, model.encode_ecg(signal, seen)[0], atol=2e-3, rtol=0
            )
            hidden = model.encoder(signal, seen)[0]
        np.testing.assert_allclose(held.pooled()[row], hidden.mean(0), atol=1e-5)
        assert kept.all()


def test_a_recording_is_encoded_once_for_all_sets_that_hold_it(headers, model, tmp_path):
    cache = tmp_path / "cache"
    assert embed(model, headers[:3], cache=cache).encoded == 3
    second = embed(model, headers[::-1], cache=cache)
    assert second.encoded == 2
    again = embed(model, headers, cache=cache)
    assert again.encoded == 0
    np.testing.assert_array_equal(again.pooled(), second.pooled()[::-1])


def test_a_stopped_run_goes_on_where_it_was(headers, model, tmp_path, monkeypatch):
    monkeypatch.setattr(embeddings, "PART", 2)
    done, calls = embeddings._encoded, []

    def stops(model, some):
        calls.append(len(some))
        if len(calls) == 2:
            raise KeyboardInterrupt
        return done(model, some)

    monkeypatch.setattr(embeddings, "_encoded", stops)
    with pytest.raises(KeyboardInterrupt):
        embed(model, headers, cache=tmp_path / "cache")
    assert embed(model, headers, cache=tmp_path / "cache").encoded == 3


def test_a_half_written_line_of_the_manifest_does_not_count(headers, model, tmp_path):
    embed(model, headers, cache=tmp_path / "cache")
    manifest = next((tmp_path / "cache").rglob("manifest.jsonl"))
    manifest.write_text(manifest.read_text()[:-10])
    assert embed(model, headers, cache=tmp_path / "cache").encoded == len(headers)


def test_other_weights_and_other_data_are_encoded_anew(headers, model, noise_record, tmp_path):
    cache = tmp_path / "cache"
    embed(model, headers, cache=cache)
    other = copy.deepcopy(model)
    with torch.no_grad():
        other.projection.bias += 1
    assert encoder_hash(other) != encoder_hash(model)
    assert embed(other, headers, cache=cache).encoded == len(headers)
    noise_record(headers[0], seed=99)
    assert embed(model, headers, cache=cache).encoded == 1


def test_equal_weights_with_another_number_of_heads_are_another_encoder(headers, model, tmp_path):
    encoder = dataclasses.replace(model.config.encoder, heads=2 * model.config.encoder.heads)
    other = Focal(dataclasses.replace(model.config, encoder=encoder), model.text)
    other.load_state_dict(model.state_dict())
    one = embed(model, headers, cache=tmp_path / "cache").pooled()
    another = embed(other.eval(), headers, cache=tmp_path / "cache")
    assert another.encoded == len(headers) and not np.allclose(one, another.pooled(), atol=1e-3)


def test_the_tag_encoder_and_the_calibration_change_no_embedding(model):
    other = copy.deepcopy(model)
    with torch.no_grad():
        other.bias += 1
        other.text.projection.bias += 1
    assert encoder_hash(other) == encoder_hash(model)


def test_a_long_recording_has_several_windows_and_a_broken_one_none(model, noise_record, tmp_path):
    long, broken = tmp_path / "long.hea", tmp_path / "broken.hea"
    noise_record(long, seed=1, seconds=27)
    noise_record(broken, seed=2)
    broken.with_suffix(".dat").unlink()
    held = embed(model, [broken, long])
    assert held.readable.tolist() == [False, True]
    assert next(held.parts()).rows.tolist() == [1, 1, 1]
    assert not held.pooled()[0].any()


def test_a_part_that_was_cut_is_encoded_again(headers, model, tmp_path):
    cache = tmp_path / "cache"
    whole = embed(model, headers, cache=cache).pooled()
    [part] = cache.rglob("*.safetensors")
    part.write_bytes(part.read_bytes()[:-100])
    again = embed(model, headers, cache=cache)
    assert again.encoded == len(headers)
    np.testing.assert_array_equal(again.pooled(), whole)
    assert embed(model, headers, cache=cache).encoded == 0


def test_a_half_written_line_takes_no_other_along(headers, model, tmp_path):
    cache = tmp_path / "cache"
    embed(model, headers[:3], cache=cache)
    [manifest] = cache.rglob("manifest.jsonl")
    manifest.write_text(manifest.read_text()[:-10])
    embed(model, headers, cache=cache)
    assert embed(model, headers, cache=cache).encoded == 0
