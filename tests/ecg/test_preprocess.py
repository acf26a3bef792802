"""What the model sees: the laws that preparing obeys."""

from dataclasses import replace

import numpy as np
import pytest
from plain_recordings import plain_ecg

from focal_app.ecg.plausibility import check_plausible
from focal_app.ecg.preprocess import CLIP_MV, prepare, window_starts
from focal_app.ecg.recording import ECG, LEADS, SourceFacts
from focal_app.ecg.signal_spec import NORMALISATIONS, SignalSpec
from focal_app.errors import RecordingError

SPEC = SignalSpec()
MILLIVOLT = SignalSpec(normalisation="millivolt")
RAW = SignalSpec(normalisation="millivolt", highpass_hz=None)


def only(ecg: ECG, leads: tuple[str, ...]) -> ECG:
    rows = [ecg.leads.index(lead) for lead in leads]
    return replace(ecg, signal_mv=ecg.signal_mv[rows], leads=leads)


def sine(hz: float, rate: float, *, seconds: float = 10.0) -> np.ndarray:
    return np.sin(2 * np.pi * hz * np.arange(round(seconds * rate)) / rate)


def of_rows(row: np.ndarray, rate: float) -> ECG:
    """An ECG whose leads are all `row`, but for their sizes."""
    scales = np.linspace(0.5, 1.5, 12)[:, None]
    return ECG((scales * row).astype(np.float32), LEADS, rate, SourceFacts(format="test"))


@pytest.mark.parametrize("normalisation", NORMALISATIONS)
def test_the_signal_has_the_shape_and_type_of_the_settings(ecg: ECG, normalisation: str) -> None:
    prepared = prepare(ecg, SignalSpec(normalisation=normalisation))
    assert prepared.signal.shape == (12, 5000)
    assert prepared.signal.dtype == np.float32
    assert np.isfinite(prepared.signal).all()
    assert prepared.seen.shape == (12, 10)
    assert prepared.seen.dtype == bool
    assert prepared.seen.all()
    assert prepared.notes == ()


def test_the_order_of_rows_changes_nothing(ecg: ECG) -> None:
    rows = np.random.default_rng(0).permutation(12)
    shuffled = replace(
        ecg, signal_mv=ecg.signal_mv[rows], leads=tuple(LEADS[row].lower() for row in rows)
    )
    np.testing.assert_array_equal(prepare(shuffled, SPEC).signal, prepare(ecg, SPEC).signal)


def test_derived_limb_leads_prepare_as_the_recorded_ones(ecg: ECG) -> None:
    few = only(ecg, ("I", "II", *LEADS[6:]))
    derived, recorded = prepare(few, SPEC), prepare(ecg, SPEC)
    np.testing.assert_allclose(derived.signal, recorded.signal, atol=1e-4)
    assert derived.notes == (
        "Derived III, aVR, aVL and aVF from I and II (Einthoven, Goldberger).",
    )


@pytest.mark.parametrize("rate", [100.0, 128.0, 240.0, 257.0, 360.0, 400.0, 977.5, 1000.0])
@pytest.mark.parametrize("hz", [1.0, 10.0, 25.0])
def test_resampling_keeps_amplitude_and_timing_of_a_sine(rate: float, hz: float) -> None:
    resampled = prepare(of_rows(sine(hz, rate), rate), RAW).signal
    middle = slice(500, 4500)
    np.testing.assert_allclose(resampled[11, middle], 1.5 * sine(hz, 500)[middle], atol=0.03)


def test_scaling_a_recording_leaves_record_robust_unchanged(ecg: ECG) -> None:
    larger = replace(ecg, signal_mv=ecg.signal_mv * 3)
    np.testing.assert_allclose(prepare(larger, SPEC).signal, prepare(ecg, SPEC).signal, atol=1e-5)


