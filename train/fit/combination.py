"""A tiny logistic curve over the model's log-odds and a few measurements, one a statement.

    fit(terms, own, distances, present)     # Combined(model=0.9, shift=-0.3, terms=...)

Ridge towards the model alone: its weight towards 1, all others towards 0. With few recordings the
model's own log-odds come out. A measurement acts in the direction of its criterion, or not at all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import cast

import numpy as np
from jaxtyping import Bool, Float
from scipy.optimize import minimize

from focal_app.ecg.measured import QUANTITIES
from focal_app.model.combination import FARTHEST, Combined, Term
from focal_app.strict_yaml import read_yaml

CANDIDATES = Path(__file__).with_name("combination.yaml")
RIDGE = 1.0
"""Weight of the prior on a measurement beside the logistic losses of the recordings."""
RIDGE_OF_MODEL = 10.0
"""The same on the model's own weight: the encoder that is combined is not one of those that the
curve was fitted on, and knows more."""

OF_VOLTAGES = frozenset(
    one
    for one in QUANTITIES
    if one.endswith("_mv") or one in ("axis_degrees", "inferior_q_percent", "inferior_qs_percent")
)
"""What is told by how high waves are: only as far as a source keeps every lead to one scale."""
DISSOCIATED = Combined(1.0, 0.0, (Term("unrelated_p_per_min", 0.0, 15.0, weight=2.25),))
"""Too rare to be fitted on real recordings. P waves are seen unrelated in 69 of 100 drawn third
degree blocks, and in none of 475 real recordings without one, so in 3 at most (95 %): a likelihood
ratio of 95, e to the 4.5, at every rate of the atria. Where none are, the model alone is told."""
PACED = Combined(1.0, 0.0, (Term("spikes", 0.0, 1.0, weight=4.5),))
"""Too rare to be fitted as well. Spikes are seen in 137 of 200 drawn paced rhythms (62 % at least)
and in none of 471 real recordings that nobody labelled paced, so in 3 at most: a likelihood ratio
of 97, e to the 4.5. That none are seen says little: filters take small ones away, and a short
recording holds too few. Where the sampling rate can hold none the model alone is told."""
EARLY = Combined(1.0, 1.5, (Term("early_wider_ms", 15.0, -7.5, weight=0.75),))
"""Too rare as well. Early beats like the others are seen in 6 of 13 real recordings that are said
to have supraventricular ones and in 3 of 463 others, so in 9 at most: a likelihood ratio of 24; 20,
e to the 3, is taken. From 30 ms wider than the others on the model alone is told."""
DEFINED = {
    "prolonged PR interval": ("pr_ms", 200.0, 10.0),
    "short PR interval": ("pr_ms", 120.0, -10.0),
    "wide QRS complex": ("qrs_ms", 120.0, 7.5),
    "narrow QRS complex": ("qrs_ms", 120.0, -7.5),
    "absent P waves": ("p_share_percent", 50.0, -17.5),
    "regular RR intervals": ("rr_variation_percent", 7.5, -2.5),
    "irregular RR intervals": ("rr_variation_percent", 7.5, 2.5),
    "Q waves in inferior leads (II, III, aVF)": ("inferior_q_percent", 25.0, 7.5),
    "Q waves in V1-V4": ("anterior_q_ms", 20.0, 10.0),
    "low QRS voltage in limb leads": ("limb_qrs_mv", 0.5, -0.1),
    "bradycardia": ("rate_per_min", 60.0, -4.0),
    "tachycardia": ("rate_per_min", 100.0, 4.0),
    "right axis deviation": ("axis_degrees", 90.0, 7.5),
    "extreme axis deviation": ("axis_degrees", -90.0, -7.5),
}
"""Statements that are a measurement by their words or by definition (`assets/measured_rules.yaml`
names the sources): which, its bound, and how far off a measurement may be, as two readers differ
(docs/measurements.md). Of RR and P waves: halfway from where the rules contradict to where they
support. Of 221 normal ECGs of PTB-XL one comes as far as the bound of each Q, and is told it at 20
and 7 % (`python -m tests.benchmarks.defined`)."""
BETWEEN = {
    "left axis deviation": ("axis_degrees", -90.0, -30.0, 7.5),
    "normal QRS axis": ("axis_degrees", -30.0, 90.0, 7.5),
}
"""The same of two bounds, a value between which defines the statement."""
SLOW, FAST = ("rate_per_min", 56.0, -4.0), ("rate_per_min", 104.0, 4.0)


LONG_QT = (("qtc_bazett_ms", 460.0, 10.0), ("qtc_fridericia_ms", 450.0, 10.0))
"""Both have to be long: Bazett's alone is too long at fast rates, Fridericia's at slow ones."""


def both(*about: tuple[str, float, float]) -> Combined:
    """A curve that tells what lies past two bounds, as `DEFINED` tells what lies past one."""
    return Combined(0.5, -2.0 * FARTHEST, tuple(Term(*one, weight=2.0) for one in about))


BY_DEFINITION = {
    **{name: Combined(0.5, 0.0, (Term(*about, weight=2.0),)) for name, about in DEFINED.items()},
    **{
        name: both((quantity, low, off), (quantity, high, -off))
        for name, (quantity, low, high, off) in BETWEEN.items()
    },
    "long QT interval": both(*LONG_QT),
    "long RR intervals": Combined(1.0, 3.0, (Term(*SLOW, weight=1.5),)),
    "short RR intervals": Combined(1.0, 3.0, (Term(*FAST, weight=1.5),)),
}
"""The model's say is halved: away from the bound, what was measured decides. A rate tells of long
and short RR, and says nothing against the single one of a pause or of an early beat."""
BOUNDED = {
    "complete left bundle branch block": ("qrs_ms", 115.0, 100.0),
    "complete right bundle branch block": ("qrs_ms", 115.0, 100.0),
}
"""Statements that a value bounds without telling the rest of them: which value, from where on it
speaks against them, and from where on the log-odds of the model lose `SPOKEN_AGAINST`. QRS from 5
ms past its bound to 20, since that of complete blocks is measured 11 ms short of cardiologists'
(docs/measurements.md)."""
SPOKEN_AGAINST = 3.0
"""e to the 3 is 20."""


def bounded(quantity: str, from_here: float, to_here: float) -> Combined:
    """A curve that takes nothing off before `from_here`, and `SPOKEN_AGAINST` past `to_here`."""
    centre, scale = (from_here + to_here) / 2, (from_here - to_here) / (2 * FARTHEST)
    half = SPOKEN_AGAINST / 2
    return Combined(1.0, -half, (Term(quantity, centre, scale, weight=half / FARTHEST),))


GIVEN = {
    **BY_DEFINITION,
    **{name: bounded(*about) for name, about in BOUNDED.items()},
    **dict.fromkeys(("third degree AV block", "AV dissociation"), DISSOCIATED),
    **dict.fromkeys(("paced rhythm", "pacing spikes"), PACED),
    **dict.fromkeys(("premature atrial complex", "supraventricular premature complex"), EARLY),
}
"""Curves that are not fitted, and hold for every checkpoint."""


@cache
def candidates() -> Mapping[str, tuple[Term, ...]]:
    """The terms that a statement may be combined with."""
    raw = cast(Mapping[str, Mapping[str, Sequence[float]]], read_yaml(CANDIDATES))
    return {
        name: tuple(Term(quantity, *map(float, numbers)) for quantity, numbers in terms.items())
        for name, terms in raw.items()
    }


def terms_of(name: str) -> tuple[Term, ...]:
    """The terms of a statement's curve, given or to be fitted."""
    return GIVEN[name].terms if name in GIVEN else candidates()[name]


