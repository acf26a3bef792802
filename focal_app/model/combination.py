"""The model's own log-odds and what was measured, in one probability: where that was shown to help.

combination = load_combination(folder, model.fingerprint)
combination["first degree AV block"].log_odds(-1.2, found)    # None where nothing was measured

The coefficients lie beside a checkpoint's weights, a statement each; `python -m train combine` fits
them on recordings that the encoder has not seen, and keeps those that win out of fold. They name
the checkpoint for which they were made: beside another one they say nothing.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import isfinite
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from jaxtyping import Float
from yaml import YAMLError

from focal_app.ecg.measured import QUANTITIES, Valued
from focal_app.errors import CheckpointError
from focal_app.lexicon import load_lexicon
from focal_app.model.store import inside
from focal_app.strict_yaml import parsed

COMBINATION, MADE_FOR = "combination.yaml", "checkpoint"
END = "..."
"""YAML's end of a document: without it, the file is not whole."""
LARGEST = 200_000
_OF_OTHER_VALUES = (TypeError, ValueError, KeyError, AttributeError, IndexError)
"""What parsing raises for values of other kinds than the file's."""
FARTHEST = 2.0
"""A value counts as at most so many scales away from its centre."""

Q_AND_R = ("anterior_r_mv", "anterior_q_ms", "inferior_q_percent", "inferior_qs_percent")
OF_LEFT_BLOCK = (*Q_AND_R, "lateral_t_mv")
"""In a left bundle branch block small R and Q are no sign of an infarct (Fourth Universal
Definition of Myocardial Infarction, Circulation 2018;138:e618), nor is T, which turns against QRS
(AHA/ACCF/HRS 2009, part IV, Circulation 2009;119:e241)."""
WIDE_MS, BROAD_S_MV = 120.0, 0.3
UNLIKE_MS = 20.0
LEFT_DEGREES, FAR_LEFT_DEGREES = -30.0, -90.0
LATE_R_MV = 0.06
"""R' of V1 in a right bundle branch block is no lower: the centre of its curve."""


def wide(found: Valued) -> bool:
    """Whether QRS is known to be wide: T follows from it then (AHA/ACCF/HRS 2009, part IV)."""
    width = found.value("qrs_ms")
    return width is not None and width >= WIDE_MS


def left_bundle_blocked(found: Valued) -> bool:
    """Whether QRS may be that of a left bundle branch block: not known to be narrow, and without
    the S in V6 that a right one leaves."""
    width, s = found.value("qrs_ms"), found.value("v6_s_mv")
    return (width is None or width >= WIDE_MS) and s is not None and s < BROAD_S_MV


def blocked_early_beat(found: Valued) -> bool:
    """Whether an early QRS is wide as the others are, in a bundle branch block: it may come from
    anywhere."""
    width, wider = found.value("early_qrs_ms"), found.value("early_wider_ms")
    return width is not None and wider is not None and width >= WIDE_MS and wider < UNLIKE_MS


def turned_left(found: Valued) -> bool:
    """Whether the axis alone may make r and S of the inferior leads, as a left anterior fascicular
    block does: not known to lie elsewhere."""
    axis = found.value("axis_degrees")
    return axis is None or FAR_LEFT_DEGREES <= axis < LEFT_DEGREES


def delayed_on_the_left(found: Valued) -> bool:
    """Whether QRS is wide and V1 ends in no R: S may fill it in V1 to V3 without an infarct."""
    late = found.value("v1_late_r_mv")
    return wide(found) and late is not None and late < LATE_R_MV


SILENT = MappingProxyType(
    {
        "early_wider_ms": blocked_early_beat,
        "anterior_q_ms": delayed_on_the_left,
        "lowest_t_percent": wide,
        "qtc_bazett_ms": wide,
        "qtc_fridericia_ms": wide,
    }
)
"""Quantities that tell nothing where this holds."""