def test_record_robust_keeps_the_ratios_of_leads(ecg: ECG) -> None:
    robust, millivolt = prepare(ecg, SPEC).signal, prepare(ecg, MILLIVOLT).signal
    scale = float((millivolt * robust).sum() / (robust**2).sum())
    np.testing.assert_allclose(millivolt, scale * robust, atol=1e-5)


@pytest.mark.parametrize("rows", [slice(3, 4), slice(6, 8)])
def test_one_spike_or_a_noisy_lead_does_not_move_the_other_leads(ecg: ECG, rows: slice) -> None:
    spiky = replace(ecg, signal_mv=ecg.signal_mv.copy())
    spiky.signal_mv[rows, 2500:2510] += 40.0
    others = np.ones(12, dtype=bool)
    others[rows] = False
    np.testing.assert_allclose(
        prepare(spiky, SPEC).signal[others], prepare(ecg, SPEC).signal[others], rtol=0.05, atol=0.05
    )


def test_millivolt_keeps_millivolts(ecg: ECG) -> None:
    centred = ecg.signal_mv - np.median(ecg.signal_mv, axis=1, keepdims=True)
    np.testing.assert_allclose(prepare(ecg, RAW).signal, centred, atol=1e-6)
    huge = replace(ecg, signal_mv=ecg.signal_mv * 10)
    assert np.abs(prepare(huge, RAW).signal).max() == CLIP_MV


def test_minmax_spans_zero_to_one_over_the_whole_record(ecg: ECG) -> None:
    published = SignalSpec(normalisation="record-minmax", highpass_hz=None)
    signal = ecg.signal_mv.astype(np.float64)
    expected = (signal - signal.min()) / (signal.max() - signal.min())
    np.testing.assert_allclose(prepare(ecg, published).signal, expected, atol=1e-6)


def test_the_highpass_removes_wander_and_keeps_the_st_segment() -> None:
    clean = plain_ecg(noise_mv=0.0)
    elevated = clean.signal_mv.copy()
    phase = np.mod(np.arange(5000) / 500, 1.0)
    elevated[:, (phase > 0.4) & (phase < 0.52)] += 0.2
    wander = 1.0 * np.sin(2 * np.pi * 0.15 * np.arange(5000) / 500)
    moved = replace(clean, signal_mv=(elevated + wander).astype(np.float32))
    prepared = prepare(moved, MILLIVOLT).signal
    st, before = (phase > 0.44) & (phase < 0.48), (phase > 0.26) & (phase < 0.3)
    inner = (np.arange(5000) > 1000) & (np.arange(5000) < 4000)
    for row in range(12):
        true = elevated[row, st & inner].mean() - elevated[row, before & inner].mean()
        kept = prepared[row, st & inner].mean() - prepared[row, before & inner].mean()
        assert kept == pytest.approx(true, abs=0.03)
        beats_start = prepared[row, before & inner]
        assert np.ptp(beats_start) < 0.1


def test_a_short_recording_is_padded_and_masked() -> None:
    prepared = prepare(plain_ecg(duration_s=7.33, rate=400.0), SPEC)
    assert prepared.seen[:, :7].all()
    assert not prepared.seen[:, 7:].any()
    assert (prepared.signal[:, 3500:] == 0).all()
    assert prepared.notes == ("Only 7.33 of 10 s are recorded; the rest is empty.",)


@pytest.mark.parametrize("normalisation", NORMALISATIONS)
def test_padding_does_not_take_part_in_the_normalisation(normalisation: str) -> None:
    spec = SignalSpec(normalisation=normalisation, highpass_hz=None)
    twice = plain_ecg(duration_s=10.0, noise_mv=0.0)
    half = replace(twice, signal_mv=twice.signal_mv[:, :2500])
    np.testing.assert_allclose(
        prepare(half, spec).signal[:, :2500], prepare(twice, spec).signal[:, :2500], atol=2e-3
    )


def test_a_half_recorded_patch_is_seen_and_less_is_not() -> None:
    assert prepare(plain_ecg(duration_s=4.5), SPEC).seen.sum(axis=1).tolist() == [5] * 12
    assert prepare(plain_ecg(duration_s=4.48), SPEC).seen.sum(axis=1).tolist() == [4] * 12


