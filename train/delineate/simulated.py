"""Simulated leads whose waves are known, for rhythms of which LUDB has few or none.

The simulator knows which wave is where, cardiologists know where they would put its ends: so close
to a boundary nothing is taught here, and boundaries are learnt from LUDB alone.
"""

from collections.abc import Iterator

import numpy as np

from focal_app.ecg.delineation_signal import DelineationSignal
from focal_app.ecg.lead_waves import QRS, P, T
from train.delineate.leads import KnownLeads, blur, mark
from train.simulate import simulate
from train.simulate.simulator import DrawnWaves

STATES = (
    ("atrial fibrillation",),
    ("atrial fibrillation",),
    ("atrial fibrillation", "complete left bundle branch block"),
    ("atrial flutter",),
    ("ventricular pacing",),
    ("ventricular pacing",),
    ("premature ventricular complex",),
    ("ventricular bigeminy",),
    ("premature atrial complex",),
    ("complete left bundle branch block",),
    ("complete right bundle branch block",),
    ("junctional rhythm",),
    ("sinus tachycardia",),
    ("sinus bradycardia",),
    ("supraventricular tachycardia",),
    ("ventricular tachycardia",),
    ("second degree AV block type 1",),
    ("third degree AV block",),
    None,
    None,
)
"""What is drawn in turn; None is a random patient."""
_REACH_S = {P: (0.012, 0.02), QRS: (0.012, 0.016), T: (0.05, 0.06)}
_SEED = 5_000_000


def simulated_leads(count: int, settings: DelineationSignal) -> Iterator[KnownLeads]:
    """So many recordings, always the same."""
    for number in range(count):
        states = STATES[number % len(STATES)]
        drawn = simulate(_SEED + number, states=states)
        signal = settings.prepared(drawn.ecg.signal_mv, drawn.ecg.sampling_rate_hz)
        row = _classes(drawn.waves, signal.shape[1], settings.sampling_rate_hz)
        flat = ~(np.abs(signal).max(axis=1) > 0)
        yield KnownLeads(signal, np.where(flat[:, None], 0, row[None]))


def _classes(waves: DrawnWaves, length: int, rate_hz: float) -> np.ndarray:
    row = np.zeros(length, dtype=int)
    spans = ((P, waves.p_s), (T, waves.t_s), (QRS, waves.qrs_s))
    for kind, found in spans:
        for first_s, last_s in found:
            mark(row, first_s, last_s, kind, rate_hz)
    for kind, found in spans:
        for at_s in (edge for span in found for edge in span):
            blur(row, at_s, _REACH_S[kind], rate_hz)
    for first_s, last_s in waves.retrograde_s:
        blur(row, first_s, (0.012, last_s - first_s + 0.02), rate_hz)
    return row
