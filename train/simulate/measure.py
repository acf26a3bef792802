"""What a ruler finds on the drawn beat without noise: the waves of every lead, in mV and s."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Float, Int

from focal_app.ecg.recording import LEADS
from train.simulate.heart import Heart, draw
from train.simulate.projection import twelve_leads

_RATE_HZ = 500
_NOISE_MV = 0.03
"""What is smaller is no wave: a third of a millimetre on paper."""
ROW = {lead: row for row, lead in enumerate(LEADS)}


def rows(*leads: str) -> list[int]:
    """The rows of some leads, to index what is measured in every lead."""
    return [ROW[lead] for lead in leads]


@dataclass(frozen=True)
class Ruler:
    """Amplitudes a lead, order of LEADS: `q`, `r`, `s` and `r_prime` as positive sizes.

    `q_s` is the duration of Q; `st` the level 40 ms after J; `t` the signed peak of T;
    `t_low` its most negative part; `axis_deg` the frontal axis of the QRS area.
    """

    q: Float[np.ndarray, "12"]
    q_s: Float[np.ndarray, "12"]
    r: Float[np.ndarray, "12"]
    s: Float[np.ndarray, "12"]
    r_prime: Float[np.ndarray, "12"]
    notches: Int[np.ndarray, "12"]
    swing: Float[np.ndarray, "12"]
    st: Float[np.ndarray, "12"]
    t: Float[np.ndarray, "12"]
    t_low: Float[np.ndarray, "12"]
    p_high: Float[np.ndarray, "12"]
    p_low: Float[np.ndarray, "12"]
    axis_deg: float
    qrs_s: float


def measure(heart: Heart) -> Ruler:
    """Measure the heart's own beat, drawn alone."""
    after = np.arange(-0.02, heart.qt_s + 0.05, 1 / _RATE_HZ)
    beat = twelve_leads(draw(heart, heart.qrs + heart.st + heart.t, after[None])[0])
    along = np.arange(0, heart.p_s + 0.02, 1 / _RATE_HZ)
    p = twelve_leads(draw(heart, heart.p, along[None])[0])
    end = int(0.02 * _RATE_HZ) + int(heart.qrs_s * _RATE_HZ)
    alone = twelve_leads(draw(heart, heart.qrs, after[None, : end + 6])[0])
    area = alone.sum(axis=1)
    t_window = beat[:, min(end + 30, beat.shape[1] - 5) :]
    strongest = np.abs(t_window).argmax(axis=1)
    return Ruler(
        *map(np.array, zip(*map(_complex, alone), strict=True)),
        swing=np.ptp(alone, axis=1),
        st=beat[:, min(end + 20, beat.shape[1] - 1)],
        t=np.take_along_axis(t_window, strongest[:, None], axis=1)[:, 0],
        t_low=t_window.min(axis=1),
        p_high=p.max(axis=1),
        p_low=p.min(axis=1),
        axis_deg=float(np.degrees(np.arctan2(area[ROW["aVF"]] * 2 / np.sqrt(3), area[0]))),
        qrs_s=heart.qrs_s,
    )


def _complex(trace: np.ndarray) -> tuple[float, float, float, float, float, int]:
    """Q, its seconds, R, S, R' and the number of humps of the main upward wave."""
    signs = (trace > _NOISE_MV).astype(np.int8) - (trace < -_NOISE_MV)
    turns = [0, *(np.flatnonzero(signs[1:] != signs[:-1]) + 1).tolist(), len(trace)]
    pieces = [(int(signs[a]), a, b) for a, b in pairwise(turns) if signs[a]]
    q = q_s = r = s = r_prime = 0.0
    humps = 0
    for sign, a, b in pieces:
        size = float(trace[a:b].max() if sign > 0 else -trace[a:b].min())
        if sign < 0 and r == 0:
            if size > q:
                q, q_s = size, (b - a) / _RATE_HZ
        elif sign > 0 and s == 0:
            if size > r:
                r, humps = size, _humps(trace[a:b])
        elif sign < 0:
            s = max(s, size)
        else:
            r_prime = max(r_prime, size)
    return q, q_s, r, s, r_prime, humps


def _humps(piece: np.ndarray) -> int:
    rises = piece[1:] > piece[:-1]
    return int(np.count_nonzero(rises[:-1] & ~rises[1:]))
