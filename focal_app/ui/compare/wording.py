"""Every sentence of the tab Compare."""

from focal_app.ecg.axis import shorter_way
from focal_app.ecg.numerals import numeral
from focal_app.explore.comparing.changes import CLEARLY, Change, FindingChange
from focal_app.explore.comparing.comparison import Comparison
from focal_app.explore.measured.sentences import pacing
from focal_app.explore.reading.reading import LIKELY, percent

TAB = "Compare"
INTRO = (
    "The ECG that is open in Read, below an earlier one of the same patient: what is new, what is "
    "gone, what is as before."
)
CASE = "Earlier ECG: a simulated case"
UPLOAD = "Upload the earlier ECG"
PRIVATE = "It is treated as every upload: read, held in memory for this visit, deleted from disk."
NOT_CHOSEN = "Choose or upload the earlier ECG of the patient."
EARLIER, LATER = "Earlier", "Now, as in Read"
MEASURED, FINDINGS, PACING = "Measurements", "Findings", "Pacing"
HEADINGS = ("", "Earlier", "Now", "Change", "")
NOTHING = "No finding is or was likely."
RULE = (
    "A measurement counts as changed when it moved by more than the spreads of both together and "
    "more than measuring can be off. A finding is new or gone when its probability crossed "
    f"{percent(LIKELY)} by at least {100 * CLEARLY:.0f} points. Findings that are unlikely in both "
    "are left out."
)


def bare_table(kind: str) -> str:
    """An earlier ECG that is mere numbers: only Read has the form that asks what they are."""
    return (
        f"Found a table ({kind}), which does not say for certain its rate, unit and leads; they "
        "are needed to compare. Open it in Read first and tell them there, take the recording away "
        "as WFDB or DICOM, and upload that here."
    )


def values(change: Change) -> tuple[str, str, str]:
    """A measurement then and now, and how much it grew."""
    then, now = (change.name.amount(one.value) for one in (change.earlier, change.later))
    grown = "" if change.by is None else numeral(_as_shown(change), f"+{change.name.form}")
    return then, now, grown


def _as_shown(change: Change) -> float:
    """How much a value grew, as a reader counts it: 65 to 73 is 8, though it were 8.6."""
    pair = (change.earlier.value or 0.0, change.later.value or 0.0)
    then, now = (float(format(value, change.name.form)) for value in pair)
    return shorter_way(now - then) if change.field == "axis_degrees" else now - then


def pacing_of(comparison: Comparison) -> tuple[str, str, str]:
    """Spikes of a pacemaker then and now."""
    return pacing(comparison.earlier.measured), pacing(comparison.later.measured), ""


def probabilities(change: FindingChange) -> tuple[str, str, str]:
    """A finding then and now, and by how many points it grew."""
    then, now = (round(100 * one.probability) for one in (change.earlier, change.later))
    points = numeral(now - then, "+.0f")
    return percent(change.earlier.probability), percent(change.later.probability), points
