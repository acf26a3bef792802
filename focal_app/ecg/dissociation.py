"""P waves that keep a time of their own, whatever the ventricles do: AV dissociation.

    dissociated_p_per_min(p_s, qrs_s)    # 73.0, or None where every P may belong to a QRS

A complete heart block shows so. Where P and QRS keep step, one to one or two to one, nothing is
said: a block in which they happen to is not told from conduction by their times.
"""

import numpy as np
from jaxtyping import Float

FEWEST_P, FEWEST_BEATS = 5, 4
PERIODS_S = np.arange(1.6, 0.4, -0.01)
"""Of atria that beat 37 to 150 times a minute; the longest that fits is theirs."""
OFF, FITTING = 0.07, 0.8
"""So many of the distances between P waves are a multiple of the period, but for so much of it: a
sinus node is no clock."""
MOST_HIDDEN, FEWEST_NEIGHBOURS = 5, 0.2
"""P waves in a row that QRS and T may hide, and the distances that hide none."""
EVEN_RR, FASTER = 0.1, 1.1
"""Ventricles that escape are even (a conducted beat comes early); the atria are faster."""
LARGEST_COHERENCE = 0.6
"""The length of the mean of all QRS on the circle of the atria: 1 where PR is fixed. Of 476 real
recordings with two blocks, neither of them dissociated in what is seen, none is below."""


def dissociated_p_per_min(
    p_s: Float[np.ndarray, " P"], qrs_s: Float[np.ndarray, " B"]
) -> float | None:
    """The rate of P waves that stand in no relation to QRS, from the middles of both in seconds.

    None where there is a relation, where RR is uneven, and where too little is seen.
    """
    if len(p_s) < FEWEST_P or len(qrs_s) < FEWEST_BEATS:
        return None
    rr_s = np.diff(qrs_s)
    period_s = _period_s(np.diff(p_s))
    if period_s is None or rr_s.std() > EVEN_RR * rr_s.mean() or rr_s.mean() < FASTER * period_s:
        return None
    before = (np.searchsorted(p_s, qrs_s) - 1).clip(0)
    phases = 2 * np.pi * (qrs_s - p_s[before]) / period_s
    coherence = np.hypot(np.cos(phases).mean(), np.sin(phases).mean())
    return 60 / period_s if coherence <= LARGEST_COHERENCE else None


def _period_s(distances_s: Float[np.ndarray, " D"]) -> float | None:
    """The longest period of which nearly all distances are multiples."""
    times = np.rint(distances_s / PERIODS_S[:, None]).clip(1)
    periods_s = distances_s.sum() / times.sum(axis=1)
    off_s = np.abs(distances_s - times * periods_s[:, None])
    fits = (off_s <= OFF * periods_s[:, None] * np.sqrt(times)).mean(axis=1) >= FITTING
    hidden = times.max(axis=1) - 1
    good = fits & (hidden <= MOST_HIDDEN) & ((times == 1).mean(axis=1) >= FEWEST_NEIGHBOURS)
    return float(periods_s[good][0]) if good.any() else None
