"""Amplitudes against drawn waves of known heights."""

import numpy as np
import pytest

from focal_app.ecg.amplitudes import DEEPEST_PERCENT, amplitudes
from focal_app.ecg.complete import CompleteECG, completed
from focal_app.ecg.recording import ECG, LEADS, SourceFacts

RATE_HZ = 500.0
QRS_S, T_S = (0.30, 0.40), (0.55, 0.75)
ONSETS_S = np.arange(5.0)
SPANS = tuple(ONSETS_S[:, None] + span for span in (QRS_S, T_S))
OF_T = ("lateral_t_mv", "lowest_t_percent")
FLAT = {"q": 0.0, "r": 1.0, "s": 0.0, "st": 0.0, "t": 0.3}


def drawn(*, wander_mv=0.0, **by_lead) -> CompleteECG:
    """Five beats; q, r, s (mV) at 0.32, 0.35 and 0.38 s, ST from QRS to T, the peak of T."""
    beats = {lead: {**FLAT, **by_lead.get(lead, {})} for lead in LEADS}
    time = np.arange(round(5 * RATE_HZ)) / RATE_HZ
    rows = [_row(time % 1.0, **beats[lead]) + wander_mv * np.sin(time) for lead in LEADS]
    return completed(ECG(np.array(rows, np.float32), LEADS, RATE_HZ, SourceFacts("drawn")))


def _row(at_s, q, r, s, st, t):
    points = [(0.30, 0), (0.32, -q), (0.35, r), (0.38, -s), (0.40, st), (0.55, st), (0.65, t)]
    x, y = zip((0.0, 0.0), *points, (0.75, 0.0), (1.0, 0.0), strict=True)
    return np.interp(at_s, x, y)


def found(ecg: CompleteECG) -> dict[str, float]:
    return measured(ecg, *SPANS)


def measured(ecg: CompleteECG, qrs_s, t_s, *, unseen=()) -> dict[str, float]:
    seen = np.array([[lead not in unseen for lead in ecg.leads]] * len(qrs_s))
    return {name: one.value for name, one in amplitudes(ecg, qrs_s, t_s, seen).items()}


def test_heights_are_those_that_were_drawn():
    ecg = drawn(
        V1={"r": 0.2, "s": 1.5},
        V3={"r": 0.4, "s": 1.1},
        V5={"r": 2.2, "t": -0.2},
        V6={"r": 1.8, "s": 0.25, "t": -0.1},
        aVL={"r": 0.9},
        III={"q": 0.35},
        aVF={"q": 0.30},
    )
    assert found(ecg) == pytest.approx(
        {
            "lowest_st_mv": 0.0,
            "lateral_t_mv": (0.3 + 0.3 + 0.3 - 0.2 - 0.1) / 5,
            "lowest_t_percent": -100 * 0.2 / 2.2,
            "sokolow_lyon_mv": 1.5 + 2.2,
            "cornell_mv": 0.9 + 1.1,
            "limb_qrs_mv": 1.35,
            "anterior_r_mv": 0.4,
            "inferior_q_percent": 30.0,
            "inferior_qs_percent": 30.0,
            "anterior_q_ms": 0.0,
            "v6_s_mv": 0.25,
            "v1_late_r_mv": 0.0,
        },
        abs=0.02,
    )


@pytest.mark.parametrize(
    ("v6", "s_mv"),
    [
        ({"q": 1.2, "r": 0.2}, None),  # Qr, as in many ventricular tachycardias
        ({"q": 1.2}, None),  # QS
        ({"q": 0.3, "r": 1.5, "s": 0.2}, 0.2),
        ({"r": 0.2, "s": 1.2}, 1.2),  # rS
    ],
)
def test_what_is_left_after_a_q_that_is_deeper_than_r_is_no_s(v6, s_mv):
    assert found(drawn(V6=v6)).get("v6_s_mv") == (s_mv and pytest.approx(s_mv, abs=0.02))


def test_the_lowest_st_is_one_that_two_leads_reach():
    assert found(drawn(V5={"st": -0.3}))["lowest_st_mv"] == pytest.approx(0.0, abs=0.01)
    two = drawn(V4={"st": -0.1}, V5={"st": -0.3})
    assert found(two)["lowest_st_mv"] == pytest.approx(-0.1, abs=0.01)
    elsewhere = drawn(aVR={"st": -0.3}, V1={"st": -0.3}, III={"st": -0.3})
    assert found(elsewhere)["lowest_st_mv"] == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize(
    ("t", "r", "percent"), [(0.05, 1.0, 5), (-0.1, 1.0, -10), (0.06, 0.1, 20), (-0.9, 0.1, -100)]
)
def test_the_lowest_t_is_told_against_its_own_r(t, r, percent):
    """Against 0.3 mV where R is smaller; T of the other leads has 30 % of theirs."""
    assert found(drawn(V4={"t": t, "r": r}))["lowest_t_percent"] == pytest.approx(percent, abs=1.5)
    health = found(drawn(aVL={"t": t, "r": r}, V1={"t": t, "r": r}))
    assert health["lowest_t_percent"] == pytest.approx(30, abs=1.5)


