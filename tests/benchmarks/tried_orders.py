"""Orders of similar cases that were tried beside the app's own, and lost.

python -m tests.benchmarks.retrieval --ptb-xl DIR --folds 7 8 --tried

Findings are the probabilities of all statements, each less the gallery's mean over the root of
its spread, as in `focal_app.explore.cases.profiles`. Measured values are as alike as e to the minus
of what parts them, in units of what two readers differ by; what one side lacks does not count. Two
orders are joined by their standard scores, the second at a quarter.
"""

from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Float

from focal_app.ecg.axis import shorter_way
from focal_app.explore.cases.gallery import Gallery
from focal_app.explore.cases.profiles import LEAST_SPREAD, STANDING_OUT, profiles
from focal_app.explore.reading.explorer import Explorer
from focal_app.explore.report.values import READERS_DIFFER

MEASURED = ("rate_per_min", "pr_ms", "qrs_ms", "qtc_fridericia_ms", "axis_degrees")
JOINED = 0.25
"""How much what is joined counts, of the findings."""

Alike = Float[np.ndarray, "N N"]


def tried_orders(
    explorer: Explorer, gallery: Gallery
) -> dict[str, Callable[[str, int], Sequence[int]]]:
    """Orders of all cases by one of them, whatever it was chosen for."""
    every = np.arange(len(gallery))
    alone = _unusual(gallery.findings(every))
    both = _unusual(profiles(explorer, gallery).shown(every))
    vectors = gallery.vectors("whole", every)
    own, values = _alike(both, STANDING_OUT), _measured_alike(gallery)
    return {
        name: _by(alike)
        for name, alike in {
            "similar, findings of the model alone, correlated": _alike(alone, 1.0),
            "similar, findings with measurements, correlated": _alike(both, 1.0),
            "similar, findings, no length taken off": _alike(both, 0.0),
            "similar, measured values alone": values,
            "similar, as a whole beside measured values": _joined(own, values),
            "similar, as a whole beside the mean patch": _joined(
                own, _alike(vectors - vectors.mean(0), 1.0)
            ),
        }.items()
    }


def _by(alike: Alike) -> Callable[[str, int], Sequence[int]]:
    return lambda _, number: np.argsort(-alike[number], kind="stable").tolist()


def _unusual(shown: Float[np.ndarray, "N K"]) -> Float[np.ndarray, "N K"]:
    return (shown - shown.mean(0)) / np.sqrt(shown.std(0) + LEAST_SPREAD)


def _alike(rows: Float[np.ndarray, "N K"], power: float) -> Alike:
    """x·y / (|x| |y|^power) of each with each."""
    length = np.maximum(np.linalg.norm(rows, axis=1), 1e-9)
    return rows @ rows.T / np.outer(length, length**power)


def _measured_alike(gallery: Gallery) -> Alike:
    """The mean over the values that both have; 0 where they share none."""
    found = []
    for name in MEASURED:
        values = gallery.measured(name)
        apart = values[:, None] - values[None]
        if name == "axis_degrees":
            apart = shorter_way(apart)
        found.append(np.exp(-np.abs(apart) / READERS_DIFFER[name]))
    known = ~np.isnan(found)
    return np.nansum(found, axis=0) / np.maximum(known.sum(axis=0), 1)


def _joined(first: Alike, second: Alike) -> Alike:
    return _standard(first) + JOINED * _standard(second)


def _standard(alike: Alike) -> Alike:
    return (alike - alike.mean(1, keepdims=True)) / alike.std(1, keepdims=True)
