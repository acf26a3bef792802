"""A simulated 12-lead ECG with its findings and their places.

from train.simulate import simulate
drawn = simulate(7, states={"atrial fibrillation"})
"""

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from focal_app.ecg.recording import ECG, LEADS, SourceFacts
from focal_app.errors import ConfigError
from train.simulate.heart import Heart
from train.simulate.interval_tags import interval_marks, is_normal
from train.simulate.noise import NoisePlan, add_noise, draw_plan
from train.simulate.patient_with_states import Drawing, draw_patient_with
from train.simulate.places import Mark, Place, Span, place_mark
from train.simulate.projection import twelve_leads
from train.simulate.rhythm import Rhythm
from train.simulate.rhythm_tags import rhythm_places
from train.simulate.sampling import catalogue, check, draw_states
from train.simulate.scene import cast_of, paint
from train.simulate.state import State
from train.simulate.states_rhythm import TECHNICAL
from train.simulate.tagging import measured_marks
from train.simulate.timing import make_rhythm
from train.simulate.vocabulary import VOCABULARY

__all__ = ["STATES", "VOCABULARY", "SimulatedECG", "simulate"]

_ATTEMPTS = 60
_LONE_P = ("sinus", "retrograde")

STATES: frozenset[str] = frozenset(catalogue())
"""Clinical states that can be asked for."""


@dataclass(frozen=True)
class DrawnWaves:
    """When each wave begins and ends, in seconds, the same in all leads.

    `p_s` are upright P waves, conducted or not; `retrograde_s` those turned over, which may lie
    in QRS, ST or T. Fibrillation and flutter have none.
    """

    p_s: tuple[tuple[float, float], ...]
    retrograde_s: tuple[tuple[float, float], ...]
    qrs_s: tuple[tuple[float, float], ...]
    t_s: tuple[tuple[float, float], ...]
    spikes_s: tuple[float, ...]


@dataclass(frozen=True)
class SimulatedECG:
    """An ECG, the tags that hold in it, and where each shows.

    `tags` are the most specific statements and the waveform features that are really drawn;
    what they imply stands in the lexicon. A place is one beat or one segment and its leads.
    `waves` are the limits of every wave as it was drawn.
    """

    ecg: ECG
    tags: tuple[str, ...]
    places: tuple[Place, ...]
    waves: DrawnWaves


def simulate(
    seed: int,
    *,
    states: Collection[str] | None = None,
    duration_s: float = 10.0,
    sampling_rate_hz: int = 500,
) -> SimulatedECG:
    """One recording; the same seed and states give the same one.

    `states` of STATES that do not exclude each other, or None for a random patient. The same
    seed with other states is the same patient wherever the drawing allows it.
    """
    choice, body, time, skin = (np.random.default_rng([seed, k]) for k in range(4))
    asked = None if states is None else check(states)
    chosen, drawing = _settle(asked, choice, seed)
    names = frozenset(state.name for state in chosen)
    patient, heart = drawing.patient, drawing.heart
    rhythm = make_rhythm(time, names, heart, rate_bpm=patient.rate_bpm, duration_s=duration_s)
    cast = cast_of(heart, body)
    scene = paint(rhythm, cast, patient, time, duration_s=duration_s, rate=sampling_rate_hz)
    noisy = names & set(TECHNICAL)
    plan = draw_plan(skin, asked=noisy, duration_s=duration_s, strong=asked is None)
    stored = add_noise(scene.base_mv, plan, skin, sampling_rate_hz=sampling_rate_hz)
    marks = _marks(chosen, drawing, rhythm, scene.spans)
    places = [
        *(
            place
            for mark in marks
            for place in place_mark(mark, scene.spans, duration_s=duration_s)
        ),
        *rhythm_places(rhythm, scene.spans, duration_s=duration_s),
        *_noise_places(plan, duration_s=duration_s),
    ]
    tags = {place.tag for place in places}
    if is_normal(tags, rhythm, patient):
        tags.add("normal ECG")
    signal_mv = twelve_leads(stored).astype(np.float32)
    source = SourceFacts("simulated", age_years=patient.age_years, sex=patient.sex)
    ecg = ECG(signal_mv, LEADS, float(sampling_rate_hz), source)
    waves = _waves(rhythm, scene.spans, heart)
    return SimulatedECG(ecg, tuple(sorted(tags)), tuple(_seen(places, plan.flat)), waves)


