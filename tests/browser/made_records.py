"""Recordings that are made for a page: written as WFDB, with beats of a height that is asked."""

import numpy as np
from scipy.signal import butter, sosfilt

from focal_app.ecg.recording import LEADS
from focal_app.explore.reading.bundled_cases import load_case
from train.simulate import simulate


def write_record(folder, signal_mv, rate_hz=500, name="made"):
    """A WFDB record of twelve leads."""
    stored = np.rint(1000 * signal_mv.T).astype("<i2")
    (folder / f"{name}.dat").write_bytes(stored.tobytes())
    sums = stored.sum(axis=0, dtype=np.int16)
    lines = [
        f"{name}.dat 16 1000(0)/mV 16 0 {first:d} {total:d} 0 {lead}"
        for first, total, lead in zip(stored[0], sums, LEADS, strict=True)
    ]
    head = f"{name} 12 {rate_hz} {len(stored)}"
    (folder / f"{name}.hea").write_text("\n".join([head, *lines]) + "\n")
    return [str(folder / f"{name}.hea"), str(folder / f"{name}.dat")]


def beats(seconds, *, depth_mv=-1.0):
    """A beat a second in every lead; V2 goes as deep as is asked."""
    at = np.arange(round(500 * seconds)) / 500 % 1.0
    qrs = np.exp(-(((at - 0.5) / 0.02) ** 2))
    wave = 0.15 * np.exp(-(((at - 0.3) / 0.03) ** 2)) + 0.3 * np.exp(-(((at - 0.8) / 0.06) ** 2))
    signal = np.tile(qrs + wave, (12, 1))
    signal[7] = depth_mv * qrs + 2 * wave
    return signal


def left_bundle_branch_block(deepest_mv):
    """The bundled one, (12, 5000) mV, with S of V2 as deep as is asked and the chest as tall."""
    signal = load_case("left-bundle-branch-block").signal_mv.astype(float)
    signal[6:] *= deepest_mv / signal[7].min()
    return signal


def paced(seed, state="ventricular pacing"):
    """Ten seconds of pacing, (12, 5000) mV, and the seconds of its stimuli.

    A cardiograph's filter of 150 Hz leaves of each a narrow peak of 0.1 to 0.3 mV.
    """
    drawn = simulate(seed, states={state})
    recorded = sosfilt(butter(2, 150, fs=500, output="sos"), drawn.ecg.signal_mv)
    return recorded, [at_s for at_s in drawn.waves.spikes_s if 0 < at_s < 10]
