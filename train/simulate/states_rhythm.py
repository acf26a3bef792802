"""States of rhythm, ectopy, pacing and recording quality: claims and slots only.

What they do to time is in `timing`; here stands what goes with what.
"""

from train.simulate.state import ALL_SLOTS, State

_NO_P = frozenset({"rhythm", "av", "atria"})
_SINUS = frozenset({"rhythm"})
_WIDE = ALL_SLOTS
_HEART = {
    "left ventricular hypertrophy": 1.0,
    "nondiagnostic T wave abnormality": 1.0,
    "old inferior myocardial infarction": 0.6,
    "complete left bundle branch block": 0.5,
    "complete right bundle branch block": 0.5,
    "incomplete right bundle branch block": 0.5,
    "nonspecific ST change": 0.8,
    "ST depression": 0.5,
    "left anterior fascicular block": 0.5,
    "old anteroseptal myocardial infarction": 0.5,
    "myocardial ischemia": 0.4,
}
_AF = {
    **_HEART,
    "digitalis effect": 1.5,
    "premature ventricular complex": 1.5,
    "low QRS voltage": 0.4,
}


def rhythm_states() -> list[State]:
    """Rhythms, ectopic beats and pacing.

    Slow is below 60 a minute, fast above 100; a junction escapes at 40 to 60; the ranges keep a
    little away from these limits.
    """
    return [
        _of_the_healthy("sinus bradycardia", 3.0, _SINUS, rate_bpm=(38, 58)),
        State("sinus tachycardia", 3.0, _SINUS, rate_bpm=(102, 145), companions=_HEART),
        _of_the_healthy("sinus arrhythmia", 3.0, _SINUS, rate_bpm=(55, 85)),
        State("atrial fibrillation", 5.0, _NO_P, rate_bpm=(55, 135), companions=_AF),
        State("atrial flutter", 1.0, _NO_P | {"ectopy"}, companions=_HEART),
        State("supraventricular tachycardia", 0.8, _NO_P | {"ectopy"}, rate_bpm=(145, 210)),
        State(
            "paroxysmal supraventricular tachycardia", 0.4, _NO_P | {"ectopy"}, rate_bpm=(66, 92)
        ),
        State("junctional rhythm", 0.6, _NO_P | {"ectopy"}, rate_bpm=(40, 62), companions=_HEART),
        State("ventricular tachycardia", 0.5, _WIDE, rate_bpm=(125, 200)),
        State("ventricular pacing", 1.8, _WIDE, rate_bpm=(58, 82)),
        State("atrial pacing", 0.4, _NO_P, rate_bpm=(60, 85), companions=_HEART),
        _of_the_healthy("premature ventricular complex", 4.0, frozenset({"ectopy"})),
        State("ventricular bigeminy", 0.5, frozenset({"ectopy"}), companions=_HEART),
        State("ventricular trigeminy", 0.4, frozenset({"ectopy"}), companions=_HEART),
        _of_the_healthy("premature atrial complex", 2.5, frozenset({"ectopy"})),
        State("atrial bigeminy", 0.2, frozenset({"ectopy"}), companions={}),
        State("atrial trigeminy", 0.2, frozenset({"ectopy"}), companions={}),
    ]


def _of_the_healthy(
    name: str, weight: float, slots: frozenset[str], rate_bpm: tuple[float, float] | None = None
) -> State:
    """What healthy hearts have too."""
    return State(name, weight, slots, rate_bpm=rate_bpm, companions=_HEART, of_the_healthy=True)


TECHNICAL = ("baseline wander", "muscle artifact", "mains interference")
"""Recording faults that may be asked for beside any state."""