def test_missing_and_flat_leads_are_masked_and_named(ecg: ECG) -> None:
    flat = only(ecg, LEADS[:11])
    flat.signal_mv[7] = 0.4
    prepared = prepare(flat, SPEC)
    expected = np.ones(12, dtype=bool)
    expected[[7, 11]] = False
    np.testing.assert_array_equal(prepared.seen.any(axis=1), expected)
    assert (prepared.signal[[7, 11]] == 0).all()
    assert prepared.notes == ("Not read, for want of signal: V2.",)


def test_a_flat_lead_changes_nothing_for_the_others(ecg: ECG) -> None:
    flat = replace(ecg, signal_mv=ecg.signal_mv.copy())
    flat.signal_mv[7] = 0.0
    gone = only(ecg, (*LEADS[:7], *LEADS[8:]))
    np.testing.assert_array_equal(prepare(flat, SPEC).signal, prepare(gone, SPEC).signal)


def test_a_lead_that_drops_out_is_masked_only_there(ecg: ECG) -> None:
    ecg.signal_mv[8, 2000:4000] = -3.0
    prepared = prepare(ecg, SPEC)
    assert prepared.seen[8].tolist() == [True] * 4 + [False] * 4 + [True] * 2
    assert prepared.notes == ("Partly without signal, left out there: V3.",)


def test_a_drop_to_the_rail_does_not_reach_other_seconds(ecg: ECG) -> None:
    railed = replace(ecg, signal_mv=ecg.signal_mv.copy())
    railed.signal_mv[8, 2000:4000] = -30.0
    np.testing.assert_allclose(
        prepare(railed, MILLIVOLT).signal[8, :1500],
        prepare(ecg, MILLIVOLT).signal[8, :1500],
        atol=0.05,
    )


def test_short_gaps_are_bridged_and_long_ones_unseen(ecg: ECG) -> None:
    ecg.signal_mv[1, 1100:1150] = np.nan
    ecg.signal_mv[2, 3000:4000] = np.nan
    prepared = prepare(ecg, SPEC)
    assert np.isfinite(prepared.signal).all()
    assert prepared.seen[1].all()
    assert prepared.seen[2].tolist() == [True] * 6 + [False] * 2 + [True] * 2
    assert prepared.notes == (
        "Partly without signal, left out there: III.",
        "Interpolated 50 missing samples in short gaps.",
        "Left 1000 missing samples in long gaps unseen.",
    )


def test_missing_samples_are_counted_in_their_window_alone() -> None:
    long = plain_ecg(duration_s=30.0)
    long.signal_mv[2, 9000:9050] = np.nan
    notes = [prepare(long, SPEC, start_s=start).notes for start in window_starts(long, SPEC)]
    assert notes == [(), ("Interpolated 50 missing samples in short gaps.",), ()]


def test_a_gap_does_not_reach_other_seconds(ecg: ECG) -> None:
    holed = replace(ecg, signal_mv=ecg.signal_mv.copy())
    holed.signal_mv[2, 3000:4000] = np.nan
    np.testing.assert_allclose(
        prepare(holed, MILLIVOLT).signal[2, :2000],
        prepare(ecg, MILLIVOLT).signal[2, :2000],
        atol=0.05,
    )


@pytest.mark.parametrize(
    ("duration_s", "starts"),
    [
        (0.9, (0.0,)),
        (10.0, (0.0,)),
        (10.24, (0.0,)),
        (12.0, (0.0, 2.0)),
        (20.0, (0.0, 10.0)),
        (23.0, (0.0, 10.0, 13.0)),
        (60.0, (0.0, 10.0, 20.0, 30.0, 40.0, 50.0)),
    ],
)
def test_windows_follow_each_other_and_the_last_ends_with_the_recording(
    duration_s: float, starts: tuple[float, ...]
) -> None:
    assert window_starts(plain_ecg(duration_s=duration_s), SPEC) == pytest.approx(starts)


