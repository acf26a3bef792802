"""How far what is measured lies from what cardiologists marked: error, bias and coverage.

The reference of a recording is the median over leads of each lead's median over beats, as the app
measures it; earliest onset to latest offset would gather every lead's outlier.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from focal_app.ecg.intervals import measurements
from focal_app.ecg.lead_waves import beat_table
from focal_app.model.delineator import Delineator
from train.delineate.ludb import Annotated, LeadWaves

QUANTITIES = ("rate_per_min", "pr_ms", "qrs_ms", "qt_ms")
_LEADS = {"rate_per_min": 1, "pr_ms": 4, "qrs_ms": 3, "qt_ms": 3}
_LONGEST_S = {"pr_ms": 0.45, "qt_ms": 0.8}
_DRAWS = 2000
_HEADINGS = ("group", "", "measured", "median error (95 %)", "p90", "bias", "given without one")
_NAMES = {"rate_per_min": "rate, /min", "pr_ms": "PR, ms", "qrs_ms": "QRS, ms", "qt_ms": "QT, ms"}
GROUPS = {
    "atrial fibrillation or flutter": ("Atrial fibrillation", "Atrial flutter"),
    "complete bundle branch block": ("^Complete left bundle", "^Complete right bundle"),
    "paced": ("^Pacemaker presence", " pacing$"),
    "ectopic beats": ("extrasystole",),
}
"""How a diagnosis of the group reads; who is in none of them is in sinus rhythm, and plain."""


@dataclass(frozen=True)
class Compared:
    """One recording: what was marked and what was measured, None where there is nothing."""

    number: str
    groups: tuple[str, ...]
    marked: dict[str, float | None]
    found: dict[str, float | None]


@dataclass(frozen=True)
class Agreement:
    """Of one quantity in one group; errors are found less marked, in the unit of its name."""

    group: str
    quantity: str
    recordings: int
    measured: int
    median_error: float
    interval: tuple[float, float]
    p90_error: float
    bias: float
    unmarked: int
    invented: int


def compared(record: Annotated, delineator: Delineator) -> Compared:
    """A recording measured, as the app does, by a delineator that was not trained on it."""
    probabilities = delineator.probabilities(record.ecg.signal_mv, record.ecg.sampling_rate_hz)
    found = measurements(beat_table(probabilities, delineator.rate_hz))
    return Compared(
        record.number,
        groups_of(record.diagnoses),
        reference(record.waves),
        {name: getattr(found, name).value for name in QUANTITIES},
    )


def groups_of(diagnoses: Sequence[str]) -> tuple[str, ...]:
    """Every group that a recording belongs to."""
    found = [
        name
        for name, words in GROUPS.items()
        if any(re.search(word, said, re.IGNORECASE) for said in diagnoses for word in words)
    ]
    return tuple(found) or ("plain sinus rhythm",)


def reference(leads: Sequence[LeadWaves]) -> dict[str, float | None]:
    """Rate and intervals as marked."""
    return {name: _reference(name, leads) for name in QUANTITIES}


def _reference(name: str, leads: Sequence[LeadWaves]) -> float | None:
    values = [value for lead in leads if (value := _of_lead(name, lead)) is not None]
    return float(np.median(values)) if len(values) >= _LEADS[name] else None


def _of_lead(name: str, lead: LeadWaves) -> float | None:
    onsets = lead.qrs[:, 0]
    if name == "rate_per_min":
        return float(60 / np.diff(onsets).mean()) if len(onsets) > 1 else None
    if name == "qrs_ms":
        spans = lead.qrs[:, 1] - onsets
    elif name == "pr_ms":
        after = np.append(onsets, np.inf)[np.searchsorted(onsets, lead.p[:, 0])]
        spans = after - lead.p[:, 0]
    else:
        before = np.insert(onsets, 0, -np.inf)[np.searchsorted(onsets, lead.t[:, 1])]
        spans = lead.t[:, 1] - before
    spans = spans[spans < _LONGEST_S.get(name, np.inf)]
    return 1000 * float(np.median(spans)) if len(spans) else None


def agreements(found: Sequence[Compared]) -> list[Agreement]:
    """Every quantity in every group, all recordings first."""
    names = ["all", "plain sinus rhythm", *GROUPS]
    return [
        _agreement(group, quantity, [one for one in found if group in ("all", *one.groups)])
        for group in names
        for quantity in QUANTITIES
    ]


def _agreement(group: str, quantity: str, found: Sequence[Compared]) -> Agreement:
    marked = [one for one in found if one.marked[quantity] is not None]
    unmarked = [one for one in found if one.marked[quantity] is None]
    errors = np.array(
        [
            found - truth
            for found, truth in ((one.found[quantity], one.marked[quantity]) for one in marked)
            if found is not None and truth is not None
        ]
    )
    return Agreement(
        group=group,
        quantity=quantity,
        recordings=len(marked),
        measured=len(errors),
        median_error=_share(np.abs(errors), 50),
        interval=_interval(np.abs(errors)),
        p90_error=_share(np.abs(errors), 90),
        bias=float(errors.mean()) if len(errors) else np.nan,
        unmarked=len(unmarked),
        invented=sum(one.found[quantity] is not None for one in unmarked),
    )


def _share(errors: np.ndarray, percent: float) -> float:
    return float(np.percentile(errors, percent)) if len(errors) else np.nan


def _interval(errors: np.ndarray) -> tuple[float, float]:
    """95 % of the medians of recordings drawn again."""
    if not len(errors):
        return np.nan, np.nan
    drawn = np.random.default_rng(0).choice(errors, (_DRAWS, len(errors)))
    low, high = np.percentile(np.median(drawn, axis=1), [2.5, 97.5])
    return float(low), float(high)


def agreement_table(measured: Sequence[Agreement]) -> str:
    """A row for every quantity of every group."""
    rows = [_HEADINGS, ("---",) * len(_HEADINGS), *(map(_row, measured))]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _row(one: Agreement) -> tuple[str, ...]:
    known = f"{one.measured} of {one.recordings}"
    invented = f"{one.invented} of {one.unmarked}" if one.unmarked else ""
    if not one.measured:
        return one.group, _NAMES[one.quantity], known, "", "", "", invented
    low, high = one.interval
    error = f"{one.median_error:.1f} ({low:.1f} to {high:.1f})"
    sizes = (f"{one.p90_error:.1f}", f"{one.bias:+.1f}")
    return one.group, _NAMES[one.quantity], known, error, *sizes, invented
