"""Voltage indices of hypertrophy with their value, as the criteria that they meet or do not.

indices_judged("Sokolow-Lyon index 41 mm")  # "Sokolow-Lyon criteria"
indices_judged("Sokolow-Lyon 2.1 mV")       # "no Sokolow-Lyon criteria"
indices_judged("Cornell index normal")      # "no Cornell voltage criteria"
"""

import re

_NAMES = {"s": "Sokolow-Lyon criteria", "c": "Cornell voltage criteria"}
_BOUNDS_MM = {"s": (35.0, 35.0), "c": (20.0, 28.0)}
"""Below the first none is met, from the second on each is: Sokolow and Lyon 1949 (S in V1 with R
in V5 or V6); Casale et al. 1987 (R in aVL with S in V3, above 20 mm in women and 28 in men)."""
_INDEX = re.compile(
    r"\b(?P<name>Sokolow(?:[- ]Lyon)?|Cornell)"
    r"(?:[- ](?:index|voltage|criteri(?:a|on)|kriteri(?:um|en)))?"
    r"\s?[:=]?\s?(?:(?:is|of|ist|von)\s)?"
    r"(?:(?P<normal>normal|negativ[er]?|within normal limits)\b"
    r"|(?P<sign>[<>≥≤]?=?)\s?(?P<number>\d{1,2}(?:[.,]\d{1,2})?)\s?(?P<unit>mm|mV)\b)",
    re.IGNORECASE,
)


def indices_judged(text: str) -> str:
    """The text with criteria for indices; a value between the bounds of women and men stays."""
    return _INDEX.sub(_judged, text)


def _judged(found: re.Match[str]) -> str:
    kind = found["name"][0].lower()
    if found["normal"]:
        return f"no {_NAMES[kind]}"
    mm = float(found["number"].replace(",", ".")) * (10 if found["unit"].lower() == "mv" else 1)
    least, surely = _BOUNDS_MM[kind]
    if mm < least or (found["sign"].startswith(("<", "≤")) and mm <= least):
        return f"no {_NAMES[kind]}"
    return _NAMES[kind] if mm >= surely else found.group()
