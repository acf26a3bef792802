"""Every tag about which the simulator speaks: claimed, measured, or implied by what is drawn."""

from train.simulate.sampling import catalogue

_TAGS = """
normal ECG|sinus rhythm|sinus bradycardia|sinus tachycardia|sinus arrhythmia|atrial fibrillation
atrial fibrillation with rapid ventricular response|fibrillatory waves
atrial fibrillation with slow ventricular response|atrial flutter|sawtooth flutter waves
atrial flutter with 2:1 conduction|atrial flutter with variable conduction
supraventricular tachycardia|paroxysmal supraventricular tachycardia|retrograde P waves
ventricular tachycardia|monomorphic ventricular tachycardia|junctional rhythm
ventricular escape rhythm|premature atrial complex|premature ventricular complex|premature P wave
premature wide QRS complex|compensatory pause|atrial bigeminy|atrial trigeminy
ventricular bigeminy|ventricular trigeminy|ventricular pacing|atrial pacing|dual chamber pacing
atrial-sensed ventricular pacing|pacing spikes|second degree AV block type 1
second degree AV block type 2|third degree AV block|progressive PR prolongation
dropped QRS complexes|AV dissociation|absent P waves|P wave before every QRS complex
regular RR intervals|irregular RR intervals|tachycardia|bradycardia
narrow complex tachycardia|wide complex tachycardia

left axis deviation|right axis deviation|extreme axis deviation|normal QRS axis
low QRS voltage|low QRS voltage in limb leads|low QRS voltage in chest leads|high QRS voltage
voltage criteria for left ventricular hypertrophy|tall R waves in V5-V6|tall R wave in V1
deep S waves in V1-V3|deep S waves in I, V5-V6|poor R wave progression
normal R wave progression|clockwise rotation|counterclockwise rotation|RSR' pattern in V1-V3
broad notched R waves in I, aVL, V5-V6|pathological Q waves|QS complexes in V1-V2
Q waves in inferior leads (II, III, aVF)|Q waves in V1-V4|Q waves in lateral leads (I, aVL, V5-V6)
ST elevation|ST elevation in inferior leads (II, III, aVF)|ST elevation in V1-V4
ST elevation in lateral leads (I, aVL, V5-V6)|ST elevation in aVR|isoelectric ST segment
ST depression|ST depression in inferior leads|ST depression in V4-V6|ST depression in V1-V3
diffuse ST depression|inverted T waves|inverted T waves in inferior leads
inverted T waves in V1-V4|inverted T waves in lateral leads (I, aVL, V5-V6)
deep T wave inversion|upright T waves|low amplitude T waves|peaked T waves
wide QRS complex|narrow QRS complex|prolonged PR interval|short PR interval
long QT interval|short QT interval

premature complex|supraventricular premature complex|bigeminy|trigeminy|supraventricular arrhythmia
ventricular arrhythmia|paced rhythm|conduction disturbance|bundle branch block|fascicular block
left bundle branch block|right bundle branch block|ventricular preexcitation|bifascicular block
AV block|second degree AV block|myocardial infarction|myocardial ischemia|subendocardial injury
ST-T change|T wave abnormality|hypertrophy|ventricular hypertrophy|left ventricular hypertrophy
atrial enlargement|electrolyte disturbance or drug effect

baseline wander|muscle artifact|mains interference|missing lead|good signal quality
poor signal quality|electrode misplacement
"""
"""Of the rhythm, by measurement, what these belong to, and of the recording."""

VOCABULARY: frozenset[str] = frozenset(
    {tag for line in _TAGS.splitlines() if line for tag in line.split("|")}
    | {mark.tag for state in catalogue().values() for mark in state.marks}
)
"""A tag of this set that a simulated ECG neither carries nor implies is truly absent from it."""
