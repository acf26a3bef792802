"""Leads of noise are told from leads of an ECG, whatever the noise, the rate and the rhythm."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from plain_recordings import plain_ecg
from scipy.signal import butter, sosfiltfilt

from focal_app.ecg.beatless import beatless_rows
from focal_app.ecg.complete import completed
from focal_app.ecg.files import read_recording
from focal_app.ecg.preprocess import prepare
from focal_app.ecg.recording import ECG, LEADS
from focal_app.ecg.signal_spec import SignalSpec
from focal_app.errors import TooLittleSignal
from train.simulate import simulate

SPEC = SignalSpec()
KINDS = ("white", "hum", "muscle", "wander", "walk")


def noise(kind: str, samples: int, rate_hz: float, seed: int = 1) -> np.ndarray:
    """Samples of one kind of noise, some 0.5 mV large."""
    random = np.random.default_rng(seed).normal(0, 0.5, samples)
    if kind == "hum":
        return 0.5 * np.sin(2 * np.pi * 49.7 * np.arange(samples) / rate_hz) + 0.01 * random
    if kind == "muscle":
        high_hz = min(100.0, 0.45 * rate_hz)
        return sosfiltfilt(butter(2, [20, high_hz], "bandpass", fs=rate_hz, output="sos"), random)
    if kind == "wander":
        slow = sosfiltfilt(butter(2, 0.5, fs=rate_hz, output="sos"), random)
        return 30 * slow + 0.02 * random
    return np.cumsum(random) * 0.1 if kind == "walk" else random


def with_noise(ecg: ECG, lead: str, kind: str, seed: int = 1) -> ECG:
    signal = ecg.signal_mv.copy()
    signal[ecg.leads.index(lead)] = noise(kind, signal.shape[1], ecg.sampling_rate_hz, seed)
    return replace(ecg, signal_mv=signal)


def found(ecg: ECG) -> list[str]:
    whole = completed(ecg)
    return [lead for lead, is_so in zip(whole.leads, whole.beatless, strict=True) if is_so]


@pytest.mark.parametrize("rate", [100, 250, 500, 1000])
@pytest.mark.parametrize("kind", KINDS)
def test_a_lead_of_noise_is_found_and_no_other(kind: str, rate: float) -> None:
    ecg = plain_ecg(rate=rate, noise_mv=0.02)
    assert found(ecg) == []
    for lead in ("II", "V4"):
        assert found(with_noise(ecg, lead, kind)) == [lead]


def test_several_leads_of_noise_are_found_while_most_agree() -> None:
    ecg = plain_ecg()
    for number, lead in enumerate(noisy := ["I", "V1", "V2", "V5", "V6"]):
        ecg = with_noise(ecg, lead, "white", seed=number)
    assert found(ecg) == noisy
    for number, lead in enumerate(("II", "III", "V3", "V4"), 9):
        ecg = with_noise(ecg, lead, "white", seed=number)
    assert found(ecg) == []


def test_limb_leads_that_derive_from_noise_are_none_either() -> None:
    ecg = plain_ecg()
    own = [0, 1, *range(6, 12)]
    eight = replace(ecg, signal_mv=ecg.signal_mv[own], leads=tuple(LEADS[row] for row in own))
    assert found(with_noise(eight, "I", "white")) == ["I", "III", "aVR", "aVL", "aVF"]
    assert found(with_noise(eight, "V4", "white")) == ["V4"]


def test_a_refusal_for_noise_names_its_leads_and_does_not_blame_the_export() -> None:
    ecg = plain_ecg()
    own = [0, 1, *range(6, 12)]
    eight = replace(ecg, signal_mv=ecg.signal_mv[own], leads=tuple(LEADS[row] for row in own))
    with pytest.raises(TooLittleSignal) as refused:
        prepare(with_noise(eight, "I", "white"), SPEC)
    assert "noise in I, III, aVR, aVL and aVF" in str(refused.value)
    assert "Export" not in str(refused.value)


def test_short_or_few_leads_and_leads_recorded_one_after_another_are_not_judged() -> None:
    assert found(with_noise(plain_ecg(duration_s=4.9), "V4", "white")) == []
    few = with_noise(plain_ecg(), "II", "white")
    assert not beatless_rows(few.signal_mv[:3], 500, flat=np.zeros(3, bool)).any()
    columns = with_noise(plain_ecg(), "V4", "white")
    for column in range(4):
        rows = np.delete(np.arange(12), range(3 * column, 3 * column + 3))
        columns.signal_mv[rows, column * 1250 : (column + 1) * 1250] = np.nan
    assert found(columns) == []


def test_an_artefact_of_two_seconds_leaves_its_lead_to_be_read() -> None:
    ecg = plain_ecg(noise_mv=0.02)
    ecg.signal_mv[9, 2000:3000] += noise("white", 1000, 500.0)
    assert found(ecg) == []


@pytest.mark.parametrize("state", ["atrial flutter", "ventricular tachycardia"])
def test_waves_in_place_of_beats_are_no_noise(state: str) -> None:
    for seed in range(12):
        assert found(simulate(seed, states=[state]).ecg) == []


def test_a_gap_of_one_lead_hides_no_noise_of_another() -> None:
    ecg = with_noise(plain_ecg(), "V4", "muscle")
    ecg.signal_mv[7, 500:4500] = np.nan
    assert found(ecg) == ["V4"]


def test_a_lead_of_noise_is_not_seen_and_changes_nothing_for_the_others() -> None:
    ecg = plain_ecg()
    flat = replace(ecg, signal_mv=ecg.signal_mv.copy())
    flat.signal_mv[9] = 0.0
    noisy, without = prepare(with_noise(ecg, "V4", "white"), SPEC), prepare(flat, SPEC)
    np.testing.assert_array_equal(noisy.seen, without.seen)
    np.testing.assert_array_equal(noisy.signal, without.signal)
    assert noisy.notes == (
        "Not read, for the beats of other leads do not show there: V4. Noise, or a loose "
        "electrode.",
    )


def test_real_leads_are_kept_and_noise_among_them_is_found(shared_ecg: Path) -> None:
    folders = ("ptb-xl/records500", "ludb/data", "challenge", "code15")
    headers = [one for folder in folders for one in sorted((shared_ecg / folder).rglob("*.hea"))]
    lost, missed = [], []
    for number, header in enumerate(headers):
        ecg = completed(read_recording([header])).part(0, 10)
        lost += [(header.stem, lead) for lead in found(ecg)]
        kind, lead = KINDS[number % len(KINDS)], LEADS[number % 12]
        if lead not in found(with_noise(ecg, lead, kind, seed=number)):
            missed.append((header.stem, lead, kind))
    assert lost == []
    assert len(missed) <= len(headers) / 100
