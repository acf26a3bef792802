"""Every tag about which the simulator speaks: drawn, measured, or implied by what is drawn."""

from train.simulate.choose import catalogue

_RHYTHM = """
normal ECG|sinus rhythm|sinus bradycardia|sinus tachycardia|sinus arrhythmia|atrial fibrillation
atrial flutter|supraventricular tachycardia|paroxysmal supraventricular tachycardia
ventricular tachycardia|junctional rhythm|premature atrial complex|premature ventricular complex
bigeminy|trigeminy|ventricular bigeminy|ventricular trigeminy|ventricular pacing|atrial pacing
second degree AV block type 1|second degree AV block type 2|third degree AV block
absent P waves|irregular RR intervals|sawtooth flutter waves|dropped QRS complexes
AV dissociation|pacing spikes
"""
_MEASURED = """
left axis deviation|right axis deviation|low QRS voltage|high QRS voltage
voltage criteria for left ventricular hypertrophy|tall R waves in V5-V6|tall R wave in V1
deep S waves in V1-V3|deep S waves in I, V5-V6|poor R wave progression|RSR' pattern in V1-V3
broad notched R waves in I, aVL, V5-V6|pathological Q waves
Q waves in inferior leads (II, III, aVF)|Q waves in V1-V4|Q waves in lateral leads (I, aVL, V5-V6)
ST elevation|ST elevation in inferior leads (II, III, aVF)|ST elevation in V1-V4
ST depression|ST depression in inferior leads|ST depression in V4-V6
inverted T waves|inverted T waves in inferior leads|inverted T waves in V1-V4
inverted T waves in lateral leads (I, aVL, V5-V6)|low amplitude T waves|peaked T waves
wide QRS complex|prolonged PR interval|short PR interval|long QT interval
"""
_HEADS = """
premature complex|supraventricular arrhythmia|paced rhythm|conduction disturbance
bundle branch block|left bundle branch block|right bundle branch block|AV block
second degree AV block|myocardial infarction|ST-T change|T wave abnormality|hypertrophy
"""


def _words(text: str) -> set[str]:
    return {tag for line in text.strip().splitlines() for tag in line.split("|")}


VOCABULARY: frozenset[str] = frozenset(
    _words(_RHYTHM)
    | _words(_MEASURED)
    | _words(_HEADS)
    | {mark.tag for state in catalogue().values() for mark in state.marks}
    | {"baseline wander", "muscle artifact", "mains interference"}
)
"""A tag of this set that a simulated ECG neither carries nor implies is truly absent from it."""
