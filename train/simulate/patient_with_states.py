"""A patient whose heart shows what the states claim."""

from dataclasses import dataclass

import numpy as np

from train.simulate.heart import Heart
from train.simulate.interval_tags import healthy_tags
from train.simulate.measure import Ruler, measure
from train.simulate.patient import Patient, at_rate, corrected_qt_s, draw_heart, draw_patient
from train.simulate.state import State
from train.simulate.tagging import measured_marks

_QTC_S = (0.36, 0.455)
"""QTc of the healthy: above short, and below long in men or women (see `interval_tags`)."""
_FRAIL_YEARS = 62
"""Mean age of patients with a disease; of all patients of a cardiology clinic."""

_SCARRED = frozenset(
    {
        "pathological Q waves",
        "QS complexes in V1-V2",
        "poor R wave progression",
        "ST elevation",
    }
)
"""Signs that an infarction has to make itself."""


@dataclass(frozen=True)
class Drawing:
    """A patient, the heart that beats in them, and its measurements."""

    patient: Patient
    heart: Heart
    ruler: Ruler


def draw_patient_with(
    states: tuple[State, ...], *, seed: int, attempt: int, frail: bool
) -> Drawing | None:
    """A patient with these states, or None where this heart does not show them.

    Disease comes on top of a healthy heart, the same for the same seed; with `frail` on top of
    one as they are in older patients, whose axis and T wave need not be normal.
    """
    body = np.random.default_rng([seed, 10, attempt])
    disease = np.random.default_rng([seed, 11, attempt])
    well = not frail or all(state.of_the_healthy for state in states)
    patient, heart, ruler = _healthy(body) if well else _frail(body)
    for state in states:
        if state.rate_bpm is not None:
            rate_bpm = float(disease.uniform(*state.rate_bpm))
            heart, patient = at_rate(heart, patient, rate_bpm=rate_bpm)
    for state in sorted(states, key=lambda state: state.order):
        if state.shape is not None:
            state.shape(heart, disease)
    if any(state.shape is not None or state.rate_bpm is not None for state in states):
        ruler = measure(heart)
    shown = all(state.holds is None or state.holds(ruler) for state in states)
    return Drawing(patient, heart, ruler) if shown else None


def _healthy(rng: np.random.Generator) -> tuple[Patient, Heart, Ruler]:
    """A patient in whom the ruler finds nothing."""
    while True:
        patient, heart, ruler = _anyone(draw_patient(rng), rng)
        if {mark.tag for mark in measured_marks(ruler, heart, patient)} <= healthy_tags(patient):
            return patient, heart, ruler


def _frail(rng: np.random.Generator) -> tuple[Patient, Heart, Ruler]:
    """Three in ten of the older are healthy but for their disease, the others have their own axis.

    These are turned to the back too (R outgrows S late in the chest leads), and the dipoles of
    their waves are larger; none looks like an infarction.
    """
    while True:
        lean, turn, size = 0.0, 0.0, 1.0
        if rng.random() < 0.7:
            lean, turn = float(rng.normal(0.12, 0.3)), float(rng.normal(0.18, 0.2))
            size = float(np.exp(rng.normal(0.12, 0.15)))
        patient = draw_patient(rng, age_years=_FRAIL_YEARS, lean=lean, turn=turn, size=size)
        patient, heart, ruler = _anyone(patient, rng)
        found = {mark.tag for mark in measured_marks(ruler, heart, patient)}
        if found <= healthy_tags(patient) or (lean and not found & _SCARRED):
            return patient, heart, ruler


def _anyone(patient: Patient, rng: np.random.Generator) -> tuple[Patient, Heart, Ruler]:
    """Any normal heart with a normal QT."""
    while True:
        heart = draw_heart(rng, patient)
        if _QTC_S[0] <= corrected_qt_s(heart, patient) <= _QTC_S[1]:
            return patient, heart, measure(heart)
