"""What is measured out of the ordinary, and no probable finding names or accounts for.

    unnamed(found, ["sinus rhythm"])    # (Unnamed("wide QRS complex", "QRS 154 ms"),)

The model misses findings. A wide QRS beside nothing that widens it shows that it did.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass

from focal_app.ecg.measured import Measured
from focal_app.explore.measured.contradictions import judged
from focal_app.lexicon import load_lexicon

HEADING = "Measured, and named by no probable finding"
VOLTAGE = "voltage criteria for left ventricular hypertrophy"
NOTABLE = (
    *("tachycardia", "bradycardia", "prolonged PR interval", "short PR interval"),
    *("wide QRS complex", "long QT interval", "pacing spikes"),
    *("left axis deviation", "right axis deviation"),
    *("low QRS voltage", "ST depression", "AV dissociation"),
    *("premature ventricular complex", "supraventricular premature complex"),
)
SLOW_PER_MIN = 50
"""The line of ACC/AHA/HRS 2018; from there to 60/min many readers say sinus rhythm and no more."""
LEFT, WIDE_MS = "left ventricular hypertrophy", 120.0
HIGH_MV = 3.5
"""Cornell's voltage from which it is told. Three of 344 recordings of PTB-XL have it with a narrow
QRS, all labelled hypertrophy; of twelve from the criterion itself, 2.8 mV, on three are labelled
normal. By Sokolow and Lyon's the healthy young are told."""
PACED = ("wide QRS complex", "long QT interval", "left axis deviation", "right axis deviation")
"""What goes without saying where the ventricles are paced: the stimulus widens QRS, and with it QT
and axis are not the patient's own."""


@dataclass(frozen=True)
class Unnamed:
    """A statement that the measurements support, and the value in words."""

    statement: str
    measured: str

    @property
    def said(self) -> str:
        """Both in one: "wide QRS complex (QRS 154 ms)"."""
        return f"{self.statement} ({self.measured})"


def unnamed(found: Measured, probable: Sequence[str]) -> tuple[Unnamed, ...]:
    """What is supported by its rule, of those that no probable prompt says, implies or shows by."""
    supported = {
        name: judgement.measured or ""
        for name in NOTABLE
        if (judgement := judged(found, name)).contradicted is False
    }
    named = set(_accounted(probable))
    if high := _high_voltage(found, named):
        supported[VOLTAGE] = high
    if "wide QRS complex" in supported:
        named.add("ST depression")  # A wide QRS takes ST along.
    if {"pacing spikes", "wide QRS complex"} <= supported.keys():
        named.update(PACED)
    if (found.value("rate_per_min") or 0) >= SLOW_PER_MIN:
        named.add("bradycardia")
    return tuple(Unnamed(*pair) for pair in supported.items() if pair[0] not in named)


def _high_voltage(found: Measured, named: Set[str]) -> str:
    """Cornell's voltage in words, where it is high beside a QRS that is measured as narrow.

    Nothing where hypertrophy of the left ventricle is named, or hypertrophy of none by name.
    """
    height_mv, qrs_ms = found.value("cornell_mv"), found.value("qrs_ms")
    if height_mv is None or qrs_ms is None or height_mv < HIGH_MV or qrs_ms >= WIDE_MS:
        return ""
    right = "right ventricular hypertrophy" in named
    if "wide QRS complex" in named or LEFT in named or ("hypertrophy" in named and not right):
        return ""
    return f"Cornell {height_mv:.1f} mV"


def _accounted(prompts: Sequence[str]) -> frozenset[str]:
    """What these prompts say, all that it implies, and the features of either."""
    lexicon = load_lexicon()
    said = [one.tag for prompt in prompts if (one := lexicon.resolve(prompt))]
    tags = lexicon.with_implied(said)
    return tags | lexicon.signs(tags)