@dataclass(frozen=True)
class Term:
    """A measurement by its distance from `centre` in `scale`s, and the log-odds of one scale.

    The scale is negative where less of it tells for the statement. `usual` is the mean distance of
    those recordings on which it was fitted: what a value that is missing beside others counts as.
    """

    quantity: str
    centre: float
    scale: float
    weight: float = 0.0
    usual: float = 0.0

    def distance(self, found: Valued) -> float | None:
        """How far the value tells for the statement; None where there is none, or where it tells
        nothing."""
        quantity = self.quantity
        if quantity == "inferior_qs_percent" and turned_left(found):
            quantity = "inferior_q_percent"  # which no r goes before
        value, silent = found.value(quantity), SILENT.get(quantity)
        if value is None or (silent and silent(found)):
            return None
        return max(-FARTHEST, min(FARTHEST, (value - self.centre) / self.scale))


def distances(terms: Sequence[Term], found: Valued) -> list[float | None]:
    """How far each value tells for one statement.

    What a left bundle branch block makes by itself tells nothing of what Q or R would tell.
    """
    of_scar = any(term.quantity in Q_AND_R for term in terms)
    silent = OF_LEFT_BLOCK if of_scar and left_bundle_blocked(found) else ()
    return [None if term.quantity in silent else term.distance(found) for term in terms]


@dataclass(frozen=True)
class Unseen:
    """Recordings, those of them with the statement, and the AUC."""

    recordings: int
    positives: int
    auc: float


@dataclass(frozen=True)
class Combined:
    """What is made of a statement: `model` times the model's log-odds, `shift`, and `terms`.

    `unseen` says how well both together told it on recordings that neither has seen.
    """

    model: float
    shift: float
    terms: tuple[Term, ...]
    unseen: "Unseen | None" = None

    def log_odds(self, own: float, found: Valued | None) -> float | None:
        """The log-odds of both; None where nothing of it was measured: the model's own hold.

        A value that is missing beside others says nothing, as a usual one.
        """
        if found is None:
            return None
        far = distances(self.terms, found)
        if all(distance is None for distance in far):
            return None
        weighed = zip(self.terms, far, strict=True)
        told = sum(term.weight * (term.usual if x is None else x) for term, x in weighed)
        return self.model * own + self.shift + told

    @cached_property
    def only_lowers(self) -> bool:
        """Whether it never says more than the model alone."""
        most = self.shift + FARTHEST * sum(abs(term.weight) for term in self.terms)
        return self.model == 1 and most <= 0


RAISING = (
    *("left bundle branch block", "complete left bundle branch block"),
    *("right bundle branch block", "complete right bundle branch block"),
    "ST depression",
    "right ventricular hypertrophy",
    "right atrial enlargement",
    "ventricular tachycardia",
)
"""They raise what they imply by the model alone too: where QRS cannot be measured, nothing else
would tell of a conduction disturbance, ST depression is an ST-T change, and the broader prompts
miss what is of the right side or seldom (docs/measurements.md)."""
APART = frozenset([("long QT interval", "ST-T change"), ("ventricular tachycardia", "tachycardia")])
"""Pairs of which the first does not raise the second: PTB-XL alone counts a long QT among ST-T
changes, and the rate itself tells a tachycardia."""
_FIBRILLATION = "atrial fibrillation"
TOGETHER = MappingProxyType(
    {
        "sinus bradycardia": ("sinus rhythm", "bradycardia"),
        "sinus tachycardia": ("sinus rhythm", "tachycardia"),
        f"{_FIBRILLATION} with slow ventricular response": (_FIBRILLATION, "bradycardia"),
        f"{_FIBRILLATION} with rapid ventricular response": (_FIBRILLATION, "tachycardia"),
    }
)
"""What is two things at once, by definition: told as the product of both, where measurements join
one of these."""


def parts_of(statement: str, combination: Mapping[str, Combined]) -> tuple[str, ...]:
    """Those whose product a statement is told as; none where it is told by itself."""
    parts = TOGETHER.get(statement, ())
    return parts if combination.keys() & {*parts} else ()


