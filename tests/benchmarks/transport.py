"""Semi-UOT against a plain loop of Sinkhorn rounds and against POT, record by record."""

import math
from collections.abc import Callable

import numpy as np
import ot
import torch
from torch import Tensor

from focal_app.model.transport import semi_unbalanced_transport
from tests.benchmarks.timing import Row, best_ms

B, M, N, ROUNDS = 100, 15, 120, 30
EPSILON, TAU = 0.1, 1.0
PART = 20
"""The rivals take one record after the other: they are timed on this many, times B / PART."""


def rows() -> list[Row]:
    """Speed, error and memory at B 100, M 15, N 120."""
    return [*_speed(costs()), *_errors(costs()), *_memory(costs())]


def costs() -> Tensor:
    """Cosine distances (B, M, N) of random unit vectors in 16 dimensions."""
    generator = torch.Generator().manual_seed(0)
    tags = torch.randn(B, M, 16, generator=generator)
    patches = torch.randn(B, N, 16, generator=generator)
    unit = torch.nn.functional.normalize
    return 1 - unit(tags, dim=-1) @ unit(patches, dim=-1).mT


def ours(cost: Tensor, epsilon: float = EPSILON, **options) -> Tensor:
    """The whole batch at once, to the default tolerance."""
    return semi_unbalanced_transport(cost, epsilon=epsilon, tau=TAU, **options).plan


def loop(cost: Tensor, epsilon: float = EPSILON, *, rounds: int = ROUNDS) -> Tensor:
    """One record after the other, `rounds` row-final Sinkhorn rounds each, in the log domain."""
    return torch.stack([_sinkhorn(record, epsilon, rounds) for record in cost])


def _sinkhorn(cost: Tensor, epsilon: float, rounds: int) -> Tensor:
    m, n = cost.shape
    rho, kernel, row = TAU / (TAU + epsilon), -cost / epsilon, cost.new_zeros(m)
    column = cost.new_zeros(n)
    for _ in range(rounds):
        column = -rho * (math.log(n) + (kernel + row[:, None]).logsumexp(0))
        row = -math.log(m) - (kernel + column).logsumexp(1)
    return (kernel + row[:, None] + column).exp()


def pot(cost: Tensor, epsilon: float = EPSILON) -> Tensor:
    """POT, one record after the other, at its default tolerance."""
    a, b = torch.full((M,), 1 / M), torch.full((N,), 1 / N)
    reach = (math.inf, TAU)
    if cost.requires_grad:
        plans = [ot.unbalanced.sinkhorn_unbalanced(a, b, c, epsilon, reach) for c in cost]
        return torch.stack(plans)
    a, b = a.double().numpy(), b.double().numpy()
    records = cost.double().numpy()
    plans = [ot.unbalanced.sinkhorn_unbalanced(a, b, c, epsilon, reach) for c in records]
    return torch.from_numpy(np.stack(plans))


def _speed(cost: Tensor) -> list[Row]:
    learnt = cost.clone().requires_grad_()

    def backward(plan: Tensor) -> None:
        learnt.grad = None
        plan.square().sum().backward()

    names = {"forward": (cost, lambda plan: plan), "forward and backward": (learnt, backward)}
    made = []
    for name, (given, use) in names.items():
        times = _times(given, use)
        loop_row = f"Semi-UOT {name}, against a loop of {ROUNDS} rounds"
        made.append(_ratio(loop_row, times, "loop", 10))
        made.append(_ratio(f"Semi-UOT {name}, against POT", times, "POT", 20))
    return made


def _times(cost: Tensor, use: Callable[[Tensor], object]) -> dict[str, float]:
    part = cost[:PART]
    runs = {
        "ours": lambda: use(ours(cost)),
        "loop": lambda: use(loop(part)),
        "POT": lambda: use(pot(part)),
    }
    times = best_ms(runs, rounds=5, repeats={"ours": 10})
    return {name: t if name == "ours" else t * B / PART for name, t in times.items()}


def _ratio(what: str, times: dict[str, float], rival: str, aim: float) -> Row:
    ratio = times[rival] / times["ours"]
    found = f"{ratio:.1f} times as fast ({times['ours']:.1f} ms, {times[rival]:.0f} ms)"
    return Row(what, found, f"{aim:g} times", ratio >= aim)


def _errors(cost: Tensor) -> list[Row]:
    made = []
    for epsilon in (EPSILON, 0.01):
        exact = ours(cost.double(), epsilon, tolerance=1e-13)
        solvers = {"ours": ours, "loop": loop} | ({"POT": pot} if epsilon == EPSILON else {})
        errors = {
            name: float((solve(cost, epsilon) - exact).abs().sum((1, 2)).max())
            for name, solve in solvers.items()
        }
        found = ", ".join(f"{name} {error:.1e}" for name, error in errors.items())
        what = f"Largest error of a plan (L1), epsilon {epsilon:g}"
        made.append(Row(what, found, "the smallest", errors["ours"] == min(errors.values())))
    return made


def _memory(cost: Tensor) -> list[Row]:
    few, many = (saved_kb(ours, cost, max_rounds=rounds, tolerance=0.0) for rounds in (1, 200))
    short, long = (saved_kb(loop, cost[:1], rounds=rounds) * B for rounds in (30, 60))
    found = (
        f"{few:.0f} KB after 1 round, {many:.0f} KB at the end; "
        f"loop {short:,.0f} KB after 30, {long:,.0f} KB after 60"
    )
    return [Row("Kept for the gradient", found, "does not grow with rounds", few == many)]


def saved_kb(solve: Callable[..., Tensor], cost: Tensor, **options: float) -> float:
    """Storage that the backward pass keeps alive, in kilobytes."""
    kept: dict[int, int] = {}

    def note(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        result = solve(cost.clone().requires_grad_(), **options)
    del result
    return sum(kept.values()) / 1024
