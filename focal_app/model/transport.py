"""Semi-unbalanced optimal transport between the tags of a report and the patches of its ECG.

    plan = semi_unbalanced_transport(cost, epsilon=0.1, tau=1.0).plan

Solves, for every record of a batch (paper, Eq. 5),

    min_T  <T, C> - epsilon H(T) + tau KL(T^T 1 || b)   subject to  T 1 = a,

with a uniform over the tags (hard) and b uniform over the patches (soft).

The patch potentials are eliminated. With rho = tau / (tau + epsilon) and potentials phi of the
tags, log T = phi - C / epsilon - rho (log s - log b), where s sums exp(phi - C / epsilon) over
the tags. What is left is log r(phi) = log a for the row sums r. A Sinkhorn round is
phi += log(a / r); a Newton step solves A delta = r log(a / r) with the tags x tags matrix
A = diag(r) - rho T diag(1 / x) T^T, x the column sums. A also gives the gradient by the implicit
function theorem, so no round is stored.
"""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.autograd.function import once_differentiable

from focal_app.errors import ConfigError

ABSENT = -1e30
"""Logit of a masked entry: its exponential is zero, its arithmetic finite."""

SLOW = 0.1
"""A Sinkhorn round that leaves more than this part of the error calls for a Newton step."""

STEP, WIDEST, ROUGH = 4.0, 30.0, 1e-2
"""Small epsilons are reached by steps of this factor, from one at which the costs span `WIDEST`
times epsilon, each solved to the error `ROUGH`: the next one starts where Newton converges."""

HALVINGS, PATIENCE = 6, 12
"""How often a Newton step is halved; rounds without any gain after which numbers are exhausted."""


@dataclass(frozen=True)
class TransportPlan:
    """`plan` (B, M, N), whose rows sum to 1/m; `row_error` (B,) and the `rounds` it took.

    `row_error` is the L1 distance between the row sums and the tag marginal at the last
    potentials, before the closing row update that makes the rows exact. `rounds` counts those at
    the asked epsilon, not those of the descent to a small one.
    """

    plan: Float[Tensor, "B M N"]
    row_error: Float[Tensor, " B"]
    rounds: int


def semi_unbalanced_transport(
    cost: Float[Tensor, "B M N"],
    *,
    epsilon: float,
    tau: float,
    tag_mask: Bool[Tensor, "B M"] | None = None,
    patch_mask: Bool[Tensor, "B N"] | None = None,
    tolerance: float = 1e-6,
    max_rounds: int = 200,
) -> TransportPlan:
    """Transport every tag to the patches that show it (Eq. 5-6), differentiable in `cost`.

    `cost` is the cosine distance, in [0, 2]; `epsilon` the entropy weight and `tau` the weight of
    the patch prior. Masked tags and patches (False) take no part: their entries are zero. Rounds
    end when every record is within `tolerance` or within what its number type can resolve.
    Computes in float32 at least, under any autocast. A record without a tag gets a plan of zeros;
    one without a patch raises `ConfigError`.
    """
    _check(cost, epsilon=epsilon, tau=tau)
    with torch.autocast(cost.device.type, enabled=False):
        cost = cost if cost.dtype == torch.float64 else cost.float()
        tags, patches = _masks(cost, tag_mask, patch_mask)
        if not cost.numel():
            return TransportPlan(torch.zeros_like(cost), cost.new_zeros(len(cost)), 0)
        if cost.shape[1] == 1:
            cost = cost.masked_fill(~tags[..., None], 0)
            plan = route_alone(cost, epsilon=epsilon, tau=tau, patch_mask=patches)
            return TransportPlan(plan * tags[..., None], cost.new_zeros(len(cost)), 0)
        plan, row_error, rounds = _Transport.apply(
            cost, tags, patches, epsilon, tau, tolerance, max_rounds
        )
    return TransportPlan(plan, row_error, int(rounds))


def route_alone(
    cost: Float[Tensor, "*B M N"],
    *,
    epsilon: float,
    tau: float,
    patch_mask: Bool[Tensor, "*B N"] | None = None,
) -> Float[Tensor, "*B M N"]:
    """Plan of every tag as if it were the only one of its report; rows sum to 1.

    For one tag Semi-UOT has the closed form softmax(-C / (epsilon + tau)) over the patches. This
    is how prompts are scored: editing one never moves another.
    """
    logits = -(cost if cost.dtype == torch.float64 else cost.float()) / (epsilon + tau)
    if patch_mask is not None:
        logits = logits.masked_fill(~patch_mask[..., None, :], ABSENT)
    return logits.softmax(-1)


def relative_weights(
    plan: Float[Tensor, "*B M N"], patch_mask: Bool[Tensor, "*B N"] | None = None
) -> Float[Tensor, "*B M N"]:
    """Rows of `plan` in units of the even share: 1 everywhere if the tag shows nowhere.

    With all N patches present this is plan * m * N; masked patches do not count towards N.
    """
    rows = _positive(plan.sum(-1, keepdim=True))
    if patch_mask is None:
        return plan / rows * plan.shape[-1]
    return plan / rows * patch_mask.sum(-1)[..., None, None]


