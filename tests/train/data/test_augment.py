"""Augmentation: every change leaves the tags true, can be switched off, and repeats by its seed."""

import dataclasses

import numpy as np
import pytest

from focal_app.ecg.complete import LIMB_COEFFICIENTS
from focal_app.ecg.preprocess import Prepared, prepare
from focal_app.ecg.recording import LEADS
from focal_app.ecg.signal_spec import SignalSpec
from focal_app.errors import ConfigError
from train.data.augment import Augmentation, Augmented, augment, rate_is_free, shifted
from train.simulate import simulate

SPEC = SignalSpec(normalisation="millivolt", highpass_hz=None)
OFF = Augmentation(gain=0, lead_gain=0, noise=0, wander=0, dropout=0, shift=0, stretch=0)


@pytest.fixture(scope="module")
def prepared() -> Prepared:
    return prepare(simulate(4, states={"normal ECG"}).ecg, SPEC)


def changed(prepared: Prepared, seed: int = 0, *, tags: tuple[str, ...] = (), **sizes: float):
    settings = dataclasses.replace(OFF, **sizes)
    return both(prepared.signal, prepared.seen, settings, seed, tags=tags)


def both(signal, seen, settings: Augmentation, seed: int, *, tags: tuple[str, ...] = ()):
    """Every change that training makes to a record."""
    rng = np.random.default_rng(seed)
    record = shifted(Augmented(signal, seen), settings, rng, spec=SPEC, tags=tags)
    return augment(record, settings, rng, spec=SPEC)


def test_switched_off_nothing_changes(prepared: Prepared) -> None:
    same = changed(prepared)
    np.testing.assert_array_equal(same.signal, prepared.signal)
    np.testing.assert_array_equal(same.seen, prepared.seen)


def test_the_same_seed_gives_the_same_change(prepared: Prepared) -> None:
    first, second, other = (
        both(prepared.signal, prepared.seen, Augmentation(), s) for s in (1, 1, 2)
    )
    np.testing.assert_array_equal(first.signal, second.signal)
    assert np.abs(first.signal - other.signal).max() > 0


def test_the_recording_itself_is_left_alone(prepared: Prepared) -> None:
    before = prepared.signal.copy(), prepared.seen.copy()
    for seed in range(10):
        changed(prepared, seed, gain=0.1, noise=0.02, dropout=1, shift=1)
    np.testing.assert_array_equal(prepared.signal, before[0])
    np.testing.assert_array_equal(prepared.seen, before[1])


@pytest.mark.parametrize("seed", range(20))
def test_gain_stays_within_a_fifth_and_keeps_einthoven(prepared: Prepared, seed: int) -> None:
    gained = changed(prepared, seed, gain=0.2, lead_gain=0.2).signal
    ratio = np.abs(gained).max(axis=1) / np.abs(prepared.signal).max(axis=1)
    assert ratio.min() >= 0.8 - 1e-5
    assert ratio.max() <= 1.2 + 1e-5
    np.testing.assert_allclose(ratio[:6], ratio[0], rtol=1e-5)


def test_limb_leads_still_follow_from_each_other(prepared: Prepared) -> None:
    gained = changed(prepared, 5, gain=0.1, lead_gain=0.1).signal
    rows = [LEADS.index(lead) for lead in LIMB_COEFFICIENTS]
    wanted = np.array(list(LIMB_COEFFICIENTS.values())) @ gained[:2]
    np.testing.assert_allclose(
        gained[rows] - gained[rows].mean(1, keepdims=True),
        wanted - wanted.mean(1, keepdims=True),
        atol=2e-3,
    )


@pytest.mark.parametrize("seed", range(10))
def test_noise_and_wander_stay_within_their_sizes(prepared: Prepared, seed: int) -> None:
    noisy = changed(prepared, seed, noise=0.02).signal - prepared.signal
    assert noisy.std(axis=1).max() <= 0.021
    slow = changed(prepared, seed, wander=0.04).signal - prepared.signal
    assert np.abs(slow).max() <= 0.0401
    assert np.abs(np.diff(slow, axis=1)).max() < 0.001


