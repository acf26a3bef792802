"""Tags of intervals and of health: what the drawn times say, and whether all is well."""

from train.simulate.heart import Heart
from train.simulate.patient import Patient, corrected_qt_s
from train.simulate.places import Mark
from train.simulate.rhythm import Rhythm
from train.simulate.tagging import HEALTHY, P_SEEN

_HEALTHY = HEALTHY | {
    "sinus rhythm",
    "sinus arrhythmia",
    "irregular RR intervals",
    "regular RR intervals",
    "P wave before every QRS complex",
    "baseline wander",
    "muscle artifact",
    "mains interference",
    "missing lead",
    "good signal quality",
    "poor signal quality",
}
"""Tags that leave an ECG normal."""

_SLOW = frozenset({"sinus bradycardia", "bradycardia"})
_YOUNG = frozenset(
    {
        "voltage criteria for left ventricular hypertrophy",
        "tall R waves in V5-V6",
        "deep S waves in V1-V3",
        "high QRS voltage",
    }
)
"""Large voltages, which are common in healthy young adults."""
_YOUNG_YEARS = 45
"""Chosen: below it, large voltages alone leave an ECG normal."""
_LONG_QTC_S, _LONG_QTC_WIDE_S, _SHORT_QTC_S = 0.475, 0.52, 0.34
"""QTc is long from 450 ms in men and 460 in women (AHA/ACCF/HRS, J Am Coll Cardiol 53:982, 2009):
a tag is given beyond both, and later where QRS is wide, whose excess lengthens QT. Short up to
340 ms, as in the short QT syndrome (ESC, Eur Heart J 36:2793, 2015)."""
_QT_LEADS = ("I", "II", "V2", "V3", "V4", "V5", "V6")


def interval_marks(heart: Heart, rhythm: Rhythm, patient: Patient) -> list[Mark]:
    """PR (usual: 120 to 200 ms) and QT of the patient's own beats."""
    marks = []
    conducted = [b.pr_s for b in rhythm.beats if b.kind == "own" and b.p_kind == "sinus" and b.pr_s]
    if conducted:
        if min(conducted) > 0.2:
            marks.append(Mark("prolonged PR interval", P_SEEN, "PR"))
        if max(conducted) < 0.12:
            marks.append(Mark("short PR interval", P_SEEN, "PR"))
    corrected = corrected_qt_s(heart, patient)
    if corrected >= (_LONG_QTC_S if heart.qrs_s < 0.12 else _LONG_QTC_WIDE_S):
        marks.append(Mark("long QT interval", _QT_LEADS, "QRST"))
    if corrected < _SHORT_QTC_S:
        marks.append(Mark("short QT interval", _QT_LEADS, "QRST"))
    return marks


def healthy_tags(patient: Patient) -> frozenset[str]:
    """Measured tags that are healthy in this patient."""
    return HEALTHY | (_YOUNG if patient.age_years < _YOUNG_YEARS else frozenset())


def is_normal(tags: set[str], rhythm: Rhythm, patient: Patient) -> bool:
    """Whether nothing beyond health was claimed or measured; a rate from 50 a minute is healthy."""
    slow = _SLOW if patient.rate_bpm >= 50 else frozenset()
    fine = _HEALTHY | healthy_tags(patient) | slow
    return "sinus rhythm" in rhythm.facts and tags <= fine
