"""Claims about the shared space and its scores."""

import math

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from focal_app.model.config import Calibration
from focal_app.model.focal import similarities


def unit(seed: int, *shape: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return F.normalize(torch.randn(*shape, generator=generator), dim=-1)


def kept_patches(records: int, n: int) -> Tensor:
    kept = torch.rand(records, n, generator=torch.Generator().manual_seed(3)) < 0.7
    kept[:, 0] = True
    return kept


def test_seen_patches_are_unit_vectors_and_unseen_ones_zero(make_focal):
    model = make_focal()
    seen = torch.ones(2, 12, 4, dtype=torch.bool)
    seen[0, 5], seen[1, :, 2] = False, False
    signal = torch.randn(2, 12, 400, generator=torch.Generator().manual_seed(0))
    length = model.encode_ecg(signal, seen).norm(dim=-1)
    torch.testing.assert_close(length, seen.flatten(1).float())


def test_similarity_is_the_cosine_of_the_tag_and_its_routed_ecg():
    patches, tags, kept = unit(0, 2, 12, 8), unit(1, 5, 8), kept_patches(2, 12)
    similarity, plan = similarities(patches, tags, kept, epsilon=0.1, tau=0.3)
    for record in range(2):
        for tag in range(5):
            chosen = patches[record][kept[record]]
            weight = ((chosen @ tags[tag]) / 0.4).softmax(0)
            routed = weight @ chosen
            expected = F.cosine_similarity(routed, tags[tag], dim=0)
            torch.testing.assert_close(similarity[record, tag], expected, rtol=1e-5, atol=1e-6)
            torch.testing.assert_close(plan[record, tag][kept[record]], weight)
    assert not plan.masked_select(~kept[:, None].expand_as(plan)).any()


def test_editing_a_tag_leaves_the_others_alone():
    patches, kept = unit(0, 1, 12, 8), kept_patches(1, 12)
    tags = unit(1, 4, 8)
    edited = torch.cat([tags[:2], unit(2, 1, 8), tags[3:], unit(3, 2, 8)])
    before, plan_before = similarities(patches, tags, kept, epsilon=0.1, tau=0.3)
    after, plan_after = similarities(patches, edited, kept, epsilon=0.1, tau=0.3)
    stay = [0, 1, 3]
    torch.testing.assert_close(after[:, stay], before[:, stay], rtol=1e-6, atol=1e-7)
    torch.testing.assert_close(plan_after[:, stay], plan_before[:, stay], rtol=1e-6, atol=1e-8)


def test_masked_patches_equal_removed_ones_in_the_scores():
    patches, tags, kept = unit(0, 1, 12, 8), unit(1, 5, 8), kept_patches(1, 12)
    masked, _ = similarities(patches, tags, kept, epsilon=0.1, tau=0.3)
    left = patches[:, kept[0]]
    everything = torch.ones(left.shape[:2], dtype=torch.bool)
    removed, _ = similarities(left, tags, everything, epsilon=0.1, tau=0.3)
    torch.testing.assert_close(masked, removed, rtol=1e-5, atol=1e-6)


def test_logit_is_temperature_times_cosine_plus_bias(make_focal):
    model = make_focal(temperature=7.0, bias=-2.0)
    cosine = torch.linspace(-1, 1, 5)
    torch.testing.assert_close(model.logits(cosine), 7 * cosine - 2)


def test_temperature_starts_at_ten_without_a_bias(make_focal):
    model = make_focal()
    assert model.log_temperature.item() == pytest.approx(math.log(10))
    assert model.bias.item() == 0


def test_probability_is_the_calibrated_sigmoid_and_rises_with_the_cosine(make_focal):
    model = make_focal(temperature=7.0, bias=-2.0, calibration=Calibration(0.8, 0.5))
    cosine = torch.linspace(-1, 1, 9)
    probability = model.probability(cosine)
    torch.testing.assert_close(probability, torch.sigmoid(0.8 * (7 * cosine - 2) + 0.5))
    assert (probability.diff() > 0).all()


def test_the_same_model_gives_the_same_numbers_twice(make_focal):
    seen = torch.ones(1, 12, 4, dtype=torch.bool)
    signal = torch.randn(1, 12, 400, generator=torch.Generator().manual_seed(0))
    first, second = (make_focal() for _ in range(2))
    assert torch.equal(first.encode_ecg(signal, seen), second.encode_ecg(signal, seen))
    assert torch.equal(first.encode_tags(["af"]), second.encode_tags(["af"]))
