"""A normal ECG is told as what other findings leave: 1 less the most probable of fifteen kinds.

left(np.array([0.01, 0.03, 0.92, 0.02, *[0.1] * 11]))    # 0.08, left by a conduction disturbance

An abnormal ECG is told as that most probable one, so that the two are 1 together.

Nothing of it is fitted. By its own prompt the model gives half of the normal ECGs that it has not
seen less than 50 %; `python -m tests.benchmarks.normal` holds one against the other.
"""

import numpy as np
from jaxtyping import Float

NORMAL, ABNORMAL = "normal ECG", "abnormal ECG"
KINDS = (
    *("ST-T change", "myocardial infarction", "conduction disturbance", "hypertrophy"),
    *("cardiac arrhythmia", "AV block", "paced rhythm"),
    *("wide QRS complex", "absent P waves", "AV dissociation", "pacing spikes"),
    *("extreme axis deviation", "long QT interval"),
    *("Q waves in inferior leads (II, III, aVF)", "Q waves in V1-V4"),
)
"""What is not normal, kind by kind. The lexicon lets no normal ECG show one of the first four; an
arrhythmia is one beyond the sinus rhythms. An AV block is a conduction disturbance, but narrow QRS
complexes speak against one and not against the other. A pacemaker may keep all of these silent. The
last eight are measured, and abnormal by the lexicon, whatever the others say."""


def left(kinds: Float[np.ndarray, "*n 15"]) -> Float[np.ndarray, "*n"]:
    """The probability of a normal ECG beside those of `KINDS`, each as it is told."""
    return 1 - kinds.max(-1)