def _check(cost: Tensor, *, epsilon: float, tau: float) -> None:
    if cost.ndim != 3:
        raise ConfigError(f"found a cost of shape {tuple(cost.shape)}; needed (B, M, N)")
    for name, value in (("epsilon", epsilon), ("tau", tau)):
        if not (math.isfinite(value) and value > 0):
            raise ConfigError(f"found {name} = {value}; it must be a finite number above 0")


def _masks(cost: Tensor, tags: Tensor | None, patches: Tensor | None) -> tuple[Tensor, Tensor]:
    records, m, n = cost.shape
    tags = cost.new_ones(records, m, dtype=torch.bool) if tags is None else tags.bool()
    patches = cost.new_ones(records, n, dtype=torch.bool) if patches is None else patches.bool()
    empty = (~patches.any(-1)).nonzero().flatten().tolist()
    if empty:
        raise ConfigError(f"records {empty} of the batch have no patch; mask some, never all")
    return tags, patches


class _Transport(torch.autograd.Function):
    """Forward: rounds to the fixed point. Backward: the implicit function theorem there."""

    @staticmethod
    def forward(ctx, cost, tags, patches, epsilon, tau, tolerance, max_rounds):
        present = tags[..., None] & patches[:, None, :]
        # The tag potentials absorb the best patch of each tag: the numbers stay small.
        nearest = cost.masked_fill(~patches[:, None, :], torch.inf).amin(-1, keepdim=True)
        gap = (cost - nearest).masked_fill(~present, 0)
        phi = None
        for level in _ladder(float(gap.max()), epsilon):
            logits, rho = _logits(gap, present, level), tau / (tau + level)
            rough = _solve(logits, tags, patches, rho, ROUGH, max_rounds, phi)
            phi = rough[0] * STEP
        logits, rho = _logits(gap, present, epsilon), tau / (tau + epsilon)
        phi, row_error, rounds = _solve(logits, tags, patches, rho, tolerance, max_rounds, phi)
        plan = _exact_rows(logits, phi, tags, patches, rho)
        ctx.save_for_backward(plan, tags)
        ctx.epsilon, ctx.rho = epsilon, rho
        ctx.mark_non_differentiable(row_error)
        return plan, row_error, rounds

    @staticmethod
    @once_differentiable
    def backward(ctx, *grads):  # pyrefly: ignore[bad-override]
        plan, tags = ctx.saved_tensors
        # A backward pass may run under another autocast than its forward pass.
        with torch.autocast(plan.device.type, enabled=False):
            slope = _slope(plan, tags, grads[0], ctx.rho)
        return -plan * slope / ctx.epsilon, *(None,) * 6


def _slope(plan: Tensor, tags: Tensor, grad: Tensor, rho: float) -> Tensor:
    """What a plan's gradient leaves once the rows are held by their multipliers."""
    columns = _positive(plan.sum(1, keepdim=True))
    kept = grad - rho * (plan * grad).sum(1, keepdim=True) / columns
    multiplier = _solve_spd(_curvature(plan, columns, tags, rho), (plan * kept).sum(-1))
    free = grad - multiplier[..., None]
    return free - rho * (plan * free).sum(1, keepdim=True) / columns


def _solve(
    logits: Tensor,
    tags: Tensor,
    patches: Tensor,
    rho: float,
    tolerance: float,
    max_rounds: int,
    start: Tensor | None,
) -> tuple[Tensor, Tensor, int]:
    """Tag potentials by Sinkhorn rounds and, where those are slow, by guarded Newton steps.

    A Newton step that lowers the concave dual of its record is halved; after `HALVINGS` the
    record takes a Sinkhorn round, which always raises it.
    """
    marginal = _marginal(tags, logits.dtype)
    log_marginal = marginal.masked_fill(~tags, 1).log()
    base = log_marginal - logits.logsumexp(-1) if start is None else start
    base = trial = base.masked_fill(~tags, 0)
    best, best_error = base, torch.full_like(marginal[:, 0], torch.inf)
    height, previous = -best_error, best_error
    sinkhorn = newton = torch.zeros_like(base)
    cut, slow, stalled, rounds = torch.zeros_like(best_error), False, 0, 0
    while True:
        plan, log_mass = _plan(logits, trial, tags, patches, rho)
        rows = plan.sum(-1)
        error = (rows - marginal).abs().sum(-1)
        better = error < best_error
        gained = better & (best_error > tolerance)
        best, best_error = torch.where(better[:, None], trial, best), error.minimum(best_error)
        dual = (marginal * trial).sum(-1) - log_mass
        accepted = (dual > height) | (error < previous) | (cut == 0)
        crawls = accepted & (error > SLOW * previous) & (error > tolerance)
        # Asked together: an accelerator is waited for once a round.
        asked = torch.stack([gained.any(), (best_error <= tolerance).all(), crawls.any()])
        gains, solved, crawling = asked.tolist()
        stalled = 0 if gains else stalled + 1
        if solved or rounds >= max_rounds or stalled > PATIENCE:
            return best, best_error, rounds
        residual = (log_marginal - _positive(rows).log()).masked_fill(~tags, 0)
        slow = slow or crawling
        fresh = _newton_step(plan, tags, rho, residual) if slow else residual
        base = torch.where(accepted[:, None], trial, base)
        sinkhorn = torch.where(accepted[:, None], residual, sinkhorn)
        newton = torch.where(accepted[:, None], fresh, newton)
        height, previous = height.where(~accepted, dual), previous.where(~accepted, error)
        cut = torch.where(accepted, 1.0, cut / 2)
        cut = cut.masked_fill(cut < 2.0**-HALVINGS, 0)
        trial = base + torch.where(cut[:, None] > 0, cut[:, None] * newton, sinkhorn)
        trial = trial - (marginal * trial).sum(-1, keepdim=True) * tags
        rounds += 1


