"""Semi-UOT in floating point: exact rows, finite numbers, stopping, gradients, memory, types."""

import math

import pytest
import torch
from torch import Tensor
from transport_cases import cosine_costs, solved, some_masks

from focal_app.errors import ConfigError
from focal_app.model.transport import semi_unbalanced_transport

EPSILONS = (0.01, 0.05, 0.1, 0.5)
TAUS = (0.05, 0.5, 1.0, 5.0, 50.0)


@pytest.mark.parametrize("dtype", (torch.float32, torch.float64))
@pytest.mark.parametrize("tau", TAUS)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_rows_are_exact_and_everything_is_finite(epsilon, tau, dtype):
    cost = cosine_costs(3, 6, 7, 40, dtype=dtype).requires_grad_()
    tags, patches = some_masks(3, 6, 7, 40)
    result = semi_unbalanced_transport(
        cost, epsilon=epsilon, tau=tau, tag_mask=tags, patch_mask=patches
    )
    result.plan.square().sum().backward()
    marginal = tags / tags.sum(-1, keepdim=True)
    assert (result.plan.sum(-1) - marginal).abs().max() < 1e-6
    assert result.plan.isfinite().all() and (result.plan >= 0).all()
    assert cost.grad is not None and cost.grad.isfinite().all()
    assert result.row_error.max() < (2e-5 if dtype is torch.float32 else 1e-6)


@pytest.mark.parametrize("tau", TAUS)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_costs_at_the_ends_of_their_range_stay_finite(epsilon, tau):
    """The hardest case: tags that fight for one patch, at opposite cost elsewhere."""
    cost = torch.full((2, 5, 30), 2.0)
    cost[0, :, 0], cost[1, torch.arange(5), torch.arange(5)] = 0.0, 0.0
    cost.requires_grad_()
    result = semi_unbalanced_transport(cost, epsilon=epsilon, tau=tau)
    result.plan.square().sum().backward()
    assert (result.plan.sum(-1) - 0.2).abs().max() < 1e-6
    assert cost.grad is not None and cost.grad.isfinite().all()
    assert result.row_error.max() < 1e-4


def test_rows_are_exact_even_when_the_rounds_are_cut_short():
    result = semi_unbalanced_transport(
        cosine_costs(4, 3, 5, 20), epsilon=0.01, tau=50.0, max_rounds=1
    )
    assert result.row_error.max() > 1e-3
    assert (result.plan.sum(-1) - 0.2).abs().max() < 1e-12


def test_solver_stops_at_the_tolerance():
    cost = cosine_costs(5, 4, 6, 30)
    results = [
        semi_unbalanced_transport(cost, epsilon=0.1, tau=1.0, tolerance=tolerance)
        for tolerance in (1e-1, 1e-4, 1e-12)
    ]
    rounds = [result.rounds for result in results]
    assert rounds == sorted(set(rounds))
    for result, tolerance in zip(results, (1e-1, 1e-4, 1e-12), strict=True):
        assert result.row_error.max() <= tolerance


def test_row_error_is_the_error_before_the_closing_update():
    epsilon, tau = 0.1, 1.0
    cost = cosine_costs(6, 2, 4, 20)
    result = semi_unbalanced_transport(cost, epsilon=epsilon, tau=tau, max_rounds=0)
    start = (-cost / epsilon).softmax(-1)
    pulled = start * start.sum(1, keepdim=True) ** (-tau / (tau + epsilon))
    rows = pulled.sum(-1) / pulled.sum((1, 2))[:, None]
    torch.testing.assert_close(result.row_error, (rows - 0.25).abs().sum(-1))
    assert result.rounds == 0


def test_a_tiny_tolerance_ends_when_the_numbers_are_exhausted():
    cost = cosine_costs(7, 3, 5, 20, dtype=torch.float32)
    result = semi_unbalanced_transport(cost, epsilon=0.1, tau=1.0, tolerance=0.0)
    assert result.rounds < 100
    assert result.row_error.max() < 1e-5