def test_a_complex_without_r_is_all_q():
    ecg = drawn(III={"q": 0.9, "r": 0.0}, aVF={"q": 0.85, "r": 0.01})
    assert found(ecg)["inferior_q_percent"] == DEEPEST_PERCENT


@pytest.mark.parametrize(("q", "percent"), [(0.05, 12.5), (0.1, 25.0), (0.2, 50.0)])
def test_a_quarter_of_a_small_r_is_no_deep_q_below_a_tenth_of_a_millivolt(q, percent):
    small = {"q": q, "r": 0.15, "t": 0.1}
    assert found(drawn(III=small, aVF=small))["inferior_q_percent"] == pytest.approx(percent, abs=2)


def test_neither_a_small_complex_nor_a_notch_is_q():
    small = drawn(III={"r": 0.045, "t": 0.1}, aVF={"r": 0.045, "t": 0.1})
    assert found(small)["inferior_q_percent"] == 0.0
    ecg = drawn()
    signal = np.array(ecg.signal_mv)
    at_s = (np.arange(signal.shape[1]) / RATE_HZ) % 1.0
    for lead in ("III", "aVF"):
        points = [0, 0.30, 0.32, 0.34, 0.37, 0.40, 1]
        signal[LEADS.index(lead)] = np.interp(at_s, points, [0, 0, 0.3, -0.3, 0.5, 0, 0])
    other = completed(ECG(signal.astype(np.float32), LEADS, RATE_HZ, ecg.source))
    assert found(other)["inferior_q_percent"] == pytest.approx(0.0, abs=1.0)


@pytest.mark.parametrize(("r", "percent"), [(0.07, DEEPEST_PERCENT), (0.2, 0.0)])
def test_s_after_a_small_r_is_no_q_and_stands_beside_it(r, percent):
    waves = {"q": 0.0, "r": r, "s": 1.2, "t": 0.1}
    told = found(drawn(III=waves, aVF=waves))
    assert told["inferior_q_percent"] == 0.0
    assert told["inferior_qs_percent"] == pytest.approx(percent, abs=1e-9)


@pytest.mark.parametrize("by", ["V2", "V3"])
@pytest.mark.parametrize(("q", "r", "lasts_ms"), [(0.2, 1.0, 20), (0.6, 0.0, 50), (0.0, 0.3, 0)])
def test_the_longer_q_of_v2_and_v3_lasts_until_r_begins(by, q, r, lasts_ms):
    told = found(drawn(**{by: {"q": q, "r": r, "s": 0.0}}))["anterior_q_ms"]
    assert told == pytest.approx(lasts_ms, abs=10)


@pytest.mark.parametrize(
    ("heights", "late_mv"),
    [
        ([0.2, -0.6, 0.5, 0.0], 0.5),
        ([0.3, -0.9, -0.4, 0.0], 0.0),
        ([0.2, -1.5, 0.1, 0.3], 0.0),
        ([0.2, -0.6, 0.5, 0.1], 0.4),
        ([0.1, 0.3, 0.7, 0.0], 0.7),
        ([0.3, 1.0, 0.3, 0.0], 0.0),
        ([-0.2, 0.2, 0.6, 0.0], 0.6),
    ],
    ids=["RSR'", "rS", "rS, ST up", "RSR', ST up", "late R", "tall R", "qR"],
)
def test_a_late_r_in_v1_is_a_peak_and_no_rise_to_st(heights, late_mv):
    ecg = drawn()
    signal = np.array(ecg.signal_mv)
    at_s = (np.arange(signal.shape[1]) / RATE_HZ) % 1.0
    points = [0, 0.30, 0.32, 0.34, 0.37, 0.40, 0.5, 0.6]
    signal[LEADS.index("V1")] = np.interp(at_s, points, [0, 0, *heights, heights[-1], 0])
    other = completed(ECG(signal.astype(np.float32), LEADS, RATE_HZ, ecg.source))
    assert found(other)["v1_late_r_mv"] == pytest.approx(late_mv, abs=0.02)


def test_noise_that_is_too_low_for_a_warning_takes_no_q_away():
    """Where QRS is marked as early as it usually is."""
    waves = {"q": 0.25, "t": 0.1}
    ecg = drawn(II=waves, III=waves, aVF=waves)
    noise = np.random.default_rng(0).normal(0, 0.03, ecg.signal_mv.shape)
    noisy = (ecg.signal_mv + noise).astype(np.float32)
    other = completed(ECG(noisy, LEADS, RATE_HZ, ecg.source))
    q = measured(other, SPANS[0] - (0.02, 0.0), SPANS[1])["inferior_q_percent"]
    assert q == pytest.approx(25.0, abs=8.0)


