"""Tags that time decides (intervals, rate, regularity), their places, and what is normal."""

import numpy as np

from focal_app.ecg.recording import LEADS
from train.simulate.heart import Heart
from train.simulate.patient import Patient, corrected_qt_s
from train.simulate.places import Mark, Place, Span, cut
from train.simulate.rhythm import Rhythm

_WHOLE = frozenset(
    {
        "sinus rhythm",
        "atrial fibrillation",
        "atrial flutter",
        "sawtooth flutter waves",
        "absent P waves",
        "supraventricular tachycardia",
        "junctional rhythm",
        "ventricular tachycardia",
        "second degree AV block type 1",
        "second degree AV block type 2",
        "third degree AV block",
        "AV dissociation",
        "ventricular pacing",
        "atrial pacing",
    }
)
"""Facts of a rhythm that fill the recording."""

_HEALTHY = frozenset(
    {
        "sinus rhythm",
        "sinus arrhythmia",
        "irregular RR intervals",
        "baseline wander",
        "muscle artifact",
        "mains interference",
    }
)
"""Tags that leave an ECG normal."""


def interval_marks(heart: Heart, rhythm: Rhythm, patient: Patient) -> list[Mark]:
    """PR and QT of the patient's own beats."""
    marks = []
    conducted = [b.pr_s for b in rhythm.beats if b.kind == "own" and b.p_kind == "sinus" and b.pr_s]
    if conducted:
        if min(conducted) > 0.2:
            marks.append(Mark("prolonged PR interval", ("I", "II", "III", "V1"), "PR"))
        if max(conducted) < 0.12:
            marks.append(Mark("short PR interval", ("I", "II", "V1"), "PR"))
    if corrected_qt_s(heart, patient) >= (0.475 if heart.qrs_s < 0.12 else 0.52):
        marks.append(Mark("long QT interval", ("II", "V2", "V3", "V4", "V5"), "QRST"))
    return marks


def rhythm_places(
    rhythm: Rhythm, spans: list[Span], *, duration_s: float
) -> tuple[set[str], list[Place]]:
    """Tags of the rhythm that show in this recording, and where."""
    tags, places = set(), []
    everywhere = (rhythm.facts & _WHOLE) | _by_rate(rhythm, spans)
    tags |= everywhere
    places += [Place(tag, LEADS, 0.0, duration_s) for tag in sorted(everywhere)]
    for tag, found in (
        ("premature ventricular complex", [s for s in spans if s.kind == "pvc"]),
        ("premature atrial complex", [s for s in spans if s.run == "pac"]),
        ("wide QRS complex", [s for s in spans if s.kind in ("pvc", "wide", "paced")]),
    ):
        placed = [cut(tag, LEADS, *_bounds(tag, s), duration_s=duration_s) for s in found]
        places += [p for p in placed if p is not None]
        if any(placed):
            tags.add(tag)
    for tag in sorted(
        rhythm.facts & {"ventricular bigeminy", "ventricular trigeminy", "bigeminy", "trigeminy"}
    ):
        tags.add(tag)
        places.append(Place(tag, LEADS, 0.0, duration_s))
    more, where = _moments(rhythm, spans, duration_s=duration_s)
    return tags | more, places + where


def _bounds(tag: str, span: Span) -> tuple[float, float]:
    if tag == "wide QRS complex":
        return span.qrs_on_s, span.qrs_off_s
    first = span.qrs_on_s if span.p_on_s is None else span.p_on_s
    return first, span.t_off_s


def _moments(
    rhythm: Rhythm, spans: list[Span], *, duration_s: float
) -> tuple[set[str], list[Place]]:
    """Facts with a moment: dropped beats, spikes, a run of tachycardia."""
    places = [
        cut("dropped QRS complexes", LEADS, start + 0.35, end, duration_s=duration_s)
        for start, end in rhythm.dropped
    ]
    spikes = [b.spike_s for b in rhythm.beats if b.spike_s is not None] + list(
        rhythm.atrial_spikes_s
    )
    places += [
        cut("pacing spikes", LEADS, t - 0.01, t + 0.03, duration_s=duration_s) for t in spikes
    ]
    run = [s for s in spans if s.run == "svt"]
    if run:
        tag = "paroxysmal supraventricular tachycardia"
        places.append(cut(tag, LEADS, run[0].qrs_on_s, run[-1].t_off_s, duration_s=duration_s))
    kept = [p for p in places if p is not None]
    return {p.tag for p in kept}, kept


def _by_rate(rhythm: Rhythm, spans: list[Span]) -> set[str]:
    """Sinus brady- and tachycardia, sinus arrhythmia, irregular RR: from the drawn beats."""
    at = np.array([s.qrs_on_s for s in spans])
    rr = np.diff(at)
    if len(rr) < 2:
        return set()
    found = set()
    premature = any(s.kind == "pvc" or s.run for s in spans)
    if rr.std() / rr.mean() > 0.1:
        found.add("irregular RR intervals")
    if "sinus rhythm" in rhythm.facts and not any(s.run == "svt" for s in spans):
        rate = 60 / float(np.median(rr))
        if rate > 100:
            found.add("sinus tachycardia")
        if rate < 60:
            found.add("sinus bradycardia")
        if not premature and np.ptp(rr) > 0.16 and np.ptp(rr) > 0.15 * rr.mean():
            found.add("sinus arrhythmia")
    return found


def is_normal(tags: set[str], rhythm: Rhythm, patient: Patient) -> bool:
    """Whether nothing beyond health was claimed or measured."""
    healthy = set(_HEALTHY)
    if patient.rate_bpm >= 50:
        healthy.add("sinus bradycardia")
    return "sinus rhythm" in rhythm.facts and tags <= healthy
