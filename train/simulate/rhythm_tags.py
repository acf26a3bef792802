"""Tags of the rhythm as it was drawn, and where they show."""

import numpy as np

from focal_app.ecg.recording import LEADS
from focal_app.lexicon import load_lexicon
from train.simulate.places import Mark, Place, Span, cut, place_mark
from train.simulate.rhythm import Rhythm
from train.simulate.tagging import P_SEEN

_PATTERNS = frozenset(
    {
        "ventricular bigeminy",
        "ventricular trigeminy",
        "atrial bigeminy",
        "atrial trigeminy",
        "progressive PR prolongation",
        "retrograde P waves",
    }
)
_SINUS = frozenset(
    {
        "sinus rhythm",
        "sinus arrhythmia",
        "sinus bradycardia",
        "sinus tachycardia",
        "P wave before every QRS complex",
    }
)
"""Told by P waves, on which they show."""
_MOMENTS = _PATTERNS | {
    "premature ventricular complex",
    "premature atrial complex",
    "paroxysmal supraventricular tachycardia",
    "pacing spikes",
    "dropped QRS complexes",
    "wide QRS complex",
}
"""Facts with moments of their own, or that must be looked up in the drawn beats."""


def rhythm_places(rhythm: Rhythm, spans: list[Span], *, duration_s: float) -> list[Place]:
    """A place for every tag of the rhythm that shows in this recording.

    What fills the recording shows in the leads that the lexicon names for it.
    """
    whole = (rhythm.facts - _MOMENTS) | _regularity(rhythm, spans) | _rate(rhythm, spans)
    whole |= rhythm.facts & _PATTERNS
    if spans and all(span.p_on_s is not None for span in spans):
        whole |= {"P wave before every QRS complex"}
    places = []
    for tag in sorted(whole):
        leads = load_lexicon()[tag].leads or LEADS
        waves = _p_waves(tag, spans, leads, duration_s) if tag in _SINUS else []
        places += waves or [Place(tag, leads, 0.0, duration_s)]
    for made in (_ectopics(spans, rhythm, duration_s), _moments(rhythm, spans, duration_s)):
        places += [place for place in made if place is not None]
    return places


def _p_waves(tag: str, spans: list[Span], leads: tuple[str, ...], duration_s: float) -> list[Place]:
    """A place on every P wave of the sinus node before a beat."""
    p = Mark(tag, leads, "P", kinds=("own", "paced"))
    own = [span for span in spans if span.run != "pac"]
    return place_mark(p, own, duration_s=duration_s)


def _ectopics(spans: list[Span], rhythm: Rhythm, duration_s: float) -> list[Place | None]:
    """Premature beats and what goes with them; wide beats of other origin."""
    made: list[Place | None] = []
    for index, span in enumerate(spans):
        on, off, end = span.qrs_on_s, span.qrs_off_s, span.t_off_s
        if span.kind == "pvc":
            tag = "premature ventricular complex"
            made.append(cut(tag, LEADS, on, end, duration_s=duration_s))
            made.append(cut("premature wide QRS complex", LEADS, on, off, duration_s=duration_s))
            if "sinus rhythm" in rhythm.facts and index + 1 < len(spans):
                stop = spans[index + 1].qrs_on_s
                made.append(cut("compensatory pause", LEADS, end, stop, duration_s=duration_s))
        if span.run == "pac":
            first = on if span.p_on_s is None else span.p_on_s
            made.append(cut("premature atrial complex", LEADS, first, end, duration_s=duration_s))
            if span.p_on_s is not None and span.p_off_s is not None:
                bounds = (span.p_on_s, span.p_off_s)
                made.append(cut("premature P wave", P_SEEN, *bounds, duration_s=duration_s))
        if span.kind in ("wide", "paced"):
            made.append(cut("wide QRS complex", LEADS, on, off, duration_s=duration_s))
    return made


def _moments(rhythm: Rhythm, spans: list[Span], duration_s: float) -> list[Place | None]:
    """Pauses, spikes, and a run of tachycardia."""
    made = [
        cut("dropped QRS complexes", LEADS, start + 0.35, end, duration_s=duration_s)
        for start, end in rhythm.dropped
    ]
    spikes = [b.spike_s for b in rhythm.beats if b.spike_s is not None]
    for time in (*spikes, *rhythm.atrial_spikes_s):
        made.append(cut("pacing spikes", LEADS, time - 0.01, time + 0.03, duration_s=duration_s))
    run = [span for span in spans if span.run == "svt"]
    if run:
        tag = "paroxysmal supraventricular tachycardia"
        bounds = (run[0].qrs_on_s, run[-1].t_off_s)
        made.append(cut(tag, LEADS, *bounds, duration_s=duration_s))
    return made


def _regularity(rhythm: Rhythm, spans: list[Span]) -> set[str]:
    """Regular or not, from the spread of RR; from 160 ms between RR on, sinus arrhythmia."""
    rr = np.diff([span.qrs_on_s for span in spans])
    if len(rr) < 2:
        return set()
    calm = not any(span.kind == "pvc" or span.run for span in spans)
    swings = float(np.ptp(rr)) > max(0.16, 0.15 * rr.mean())
    if "sinus rhythm" in rhythm.facts and calm and swings:
        return {"sinus arrhythmia", "irregular RR intervals"}
    irregular = rr.std() > 0.08 * rr.mean()
    return {"irregular RR intervals" if irregular else "regular RR intervals"}


def _rate(rhythm: Rhythm, spans: list[Span]) -> set[str]:
    """Fast (over 100 a minute) or slow (below 60), and what that makes of the rhythm."""
    rr = np.diff([span.qrs_on_s for span in spans])
    if len(rr) < 2 or any(span.run == "svt" for span in spans):
        return set()
    fibrillating = "atrial fibrillation" in rhythm.facts
    bpm = 60 / float(rr.mean() if fibrillating else np.median(rr))
    if 60 <= bpm <= 100:
        return set()
    speed = "tachycardia" if bpm > 100 else "bradycardia"
    found = {speed}
    if "sinus rhythm" in rhythm.facts:
        found.add(f"sinus {speed}")
    if fibrillating:
        pace = "rapid" if bpm > 100 else "slow"
        found.add(f"atrial fibrillation with {pace} ventricular response")
    if speed == "tachycardia":
        wide = max(span.qrs_off_s - span.qrs_on_s for span in spans if span.kind != "pvc") >= 0.12
        found.add(f"{'wide' if wide else 'narrow'} complex tachycardia")
    return found