def fit(
    terms: Sequence[Term],
    own: Float[np.ndarray, " R"],
    distances: Float[np.ndarray, "R M"],
    present: Bool[np.ndarray, " R"],
) -> Combined:
    """The coefficients, but of the terms that bring their own; a distance that is NaN counts as the
    mean of the others, and as nothing in those."""
    given = np.array([term.weight for term in terms])
    usual = np.where(given > 0, 0.0, _usual(distances))
    filled = np.where(np.isnan(distances), usual, distances)
    x = np.column_stack([own, np.ones(len(own)), filled]).astype(float)
    prior, ridge = np.zeros(x.shape[1]), np.full(x.shape[1], RIDGE)
    prior[0], ridge[0] = 1, RIDGE_OF_MODEL

    def loss(theta: np.ndarray) -> tuple[float, np.ndarray]:
        score = x @ theta
        pull = ridge * (theta - prior)
        slope = x.T @ (0.5 * (1 + np.tanh(score / 2)) - present)
        value = (np.logaddexp(0, score) - present * score).sum() + pull @ (theta - prior) / 2
        return float(value), slope + pull

    free = ((0, None) if one == 0 else (one, one) for one in given)
    bounds = [(0, None), (None, None), *free]
    found = minimize(loss, prior, jac=True, method="L-BFGS-B", bounds=bounds).x
    weighted = (
        replace(term, weight=float(weight), usual=float(mean))
        for term, weight, mean in zip(terms, found[2:], usual, strict=True)
    )
    return Combined(float(found[0]), float(found[1]), tuple(weighted))


def _usual(distances: Float[np.ndarray, "R M"]) -> Float[np.ndarray, " M"]:
    """The mean of the known distances of each term; 0 where none is known."""
    known = ~np.isnan(distances)
    return np.where(known, distances, 0.0).sum(0) / np.maximum(known.sum(0), 1)


def applied(
    combined: Combined, own: Float[np.ndarray, " R"], distances: Float[np.ndarray, "R M"]
) -> Float[np.ndarray, " R"]:
    """The log-odds of recordings; the model's own where nothing was measured."""
    weights = np.array([term.weight for term in combined.terms])
    usual = np.array([term.usual for term in combined.terms])
    filled = np.where(np.isnan(distances), usual, distances)
    both = combined.model * own + combined.shift + filled @ weights
    return np.where(np.isnan(distances).all(1), own, both)
