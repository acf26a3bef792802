"""Leads by name, and the limb leads that follow from two others."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from focal_app.ecg.complete import LIMB_COEFFICIENTS, completed
from focal_app.ecg.leads import canonical_lead, ordered_by_name
from focal_app.ecg.recording import ECG, LEADS
from focal_app.errors import RecordingError


def only(ecg: ECG, leads: tuple[str, ...]) -> ECG:
    rows = [ecg.leads.index(lead) for lead in leads]
    return replace(ecg, signal_mv=ecg.signal_mv[rows], leads=leads)


@pytest.mark.parametrize(
    ("name", "lead"),
    [
        ("avr", "aVR"),
        ("AVR", "aVR"),
        (" aVF ", "aVF"),
        ("Lead I", "I"),
        ("ECG lead V6", "V6"),
        ("lead_ii", "II"),
        ("Lead I (Einthoven)", "I"),
        ("DII", "II"),
        ("v3", "V3"),
    ],
)
def test_usual_spellings_name_their_lead(name: str, lead: str) -> None:
    assert canonical_lead(name) == lead


@pytest.mark.parametrize("name", ["-aVR", "V7", "MLII", "RESP", "", "I I", "vx", "lead"])
def test_other_channels_name_no_lead(name: str) -> None:
    assert canonical_lead(name) is None


def test_order_follows_names_not_rows(ecg: ECG) -> None:
    shuffled = np.random.default_rng(1).permutation(len(LEADS))
    other = replace(
        ecg,
        signal_mv=ecg.signal_mv[shuffled],
        leads=tuple(LEADS[row].upper() for row in shuffled),
    )
    ordered = ordered_by_name(other)
    assert ordered.leads == LEADS
    np.testing.assert_array_equal(ordered.signal_mv, ecg.signal_mv)


def test_a_lead_that_appears_twice_is_refused(ecg: ECG) -> None:
    with pytest.raises(RecordingError, match="lead II more than once"):
        ordered_by_name(replace(ecg, leads=("I", "II", "ii", *LEADS[3:])))


def test_channels_of_no_lead_are_counted_but_not_named(ecg: ECG) -> None:
    ordered = ordered_by_name(replace(ecg, leads=(*LEADS[:11], "Doe, Jane")))
    assert ordered.leads == LEADS[:11]
    assert ordered.notes == ("Left out 1 channel without the name of a standard lead.",)


def test_a_recording_without_any_lead_name_is_refused(ecg: ECG) -> None:
    with pytest.raises(RecordingError, match="none of them named"):
        ordered_by_name(replace(ecg, leads=tuple(f"ch{i}" for i in range(12))))


@pytest.mark.parametrize("pair", list(combinations(LIMB_COEFFICIENTS, 2)))
def test_any_two_limb_leads_give_the_other_four(ecg: ECG, pair: tuple[str, str]) -> None:
    derived = completed(only(ecg, (*pair, "V1")))
    assert derived.leads == LEADS[:7]
    np.testing.assert_allclose(derived.signal_mv, ecg.signal_mv[:7], atol=1e-5)
    assert all(lead in derived.notes[-1].split("from")[1] for lead in pair)


def test_recorded_leads_are_never_changed(ecg: ECG) -> None:
    wrong = replace(ecg, signal_mv=ecg.signal_mv * np.linspace(1, 2, 12)[:, None])
    np.testing.assert_array_equal(completed(wrong).signal_mv, wrong.signal_mv)


def test_a_flat_lead_is_no_source(ecg: ECG) -> None:
    three = only(ecg, ("I", "II", "V1"))
    three.signal_mv[0] = 0.0
    assert completed(three).leads == ("I", "II", "V1")


def test_one_limb_lead_gives_no_other(ecg: ECG) -> None:
    assert completed(only(ecg, ("II", "V1"))).leads == ("II", "V1")


def test_missing_samples_of_a_source_stay_missing(ecg: ECG) -> None:
    two = only(ecg, ("I", "II"))
    two.signal_mv[0, :100] = np.nan
    derived = completed(two)
    assert np.isnan(derived.signal_mv[2:, :100]).all()
    assert np.isfinite(derived.signal_mv[:, 100:]).all()


def test_an_ecg_is_completed_once(ecg: ECG) -> None:
    complete = completed(only(ecg, ("V1", "II", "I")))
    assert completed(complete) is complete
    assert (complete.recorded, complete.derived) == (
        ("I", "II", "V1"),
        ("III", "aVR", "aVL", "aVF"),
    )