def test_a_lead_that_is_lost_during_the_recording_is_not_measured_from_there_on():
    ecg = drawn(V3={"r": 0.8}, III={"q": 0.1}, aVF={"q": 0.1})
    whole, signal = found(ecg), np.array(ecg.signal_mv)
    for lead in ("V3", "III", "aVF"):
        signal[LEADS.index(lead), round(2.2 * RATE_HZ) :] = 0.0
    lost = found(completed(ECG(signal.astype(np.float32), LEADS, RATE_HZ, ecg.source)))
    assert lost == pytest.approx(whole, abs=1e-6)


def test_gain_scales_voltages_and_no_share():
    one, other = drawn(V1={"s": 1.2}, III={"q": 0.3}, aVF={"q": 0.4}), found(drawn())
    twice = completed(ECG(2 * one.signal_mv, one.leads, RATE_HZ, one.source))
    small, large = found(one), found(twice)
    assert set(small) == set(other)
    for name, value in small.items():
        factor = 2 if name.endswith("_mv") else 1
        assert large[name] == pytest.approx(factor * value, abs=1e-5)


def test_wander_of_the_baseline_moves_nothing():
    calm, swaying = found(drawn(V5={"r": 2.0})), found(drawn(V5={"r": 2.0}, wander_mv=0.5))
    for name, value in calm.items():
        assert swaying[name] == pytest.approx(value, abs=3 if name.endswith("percent") else 0.1)


@pytest.mark.parametrize(
    ("lead", "lost"),
    [
        ("V1", {"sokolow_lyon_mv", "v1_late_r_mv"}),
        ("V3", {"cornell_mv", "anterior_r_mv", "anterior_q_ms", "lowest_st_mv"}),
        ("V6", {"sokolow_lyon_mv", *OF_T, "lowest_st_mv", "v6_s_mv"}),
    ],
)
def test_a_flat_or_missing_lead_is_not_measured_and_takes_no_other_along(lead, lost):
    ecg = drawn()
    keep = [row for row, one in enumerate(LEADS) if one != lead]
    flat = np.array(ecg.signal_mv)
    flat[LEADS.index(lead)] = 0.0
    leads = tuple(LEADS[row] for row in keep)
    for signal, of in ((flat, LEADS), (np.array(ecg.signal_mv)[keep], leads)):
        other = completed(ECG(signal.astype(np.float32), of, RATE_HZ, SourceFacts("drawn")))
        assert set(found(ecg)) - set(found(other)) == lost


def test_a_clipped_lead_or_one_without_qrs_is_as_good_as_missing():
    ecg = drawn(V6={"r": 0.9})
    signal = np.array(ecg.signal_mv)
    signal[LEADS.index("V6")] = np.minimum(signal[LEADS.index("V6")], 0.5)
    clipped = completed(ECG(signal, LEADS, RATE_HZ, ecg.source))
    known = {name for name in found(ecg) if name in measured(ecg, *SPANS, unseen=("V6",))}
    assert set(found(clipped)) == known
    assert set(found(ecg)) - known == {
        "sokolow_lyon_mv",
        *OF_T,
        "lowest_st_mv",
        "v6_s_mv",
    }


@pytest.mark.parametrize("rate_hz", [100.0, 250.0, 500.0])
def test_a_peak_between_two_samples_is_as_high_as_at_a_finer_rate(rate_hz):
    at_s = (np.arange(round(5 * rate_hz)) / rate_hz) % 1.0
    row = np.exp(-(((at_s - 0.355) / 0.012) ** 2) / 2)
    ecg = ECG(np.tile(row, (12, 1)).astype(np.float32), LEADS, rate_hz, SourceFacts("drawn"))
    assert found(completed(ecg))["anterior_r_mv"] == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("lost", ["aVR", "aVL", "aVF"])
def test_the_largest_limb_lead_is_none_of_those_that_halve_two_others(lost):
    ecg = drawn(I={"r": 1.3}, II={"r": 1.5}, III={"r": 0.2})
    assert measured(ecg, *SPANS, unseen=(lost,))["limb_qrs_mv"] == found(ecg)["limb_qrs_mv"]


def test_beats_that_the_window_cuts_are_left_out():
    ecg = drawn()
    cut = tuple(spans.copy() for spans in SPANS)
    cut[0][0] -= 0.30
    cut[0][-1] += 0.58
    assert len(measured(ecg, *(spans[:1] for spans in SPANS))) == 0
    assert measured(ecg, *cut) == pytest.approx(found(ecg), abs=1e-6)