def test_noise_is_white_and_each_lead_has_its_own(prepared: Prepared) -> None:
    made = [changed(prepared, seed, noise=0.02).signal - prepared.signal for seed in range(8)]
    leads = np.concatenate(made)
    same = np.corrcoef(leads) - np.eye(len(leads))
    assert np.abs(same).max() < 0.08, "5,000 samples: five standard errors"
    power = np.abs(np.fft.rfft(leads / leads.std(axis=1, keepdims=True), axis=1)) ** 2
    low, high = power[:, 1:1250].mean(), power[:, 1250:-1].mean()
    assert 0.97 < low / high < 1.03


@pytest.mark.parametrize("seed", range(20))
def test_dropout_hides_whole_leads_and_never_all(prepared: Prepared, seed: int) -> None:
    hidden = changed(prepared, seed, dropout=1, dropped_leads=11)
    lost = ~hidden.seen.any(axis=1)
    assert 1 <= lost.sum() <= 11
    assert hidden.seen[~lost].all()
    assert (hidden.signal[lost] == 0).all()
    np.testing.assert_array_equal(hidden.signal[~lost], prepared.signal[~lost])


@pytest.mark.parametrize("seed", range(10))
def test_a_shift_moves_the_signal_and_hides_the_last_window(prepared: Prepared, seed: int) -> None:
    later = changed(prepared, seed, shift=1)
    late, kept = later.late_samples, SPEC.samples - SPEC.window_samples
    assert 1 <= late < SPEC.window_samples
    np.testing.assert_array_equal(later.signal[:, :kept], prepared.signal[:, late : late + kept])
    assert not later.seen[:, -1].any()
    assert later.seen[:, :-1].all()


def test_what_was_not_seen_stays_unseen_and_zero(prepared: Prepared) -> None:
    seen = prepared.seen.copy()
    seen[3], seen[8, 4] = False, False
    hidden = np.repeat(seen, SPEC.window_samples, axis=1)
    signal = (prepared.signal * hidden).astype(np.float32)
    for seed in range(20):
        made = both(signal, seen, Augmentation(stretch=0.05), seed)
        assert not (made.seen[3]).any()
        shown = np.repeat(made.seen, SPEC.window_samples, axis=1)
        assert (made.signal[~shown] == 0).all()
        assert made.seen.sum() <= seen.sum()


def test_tempo_changes_only_where_no_tag_is_of_time(prepared: Prepared) -> None:
    free, bound = ("sinus rhythm", "inferior myocardial infarction"), ("sinus tachycardia",)
    assert changed(prepared, tags=bound, stretch=0.1).tempo == 1.0
    assert changed(prepared, tags=(), stretch=0.1).tempo == 1.0
    slower = changed(prepared, tags=free, stretch=0.1)
    assert slower.tempo != 1.0
    assert 1 / 1.1 <= slower.tempo <= 1.1


@pytest.mark.parametrize("seed", range(6))
def test_tempo_moves_what_happens_in_time(prepared: Prepared, seed: int) -> None:
    slower = changed(prepared, seed, tags=("left ventricular hypertrophy",), stretch=0.1)
    end = int(slower.seen[0].sum()) * SPEC.window_samples
    where = np.arange(500, min(end, 4000))
    wanted = np.interp(where / slower.tempo, np.arange(SPEC.samples), prepared.signal[1])
    same = np.corrcoef(slower.signal[1, where], wanted)[0, 1]
    assert same > 0.98


@pytest.mark.parametrize(
    ("tags", "free"),
    [
        (("inferior myocardial infarction", "sinus rhythm"), True),
        (("atrial fibrillation",), True),
        (("left axis deviation",), True),
        (("normal ECG",), False),
        (("long QT interval",), False),
        (("wide QRS complex",), False),
        (("complete left bundle branch block",), False),
        (("atrial fibrillation with rapid ventricular response",), False),
        (("sinus rhythm", "first degree AV block"), False),
        (("anterior infarct, old",), False),
        ((), False),
    ],
)
def test_a_tag_of_time_binds_the_tempo(tags: tuple[str, ...], free: bool) -> None:
    assert rate_is_free(tags) is free


@pytest.mark.parametrize(
    "sizes", [{"gain": 0.5}, {"stretch": 0.2}, {"dropout": -0.1}, {"dropped_leads": 12}]
)
def test_sizes_that_make_tags_untrue_are_refused(sizes: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match="so that tags stay true"):
        Augmentation(**sizes)
