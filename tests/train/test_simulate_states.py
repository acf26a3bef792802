"""What each state claims is measured on the signal that was drawn, noise included."""

from collections.abc import Callable

import numpy as np
import pytest

from focal_app.ecg.recording import LEADS
from train.simulate import SimulatedECG, simulate
from train.simulate.measure import ROW
from train.simulate.patient_with_states import draw_patient_with
from train.simulate.sampling import check
from train.simulate.tagging import measured_marks

RATE = 500
SEEDS = range(8)


def spans(made: SimulatedECG, *tags: str) -> list[tuple[float, float]]:
    """Bounds of every whole place of these tags, in seconds."""
    found = {(p.start_s, p.end_s) for p in made.places if p.tag in tags}
    return sorted(bounds for bounds in found if bounds[0] > 0.15 and bounds[1] < 9.5)


def beats(made: SimulatedECG) -> list[tuple[float, float]]:
    """Onset and offset of QRS of the patient's own whole beats."""
    return spans(made, "narrow QRS complex", "wide QRS complex")


def typical(made: SimulatedECG) -> tuple[np.ndarray, int, int]:
    """Median beat (12, 350) from 100 ms before QRS, zero before QRS, and QRS limits in samples."""
    bounds = beats(made)
    starts = [round(on * RATE) - 50 for on, _ in bounds]
    cut = np.stack([made.ecg.signal_mv[:, s : s + 350] for s in starts if s + 350 <= 5000])
    beat = np.median(cut.astype(float), axis=0)
    width = float(np.median([off - on for on, off in bounds]))
    return beat - beat[:, 44:50].mean(1, keepdims=True), 50, 50 + round(width * RATE)


def st_levels(made: SimulatedECG) -> dict[str, float]:
    """Level 40 ms after the end of QRS, in mV."""
    beat, _, end = typical(made)
    return {lead: float(beat[ROW[lead], end + 15 : end + 25].mean()) for lead in LEADS}


def each(state: str, claim: Callable[[SimulatedECG], bool], *, share: float = 1.0) -> None:
    """`claim` holds for at least this share of patients with the state."""
    held = [claim(simulate(seed, states={state})) for seed in SEEDS]
    assert np.mean(held) >= share, f"{state}: {held}"


def rr_s(made: SimulatedECG) -> np.ndarray:
    return np.diff([on for on, _ in beats(made)])


def test_first_degree_block_has_a_pr_above_200_ms() -> None:
    for seed in SEEDS:
        bounds = spans(simulate(seed, states={"first degree AV block"}), "first degree AV block")
        assert bounds
        assert min(end - start for start, end in bounds) > 0.2


def test_atrial_fibrillation_is_irregular_and_has_no_p() -> None:
    def claim(made: SimulatedECG) -> bool:
        rr = rr_s(made)
        return bool(rr.std() > 0.1 * rr.mean()) and "absent P waves" in made.tags

    each("atrial fibrillation", claim, share=0.9)


def test_sinus_tachycardia_beats_faster_than_100_and_bradycardia_slower_than_60() -> None:
    each("sinus tachycardia", lambda made: bool(60 / np.median(rr_s(made)) > 98))
    each("sinus bradycardia", lambda made: bool(60 / np.median(rr_s(made)) < 62))


def test_left_ventricular_hypertrophy_meets_a_voltage_criterion() -> None:
    def claim(made: SimulatedECG) -> bool:
        beat, start, end = typical(made)
        qrs = beat[:, start:end]
        sokolow = -qrs[ROW["V1"]].min() + max(qrs[ROW["V5"]].max(), qrs[ROW["V6"]].max())
        return bool(sokolow > 3.2 or qrs[ROW["aVL"]].max() > 1.0)

    each("left ventricular hypertrophy", claim)


def test_strain_turns_t_in_v6() -> None:
    def claim(made: SimulatedECG) -> bool:
        beat, _, end = typical(made)
        return bool(beat[ROW["V6"], end + 40 : end + 150].min() < -0.04)

    each("left ventricular hypertrophy with strain", claim)


