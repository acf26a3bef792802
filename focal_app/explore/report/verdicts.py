"""What the ECG holds of a statement, in plain words: supported, undecided, not supported.

    of_finding(tag, finding, zones)     # Verdict("supported", "the model finds it (94 %)")

The zone is that of the probability that Read tells. A measurement that contradicts a statement
takes it one zone down; one that meets the very definition of it ("prolonged PR interval") one zone
up. What the report denies is turned round: where the model does not find it either, the denial is
supported.
"""

from dataclasses import dataclass
from math import isinf

from focal_app.ecg.measurement_names import NAMES
from focal_app.explore.reading.prompts import scored
from focal_app.explore.reading.reading import Finding, percent
from focal_app.explore.reading.zones import NOT_SUPPORTED, SUPPORTED, UNDECIDED, Zones
from focal_app.explore.report.values import READERS_DIFFER, Held
from focal_app.words.leads import notation
from focal_app.words.statements import ReportTag

NOT_MEASURED, NOT_CHECKED = "cannot be measured here", "not checked"
VERDICTS = (SUPPORTED, UNDECIDED, NOT_SUPPORTED, NOT_MEASURED, NOT_CHECKED)
BY_MEASURE = frozenset(
    [
        *("tachycardia", "bradycardia", "sinus tachycardia", "sinus bradycardia"),
        *("prolonged PR interval", "short PR interval", "first degree AV block"),
        *("wide QRS complex", "narrow QRS complex", "long QT interval", "short QT interval"),
        *("left axis deviation", "right axis deviation", "extreme axis deviation"),
        "normal QRS axis",
        *("regular RR intervals", "irregular RR intervals", "pacing spikes"),
    ]
)
"""Statements that a measurement alone decides; a wide QRS supports no bundle branch block."""
_STEPS = (NOT_SUPPORTED, UNDECIDED, SUPPORTED)
_MODEL = {
    SUPPORTED: "the model finds it",
    UNDECIDED: "the model leaves it open",
    NOT_SUPPORTED: "the model does not find it",
}
UNKNOWN = "not a known ECG term"


@dataclass(frozen=True)
class Verdict:
    """One of `VERDICTS`, and why, in words that can stand behind it."""

    name: str
    why: str


def of_finding(tag: ReportTag, finding: Finding, zones: Zones) -> Verdict:
    """What the ECG holds of a statement that the model was asked about."""
    if not tag.known:
        return Verdict(NOT_CHECKED, f"{UNKNOWN}; scored as typed, a likeness and no verdict")
    found = of_feature(finding, zones, denied=tag.denied)
    notes = [found.why]
    if tag.denied and found.name == SUPPORTED:
        notes = [f"{found.why}, which the report denies"]
    elif tag.denied and found.name == NOT_SUPPORTED and finding.contradicted:
        notes = [f"{found.why}, as the report says"]
    if tag.narrower:
        notes.append(f"looked for in {notation(tag.narrower)} alone")
    if tag.age in {"old", "new"} and not {"acute", "old"} & {*tag.tag.split()}:
        notes.append("old and new look alike to it")
    return Verdict(_turned(found.name) if tag.denied else found.name, "; ".join(notes))


def of_feature(finding: Finding, zones: Zones, *, denied: bool = False) -> Verdict:
    """What the ECG holds of a finding; of one that is `denied` the words say what is meant."""
    zone = zones.of(finding.probability)
    joined, step = finding.model_probability is not None, _STEPS.index(zone)
    told, what = _told(finding), "what is denied" if denied else "it"
    why = f"Read tells {what} at {told}" if joined else f"{_MODEL[zone]} ({told})"
    if finding.measured:
        why = f"{why}; measured {finding.measured}"
    if finding.contradicted:
        return Verdict(_STEPS[max(step - 1, 0)], f"{why}: against it")
    fits = finding.contradicted is False
    if fits:
        why = f"{why}: fits what is denied" if denied else f"{why}: fits"
    defined = scored(finding.prompt).words in BY_MEASURE
    if defined and joined and finding.measured and not fits:
        return Verdict(_STEPS[min(step, 1)], why)  # of two axes one is supported
    return Verdict(_STEPS[min(step + (fits and defined), 2)], why)


def of_value(held: Held, *, denied: bool) -> Verdict:
    """What the measurement holds of a stated value.

    A bound, "PR over 200 ms", is not met from below it: within what readers differ by it is open.
    """
    if held.measured is None or held.off is None:
        return Verdict(NOT_MEASURED, f"no such value could be measured{_device(held)}")
    apart, bound = abs(held.off), isinf(held.value.low) or isinf(held.value.high)
    fits = apart <= held.tolerance and not (bound and round(apart))
    far = apart > (held.tolerance if bound else 2 * held.tolerance)
    zone = _STEPS[2 - (not fits) - far]
    return Verdict(_turned(zone) if denied else zone, _measured(held))


def unknown() -> Verdict:
    """Words that are no finding of an ECG."""
    return Verdict(NOT_CHECKED, UNKNOWN)


def _measured(held: Held) -> str:
    measured, off = held.measured or 0.0, held.off or 0.0
    said = f"measured {_amount(held, measured)}"
    if round(off):
        side = "more" if off > 0 else "less"
        said += f", {_amount(held, abs(off))} {side}"
    if abs(off) > held.tolerance:
        said += f"; {_room(held)}"
    formula = " by Fridericia" if "fridericia" in held.value.name else ""
    return f"{said}{formula}{_device(held)}"


def _room(held: Held) -> str:
    """Why a difference is not yet a contradiction."""
    if held.tolerance > READERS_DIFFER[held.value.name]:
        return f"leads or beats differ by {_amount(held, held.tolerance)}"
    return f"readers differ by {_amount(held, held.tolerance)}"


def _device(held: Held) -> str:
    return "" if held.device is None else f"; the cardiograph wrote {_amount(held, held.device)}"


def _amount(held: Held, value: float) -> str:
    return NAMES[held.value.name].amount(value)


def _told(finding: Finding) -> str:
    """The percentage that Read tells, and what it would be without what joins it."""
    told = _percent(finding.probability)
    alone = _percent(finding.own_probability)
    if finding.left_by:
        return f"{told}, 100 % less {finding.left_by} {percent(1 - finding.probability)}"
    if told == alone:
        return told
    if finding.raised_by:
        return f"{told} by {finding.raised_by}, {alone} by its own prompt"
    return f"{told} with what is measured, {alone} without"


def _percent(probability: float) -> str:
    """As everywhere, but that what is open is told from what is not found."""
    tenths = 0.001 <= probability < 0.01
    return f"{100 * probability:.1f} %" if tenths else percent(probability)


def _turned(zone: str) -> str:
    return _STEPS[2 - _STEPS.index(zone)]