@pytest.mark.parametrize(("epsilon", "tau"), [(0.05, 0.1), (0.1, 1.0), (0.3, 20.0)])
def test_gradcheck_in_float64(epsilon, tau):
    cost = cosine_costs(8, 2, 3, 6).requires_grad_()
    assert torch.autograd.gradcheck(lambda c: solved(c, epsilon, tau), cost)


def test_gradcheck_with_masks():
    cost = cosine_costs(9, 3, 4, 7).requires_grad_()
    tags, patches = some_masks(9, 3, 4, 7)
    assert torch.autograd.gradcheck(
        lambda c: solved(c, 0.1, 1.0, tag_mask=tags, patch_mask=patches), cost
    )


def test_gradcheck_of_a_single_tag():
    cost = cosine_costs(10, 2, 1, 6).requires_grad_()
    assert torch.autograd.gradcheck(lambda c: solved(c, 0.1, 1.0), cost)


def test_what_is_saved_for_the_gradient_does_not_grow_with_the_rounds():
    cost = cosine_costs(11, 4, 6, 30, dtype=torch.float32).requires_grad_()
    sizes, rounds = [], []
    for most in (1, 2, 200):
        saved: list[int] = []

        def keep(tensor: Tensor, saved: list[int] = saved) -> Tensor:
            saved.append(tensor.numel() * tensor.element_size())
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
            result = semi_unbalanced_transport(
                cost, epsilon=0.02, tau=5.0, tolerance=0.0, max_rounds=most
            )
        sizes.append(sum(saved))
        rounds.append(result.rounds)
    assert rounds[0] < rounds[1] < rounds[2]
    assert sizes[0] == sizes[1] == sizes[2] <= 1.1 * cost.numel() * 4


def test_autocast_does_not_touch_the_solution():
    cost = cosine_costs(23, 3, 5, 30, dtype=torch.float32)
    with torch.autocast("cpu", torch.bfloat16):
        inside = semi_unbalanced_transport(cost, epsilon=0.05, tau=0.5)
    outside = semi_unbalanced_transport(cost, epsilon=0.05, tau=0.5)
    assert inside.plan.dtype == torch.float32
    assert torch.equal(inside.plan, outside.plan)


def test_a_bfloat16_cost_is_solved_in_float32_and_its_gradient_comes_back():
    cost = cosine_costs(24, 3, 5, 30).bfloat16().requires_grad_()
    with torch.autocast("cpu", torch.bfloat16):
        result = semi_unbalanced_transport(cost, epsilon=0.1, tau=1.0)
    result.plan.square().sum().backward()
    assert result.plan.dtype == torch.float32
    assert (result.plan.sum(-1) - 0.2).abs().max() < 1e-6
    assert cost.grad is not None and cost.grad.dtype == torch.bfloat16
    assert cost.grad.isfinite().all()


@pytest.mark.parametrize("value", (0.0, -1.0, math.nan, math.inf))
@pytest.mark.parametrize("name", ("epsilon", "tau"))
def test_weights_that_are_not_above_zero_are_refused(name, value):
    with pytest.raises(ConfigError, match=name):
        semi_unbalanced_transport(
            cosine_costs(22, 1, 2, 4), **{"epsilon": 0.1, "tau": 1.0, name: value}
        )


def test_gradient_is_the_same_when_the_backward_pass_runs_under_autocast():
    gradients = []
    for enabled in (False, True):
        cost = cosine_costs(8, 3, 5, 20, dtype=torch.float32).requires_grad_()
        plan = semi_unbalanced_transport(cost, epsilon=0.1, tau=1.0).plan
        with torch.autocast("cpu", torch.bfloat16, enabled=enabled):
            plan.square().sum().backward()
        gradients.append(cost.grad)
    torch.testing.assert_close(gradients[0], gradients[1], rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("shape", [(0, 3, 5), (2, 0, 5)])
def test_a_batch_without_records_or_tags_has_an_empty_plan(shape):
    result = semi_unbalanced_transport(torch.zeros(shape), epsilon=0.1, tau=1.0)
    assert result.plan.shape == shape and result.rounds == 0