def test_right_bundle_branch_block_ends_upwards_in_v1_and_downwards_in_i_or_v6() -> None:
    def claim(made: SimulatedECG) -> bool:
        beat, _, end = typical(made)
        late = beat[:, end - 30 : end - 8].mean(1)
        return bool(late[ROW["V1"]] > 0.05 and min(late[0], late[ROW["V6"]]) < 0)

    each("complete right bundle branch block", claim, share=0.9)


def test_left_bundle_branch_block_is_wide_upward_in_v6_and_downward_in_v1() -> None:
    def claim(made: SimulatedECG) -> bool:
        beat, start, end = typical(made)
        area = beat[:, start:end].sum(1)
        return bool(end - start >= 60 and area[ROW["V6"]] > 0 > area[ROW["V1"]])

    each("complete left bundle branch block", claim, share=0.9)


def test_left_anterior_block_turns_the_axis_up_and_left() -> None:
    def claim(made: SimulatedECG) -> bool:
        beat, start, end = typical(made)
        area = beat[:, start:end].sum(1)
        return bool(area[ROW["I"]] > 0 > area[ROW["II"]])

    each("left anterior fascicular block", claim)


def test_acute_inferior_infarction_lifts_st_below_and_sinks_it_in_avl() -> None:
    lifted, mirrored = [], []
    for seed in SEEDS:
        st = st_levels(simulate(seed, states={"acute inferior myocardial infarction"}))
        lifted.append(sum(st[lead] > 0.08 for lead in ("II", "III", "aVF")) >= 2)
        mirrored.append(st["aVL"] < 0.0)
    assert all(lifted)
    assert np.mean(mirrored) >= 0.9


def test_acute_anterior_infarction_lifts_st_in_v2_to_v4() -> None:
    def claim(made: SimulatedECG) -> bool:
        st = st_levels(made)
        return sum(st[lead] > 0.08 for lead in ("V2", "V3", "V4")) >= 2

    each("acute anterior myocardial infarction", claim)


def test_old_anteroseptal_infarction_loses_r_in_v2_or_v3() -> None:
    def claim(made: SimulatedECG) -> bool:
        beat, start, end = typical(made)
        return bool(min(beat[ROW[lead], start:end].max() for lead in ("V2", "V3")) < 0.3)

    each("old anteroseptal myocardial infarction", claim)


def test_diffuse_ischemia_sinks_st_in_left_leads() -> None:
    def claim(made: SimulatedECG) -> bool:
        st = st_levels(made)
        return sum(st[lead] < -0.04 for lead in ("I", "II", "V4", "V5", "V6")) >= 3

    each("myocardial ischemia", claim, share=0.9)


def test_low_voltage_stays_below_half_a_millivolt_in_the_limb_leads() -> None:
    def claim(made: SimulatedECG) -> bool:
        beat, start, end = typical(made)
        return bool(np.ptp(beat[:6, start:end], axis=1).max() < 0.56)

    each("low QRS voltage", claim)


def test_paced_beats_are_wide_and_follow_a_spike() -> None:
    for seed in SEEDS:
        made = simulate(seed, states={"ventricular pacing"})
        assert {"wide QRS complex", "pacing spikes"} <= set(made.tags)
        assert min(off - on for on, off in beats(made)) > 0.12


def test_premature_ventricular_beats_come_early_and_wide() -> None:
    for seed in SEEDS:
        made = simulate(seed, states={"premature ventricular complex"})
        early = spans(made, "premature wide QRS complex")
        every = sorted(on for on, _ in [*beats(made), *early])
        rr = np.median(rr_s(made))
        for on, off in early:
            assert off - on > 0.12
            before = [t for t in every if t < on - 0.01]
            assert not before or on - before[-1] < 0.85 * rr


def test_wenckebach_prolongs_pr_until_a_beat_is_dropped() -> None:
    made = simulate(4, states={"second degree AV block type 1"})
    assert {"progressive PR prolongation", "dropped QRS complexes"} <= set(made.tags)
    rr = rr_s(made)
    assert rr.max() > 1.3 * rr.min()


