"""Leads as people write them, and the one notation in which they are written back.

[place.leads for place in places("T inversion in I, aVL, V5,6")]   # [("I", "aVL", "V5", "V6")]
notation(("V1", "V2", "V3", "aVF"))                                # "aVF, V1-V3"
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from focal_app.ecg.recording import LEADS

REGIONS = {
    "inferior": ("II", "III", "aVF"),
    "lateral": ("I", "aVL", "V5", "V6"),
    "high lateral": ("I", "aVL"),
    "anterior": ("V1", "V2", "V3", "V4"),
    "septal": ("V1", "V2"),
    "anteroseptal": ("V1", "V2", "V3"),
    "anterolateral": ("I", "aVL", "V3", "V4", "V5", "V6"),
    "inferolateral": ("II", "III", "aVF", "V5", "V6"),
    "right precordial": ("V1", "V2", "V3"),
    "left precordial": ("V4", "V5", "V6"),
    "precordial": LEADS[6:],
    "lateral precordial": ("V4", "V5", "V6"),
    "lateral chest": ("V4", "V5", "V6"),
    "chest": LEADS[6:],
    "horizontal": LEADS[6:],
    "limb": LEADS[:6],
    "frontal": LEADS[:6],
    "peripheral": LEADS[:6],
}
_LEAD = r"(?:av[rlf]|v[1-6]|iii|ii|i)"
_REGION = "|".join(sorted(REGIONS, key=len, reverse=True))
_WALLS = "anterior|inferior|lateral|septal|anteroseptal|anterolateral|inferolateral"
_OF = r"(?:en|er|e)?\s+(?:leads?|ableitungen)"
_TO = r"\s*(?:-|–|—|to|through|thru|bis)\s*"
_NEXT = r"(?:\s*[,/&+]\s*(?:and\s+|und\s+)?|\s+(?:and|or|und|oder)\s+|\s+)"
_ONE = rf"{_LEAD}(?:{_TO}(?:{_LEAD}|[1-6])(?![\w']))?"
_WHERE = (
    rf"(?:(?:{_REGION})(?:(?:\s*[,/&]\s*|\s+(?:and|or|und)\s+)(?:{_REGION}))?{_OF}"
    rf"|(?:{_WALLS})ly)"
)
_BEHIND = r"(?![\w'’]|\s*/\s*\d|:\d)"
# Bounded repetition: a long list that ends in anything else would else take the square of it.
_LIST = re.compile(
    rf"(?<![\w'’-])(?:{_WHERE}|{_ONE})(?:(?:{_NEXT}|\s*\(\s*)(?:{_WHERE}|{_ONE}|(?<=[1-6][,/])[1-6]"
    rf"|(?<=[1-6],\s)[1-6](?=\s*(?:,|$|\.))){_BEHIND}){{0,24}}{_BEHIND}\)?",
    re.IGNORECASE,
)
_PART = re.compile(
    rf"(?P<first>{_LEAD})(?:{_TO}(?P<last>{_LEAD}|[1-6]))?(?!\w)|(?P<region>{_REGION})|(?P<digit>[1-6])",
    re.IGNORECASE,
)
_NAMES = {lead.lower(): lead for lead in LEADS}


@dataclass(frozen=True)
class Place:
    """A list of leads at `[start, end)` of a text, in standard order."""

    start: int
    end: int
    leads: tuple[str, ...]


def places(text: str) -> Iterator[Place]:
    """Every list of leads, and every lead that stands alone, which may be a Roman number."""
    for found in _LIST.finditer(text):
        shift = found.group().endswith(")") and "(" not in found.group()
        yield Place(found.start(), found.end() - shift, leads_in(found.group()))


def leads_in(text: str) -> tuple[str, ...]:
    """The leads that a list names, in standard order."""
    named: set[str] = set()
    for part in _PART.finditer(text):
        if part["region"]:
            named.update(REGIONS[part["region"].lower()])
            continue
        first = part["first"] or part["digit"]
        bounds = [LEADS.index(_whole(bound)) for bound in (first, part["last"] or first)]
        named.update(LEADS[min(bounds) : max(bounds) + 1])
    return in_order(named)


def in_order(leads: Iterable[str]) -> tuple[str, ...]:
    """Leads in standard order, each once."""
    named = frozenset(leads)
    return tuple(lead for lead in LEADS if lead in named)


def notation(leads: Iterable[str]) -> str:
    """Leads in the one way in which this app writes them: "II, III, aVF", "V1-V3"."""
    named, runs = in_order(leads), []
    for lead in named:
        follows = runs and LEADS.index(lead) == LEADS.index(runs[-1][-1]) + 1
        if lead.startswith("V") and follows and runs[-1][-1].startswith("V"):
            runs[-1].append(lead)
        else:
            runs.append([lead])
    return ", ".join(run[0] if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def _whole(lead: str) -> str:
    """A lead by its name; "V1-3" leaves the second V out, and Turkish has an I of its own."""
    plain = lead.upper().lower().replace("\u0307", "")
    return _NAMES[f"v{plain}" if plain.isdigit() else plain]
