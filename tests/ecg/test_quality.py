"""Warnings: silent on a good recording, and each spoken where its fault is made."""

import tracemalloc
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from plain_recordings import plain_ecg

from focal_app.ecg import quality
from focal_app.ecg.complete import completed
from focal_app.ecg.recording import ECG, LEADS
from focal_app.explore.reading.bundled_cases import load_case

Damage = Callable[[np.ndarray], object]


def quality_warnings(ecg: ECG, **options: tuple[float, float]) -> tuple[str, ...]:
    return quality.quality_warnings(completed(ecg), **options)


def damaged(ecg: ECG, change: Damage) -> ECG:
    signal = ecg.signal_mv.copy()
    change(signal)
    return replace(ecg, signal_mv=signal)


@pytest.mark.parametrize("rate", [100.0, 257.0, 500.0, 1000.0])
def test_a_good_recording_gives_no_warning(rate: float) -> None:
    assert quality_warnings(plain_ecg(rate=rate)) == ()


def test_deep_s_waves_of_a_recording_that_begins_within_one_are_no_wander() -> None:
    block = load_case("left-bundle-branch-block")
    signal = block.signal_mv.copy()
    signal[6:] *= -6 / signal[7].min()
    deep = replace(block, signal_mv=signal.astype(np.float32))
    assert signal[6, 0] < -1 and not any("wander" in one for one in quality_warnings(deep))


def flatten(signal: np.ndarray) -> None:
    signal[6] = 0.2


def cut_peaks(signal: np.ndarray) -> None:
    np.minimum(signal[10], 0.6 * signal[10].max(), out=signal[10])


def cut_troughs(signal: np.ndarray) -> None:
    np.maximum(signal[6], 0.6 * signal[6].min(), out=signal[6])


def swap_limb_leads(signal: np.ndarray) -> None:
    signal[[0, 1]] = signal[[1, 0]]


def turn_avr(signal: np.ndarray) -> None:
    signal[3] *= -1


def shrink(signal: np.ndarray) -> None:
    signal /= 40


def enlarge(signal: np.ndarray) -> None:
    signal *= 50


def loosen(signal: np.ndarray) -> None:
    signal[8, ::7] += 15


def lose_all(signal: np.ndarray) -> None:
    signal[:, 1000:1500] = np.nan


def lose(signal: np.ndarray) -> None:
    signal[4, 1000:1500] = np.nan


def hold(signal: np.ndarray) -> None:
    signal[9, 1000:2000] = 5.0


def shiver(signal: np.ndarray) -> None:
    signal[5] += np.random.default_rng(1).normal(0, 0.15, signal.shape[1])


def wander(signal: np.ndarray) -> None:
    signal[11] += 2 * np.sin(2 * np.pi * 0.2 * np.arange(signal.shape[1]) / 500)


def exchange_arms(signal: np.ndarray) -> None:
    signal[0] *= -1
    signal[[1, 2]] = signal[[2, 1]]
    signal[[3, 4]] = signal[[4, 3]]


def flip_a_bit(signal: np.ndarray) -> None:
    signal[7, 2345] += 65.536  # bit 16 at 1000 steps a mV


def pace(signal: np.ndarray) -> None:
    signal[:, 250::500] += np.linspace(0.5, 4.0, 12)[:, None]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (flatten, "Flat: V1."),
        (cut_peaks, "Clipped at an extreme value: V5."),
        (cut_troughs, "Clipped at an extreme value: V1."),
        (swap_limb_leads, "II differs from I + III by"),
        (turn_avr, "Not what I and II give: aVR by"),
        (shrink, "All leads span less than 0.05 mV"),
        (enlarge, "the unit or gain of the file may be wrong"),
        (loosen, "Larger than an ECG can be: V3 (16 mV); an electrode may be loose"),
        (lose, "Samples are missing in aVL (10%)."),
        (hold, "The signal stands still for a while in V4 (2.0 s)."),
        (lose_all, "Samples are missing in all leads (10%)."),
        (shiver, "Noisy (muscle or mains): aVF."),
        (flip_a_bit, "Single samples jump in V2, and in no other lead"),
        (wander, "The baseline wanders by more than 2 mV: V6."),
        (exchange_arms, "Possible reversal of the arm electrodes"),
    ],
)
def test_a_fault_is_named(ecg: ECG, change: Damage, words: str) -> None:
    assert any(words in warning for warning in quality_warnings(damaged(ecg, change)))


def step(signal: np.ndarray) -> None:
    signal[:6, :2500], signal[:6, 2500:] = 0.0, 1.0


def lose_two_seconds(signal: np.ndarray) -> None:
    signal[1, 1000:2000] = np.nan


def export_one_after_another(signal: np.ndarray) -> None:
    for row, first in enumerate(np.repeat([0, 1250, 2500, 3750], 3)):
        signal[row, :first] = signal[row, first + 1250 :] = np.nan