def _exact_rows(logits: Tensor, phi: Tensor, tags: Tensor, patches: Tensor, rho: float) -> Tensor:
    """The closing row update: every row sums to the marginal to the last digit."""
    plan, _ = _plan(logits, phi, tags, patches, rho)
    scale = _marginal(tags, plan.dtype) / _positive(plan.sum(-1))
    return plan * scale[..., None]


def _marginal(tags: Tensor, dtype: torch.dtype) -> Tensor:
    return tags.to(dtype) / tags.sum(-1, keepdim=True).clamp_min(1)


def _ladder(span: float, epsilon: float) -> list[float]:
    """Entropy weights above `epsilon`, from the widest needed for costs that span `span`."""
    levels = []
    while epsilon * WIDEST < span:
        epsilon *= STEP
        levels.append(epsilon)
    return levels[::-1]


def _logits(gap: Tensor, present: Tensor, level: float) -> Tensor:
    return (-gap / level).masked_fill(~present, ABSENT)


def _plan(
    logits: Tensor, phi: Tensor, tags: Tensor, patches: Tensor, rho: float
) -> tuple[Tensor, Tensor]:
    """Plan for tag potentials, at its best common shift, and the dual's second term.

    The shift that the potentials leave open is set in closed form: the total mass is one. The
    second term is log(mass) / (1 - rho), written so that it survives rho near 1. The exponential
    is taken once, against the strongest tag of each patch.
    """
    count = patches.sum(-1, keepdim=True).to(logits.dtype)
    shifted = logits + phi[..., None]
    strongest = shifted.amax(1)
    plan = shifted.sub_(strongest[:, None]).exp_()
    pull = (strongest + plan.sum(1).log() + count.log()).masked_fill(~patches, 0)
    highest = pull.masked_fill(~patches, ABSENT).amax(-1, keepdim=True)
    shrunk = torch.expm1((1 - rho) * (pull - highest)).masked_fill(~patches, 0)
    log_mass = torch.log1p(shrunk.sum(-1, keepdim=True) / count) + (1 - rho) * highest
    absent = ~patches | ~tags.any(-1, keepdim=True)
    column = (strongest - rho * pull - log_mass).masked_fill(absent, -torch.inf)
    return plan.mul_(column.exp()[:, None]), (log_mass / (1 - rho))[:, 0]


def _newton_step(plan: Tensor, tags: Tensor, rho: float, residual: Tensor) -> Tensor:
    """Ascent of the dual in all directions but the common shift, which is held by rho r r^T."""
    rows, columns = plan.sum(-1), _positive(plan.sum(1, keepdim=True))
    mean = (rows * residual).sum(-1, keepdim=True) / _positive(rows.sum(-1, keepdim=True))
    matrix = _curvature(plan, columns, tags, rho) + rho * rows[..., None] * rows[..., None, :]
    step = _solve_spd(matrix, rows * (residual - mean)).masked_fill(~tags, 0)
    return torch.where(torch.isfinite(step).all(-1, keepdim=True), step, residual)


def _positive(x: Tensor) -> Tensor:
    return x.clamp_min(torch.finfo(x.dtype).tiny)


def _curvature(plan: Tensor, columns: Tensor, tags: Tensor, rho: float) -> Tensor:
    """A = diag(r) - rho T diag(1/x) T^T, whose rows sum to (1 - rho) r; identity where masked.

    The diagonal is summed from the off-diagonal entries: no cancellation when rho is near 1.
    """
    coupling = rho * (plan / columns) @ plan.mT
    coupling = coupling - torch.diag_embed(coupling.diagonal(dim1=-2, dim2=-1))
    diagonal = (1 - rho) * plan.sum(-1) + coupling.sum(-1)
    return torch.diag_embed(diagonal.masked_fill(~tags, 1)) - coupling


def _solve_spd(matrix: Tensor, right: Tensor) -> Tensor:
    """Solution of a batch of small positive definite systems, scaled to a unit diagonal."""
    scale = _positive(matrix.diagonal(dim1=-2, dim2=-1)).rsqrt()
    factor, _ = torch.linalg.cholesky_ex(matrix * scale[..., None] * scale[..., None, :])
    return torch.cholesky_solve((right * scale)[..., None], factor)[..., 0] * scale
