"""A heatmap in a few places that can be said: the text alternative of the tint."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool

from focal_app.ecg.gaps import runs
from focal_app.explore.reading.heatmap import Heatmap

STANDS_OUT = 1.25
"""Below this many times the average nothing is worth pointing at."""
NEAR_THE_TOP = 0.6
"""A place holds the patches above this part of the greatest weight."""
_CHAINS = (("I", "II", "III"), ("aVR", "aVL", "aVF"), ("V1", "V2", "V3", "V4", "V5", "V6"))


@dataclass(frozen=True)
class Place:
    """Neighbouring leads over the same seconds, and their mean weight (1 is the average)."""

    leads: tuple[str, ...]
    start_s: float
    end_s: float
    share: float


def top_places(heatmap: Heatmap, *, count: int = 3) -> tuple[Place, ...]:
    """The places that hold most of what lies above the average, the strongest first.

    None where all is even.
    """
    weights = heatmap.weights
    finite = weights[np.isfinite(weights)]
    if not finite.size or finite.max() < STANDS_OUT:
        return ()
    high = np.nan_to_num(weights) >= max(STANDS_OUT, NEAR_THE_TOP * float(finite.max()))
    found = [
        _place(heatmap, rows, run)
        for run, leads in _by_run(high, heatmap.leads).items()
        for rows in _neighbours(leads, heatmap.leads)
    ]
    kept = [place for _, place in sorted(found, key=lambda f: -f[0])[:count]]
    return tuple(sorted(kept, key=lambda place: -place.share))


def lead_shares(heatmap: Heatmap) -> tuple[tuple[str, float], ...]:
    """Every lead that was seen with its mean weight over the window, greatest first."""
    means = [
        (lead, float(weights[seen].mean()))
        for lead, weights, seen in zip(heatmap.leads, heatmap.weights, heatmap.seen, strict=True)
        if seen.any()
    ]
    return tuple(sorted(means, key=lambda pair: -pair[1]))


def _by_run(
    high: Bool[np.ndarray, "L N_time"], leads: tuple[str, ...]
) -> dict[tuple[int, int], list[str]]:
    """Leads by the unbroken runs of columns, `[first, last)`, in which they are high."""
    found: dict[tuple[int, int], list[str]] = {}
    for lead, row in zip(leads, high, strict=True):
        for run in runs(row):
            found.setdefault(run, []).append(lead)
    return found


def _neighbours(leads: list[str], order: tuple[str, ...]) -> list[list[int]]:
    """Rows of the leads, parted where two are no neighbours on the limbs or the chest."""
    groups: list[list[str]] = []
    for lead in sorted(leads, key=order.index):
        if groups and _adjacent(groups[-1][-1], lead):
            groups[-1].append(lead)
        else:
            groups.append([lead])
    return [[order.index(lead) for lead in group] for group in groups]


def _adjacent(left: str, right: str) -> bool:
    return any(
        left in chain and right in chain and chain.index(right) - chain.index(left) == 1
        for chain in _CHAINS
    )


def _place(heatmap: Heatmap, rows: list[int], run: tuple[int, int]) -> tuple[float, Place]:
    first, last = run
    part = heatmap.weights[rows, first:last]
    start_s, end_s = float(heatmap.edges_s[first]), float(heatmap.edges_s[last])
    leads = tuple(heatmap.leads[row] for row in rows)
    return float((part - 1).sum()), Place(leads, start_s, end_s, float(part.mean()))
