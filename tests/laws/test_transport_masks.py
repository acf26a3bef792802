"""What is masked takes no part; prompts are routed alone; weights are relative to even ones."""

import math

import pytest
import torch
from torch import Tensor
from transport_cases import cosine_costs, solved, some_masks

from focal_app.errors import ConfigError
from focal_app.model.transport import relative_weights, route_alone, semi_unbalanced_transport

SEEDS = (0, 1, 2)


@pytest.mark.parametrize("seed", SEEDS)
def test_masked_equals_removed_in_value_and_gradient(seed):
    masked = cosine_costs(seed, 4, 6, 25).requires_grad_()
    tags, patches = some_masks(seed, 4, 6, 25)
    plan = solved(masked, tag_mask=tags, patch_mask=patches)
    plan.square().sum().backward()
    assert masked.grad is not None
    for i in range(4):
        removed = masked.detach()[i][tags[i]][:, patches[i]][None].requires_grad_()
        alone = solved(removed)
        alone.square().sum().backward()
        assert removed.grad is not None
        both = tags[i][:, None] & patches[i]
        torch.testing.assert_close(plan[i][both], alone.flatten(), rtol=1e-9, atol=1e-13)
        torch.testing.assert_close(
            masked.grad[i][both], removed.grad.flatten(), atol=1e-11, rtol=1e-8
        )
        assert not plan[i][~both].any() and not masked.grad[i][~both].any()


@pytest.mark.parametrize("m", (1, 5))
@pytest.mark.parametrize("filler", (-1e6, 1e6, math.inf, math.nan))
def test_what_stands_under_a_mask_does_not_matter(filler, m):
    cost = cosine_costs(18, 3, m, 20)
    tags, patches = some_masks(18, 3, m, 20)
    tags[0] = False
    absent = ~(tags[..., None] & patches[:, None])
    other = cost.masked_fill(absent, filler).requires_grad_()
    plan = solved(other, tag_mask=tags, patch_mask=patches)
    plan.square().sum().backward()
    assert torch.equal(plan, solved(cost, tag_mask=tags, patch_mask=patches))
    assert other.grad is not None and other.grad.isfinite().all()


def test_a_record_without_a_tag_gets_zeros():
    cost = cosine_costs(19, 2, 3, 10).requires_grad_()
    mask = torch.tensor([[False, False, False], [True, True, False]])
    result = semi_unbalanced_transport(cost, epsilon=0.1, tau=1.0, tag_mask=mask)
    result.plan.square().sum().backward()
    assert not result.plan[0].any() and result.row_error[0] == 0
    assert cost.grad is not None and not cost.grad[0].any() and cost.grad[1].any()
    assert result.plan[1].sum().item() == pytest.approx(1)


def test_a_batch_without_any_tag_gets_zeros():
    mask = torch.zeros(2, 3, dtype=torch.bool)
    plan = semi_unbalanced_transport(
        cosine_costs(20, 2, 3, 10), epsilon=0.1, tau=1.0, tag_mask=mask
    ).plan
    assert not plan.any()


@pytest.mark.parametrize("m", (1, 3))
def test_a_record_without_a_patch_is_refused(m):
    mask = torch.tensor([[True] * 10, [False] * 10])
    with pytest.raises(ConfigError, match=r"\[1\]"):
        semi_unbalanced_transport(cosine_costs(21, 2, m, 10), epsilon=0.1, tau=1.0, patch_mask=mask)


def test_routing_alone_equals_the_transport_of_every_tag_alone():
    cost = cosine_costs(25, 3, 5, 20)
    _, patches = some_masks(25, 3, 5, 20)
    together = route_alone(cost, epsilon=0.1, tau=0.5, patch_mask=patches)
    for tag in range(5):
        alone = semi_unbalanced_transport(
            cost[:, tag : tag + 1], epsilon=0.1, tau=0.5, patch_mask=patches
        )
        torch.testing.assert_close(together[:, tag], alone.plan[:, 0], rtol=1e-12, atol=0)


def test_routing_alone_survives_half_precision():
    cost = cosine_costs(26, 2, 3, 20).half()
    plan = route_alone(cost, epsilon=0.01, tau=0.05)
    assert plan.dtype == torch.float32
    assert (plan.sum(-1) - 1).abs().max() < 1e-6


def alone(cost: Tensor, patch_mask: Tensor) -> Tensor:
    """Every tag of a batch routed on its own."""
    return route_alone(cost, epsilon=0.1, tau=1.0, patch_mask=patch_mask)


@pytest.mark.parametrize("route", (solved, alone))
def test_relative_weights_have_a_mean_of_one_over_the_seen_patches(route):
    cost = cosine_costs(27, 3, 5, 20)
    _, patches = some_masks(27, 3, 5, 20)
    weights = relative_weights(route(cost, patch_mask=patches), patches)
    seen = patches[:, None].expand_as(weights)
    mean = (weights * seen).sum(-1) / seen.sum(-1)
    torch.testing.assert_close(mean, torch.ones_like(mean))
    assert not weights[~seen].any()


def test_relative_weights_are_the_plan_times_tags_times_patches():
    cost = cosine_costs(28, 2, 5, 20)
    plan = solved(cost)
    torch.testing.assert_close(relative_weights(plan), plan * 5 * 20)
