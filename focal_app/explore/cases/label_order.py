"""Labels of a case in the order in which a cardiologist says them: the diagnosis first."""

from collections.abc import Sequence

from focal_app.explore.reading.prompts import group_of

ORDER = ("infarction", "conduction", "rhythm", "device", "hypertrophy", "st-t", "normal")
"""Groups of diagnoses; waveforms and the rest follow."""
HEALTHY = frozenset(["sinus rhythm", "sinus arrhythmia", "normal ECG"])
"""What a healthy heart has beside any diagnosis, or in place of one."""
_PLACE = {group: place for place, group in enumerate((*ORDER, "waveform", "technical"))}


def telling_first(labels: Sequence[str]) -> tuple[str, ...]:
    """Diagnoses, then what is healthy, the waveforms behind them, and what is technical."""
    return tuple(sorted(labels, key=_place))


def most_telling(labels: Sequence[str], most: int) -> str:
    """So many of the labels, the most telling first, and how many more there are."""
    told = telling_first(labels)
    rest = f" and {len(told) - most} more" if len(told) > most else ""
    return ", ".join(told[:most]) + rest


def _place(tag: str) -> int:
    return _PLACE.get("normal" if tag in HEALTHY else group_of(tag), len(_PLACE))


def diagnoses(labels: Sequence[str]) -> tuple[str, ...]:
    """Those of the labels that are more than a waveform, the most telling first."""
    return tuple(tag for tag in telling_first(labels) if group_of(tag) in ORDER)
