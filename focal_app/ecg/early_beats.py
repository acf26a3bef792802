"""Beats that come early in a steady rhythm, and how wide they are beside the others.

    early_beats(rr_s, p_between, qrs_width_s, preceded_by_p)
    # EarlyBeats(count=2, qrs_ms=160.0, wider_ms=58.0), or None where it cannot be told

An early QRS that is wide, unlike the others, arises in the ventricles, or is conducted aberrantly;
one like the others comes from above. Nothing is said where RR is uneven beyond the early beats or
few of the others have a P wave, as in atrial fibrillation: no beat comes earlier there than it
should. Nor where long RR hold a P wave more: a block makes the pauses.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

EARLY = 0.75
"""Of the usual RR; in 476 real recordings a sinus arrhythmia hardly goes below."""
USUAL_PERCENTILE = 60
"""RR that is usual: above the middle, since in a bigeminy every second RR is short."""
STEADY = 0.1
"""Spread over mean of the RR that neither end at an early beat nor follow one."""
COUPLED = 0.06
"""The same of the early beats' own, where hardly another RR is left: in a bigeminy."""
FEWEST_BEATS, FEWEST_STEADY, FEWEST_P = 5, 3, 0.6
NARROWER_MS, WIDER_MS = 15.0, 20.0
"""A beat so much narrower than the others is none; one so much wider hides P waves in its T."""
BLOCKED = 0.25
"""So many of the long RR with a second P wave are no chance."""


@dataclass(frozen=True)
class EarlyBeats:
    """How many beats come early, and the widest of them: QRS, and by how much it is wider than
    the median of the others, both in ms (None where none comes early)."""

    count: int
    qrs_ms: float | None = None
    wider_ms: float | None = None


def early_beats(
    rr_s: Float[np.ndarray, " R"],
    p_between: Int[np.ndarray, " R"],
    qrs_width_s: Float[np.ndarray, " B"],
    preceded_by_p: Bool[np.ndarray, " B"],
) -> EarlyBeats | None:
    """Of B beats and what lies between them, R = B - 1: seconds, NaN where beats may be unseen, and
    the number of P waves. None where it cannot be told."""
    known = np.isfinite(rr_s)
    if len(qrs_width_s) < FEWEST_BEATS or not known.any():
        return None
    usual_s = np.percentile(rr_s[known], USUAL_PERCENTILE)
    short = known & (rr_s < EARLY * usual_s)
    early, after = np.append(False, short), np.append(False, short[:-1])
    others_s = rr_s[known & ~short & ~after]
    if len(others_s) >= max(FEWEST_STEADY, short.sum()):
        steady = others_s.std() <= STEADY * others_s.mean()
    else:
        steady = short.sum() > 1 and rr_s[short].std() <= COUPLED * rr_s[short].mean()
    if not steady or preceded_by_p[~early].mean() < FEWEST_P:
        return None
    if not short.any():
        return EarlyBeats(0)
    usual_ms = 1000 * np.median(qrs_width_s[~early])
    widths_ms = 1000 * qrs_width_s[early]
    wider_ms = float(widths_ms.max() - usual_ms)
    blocked = wider_ms < WIDER_MS and (p_between[~short] > 1).mean() > BLOCKED
    if blocked or widths_ms.min() < usual_ms - NARROWER_MS:
        return None
    return EarlyBeats(int(early.sum()), float(widths_ms.max()), wider_ms)