def joined_under(statement: str, combination: Mapping[str, Combined]) -> tuple[str, ...]:
    """Those of the statements that measurements join, and of `RAISING`, which imply this one.

    It is told as at least as probable as each of them: left ventricular hypertrophy is one. A rate
    that only speaks against a statement is no reason to raise what this implies.
    """
    joined = (name for name, curve in combination.items() if not curve.only_lowers)
    return _implying(statement, tuple(dict.fromkeys((*joined, *RAISING))) if combination else ())


@lru_cache(maxsize=4096)
def _implying(statement: str, among: tuple[str, ...]) -> tuple[str, ...]:
    below = load_lexicon().descendants(statement)
    return tuple(one for one in among if one in below and (one, statement) not in APART)


def together(
    statements: Sequence[str], each: Float[np.ndarray, "n K"], combination: Mapping[str, Combined]
) -> Float[np.ndarray, "n K"]:
    """Probabilities of statements in n ECGs, `each` by itself, as they stand beside each other.

    What is two things at once has the product of both, and every statement at least the probability
    of those under it, as far as these are among the statements.
    """
    each = each.copy()
    for column, words in enumerate(statements):
        parts = parts_of(words, combination)
        if parts and {*parts} <= {*statements}:
            each[:, column] = each[:, [statements.index(part) for part in parts]].prod(1)
    told = each.copy()
    for column, words in enumerate(statements):
        for one in joined_under(words, combination):
            if one in statements:
                told[:, column] = np.maximum(told[:, column], each[:, statements.index(one)])
    return told


log = logging.getLogger(__name__)


def load_combination(folder: Path, fingerprint: Callable[[], str]) -> Mapping[str, Combined]:
    """The combinations beside the checkpoint of the `fingerprint`, by statement.

    None where nothing lies there, or what was made for another checkpoint, which is warned of.
    """
    path = inside(folder, COMBINATION)
    if not path.is_file():
        return MappingProxyType({})
    try:
        if path.stat().st_size > LARGEST:
            raise ValueError("found a file that is too large")
        text = path.read_text(encoding="utf-8")
        if not text.endswith(f"\n{END}\n"):
            raise ValueError("found a file that was cut off")
        raw: Any = parsed(text)
        made_for = raw.pop(MADE_FOR, None)
        found = MappingProxyType(dict(_parsed(raw)))
    except (OSError, YAMLError, *_OF_OTHER_VALUES) as error:
        raise CheckpointError(
            f"{COMBINATION} of the checkpoint cannot be read; fetch or make the checkpoint again"
        ) from error
    if made_for == fingerprint():
        return found
    log.warning(
        "%s was made for another checkpoint and is left out: no measurement joins a percentage; "
        "run `python -m train combine` for this one",
        COMBINATION,
    )
    return MappingProxyType({})


def _parsed(raw: Any) -> Iterator[tuple[str, Combined]]:  # noqa: ANN401
    for name, entry in raw.items():
        terms = tuple(term for one in entry["measured"].items() for term in _terms(*one))
        unseen = _unseen(told) if (told := entry.get("unseen")) else None
        yield str(name), Combined(_number(entry["model"]), _number(entry["shift"]), terms, unseen)


def _unseen(told: Sequence[object]) -> Unseen:
    recordings, positives, auc = map(_number, told)
    if not (0 <= positives <= recordings and 0 <= auc <= 1):
        raise ValueError("found no counts of recordings, or no AUC")
    return Unseen(int(recordings), int(positives), auc)


def _terms(quantity: str, numbers: Sequence[Any]) -> Iterator[Term]:
    """The one term of a quantity, or several of it."""
    several = isinstance(numbers[0], list)
    return (_term(quantity, one) for one in (numbers if several else [numbers]))


def _term(quantity: str, numbers: Sequence[object]) -> Term:
    centre, scale, weight, usual = map(_number, (*numbers, *[0.0] * (len(numbers) == 3)))
    if quantity not in QUANTITIES or not scale:
        raise ValueError("found a measurement that there is not, or no scale")
    return Term(quantity, centre, scale, weight, usual)


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise ValueError("found no finite number")
    return float(value)
