"""The simulator: one seed, one recording; tags of the lexicon; places inside the recording."""

import numpy as np
import pytest

from focal_app.ecg.recording import LEADS
from focal_app.errors import ConfigError
from focal_app.lexicon import load_lexicon
from train.simulate import STATES, VOCABULARY, SimulatedECG, simulate
from train.simulate.noise import add_noise, draw_plan
from train.simulate.projection import DOWER, Torso, twelve_leads
from train.simulate.sampling import draw_states


@pytest.fixture(scope="module")
def drawn() -> list[SimulatedECG]:
    return [simulate(seed) for seed in range(120)]


@pytest.fixture(scope="module")
def drawn_tags() -> list[frozenset[str]]:
    return [frozenset(simulate(seed, sampling_rate_hz=100).tags) for seed in range(400)]


def test_the_same_seed_draws_the_same_recording() -> None:
    first, second = simulate(5), simulate(5)
    np.testing.assert_array_equal(first.ecg.signal_mv, second.ecg.signal_mv)
    assert first.tags == second.tags
    assert first.places == second.places


def test_no_recording_carries_two_labels_that_contradict_each_other(drawn_tags) -> None:
    """Neither two that exclude each other, nor a rhythm beside what excludes a feature of it."""
    lexicon = load_lexicon()
    mixed = simulate(500_263, states=("acute lateral myocardial infarction",))
    of_every_state = (simulate(500 + n, states=(name,)) for n, name in enumerate(sorted(STATES)))
    for tags in (*(frozenset(made.tags) for made in (mixed, *of_every_state)), *drawn_tags):
        for tag in tags:
            features = lexicon[tag].features if lexicon[tag].group == "rhythm" else ()
            for said in (tag, *features):
                assert not lexicon.exclusions(said) & tags, (tag, said)


def test_sinus_arrhythmia_is_irregular(drawn_tags) -> None:
    swinging = [tags for tags in drawn_tags if "sinus arrhythmia" in tags]
    assert len(swinging) > 20
    assert all("irregular RR intervals" in tags for tags in swinging)
    assert sum("regular RR intervals" in tags for tags in drawn_tags) > 200


def test_other_seeds_draw_other_patients() -> None:
    first, second = simulate(5, states={"normal ECG"}), simulate(6, states={"normal ECG"})
    assert np.abs(first.ecg.signal_mv - second.ecg.signal_mv).max() > 0.2


def test_the_order_of_states_does_not_matter() -> None:
    names = ["left anterior fascicular block", "first degree AV block"]
    first, second = simulate(3, states=names), simulate(3, states=names[::-1])
    np.testing.assert_array_equal(first.ecg.signal_mv, second.ecg.signal_mv)


def test_limb_leads_obey_einthoven_and_goldberger_in_every_recording(
    drawn: list[SimulatedECG],
) -> None:
    for made in drawn:
        i, ii, iii, avr, avl, avf = made.ecg.signal_mv[:6].astype(float)
        np.testing.assert_allclose(iii, ii - i, atol=2e-6)
        np.testing.assert_allclose(avr, -(i + ii) / 2, atol=2e-6)
        np.testing.assert_allclose(avl, i - ii / 2, atol=2e-6)
        np.testing.assert_allclose(avf, ii - i / 2, atol=2e-6)


def test_twelve_leads_keep_the_eight_and_sum_to_zero_in_the_augmented() -> None:
    base = np.random.default_rng(0).normal(size=(8, 50))
    leads = twelve_leads(base)
    np.testing.assert_array_equal(leads[[0, 1, 6, 7, 8, 9, 10, 11]], base)
    np.testing.assert_allclose(leads[3:6].sum(0), 0, atol=1e-12)


def test_a_torso_without_changes_is_dower() -> None:
    np.testing.assert_allclose(Torso().matrix(), DOWER)


def test_turning_the_heart_to_the_feet_moves_the_axis_to_the_right() -> None:
    leftward = np.array([1.0, 0.0, 0.0])
    upright, turned = Torso().matrix() @ leftward, Torso(frontal_rad=0.8).matrix() @ leftward
    assert turned[1] > upright[1]
    assert turned[0] < upright[0]


def test_noise_keeps_the_shape_and_leaves_no_lead_untouched() -> None:
    rng = np.random.default_rng(1)
    plan = draw_plan(rng, asked=frozenset({"muscle artifact"}), duration_s=10.0)
    stored = add_noise(np.zeros((8, 5000)), plan, rng, sampling_rate_hz=500)
    assert stored.shape == (8, 5000)
    assert (stored.std(axis=1) > 0.002).sum() >= 7


def test_every_recording_is_finite_and_of_plausible_size(drawn: list[SimulatedECG]) -> None:
    for made in drawn:
        assert made.ecg.leads == LEADS
        assert made.ecg.signal_mv.shape == (12, 5000)
        assert made.ecg.signal_mv.dtype == np.float32
        assert np.isfinite(made.ecg.signal_mv).all()
        assert np.abs(made.ecg.signal_mv).max() < 12
        assert made.ecg.source.format == "simulated"
        assert 18 <= (made.ecg.source.age_years or 0) <= 92


