"""Beats that come early in a steady rhythm, and how wide they are beside the others.

    early_beats(beats)    # EarlyBeats(count=2, qrs_ms=160.0, wider_ms=58.0), or None

An early QRS that is wide, unlike the others, arises in the ventricles, or is conducted aberrantly;
one like the others comes from above. None where that cannot be told: where RR is uneven beyond the
early beats, or changes for good; where few of the others have a P wave, as in atrial fibrillation,
and no beat comes earlier than it should; where long RR hold a P wave more, so that a block makes
the pauses.
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
"""The same of the early beats' own, where hardly another RR is left: in a bigeminy. There only wide
ones are told: a block of two in three looks like the other."""
FEWEST_BEATS, FEWEST_STEADY, FEWEST_P = 5, 3, 0.6
LONGEST_RUN = 2
"""Early beats in a row: more are another rhythm, or the end of a faster one."""
NARROWER_MS, WIDER_MS = 15.0, 20.0
"""A beat so much narrower than the others is none; one so much wider is unlike them."""
BLOCKED = 0.25
"""So many of the RR that are not short with a second P wave are no chance."""


@dataclass(frozen=True)
class Beats:
    """B beats and the R = B - 1 distances between them, NaN where beats may lie unseen; the P waves
    within each, the width of QRS, and whether most leads show P before it and T behind it."""

    rr_s: Float[np.ndarray, " R"]
    p_between: Int[np.ndarray, " R"]
    qrs_width_s: Float[np.ndarray, " B"]
    has_p: Bool[np.ndarray, " B"]
    has_t: Bool[np.ndarray, " B"]


@dataclass(frozen=True)
class EarlyBeats:
    """How many beats come early, and the widest of them: QRS, and by how much it is wider than
    the median of the others, both in ms (None where none comes early)."""

    count: int
    qrs_ms: float | None = None
    wider_ms: float | None = None


def early_beats(beats: Beats) -> EarlyBeats | None:
    """The beats that come early; None where it cannot be told."""
    rr_s, known = beats.rr_s, np.isfinite(beats.rr_s)
    widths_ms = 1000 * beats.qrs_width_s
    if len(widths_ms) < FEWEST_BEATS or not known.any() or not np.isfinite(widths_ms).all():
        return None
    short = known & (rr_s < EARLY * np.percentile(rr_s[known], USUAL_PERCENTILE))
    early = np.append(False, short)
    wider_ms = widths_ms - np.median(widths_ms[~early])
    wide = wider_ms >= WIDER_MS
    followed = early[1:] & wide[:-1] & ~wide[1:]  # the wide beat is the early one
    early[1:] &= ~followed
    early[:-1] |= followed
    if not _steady(rr_s, short, only_wide=bool(wide[early].all())) or _runs(early):
        return None
    if not early.any():
        return EarlyBeats(0)
    if beats.has_p[~early].mean() < FEWEST_P or wider_ms[early].min() < -NARROWER_MS:
        return None
    if (wide & early & ~beats.has_t)[:-1].any():  # without T it is no beat, or the last of all
        return None
    blocked = (beats.p_between[~short] > 1).mean() > BLOCKED
    if not wide[early].any() and (blocked or (wide & beats.has_t).any()):
        return None
    widest = np.flatnonzero(early)[wider_ms[early].argmax()]
    return EarlyBeats(int(early.sum()), float(widths_ms[widest]), float(wider_ms[widest]))


def _steady(
    rr_s: Float[np.ndarray, " R"], short: Bool[np.ndarray, " R"], *, only_wide: bool
) -> bool:
    """Whether the other RR are even; of the short ones their own, where hardly others are left."""
    others_s = rr_s[np.isfinite(rr_s) & ~short & ~np.append(False, short[:-1])]
    if len(others_s) >= max(FEWEST_STEADY, short.sum()):
        return bool(others_s.std() <= STEADY * others_s.mean())
    coupled_s = rr_s[short]
    even = coupled_s.std() <= COUPLED * coupled_s.mean() if len(coupled_s) > 1 else False
    return only_wide and bool(even)


def _runs(early: Bool[np.ndarray, " B"]) -> bool:
    """Whether more than so many early beats follow one another."""
    row = np.ones(LONGEST_RUN + 1)
    return bool((np.convolve(early, row) > LONGEST_RUN).any())
