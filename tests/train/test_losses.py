"""Claims about the losses."""

import math

import numpy as np
import pytest
import torch
from sklearn.metrics import log_loss
from torch import Tensor

from train.fit.losses import place_loss, soft_sigmoid_loss


def drawn(seed: int, *shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_loss_is_the_cross_entropy_of_soft_targets_by_the_formula():
    logits, targets = 3 * drawn(0, 4, 6), drawn(1, 4, 6).sigmoid()
    p = 1 / (1 + np.exp(-logits.numpy()))
    pairs = -(targets.numpy() * np.log(p) + (1 - targets.numpy()) * np.log(1 - p))
    assert soft_sigmoid_loss(logits, targets).item() == pytest.approx(pairs.sum(1).mean())


def test_loss_of_hard_targets_is_that_of_scikit_learn():
    logits, targets = 3 * drawn(0, 4, 6), (drawn(1, 4, 6) > 0).double()
    theirs = log_loss(targets.flatten().numpy(), logits.sigmoid().flatten().numpy()) * 6
    assert soft_sigmoid_loss(logits, targets).item() == pytest.approx(theirs)


def test_unknown_pairs_have_neither_loss_nor_gradient():
    logits, targets = drawn(0, 4, 6).requires_grad_(), drawn(1, 4, 6).sigmoid()
    known = (drawn(2, 4, 6) > 0).double()
    loss = soft_sigmoid_loss(logits, targets, known)
    loss.backward()
    assert logits.grad is not None
    expected = known * (logits.detach().sigmoid() - targets) / 4
    torch.testing.assert_close(logits.grad, expected)
    other = torch.where(known > 0, logits, logits + 5)
    assert soft_sigmoid_loss(other, targets, known).item() == pytest.approx(loss.item())


def test_loss_is_lowest_where_the_probability_is_the_target():
    targets = drawn(1, 3, 5).sigmoid()
    lowest = soft_sigmoid_loss(targets.logit(), targets)
    for seed in range(5):
        moved = targets.logit() + 0.1 * drawn(seed, 3, 5)
        assert soft_sigmoid_loss(moved, targets) > lowest


def test_extreme_logits_stay_finite():
    logits = torch.tensor([[1e4, -1e4]], requires_grad=True)
    loss = soft_sigmoid_loss(logits, torch.tensor([[0.0, 1.0]]))
    loss.backward()
    assert loss.item() == pytest.approx(2e4)
    assert logits.grad is not None and logits.grad.tolist() == [[1.0, -1.0]]


def test_place_loss_is_the_surprise_at_the_mass_on_the_place():
    plan = drawn(3, 3, 8).softmax(-1)
    places = (drawn(4, 3, 8) > 0).double()
    expected = [-math.log(float((plan[k] * places[k]).sum())) for k in range(3)]
    counts = torch.tensor([True, True, True])
    assert place_loss(plan, places, counts).item() == pytest.approx(sum(expected))
    counts[1] = False
    assert place_loss(plan, places, counts).item() == pytest.approx(expected[0] + expected[2])


def test_place_loss_vanishes_when_all_mass_lies_on_the_place():
    plan = torch.zeros(1, 8)
    plan[0, :2] = 0.5
    places = torch.tensor([[1.0, 1.0, 1.0, 0, 0, 0, 0, 0]])
    assert place_loss(plan, places, torch.tensor([True])).item() == pytest.approx(0)


def test_without_a_known_place_there_is_no_place_loss():
    none = torch.zeros(0, 8)
    assert place_loss(none, none, torch.zeros(0, dtype=torch.bool)).item() == 0


def test_a_place_without_any_mass_is_finite():
    plan = torch.tensor([[1.0, 0.0]], requires_grad=True)
    loss = place_loss(plan, torch.tensor([[0.0, 1.0]]), torch.tensor([True]))
    loss.backward()
    assert loss.isfinite() and plan.grad is not None and plan.grad.isfinite().all()