@pytest.mark.parametrize(("duration_s", "rate_hz"), [(10.0, 250), (5.0, 500), (20.0, 400)])
def test_duration_and_sampling_rate_are_those_asked_for(duration_s: float, rate_hz: int) -> None:
    made = simulate(2, duration_s=duration_s, sampling_rate_hz=rate_hz)
    assert made.ecg.signal_mv.shape == (12, round(duration_s * rate_hz))
    assert made.ecg.sampling_rate_hz == rate_hz


def test_what_shows_does_not_depend_on_how_often_it_is_sampled(drawn: list[SimulatedECG]) -> None:
    rarely = [simulate(seed, sampling_rate_hz=100) for seed in range(len(drawn))]
    assert [made.tags for made in rarely] == [made.tags for made in drawn]
    assert [made.places for made in rarely] == [made.places for made in drawn]


def test_places_lie_inside_the_recording_and_belong_to_tags_that_hold(
    drawn: list[SimulatedECG],
) -> None:
    for made in drawn:
        for place in made.places:
            assert 0 <= place.start_s < place.end_s <= 10
            assert set(place.leads) <= set(LEADS)
            assert place.tag in made.tags


def test_every_tag_but_normal_has_a_place(drawn: list[SimulatedECG]) -> None:
    for made in drawn:
        assert set(made.tags) - {"normal ECG"} <= {place.tag for place in made.places}


def test_a_rhythm_of_the_sinus_node_shows_on_its_p_waves_in_the_leads_of_the_lexicon() -> None:
    lexicon = load_lexicon()
    told = {"sinus rhythm", "sinus tachycardia", "P wave before every QRS complex"}
    states = ({"normal ECG"}, {"sinus tachycardia"}, {"premature atrial complex"})
    for made in (simulate(40 + number, states=one) for number, one in enumerate(states)):
        for tag in told & set(made.tags):
            mine = [place for place in made.places if place.tag == tag]
            waves = {(round(max(on, 0), 4), round(min(off, 10), 4)) for on, off in made.waves.p_s}
            assert {place.leads for place in mine} == {lexicon[tag].leads}
            assert len(mine) >= 5
            assert {(place.start_s, place.end_s) for place in mine} <= waves
        early = {p.start_s for p in made.places if p.tag == "premature P wave"}
        assert not early & {p.start_s for p in made.places if p.tag == "sinus rhythm"}


def test_other_rhythms_show_all_the_time_in_the_leads_of_the_lexicon() -> None:
    made = simulate(3, states={"atrial fibrillation"})
    found = {(p.leads, p.start_s, p.end_s) for p in made.places if p.tag == "atrial fibrillation"}
    assert found == {(load_lexicon()["atrial fibrillation"].leads, 0.0, 10.0)}


def test_the_vocabulary_covers_every_tag(drawn: list[SimulatedECG]) -> None:
    for made in drawn:
        assert set(made.tags) <= VOCABULARY


def test_every_word_of_the_vocabulary_stands_in_the_lexicon() -> None:
    lexicon = load_lexicon()
    assert [tag for tag in sorted(VOCABULARY) if tag not in lexicon] == []


def test_tags_never_contradict_the_lexicon(drawn: list[SimulatedECG]) -> None:
    lexicon = load_lexicon()
    for made in drawn:
        implied = set(made.tags).union(*(lexicon.ancestors(tag) for tag in made.tags))
        for tag in implied:
            assert not lexicon.exclusions(tag) & implied, (tag, made.tags)


def test_states_that_exclude_each_other_are_never_drawn_together() -> None:
    rng = np.random.default_rng(0)
    for _ in range(2000):
        chosen = draw_states(rng)
        taken = [slot for state in chosen for slot in state.slots]
        assert len(taken) == len(set(taken)), [state.name for state in chosen]


def test_about_a_third_of_the_patients_is_normal(drawn: list[SimulatedECG]) -> None:
    share = np.mean(["normal ECG" in made.tags for made in drawn])
    assert 0.25 < share < 0.55


def test_a_normal_ecg_that_is_asked_for_is_normal() -> None:
    assert all("normal ECG" in simulate(seed, states={"normal ECG"}).tags for seed in range(40))


def test_an_unknown_state_is_named_in_the_error() -> None:
    with pytest.raises(ConfigError, match="'broken heart'"):
        simulate(0, states={"broken heart"})


def test_contradictory_states_are_refused_by_name() -> None:
    both = {"complete left bundle branch block", "complete right bundle branch block"}
    with pytest.raises(ConfigError, match="exclude each other"):
        simulate(0, states=both)


@pytest.mark.parametrize("state", sorted(STATES))
def test_every_state_can_be_drawn(state: str) -> None:
    made = simulate(17, states={state})
    assert made.tags
    assert set(made.tags) <= VOCABULARY