def test_wander_and_mains_are_strong_where_they_are_claimed() -> None:
    def power(made: SimulatedECG, low: float, high: float) -> float:
        spectrum = np.abs(np.fft.rfft(made.ecg.signal_mv, axis=1)) ** 2
        hertz = np.fft.rfftfreq(5000, 1 / RATE)
        return float(np.median(spectrum[:, (hertz > low) & (hertz < high)].sum(1)))

    for tag, low, high in (("baseline wander", 0.01, 0.6), ("mains interference", 49.0, 61.0)):
        clean = np.median([power(simulate(k, states={"normal ECG"}), low, high) for k in SEEDS])
        noisy = [power(simulate(k, states={"normal ECG", tag}), low, high) for k in SEEDS]
        assert np.median(noisy) > 5 * clean


@pytest.mark.parametrize(
    "state",
    [
        "acute inferior myocardial infarction",
        "old anteroseptal myocardial infarction",
        "incomplete right bundle branch block",
        "ischemia in lateral leads",
        "left ventricular hypertrophy with strain",
        "left anterior fascicular block",
        "right atrial enlargement",
    ],
)
def test_a_finding_changes_its_own_leads_and_seconds_most(state: str) -> None:
    """Inside the places the signal differs from the same patient in health; outside less."""
    ratios = []
    for seed in range(24):
        ill, well = simulate(seed, states={state}), simulate(seed, states={"normal ECG"})
        change = np.abs(ill.ecg.signal_mv - well.ecg.signal_mv)
        own = {p for p in ill.places if p.tag in _claims(state)}
        inside = np.zeros((12, 5000), dtype=bool)
        for place in own:
            rows = [ROW[lead] for lead in place.leads]
            inside[rows, round(place.start_s * RATE) : round(place.end_s * RATE)] = True
        same_patient = ill.ecg.source.age_years == well.ecg.source.age_years
        if same_patient and np.median(change) < 0.05:
            ratios.append(change[inside].mean() / change[~inside].mean())
    assert len(ratios) >= 5
    assert np.median(ratios) > 2


def _claims(state: str) -> set[str]:
    bare = state.removeprefix("acute ").removeprefix("old ")
    return {bare, bare.removesuffix(" with strain")} | ({state} if state != bare else set())


def test_swapped_arms_turn_lead_i_over_and_leave_the_chest_alone() -> None:
    for seed in SEEDS:
        swapped = simulate(seed, states={"limb lead reversal"})
        assert "limb lead reversal" in swapped.tags
        beat, start, end = typical(swapped)
        area = beat[:, start:end].sum(1)
        assert area[ROW["I"]] < 0 or area[ROW["aVR"]] > area[ROW["aVL"]]


def test_hypertrophy_grows_in_a_fascicular_block_too():
    """A block leaves waves without a dipole; they grow as the others do."""
    block = check(["left anterior fascicular block"])
    both = check(["left anterior fascicular block", "left ventricular hypertrophy"])
    pairs = [
        (draw_patient_with(block, seed=seed, attempt=0, frail=False), one)
        for seed in range(60)
        if (one := draw_patient_with(both, seed=seed, attempt=0, frail=False))
    ]
    grown = [one.ruler.swing / alone.ruler.swing for alone, one in pairs if alone]
    assert len(grown) >= 15
    assert (np.median(grown, axis=0)[[ROW["I"], ROW["V1"], ROW["V5"]]] > 1.2).all()


def test_no_old_heart_looks_like_an_infarct():
    """Without one, a patient of a clinic has neither its Q waves nor its lost R."""
    drawings = [
        draw_patient_with(check(["first degree AV block"]), seed=seed, attempt=0, frail=True)
        for seed in range(60)
    ]
    found = {
        mark.tag
        for one in drawings
        if one
        for mark in measured_marks(one.ruler, one.heart, one.patient)
    }
    assert not found & {"pathological Q waves", "QS complexes in V1-V2", "ST elevation"}
    assert "left axis deviation" in found
