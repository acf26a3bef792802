"""What is known of a checkpoint: on what it was trained and what was measured, from its own files.

read_card(Path("assets/checkpoint"))

`python -m train embedded` writes `figures.json` beside the weights. What it does not say is left
out; no figure is written anywhere else.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from focal_app.untrusted import read_json

FIGURES = "figures.json"
SUPERCLASSES = "ptbxl-super by prompt"
LARGEST = 2_000_000
FEW_POSITIVES = 5
"""With fewer an AUC says little."""


@dataclass(frozen=True)
class Trained:
    """Recordings of one source: how many were learnt from, how many were held out."""

    source: str
    trained: int
    held_out: int


@dataclass(frozen=True)
class Measured:
    """A macro AUC with its 95 % interval; `few` classes had too few cases to judge alone."""

    task: str
    recordings: int
    classes: int
    few: int
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class HeldOut:
    """How well one finding was told on held-out patients of a source that training learnt from.

    `few` where too few have it, or lack it, for the AUC to say much; `by_own_prompt` where it was
    told by its own prompt alone there, and is told by more here.
    """

    recordings: int
    positives: int
    auc: float
    few: bool
    by_own_prompt: bool = False


@dataclass(frozen=True)
class Reliable:
    """How far the probabilities of a superclass may be trusted: `base_rate` is the Brier score of
    telling every recording the share of all that has it."""

    name: str
    expected_error: float
    brier: float
    base_rate: float


@dataclass(frozen=True)
class Card:
    """Everything that `figures.json` says; None or empty where it does not."""

    trained: tuple[Trained, ...] = ()
    measured: tuple[Measured, ...] = ()
    calibration_error: float | None = None
    place_auc: float | None = None
    wordings: int | None = None
    wordings_right: float | None = None
    findings: Mapping[str, HeldOut] = field(default_factory=dict)
    """By prompt, of those that were held against labels one by one."""
    reliable: tuple[Reliable, ...] = ()


def read_card(folder: Path) -> Card:
    """The card of a checkpoint's folder; an empty one where there are no figures to be read."""
    try:
        figures = read_json(folder / FIGURES, most_bytes=LARGEST)
    except (OSError, ValueError):
        return Card()
    return Card(
        trained=_trained(_part(figures, "data")),
        measured=_measured(_part(figures, "zeroshot")),
        calibration_error=_number(_part(figures, "calibration"), "expected_error"),
        place_auc=_number(_part(figures, "localisation_on_simulated"), "patch_auc"),
        wordings=_whole(_part(figures, "tag_encoder"), "held_out"),
        wordings_right=_number(_part(figures, "tag_encoder"), "held_out_accuracy"),
        findings=_findings(_part(figures, "zeroshot")),
        reliable=_reliable(_part(_part(figures, "zeroshot"), SUPERCLASSES)),
    )


def _trained(data: Mapping[str, Any]) -> tuple[Trained, ...]:
    """Of a second encoder what differs: it may have learnt from other drawn recordings."""
    sources, second = (_part(one, "sources") for one in (data, _part(data, "second")))
    return (
        *(
            Trained(name, _whole(counts, "train") or 0, _whole(counts, "validation") or 0)
            for name, counts in sources.items()
            if isinstance(counts, dict)
        ),
        *(
            Trained(f"second {name}", _whole(counts, "train") or 0, 0)
            for name, counts in second.items()
            if isinstance(counts, dict) and counts != sources.get(name)
        ),
    )


def _measured(tasks: Mapping[str, Any]) -> tuple[Measured, ...]:
    return tuple(
        found
        for name, task in tasks.items()
        if isinstance(task, dict) and (found := _task(name, task))
    )


def _task(name: str, task: Mapping[str, Any]) -> Measured | None:
    auc = _part(task, "macro_auc")
    value, low, high = (_number(auc, key) for key in ("value", "low", "high"))
    if value is None or low is None or high is None:
        return None
    classes = [one for one in task.get("classes", []) if isinstance(one, dict)]
    few = sum(bool(one.get("few")) for one in classes)
    return Measured(name, _whole(task, "recordings") or 0, len(classes), few, value, low, high)


def _findings(tasks: Mapping[str, Any]) -> dict[str, HeldOut]:
    """Every class under its prompt; of several tasks the one with most examples."""
    found: dict[str, HeldOut] = {}
    for task in tasks.values():
        for one in task.get("classes", []) if isinstance(task, dict) else []:
            made = _held_out(one, task) if isinstance(one, dict) else None
            known = made and found.get(str(one.get("prompt")))
            if made and (known is None or known.positives < made.positives):
                found[str(one.get("prompt"))] = made
    return found


def _reliable(task: Mapping[str, Any]) -> tuple[Reliable, ...]:
    recordings, found = _whole(task, "recordings"), []
    for one in task.get("classes", []):
        values = [_number(one, key) for key in ("expected_error", "brier", "positives")]
        error, brier, positives = values
        if recordings and error is not None and brier is not None and positives is not None:
            share = positives / recordings
            found.append(Reliable(str(one.get("prompt")), error, brier, share * (1 - share)))
    return tuple(found)


def _held_out(one: Mapping[str, Any], task: Mapping[str, Any]) -> HeldOut | None:
    auc, positives = _number(one, "auc"), _whole(one, "positives")
    if auc is None or not positives:
        return None
    return HeldOut(_whole(task, "recordings") or 0, positives, auc, bool(one.get("few")))


def _part(values: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = values.get(key)
    return found if isinstance(found, dict) else {}


def _number(values: Mapping[str, Any], key: str) -> float | None:
    found = values.get(key)
    return float(found) if isinstance(found, int | float) else None


def _whole(values: Mapping[str, Any], key: str) -> int | None:
    found = _number(values, key)
    return None if found is None else int(found)