def _waves(rhythm: Rhythm, spans: list[Span], heart: Heart) -> DrawnWaves:
    lone = {kind: [at for at, own in rhythm.lone_p if own == kind] for kind in _LONE_P}
    conducted = [span.p_on_s for span in spans if span.p_on_s is not None]
    p, retrograde = (
        tuple((at, at + heart.p_s) for at in sorted(onsets))
        for onsets in ([*conducted, *lone["sinus"]], lone["retrograde"])
    )
    spikes = [beat.spike_s for beat in rhythm.beats if beat.spike_s is not None]
    return DrawnWaves(
        p_s=p,
        retrograde_s=retrograde,
        qrs_s=tuple((span.qrs_on_s, span.qrs_off_s) for span in spans),
        t_s=tuple((span.t_on_s, span.t_off_s) for span in spans),
        spikes_s=tuple(sorted([*spikes, *rhythm.atrial_spikes_s])),
    )


def _settle(
    asked: tuple[State, ...] | None, choice: np.random.Generator, seed: int
) -> tuple[tuple[State, ...], Drawing]:
    """States and a heart that shows them; random states are drawn anew until both agree."""
    chosen: tuple[State, ...] = ()
    for attempt in range(_ATTEMPTS):
        chosen = draw_states(choice) if asked is None else asked
        drawing = draw_patient_with(chosen, seed=seed, attempt=attempt, frail=asked is None)
        if drawing is not None:
            return chosen, drawing
    raise ConfigError(
        f"found no heart that shows {', '.join(state.name for state in chosen)} together; "
        "ask for fewer states, or take another seed."
    )


def _marks(
    chosen: tuple[State, ...], drawing: Drawing, rhythm: Rhythm, spans: list[Span]
) -> list[Mark]:
    """What the states claim and what the ruler finds, of beats that are really in view."""
    if not any(span.kind == "own" for span in spans):
        return []
    claimed = [mark for state in chosen for mark in state.marks] + _together(chosen)
    measured = measured_marks(drawing.ruler, drawing.heart, drawing.patient)
    return claimed + measured + interval_marks(drawing.heart, rhythm, drawing.patient)


def _together(chosen: tuple[State, ...]) -> list[Mark]:
    """What two states make together."""
    names = {state.name for state in chosen}
    fascicles = {"left anterior fascicular block", "left posterior fascicular block"}
    if "complete right bundle branch block" in names and names & fascicles:
        return [Mark("bifascicular block", ("I", "II", "III", "aVF", "V1", "V2", "V6"), "QRS")]
    return []


def _seen(places: list[Place], flat: str | None) -> list[Place]:
    """Places without the lead that was off, but for the finding that it is off."""
    if flat is None:
        return places
    seen = [
        place
        if place.tag == "missing lead"
        else replace(place, leads=tuple(lead for lead in place.leads if lead != flat))
        for place in places
    ]
    return [place for place in seen if place.leads]


def _noise_places(plan: NoisePlan, *, duration_s: float) -> list[Place]:
    """Noise fills every lead; muscle noise may come as a burst, a missing lead is one lead."""
    places = []
    for tag in sorted(plan.tags):
        span = plan.muscle_span_s if tag == "muscle artifact" else None
        leads = (plan.flat,) if tag == "missing lead" and plan.flat else LEADS
        places.append(Place(tag, leads, *(span or (0.0, duration_s))))
    return places
