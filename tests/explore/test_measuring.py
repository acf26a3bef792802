"""What is measured: laws of the measurements, and what is left blank."""

from dataclasses import replace

import numpy as np
import pytest

from focal_app.ecg.complete import completed
from focal_app.ecg.recording import ECG, LEADS, SourceFacts
from focal_app.explore.reading.bundled_cases import load_case
from focal_app.model.measuring import embedded_delineator, measured, measured_by
from train.simulate import simulate

VALUES = ("rate_per_min", "pr_ms", "qrs_ms", "qt_ms", "axis_degrees")


def values(ecg, **window):
    found = measured(completed(ecg), **window).measurements
    return {name: getattr(found, name).value for name in VALUES}


def changed(ecg, signal_mv, **facts):
    return ECG(signal_mv.astype(np.float32), ecg.leads, ecg.sampling_rate_hz, ecg.source, **facts)


@pytest.fixture(scope="module")
def normal():
    ecg = load_case("normal")
    return ECG(ecg.signal_mv, ecg.leads, ecg.sampling_rate_hz, ecg.source)


@pytest.fixture(scope="module")
def usual(normal):
    return values(normal)


def near(one, other, tolerance):
    return all(abs(one[name] - other[name]) <= tolerance for name in VALUES)


def test_a_simulated_ecg_is_measured_as_it_was_drawn():
    drawn = simulate(11, states={"normal ECG"})
    found, waves = values(drawn.ecg), drawn.waves
    qrs_ms = [1000 * (off - on) for on, off in waves.qrs_s]
    pr_ms = [
        1000 * (on - max(p for p, _ in waves.p_s if p < on))
        for on, _ in waves.qrs_s
        if on > waves.p_s[0][0]
    ]
    onsets = np.array([on for on, _ in waves.qrs_s])
    assert found["rate_per_min"] == pytest.approx(60 / np.diff(onsets).mean(), abs=1.5)
    assert found["qrs_ms"] == pytest.approx(np.median(qrs_ms), abs=15)
    assert found["pr_ms"] == pytest.approx(np.median(pr_ms), abs=20)


def test_every_beat_is_marked_where_it_was_drawn():
    drawn = simulate(12, states={"normal ECG"})
    marked = measured(completed(drawn.ecg)).waves.qrs_s
    whole = [on for on, off in drawn.waves.qrs_s if on > 0.1 and off < 9.9]
    nearest = [np.abs(marked[:, 0] - on).min() for on in whole]
    assert max(nearest) < 0.03


@pytest.mark.parametrize("gain", [0.3, 4.0])
def test_gain_changes_nothing_where_no_lead_becomes_tiny(normal, usual, gain):
    assert near(values(changed(normal, gain * normal.signal_mv)), usual, 0.5)


def test_a_constant_offset_changes_nothing(normal, usual):
    assert near(values(changed(normal, normal.signal_mv + 1.5)), usual, 1.0)


def test_a_chest_lead_upside_down_hardly_changes_a_median(normal, usual):
    signal = normal.signal_mv.copy()
    signal[LEADS.index("V4")] *= -1
    assert near(values(changed(normal, signal)), usual, 4.0)


def test_leads_upside_down_turn_the_axis_around(normal, usual):
    turned = values(changed(normal, -normal.signal_mv))
    assert abs(abs(turned["axis_degrees"] - usual["axis_degrees"]) - 180) < 10


def test_a_later_start_moves_the_waves_and_no_interval(normal, usual):
    later = measured(completed(normal), start_s=1.5, duration_s=8.5)
    assert later.measurements.qrs_ms.value == pytest.approx(usual["qrs_ms"], abs=4)
    whole = measured(completed(normal)).waves.qrs_s
    assert np.abs(whole[:, 0][:, None] - later.waves.qrs_s[1:-1, 0]).min(axis=0).max() < 0.012


@pytest.mark.parametrize("rate_hz", [250.0, 1000.0])
def test_the_sampling_rate_changes_no_interval(normal, usual, rate_hz):
    from focal_app.ecg.resampling import resampled

    signal = resampled(normal.signal_mv, normal.sampling_rate_hz, rate_hz)
    other = ECG(signal.astype(np.float32), normal.leads, rate_hz, normal.source)
    assert near(values(other), usual, 3.0)


def test_noise_has_nothing_to_be_measured():
    rng = np.random.default_rng(3)
    noise = ECG(rng.normal(0, 0.1, (12, 5000)).astype(np.float32), LEADS, 500.0, SourceFacts("x"))
    assert [value for value in values(noise).values() if value is not None] == []


@pytest.mark.parametrize("samples", [0, 1, 13, 499, 600])
def test_too_short_or_empty_is_blank_and_no_fault(samples):
    ecg = ECG(np.zeros((12, samples), np.float32), LEADS, 500.0, SourceFacts("x"))
    assert set(values(ecg).values()) == {None}


def test_gaps_and_flat_leads_cost_no_measurement(normal, usual):
    signal = normal.signal_mv.copy()
    signal[LEADS.index("V2")] = np.nan
    signal[LEADS.index("V3")] = 0.0
    signal[:, 1000:1040] = np.nan
    assert near(values(changed(normal, signal)), usual, 6.0)


@pytest.mark.parametrize("noise", ["hiss", "hum"])
def test_nothing_is_measured_in_leads_that_hold_no_ecg(normal, noise):
    time_s = np.arange(normal.signal_mv.shape[1]) / normal.sampling_rate_hz
    hum = 0.2 * np.sin(2 * np.pi * 50 * time_s)
    hiss = np.random.default_rng(0).normal(0, 0.003, len(time_s))
    signal = normal.signal_mv.copy()
    signal[[LEADS.index(lead) for lead in ("aVF", "V3", "V6")]] = hum if noise == "hum" else hiss
    found = measured(completed(changed(normal, signal)))
    lost = ("axis_degrees", "cornell_mv", "sokolow_lyon_mv", "anterior_r_mv", "v6_s_mv")
    assert {found.value(name) for name in lost} == {None}
    assert found.value("qrs_ms") is not None