@pytest.mark.parametrize(
    ("change", "start"),
    [
        (step, "The signal stands still"),
        (lose_two_seconds, "Samples are missing"),
        (export_one_after_another, "Samples are missing"),
    ],
)
def test_what_was_not_recorded_contradicts_nothing(ecg: ECG, change: Damage, start: str) -> None:
    (said,) = quality_warnings(damaged(ecg, change))
    assert said.startswith(start)


def test_limb_leads_are_judged_where_they_are_recorded(ecg: ECG) -> None:
    def swap_and_lose(signal: np.ndarray) -> None:
        swap_limb_leads(signal)
        lose_two_seconds(signal)

    assert "II differs from I + III" in " ".join(quality_warnings(damaged(ecg, swap_and_lose)))


def test_pacing_spikes_of_one_sample_are_no_damage(ecg: ECG) -> None:
    assert not any("Single samples" in said for said in quality_warnings(damaged(ecg, pace)))


@pytest.mark.parametrize("bit", range(16, 23))
def test_a_bit_that_no_checksum_sees_is_noted_where_it_shows(ecg: ECG, bit: int) -> None:
    """At 10,000 steps a mV, as format 24 is used: bit 16 is 6.6 mV."""
    for sample in (3, 1234, 4990):
        signal = ecg.signal_mv.copy()
        signal[4, sample] -= (1 << bit) / 10_000
        assert any(
            "in aVL, and" in said for said in quality_warnings(replace(ecg, signal_mv=signal))
        )


def test_arms_exchanged_keep_the_limb_laws(ecg: ECG) -> None:
    warnings = quality_warnings(damaged(ecg, exchange_arms))
    assert not any("I + III" in warning for warning in warnings)


def test_the_tolerance_of_the_limb_laws_is_named(ecg: ECG) -> None:
    warning = next(w for w in quality_warnings(damaged(ecg, swap_limb_leads)) if "I + III" in w)
    assert "mV is tolerated" in warning


def test_missing_leads_are_named_unless_they_follow_from_others(ecg: ECG) -> None:
    kept = [LEADS.index(lead) for lead in ("I", "II", *LEADS[6:11])]
    few = replace(ecg, signal_mv=ecg.signal_mv[kept], leads=tuple(LEADS[row] for row in kept))
    assert quality_warnings(few) == ("Not recorded: V6. Findings there cannot be seen.",)


def test_a_short_recording_is_named() -> None:
    assert "In 2 s rhythm cannot be judged" in quality_warnings(plain_ecg(duration_s=2.0))[0]


def test_the_order_and_spelling_of_leads_change_nothing(ecg: ECG) -> None:
    faulty = damaged(damaged(ecg, flatten), turn_avr)
    rows = np.random.default_rng(0).permutation(12)
    shuffled = replace(
        faulty, signal_mv=faulty.signal_mv[rows], leads=tuple(LEADS[row].lower() for row in rows)
    )
    assert quality_warnings(shuffled) == quality_warnings(faulty)


@pytest.mark.parametrize("samples", [1, 3, 20, 60])
def test_a_scrap_of_a_recording_is_no_reason_to_fail(ecg: ECG, samples: int) -> None:
    quality_warnings(replace(ecg, signal_mv=ecg.signal_mv[:, :samples]))


def test_a_recording_without_signal_is_no_reason_to_fail(ecg: ECG) -> None:
    for value in (0.0, np.nan):
        warnings = quality_warnings(replace(ecg, signal_mv=np.full_like(ecg.signal_mv, value)))
        assert warnings[0].startswith("Flat: I, II, III")


def test_only_the_window_is_judged(ecg: ECG) -> None:
    sound, faulty = ecg.signal_mv, damaged(ecg, shiver).signal_mv
    long = replace(ecg, signal_mv=np.concatenate([sound, faulty, sound], axis=1))
    each = [quality_warnings(long, window_s=(start, start + 10.0)) for start in (0.0, 10.0, 20.0)]
    assert each == [(), quality_warnings(damaged(ecg, shiver)), ()]
    assert quality_warnings(ecg, window_s=(0.0, 10.0)) == quality_warnings(ecg)


def test_a_long_recording_is_judged_as_quickly_as_a_short_one(ecg: ECG) -> None:
    """By the samples that are looked at: those of an hour before the window are never touched."""
    hour = np.lib.stride_tricks.as_strided(
        np.zeros(1, dtype=np.float32), shape=(12, 500 * 3600), strides=(0, 0)
    )
    long = completed(replace(ecg, signal_mv=hour))
    tracemalloc.start()
    try:
        quality_warnings(long, window_s=(1800.0, 1810.0))
        assert tracemalloc.get_traced_memory()[1] < 8e6
    finally:
        tracemalloc.stop()
