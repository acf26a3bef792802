"""Waves of single leads: the delineator's probabilities as onsets and offsets, beat by beat."""

from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

from focal_app.ecg.gaps import runs

P, QRS, T = 1, 2, 3
"""Rows of the delineator's probabilities."""
_SHORTEST_S = {P: 0.03, QRS: 0.036, T: 0.06}
_JOINED_S = {P: 0.02, QRS: 0.024, T: 0.04}
_LONGEST_PR_S, _LONGEST_JT_S = 0.45, 0.6
_SAME_BEAT_S = 0.12


@dataclass(frozen=True)
class BeatTable:
    """Waves of every beat in every lead, (B, L, 2) in seconds: onset and offset, NaN for none.

    `every_p_s` (P,) are the middles of P waves, those that no QRS follows too; `interruptions_s`
    (G, 2) are from when to when no beat could be seen.
    """

    p_s: Float[np.ndarray, "B L 2"]
    qrs_s: Float[np.ndarray, "B L 2"]
    t_s: Float[np.ndarray, "B L 2"]
    every_p_s: Float[np.ndarray, " P"] = field(default_factory=lambda: np.zeros(0))
    interruptions_s: Float[np.ndarray, "G 2"] = field(default_factory=lambda: np.zeros((0, 2)))


def beat_table(
    probabilities: Float[np.ndarray, "L 4 S"], rate_hz: float, *, start_s: float = 0.0
) -> BeatTable:
    """Beats that at least half of the leads show, matched over the leads.

    A P wave belongs to the QRS that follows it, a T to the one before it, in the same lead.
    """
    spans = [{kind: _spans(rows, kind, rate_hz) for kind in (P, QRS, T)} for rows in probabilities]
    centres, every_p = (_common([one[kind].mean(axis=1) for one in spans]) for kind in (QRS, P))
    made = {kind: np.full((len(centres), len(spans), 2), np.nan) for kind in (P, QRS, T)}
    for lead, own in enumerate(spans):
        for place, qrs in enumerate(own[QRS]):
            beat = _nearest(centres, qrs.mean())
            if beat is None:
                continue
            made[QRS][beat, lead] = qrs
            before = own[QRS][place - 1, 1] if place else -np.inf
            after = own[QRS][place + 1, 0] if place + 1 < len(own[QRS]) else np.inf
            made[P][beat, lead] = _p_of(own[P], qrs, before)
            made[T][beat, lead] = _t_of(own[T], qrs, after)
    p_s, qrs_s, t_s = (made[kind] + start_s for kind in (P, QRS, T))
    return BeatTable(p_s, qrs_s, t_s, every_p + start_s)


def _spans(rows: np.ndarray, kind: int, rate_hz: float) -> np.ndarray:
    """Onsets and offsets of one kind of wave in a lead, between samples where classes are even."""
    margin = rows[kind] - np.delete(rows, kind, axis=0).max(axis=0)
    joined: list[list[int]] = []
    for first, last in runs(margin > 0):
        if joined and first - joined[-1][1] <= _JOINED_S[kind] * rate_hz:
            joined[-1][1] = last
        else:
            joined.append([first, last])
    whole = [
        (_crossing(margin, first), _crossing(margin, last))
        for first, last in joined
        # A wave that the recording cuts has no end that could be measured.
        if first > 0 and last < len(margin) and last - first >= _SHORTEST_S[kind] * rate_hz
    ]
    return np.array(whole).reshape(-1, 2) / rate_hz


def _crossing(margin: np.ndarray, after: int) -> float:
    """Where the margin passes zero between the sample before `after` and `after`."""
    low, high = margin[after - 1], margin[after]
    return after - 1 + float(low / (low - high))


def _common(centres: list[np.ndarray]) -> np.ndarray:
    """The middle of every wave of a kind that at least half of the leads with any show."""
    seen = [own for own in centres if len(own)]
    if not seen:
        return np.zeros(0)
    every = np.sort(np.concatenate(seen))
    groups = np.split(every, np.flatnonzero(np.diff(every) > _SAME_BEAT_S / 2) + 1)
    return np.array([np.median(group) for group in groups if len(group) >= len(seen) / 2])


def _nearest(centres: np.ndarray, at_s: float) -> int | None:
    if not len(centres):
        return None
    beat = int(np.abs(centres - at_s).argmin())
    return beat if abs(centres[beat] - at_s) <= _SAME_BEAT_S else None


def _p_of(found: np.ndarray, qrs: np.ndarray, before_s: float) -> np.ndarray:
    own = found[(found[:, 0] > before_s) & (found[:, 1] <= qrs[0] + 0.02)]
    own = own[own[:, 0] >= qrs[0] - _LONGEST_PR_S]
    return own[-1] if len(own) else np.full(2, np.nan)


def _t_of(found: np.ndarray, qrs: np.ndarray, after_s: float) -> np.ndarray:
    own = found[(found[:, 0] >= qrs[1] - 0.02) & (found[:, 1] < after_s)]
    own = own[own[:, 0] <= qrs[1] + _LONGEST_JT_S]
    return own[0] if len(own) else np.full(2, np.nan)
