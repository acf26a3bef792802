"""What is said of a lead that the model does not read."""

from dataclasses import replace

import numpy as np

from focal_app.explore.reading.bundled_cases import load_case
from focal_app.explore.reading.explorer import Explorer


def test_a_lead_of_noise_is_told_of_once(explorer: Explorer) -> None:
    ecg = load_case("normal")
    signal = ecg.signal_mv.copy()
    for lead in ("V4", "II"):
        row = ecg.leads.index(lead)
        signal[row] = np.random.default_rng(0).normal(0, 0.35, signal.shape[1])
    reading = explorer.read(replace(ecg, signal_mv=signal), ["normal ECG"])
    assert reading.warnings == (
        "Not read, for the beats of other leads do not show there: II and V4. Noise, or a loose "
        "electrode.",
    )
