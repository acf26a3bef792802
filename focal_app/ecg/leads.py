"""Leads by name: their spellings and their order."""

import re
from dataclasses import replace

from focal_app.ecg.recording import ECG, LEADS
from focal_app.errors import RecordingError

_SPELLINGS = {lead.lower(): lead for lead in LEADS}
_SPELLINGS |= {"di": "I", "dii": "II", "diii": "III", "d1": "I", "d2": "II", "d3": "III"}
_LEAD_NAME = re.compile(
    r"(?:ecg[\s_:-]+)?(?:lead[\s_:-]*)?(?P<lead>[a-z0-9]+)(?:\s*\((?:einthoven|goldberger)\))?"
)


def canonical_lead(name: str) -> str | None:
    """The standard name of a lead ("AVR", "avr" and "Lead aVR" are aVR), or None if it is none.

    A lead shown upside down ("-aVR") is not the lead of that name.
    """
    match = _LEAD_NAME.fullmatch(name.strip().lower())
    return _SPELLINGS.get(match["lead"]) if match else None


def listed(leads: tuple[str, ...] | list[str]) -> str:
    """Leads for a sentence: "I, II and V1", or "none"."""
    names = list(leads)
    if not names:
        return "none"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def ordered_by_name(ecg: ECG) -> ECG:
    """The same recording with its standard leads in the order of `LEADS`, by their names alone.

    Channels that are no standard lead are left out, and a note says how many. A lead that
    appears twice is refused, for nothing says which of the two is meant.
    """
    names = [canonical_lead(name) for name in ecg.leads]
    twice = [lead for lead in LEADS if names.count(lead) > 1]
    if twice:
        raise RecordingError(
            f"found lead {listed(twice)} more than once; each lead is needed once. "
            "Remove or rename the extra channel in the file."
        )
    if not any(names):
        raise RecordingError(
            f"found {len(names)} channels, none of them named as a standard ECG lead; leads "
            "named I, II, III, aVR, aVL, aVF, V1 to V6 are needed. Name the channels in the file."
        )
    leads = tuple(lead for lead in LEADS if lead in names)
    if leads == ecg.leads:
        return ecg  # a reader has ordered it: half an hour of signal is not copied once more
    notes = ecg.notes
    if others := len(names) - len(leads):
        channels = "1 channel" if others == 1 else f"{others} channels"
        notes += (f"Left out {channels} without the name of a standard lead.",)
    rows = [names.index(lead) for lead in leads]
    return replace(ecg, signal_mv=ecg.signal_mv[rows], leads=leads, notes=notes)
