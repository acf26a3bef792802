"""Semi-UOT against POT and a plain unrolled Sinkhorn, its limits and its symmetries."""

import math

import numpy as np
import ot
import pytest
import torch
from torch import Tensor
from transport_cases import cosine_costs, solved, some_masks

from focal_app.model.transport import semi_unbalanced_transport

TAUS = (0.05, 0.5, 1.0, 5.0, 50.0)
SEEDS = (0, 1, 2)


def unrolled(cost: Tensor, epsilon: float, tau: float, rounds: int) -> Tensor:
    """Plain row-final Sinkhorn of one record (M, N), in the log domain."""
    m, n = cost.shape
    rho, kernel = tau / (tau + epsilon), -cost / epsilon
    row = cost.new_zeros(m)
    column = cost.new_zeros(n)
    for _ in range(rounds):
        column = -rho * (math.log(n) + (kernel + row[:, None]).logsumexp(0))
        row = -math.log(m) - (kernel + column).logsumexp(1)
    return (kernel + row[:, None] + column).exp()


def pot_plan(cost: np.ndarray, epsilon: float, tau: float) -> np.ndarray:
    """POT's plan of one record (M, N)."""
    m, n = cost.shape
    return ot.unbalanced.sinkhorn_unbalanced(
        np.full(m, 1 / m),
        np.full(n, 1 / n),
        cost,
        epsilon,
        reg_m=(math.inf, tau),
        stopThr=1e-14,
        numItermax=50_000,
    )


@pytest.mark.parametrize("tau", TAUS)
@pytest.mark.parametrize("epsilon", (0.05, 0.1, 0.5))
def test_plan_agrees_with_pot(epsilon, tau):
    cost = cosine_costs(0, 2, 5, 24)
    theirs = np.stack([pot_plan(record.numpy(), epsilon, tau) for record in cost])
    for dtype in (torch.float32, torch.float64):
        ours = semi_unbalanced_transport(cost.to(dtype), epsilon=epsilon, tau=tau).plan
        assert np.abs(ours.double().numpy() - theirs).sum((1, 2)).max() < 1e-5


def test_padded_records_agree_with_pot_on_what_is_left():
    cost = cosine_costs(1, 4, 6, 30)
    tags, patches = some_masks(1, 4, 6, 30)
    plan = solved(cost, tag_mask=tags, patch_mask=patches)
    for ours, record, t, p in zip(plan, cost, tags, patches, strict=True):
        theirs = pot_plan(record[t][:, p].numpy(), 0.1, 1.0)
        assert np.abs(ours[t][:, p].numpy() - theirs).sum() < 1e-9


