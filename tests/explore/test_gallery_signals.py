"""Claims about signals as they are stored: exact, small, each on its own, nothing invented."""

import numpy as np
import pytest

from focal_app.ecg.recording import ECG, LEADS, SourceFacts
from focal_app.errors import GalleryError
from focal_app.explore.cases.gallery import signals
from focal_app.explore.reading.bundled_cases import bundled_cases, load_case


def stored(ecg: ECG, **changes) -> np.ndarray:
    return signals.stored(ecg, **{"rate_hz": 500, "step_uv": 1, "duration_s": 10.0, **changes})


@pytest.mark.parametrize("seed", range(3))
def test_any_steps_come_back_exactly(seed):
    rng = np.random.default_rng(seed)
    steps = rng.integers(-32768, 32768, (12, 700)).astype(np.int16)
    assert np.array_equal(signals.unpack(signals.pack(steps), rate_hz=500), steps)


@pytest.mark.parametrize(("rate_hz", "step_uv", "bytes_"), [(500, 1, 33_000), (250, 2, 18_000)])
def test_a_simulated_case_takes_33_kilobytes_whole_and_18_at_250_hz(rate_hz, step_uv, bytes_):
    ecgs = [load_case(case.name) for case in bundled_cases()]
    blocks = [signals.pack(stored(ecg, rate_hz=rate_hz, step_uv=step_uv)) for ecg in ecgs]
    assert np.mean([len(block) for block in blocks]) < bytes_


def test_microvolts_survive(query):
    ecg = query(1, rate_hz=500)
    back = signals.millivolts(stored(ecg), step_uv=1)
    assert np.abs(back - ecg.signal_mv).max() < 0.000501


def test_gaps_and_missing_leads_stay_open(query):
    whole = query(2, rate_hz=500)
    signal = whole.signal_mv.copy()
    signal[0, 1000:1400] = np.nan
    ecg = ECG(signal[:8], LEADS[:8], 500.0, SourceFacts("made"))
    for rate_hz in (500, 250):
        back = signals.millivolts(stored(ecg, rate_hz=rate_hz), step_uv=1)
        gap = np.isnan(back[0])
        assert gap[round(2.01 * rate_hz) : round(2.79 * rate_hz)].all()
        assert gap.sum() == pytest.approx(0.8 * rate_hz, abs=2)
        assert np.isnan(back[8:]).all()
        assert not np.isnan(back[1:8]).any()


def test_resampling_keeps_what_both_rates_can_hold(query):
    ecg = query(3, rate_hz=500)
    back = signals.millivolts(stored(ecg, rate_hz=250), step_uv=1)
    assert np.corrcoef(back[1], ecg.signal_mv[1, ::2])[0, 1] > 0.995


def test_only_the_first_window_is_stored(query):
    assert stored(query(4, rate_hz=500, seconds=23.0)).shape == (12, 5000)


@pytest.mark.parametrize("spoil", [lambda b: b[: len(b) // 2], lambda b: b"\x80\x04K\x01.", bytes])
def test_a_spoilt_block_is_refused_or_differs_but_never_runs(spoil, query):
    block = signals.pack(stored(query(5)))
    try:
        found = signals.unpack(spoil(block), rate_hz=500)
    except GalleryError:
        return
    assert found.dtype == np.int16


def test_a_block_that_unpacks_without_end_is_cut():
    bomb = signals.pack(np.zeros((12, 500 * 60 * 50), np.int16))
    assert signals.unpack(bomb, rate_hz=500).shape == (12, 500 * 60)