@pytest.mark.parametrize("lead", ["I", "II"])
@pytest.mark.parametrize("spoil", ["clip", "hum"])
def test_nothing_is_measured_in_a_lead_that_derives_from_one_without_an_ecg(normal, lead, spoil):
    rows = [LEADS.index(one) for one in ("I", "II", *LEADS[6:])]
    leads, signal = tuple(LEADS[row] for row in rows), normal.signal_mv[rows].copy()
    own = signal[leads.index(lead)]
    hum = 0.2 * np.sin(2 * np.pi * 50 * np.arange(len(own)) / normal.sampling_rate_hz)
    own[:] = own.clip(max=own.max() / 2) if spoil == "clip" else hum
    eight = ECG(signal, leads, normal.sampling_rate_hz, normal.source)
    found = measured(completed(eight))
    assert found.value("axis_degrees") is None and found.value("cornell_mv") is None
    assert found.value("qrs_ms") is not None and found.value("sokolow_lyon_mv") is not None


@pytest.mark.parametrize("lost", [np.nan, 0.0])
@pytest.mark.parametrize("lasting_s", [0.6, 0.9, 3.0])
def test_no_rr_is_taken_across_an_interruption(normal, lost, lasting_s):
    signal = normal.signal_mv.copy()
    beat = round(measured(completed(normal)).waves.qrs_s[4].mean() * normal.sampling_rate_hz)
    signal[:, beat - 75 : beat - 75 + round(lasting_s * 500)] = lost
    whole, rest = (measured(completed(one)) for one in (normal, changed(normal, signal)))
    assert rest.beats < whole.beats
    assert rest.value("rate_per_min") == pytest.approx(whole.value("rate_per_min"), abs=2)
    assert rest.value("rr_variation_percent") < whole.value("rr_variation_percent") + 3


def test_no_rate_is_told_from_the_few_short_rr_that_many_gaps_leave(normal):
    signal = normal.signal_mv.copy()
    for first in range(300, signal.shape[1], 500):
        signal[:, first : first + 150] = np.nan
    assert measured(completed(changed(normal, signal))).value("rate_per_min") is None


def test_the_still_line_of_a_simulator_is_no_interruption():
    """At 30/min, with exactly 0 mV between T and the next P."""
    seconds = np.arange(5000) / 500

    def wave(after_s, deviation_s):
        return sum(
            np.where(np.abs(x) < 5 * deviation_s, np.exp(-((x / deviation_s) ** 2) / 2), 0)
            for x in (seconds - beat_s - after_s for beat_s in np.arange(0.5, 10, 2.0))
        )

    beats = wave(0, 0.012) + 0.3 * wave(0.3, 0.04) + 0.12 * wave(-0.16, 0.02)
    ecg = ECG(np.tile(beats, (12, 1)).astype(np.float32), LEADS, 500.0, SourceFacts("simulator"))
    assert measured(completed(ecg)).value("rate_per_min") == pytest.approx(30, abs=0.5)


def test_two_leads_are_too_few_for_an_interval(normal):
    two = ECG(normal.signal_mv[6:8], ("V1", "V2"), normal.sampling_rate_hz, normal.source)
    found = values(two)
    assert found["rate_per_min"] is not None
    assert found["qrs_ms"] is None and found["pr_ms"] is None and found["axis_degrees"] is None


def test_atrial_fibrillation_has_no_pr():
    found = measured(load_case("atrial-fibrillation"))
    assert found.measurements.pr_ms.value is None
    assert found.measurements.rr_variation_percent.value > 10
    assert found.p_share < 0.3


@pytest.mark.parametrize("seed", [1, 2, 4])
def test_spikes_of_a_pacemaker_are_found_where_they_were_drawn(seed):
    drawn = simulate(seed, states={"ventricular pacing"})
    found = measured(completed(drawn.ecg))
    assert found.spikes_seen
    assert (
        max(np.abs(np.array(drawn.waves.spikes_s) - at).min() for at in found.waves.spikes_s) < 0.01
    )


@pytest.mark.parametrize("name", ["normal", "left-bundle-branch-block", "hypertrophy"])
def test_who_has_no_pacemaker_has_no_spikes(name):
    assert measured(load_case(name)).spikes_seen is False


def test_spikes_cannot_be_told_at_a_low_rate(normal):
    slow = ECG(normal.signal_mv[:, ::5], normal.leads, 100.0, normal.source)
    assert measured(completed(slow)).spikes_seen is None


def test_the_cardiographs_own_values_stand_beside(normal):
    source = replace(normal.source, device_values={"qrs_ms": 96.0, "pr_ms": 150.0})
    found = measured(completed(replace(normal, source=source))).measurements
    assert found.qrs_ms.device == 96 and found.pr_ms.device == 150 and found.qt_ms.device is None
    assert found.qrs_ms.value != 96


def test_qtc_is_qt_by_its_formulas(normal):
    one = measured(completed(normal)).measurements
    rr_s = 60 / one.rate_per_min.value
    assert one.qtc_bazett_ms.value == pytest.approx(one.qt_ms.value / rr_s**0.5)
    assert one.qtc_fridericia_ms.value == pytest.approx(one.qt_ms.value / rr_s ** (1 / 3))


def test_a_recording_is_measured_once(normal):
    complete = completed(normal)
    assert measured(complete) is measured(complete)
    again = measured_by(embedded_delineator(), complete, 0.0, 30.0)
    assert again.measurements == measured(complete).measurements
