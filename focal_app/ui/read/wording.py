"""What the Read tab says of measurements, and of findings beside them."""

from collections.abc import Sequence

from focal_app.ecg.measured import Measured
from focal_app.ecg.measurement_names import Named
from focal_app.explore.measured.sentences import first_line
from focal_app.explore.reading.reading import MODEL_AND_MEASUREMENTS, Finding, percent

MEASURED = "Measured"
RHYTHM, PACING = "Rhythm", "Pacing"
P_WAVES, UNRELATED, EARLY_BEATS = "P waves", "unrelated to QRS", "Early beats"
MEASURED_HELP = "estimates, apart from what the model says"
AMPLITUDES, HOW = "Amplitudes.", "How, and how sure"
HOW_HELP = (
    "A small network of its own marks P, QRS and T in every lead. Each value is the median over "
    "beats, then over leads (QRS and QT from at least 3 leads, PR from 4); after ± stands half the "
    "range of the middle half of the leads, for the rate of the single beats. A dash means that "
    "leads disagree or that there is nothing to measure, such as no PR without P waves. Axis: net "
    "area of QRS in I and aVF. Spikes: in the signal as recorded, before any filter of ours; the "
    "small ones of bipolar pacing may be filtered away by the device. Early beats: before three "
    "quarters of the usual RR, where the rhythm is steady otherwise and has P waves; QRS is the "
    "widest. Not for diagnosis."
)
HEIGHTS_HELP = (
    "Amplitudes are medians over beats, from the level just before QRS; none beside pacing spikes. "
    "Lowest ST: 60 ms after QRS, as low in two of I, II, aVL, aVF, V3 to V6. Lateral T: the mean "
    "peak of I, II, V4 to V6. Lowest T: in percent of R (or of 0.3 mV, whichever is more), in the "
    "one that has least; low below 10 %, inverted below 0, and no sign beside a QRS of 120 ms. "
    "Sokolow-Lyon: S in V1 and the taller R of V5 and V6; 3.5 mV is the usual line for adults. "
    "Cornell: R in aVL and S in V3; 2.8 mV in men, 2.0 in women. Limb QRS: "
    "the largest of the limb leads, low below 0.5 mV. R V2 to V4: the smallest. Inferior Q: how "
    "deep in two of II, III and aVF, against R or 0.4 mV, whichever is more; a quarter is deep. "
    "Inferior Q or rS: the same where an r below 0.1 mV may go before; a block of the left "
    "anterior fascicle makes it too, so that it tells no more than Q does where the axis lies from "
    "−30° to −90° or is not measured. Q V2, V3: how long the longer one lasts before any R; "
    "20 ms is long. "
    "S V6: after R. Late R V1: the highest peak of the second half of QRS, over where QRS ends. "
    "Young and slim people reach these lines too."
)
NOTHING_MEASURED = "No beats were found that could be measured."
OTHER_PATIENTS = (
    "Training has seen other patients of the same source, labelled in the same way, and choices "
    "were made on these recordings."
)
NOT_HELD_OUT = "How well this is told was not measured on held-out real recordings."
FEW_EXAMPLES = ", from too few examples to rely on"
BY_OWN_PROMPT = " by its own prompt"
MADE_OF_MODEL = "Made of the model's score alone."
RULE = "When a measurement decides"
CONTRADICTED = "Contradicted by what is measured"
NONE_PROBABLE = "Nothing that was asked is probable"
ALL_CONTRADICTED = "All that is probable is contradicted by what is measured"
MOST_NAMED = 4


def device(one: Named) -> str:
    """The cardiograph's own value."""
    return f"device {one.device}"


def rr_variation(percent: float) -> str:
    """By how much RR varies."""
    return f"RR ± {percent:.0f} %"


def others(count: int) -> str:
    """What the folded part of the list holds."""
    return f"{count} other{'' if count == 1 else 's'} below 10 %"


def beside(finding: Finding) -> str:
    """What a measurement says of a finding, in its row."""
    if finding.measured is None:
        return ""
    if finding.contradicted:
        return "" if finding.improbable else f"but {finding.measured}"
    if finding.contradicted is None:
        return f"measured: {finding.measured}" if finding.likely else ""
    return f"fits: {finding.measured}"


def evidence(finding: Finding) -> str:
    """The same on demand, and what was measured where that decides nothing."""
    if finding.measured is None:
        return ""
    nothing = "this decides nothing"
    if finding.made_of == MODEL_AND_MEASUREMENTS:
        nothing = "this alone decides nothing, but counts in the percentage"
    decided = {True: "this contradicts it", False: "this fits", None: nothing}
    return f"Measured: {finding.measured}; {decided[finding.contradicted]}."


def trust(finding: Finding) -> str:
    """How far a finding may be trusted: what was measured on recordings that were held out."""
    one = finding.held_out
    if one is None:
        return NOT_HELD_OUT
    few = FEW_EXAMPLES if one.few else ""
    own = BY_OWN_PROMPT if one.by_own_prompt else ""
    return (
        f"On {one.recordings} real recordings of held-out patients, {one.positives} of them with "
        f"it: AUC {one.auc:.2f}{own}{few}. {OTHER_PATIENTS}"
    )


def made_of(finding: Finding) -> str:
    """What the percentage is made of, and the model's own where that differs."""
    if finding.model_probability is None:
        return MADE_OF_MODEL
    own = percent(finding.model_probability)
    if finding.left_by:
        most = f"{finding.left_by} {percent(1 - finding.probability)}"
        return f"Made of {finding.made_of}: 100 % less {most};{BY_OWN_PROMPT}: {own}."
    if finding.raised_by:
        return f"Made of the percentage of {finding.raised_by};{BY_OWN_PROMPT}: {own}."
    return f"Made of {finding.made_of}; the model alone: {own}."


def in_short(likely: Sequence[Finding], found: Measured, *, against: bool = False) -> str:
    """One sentence: what is probable and stands, and what was measured.

    `against` says that something is probable and contradicted.
    """
    named = ", ".join(f"{one.prompt} ({percent(one.probability)})" for one in likely[:MOST_NAMED])
    more = f" and {len(likely) - MOST_NAMED} more" if len(likely) > MOST_NAMED else ""
    none = ALL_CONTRADICTED if against else NONE_PROBABLE
    probably = f"Probably: {named}{more}" if named else none
    line = first_line(found)
    return f"{probably}; measured: {line}." if line else f"{probably}."


def against(finding: Finding) -> str:
    """A likely finding, and what contradicts it."""
    return f"{finding.prompt} {percent(finding.probability)}: but {finding.measured}"