@pytest.mark.parametrize(("epsilon", "tau"), [(0.05, 0.3), (0.1, 1.0), (0.5, 10.0)])
def test_plan_and_gradient_equal_those_of_unrolled_sinkhorn(epsilon, tau):
    ours = cosine_costs(2, 1, 4, 12).requires_grad_()
    theirs = ours.detach().clone().requires_grad_()
    weight = torch.linspace(-1, 1, 48, dtype=torch.float64).view(4, 12)
    plan, expected = solved(ours, epsilon, tau)[0], unrolled(theirs[0], epsilon, tau, 2000)
    (weight * plan.log()).sum().backward()
    (weight * expected.log()).sum().backward()
    torch.testing.assert_close(plan, expected, rtol=1e-9, atol=1e-12)
    torch.testing.assert_close(ours.grad, theirs.grad, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_feasible_neighbour_has_a_lower_objective(seed):
    epsilon, tau = 0.1, 0.7
    cost = cosine_costs(seed, 1, 4, 10)
    plan = solved(cost, epsilon, tau)

    def objective(t: Tensor) -> Tensor:
        columns, even = t.sum(1), torch.full_like(t.sum(1), 0.1)
        divergence = (columns * (columns / even).log() - columns + even).sum()
        return (t * cost).sum() + epsilon * (t * (t.log() - 1)).sum() + tau * divergence

    generator = torch.Generator().manual_seed(seed)
    for size in (1e-3, 1e-2, 0.1):
        move = torch.randn(plan.shape, generator=generator, dtype=plan.dtype) * plan * size
        move = move - plan * move.sum(-1, keepdim=True) / plan.sum(-1, keepdim=True)
        assert objective(plan + move) > objective(plan)


@pytest.mark.parametrize("seed", SEEDS)
def test_large_tau_recovers_balanced_transport(seed):
    cost = cosine_costs(seed, 1, 4, 15)
    rows, columns = np.full(4, 1 / 4), np.full(15, 1 / 15)
    precise = {"method": "sinkhorn_log", "stopThr": 1e-14, "numItermax": 100_000}
    balanced = ot.sinkhorn(rows, columns, cost[0].numpy(), 0.1, **precise)
    off = [np.abs(solved(cost, 0.1, tau)[0].numpy() - balanced).sum() for tau in (1e2, 1e4, 1e6)]
    assert off[0] > 10 * off[1] > 100 * off[2]
    assert off[2] < 1e-6


@pytest.mark.parametrize("tau", (0.05, 1.0, 50.0))
def test_large_epsilon_spreads_every_tag_evenly(tau):
    plan = solved(cosine_costs(12, 2, 5, 20), 1e7, tau)
    torch.testing.assert_close(plan, torch.full_like(plan, 1 / 100), rtol=1e-6, atol=0)


def test_small_tau_lets_every_tag_choose_for_itself():
    cost = cosine_costs(13, 2, 5, 20)
    plan = solved(cost, 0.2, 1e-9)
    torch.testing.assert_close(plan, (-cost / 0.2).softmax(-1) / 5, rtol=1e-6, atol=0)


@pytest.mark.parametrize("padded", (False, True))
@pytest.mark.parametrize(("epsilon", "tau"), [(0.01, 0.05), (0.1, 1.0), (0.5, 50.0)])
def test_one_tag_has_the_closed_form(epsilon, tau, padded):
    cost = cosine_costs(14, 3, 4 if padded else 1, 20)
    mask = torch.arange(cost.shape[1]).expand(3, -1) == 0
    plan = solved(cost, epsilon, tau, tag_mask=mask)
    expected = (-cost[:, 0] / (epsilon + tau)).softmax(-1)
    torch.testing.assert_close(plan[:, 0], expected, rtol=1e-9, atol=1e-14)
    assert not plan[:, 1:].any()


@pytest.mark.parametrize("seed", SEEDS)
def test_permuting_tags_or_patches_permutes_the_plan(seed):
    cost = cosine_costs(seed, 2, 6, 25)
    generator = torch.Generator().manual_seed(seed)
    tags, patches = torch.randperm(6, generator=generator), torch.randperm(25, generator=generator)
    expected = solved(cost)[:, tags][:, :, patches]
    torch.testing.assert_close(
        solved(cost[:, tags][:, :, patches]), expected, rtol=1e-9, atol=1e-13
    )


def test_records_of_a_batch_do_not_see_each_other():
    cost = cosine_costs(15, 5, 6, 25)
    alone = torch.cat([solved(record[None]) for record in cost])
    torch.testing.assert_close(solved(cost), alone, rtol=1e-9, atol=1e-13)


def test_a_constant_on_the_costs_of_a_tag_changes_nothing():
    cost = cosine_costs(16, 2, 6, 25)
    shift = torch.linspace(-1, 3, 6, dtype=torch.float64)[:, None]
    torch.testing.assert_close(solved(cost + shift), solved(cost), rtol=1e-9, atol=1e-13)


def test_equal_tags_get_equal_rows():
    cost = cosine_costs(17, 2, 6, 25)
    cost[:, 4] = cost[:, 1]
    plan = solved(cost)
    torch.testing.assert_close(plan[:, 4], plan[:, 1], rtol=1e-9, atol=1e-13)