def test_a_window_holds_the_seconds_it_names() -> None:
    long = plain_ecg(duration_s=33.0)
    for start in window_starts(long, RAW):
        first = round(start * 500)
        cut = replace(long, signal_mv=long.signal_mv[:, first : first + 5000])
        window = prepare(long, RAW, start_s=start)
        assert window.start_s == start
        assert window.seen.all()
        np.testing.assert_allclose(window.signal, prepare(cut, RAW).signal, atol=1e-6)


def test_a_window_of_a_long_recording_is_filtered_with_its_surroundings() -> None:
    long = plain_ecg(duration_s=40.0, noise_mv=0.0)
    first, second = (prepare(long, MILLIVOLT, start_s=start).signal for start in (10.0, 20.0))
    np.testing.assert_allclose(first, second, atol=1e-3)


def test_a_window_at_a_foreign_rate_keeps_its_timing() -> None:
    long = plain_ecg(duration_s=31.7, rate=400.0, noise_mv=0.0)
    last = window_starts(long, RAW)[-1]
    at_500 = plain_ecg(duration_s=31.7, rate=500.0, noise_mv=0.0)
    np.testing.assert_allclose(
        prepare(long, RAW, start_s=last).signal,
        prepare(at_500, RAW, start_s=last).signal,
        atol=0.02,
    )


def test_three_leads_are_refused_by_name(ecg: ECG) -> None:
    with pytest.raises(RecordingError, match=r"found 3 leads with signal \(II, V1 and V2\)"):
        prepare(only(ecg, ("II", "V1", "V2")), SPEC)
    with pytest.raises(
        RecordingError, match=r"\(I, II and V1, 7 with the limb leads that follow\)"
    ):
        prepare(only(ecg, ("I", "II", "V1")), SPEC)


def test_what_lacks_a_moment_is_not_told_as_whole() -> None:
    late = prepare(plain_ecg(duration_s=10.0, rate=400.0), SPEC, start_s=0.0025)
    assert late.notes == ("Only 9.99 of 10 s are recorded; the rest is empty.",)
    almost = plain_ecg(duration_s=0.996, rate=500.0)
    with pytest.raises(RecordingError, match=r"found 0\.99 s of signal"):
        prepare(almost, SPEC)
    with pytest.raises(RecordingError, match=r"found 0\.996 s of 12 leads"):
        check_plausible(almost)


def test_fewer_leads_are_enough_when_the_settings_say_so(ecg: ECG) -> None:
    prepared = prepare(only(ecg, ("II",)), SignalSpec(minimum_leads=1))
    assert prepared.seen.any(axis=1).nonzero()[0].tolist() == [1]


def test_half_a_second_is_refused() -> None:
    with pytest.raises(RecordingError, match=r"found 0\.5 s of signal; at least 1 s"):
        prepare(plain_ecg(duration_s=0.5), SPEC)


def test_a_start_at_the_end_of_a_long_recording_is_told_the_latest_one() -> None:
    long = ECG(np.zeros((12, 180_000), np.float32), LEADS, 100.0, SourceFacts("test"))
    said = "at 1800 s in a recording of 1800 s; a start from 0 to 1799 s is needed"
    with pytest.raises(RecordingError, match=said):
        prepare(long, SPEC, start_s=1800.0)


@pytest.mark.parametrize("start_s", [-1.0, 9.5, 100.0, float("nan")])
def test_a_window_outside_the_recording_is_refused(ecg: ECG, start_s: float) -> None:
    with pytest.raises(RecordingError, match="Choose another window"):
        prepare(ecg, SPEC, start_s=start_s)


def test_preparing_does_not_change_the_recording(ecg: ECG) -> None:
    before = ecg.signal_mv.copy()
    prepare(ecg, SPEC)
    np.testing.assert_array_equal(ecg.signal_mv, before)
