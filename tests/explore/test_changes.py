"""What counts as changed between two ECGs: the arithmetic, and its laws."""

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focal_app.ecg.measured import Measured
from focal_app.ecg.measurements import Measurement, Measurements, Waves
from focal_app.ecg.recording import LEADS
from focal_app.explore.comparing.changes import OFF_BY, finding_changes, measured_changes
from focal_app.explore.comparing.comparison import OTHER_PATIENT, Comparison, document
from focal_app.explore.reading.reading import Finding, Reading, RecordFacts
from focal_app.ui.compare.html import changes

VALUES = st.one_of(st.none(), st.floats(-180, 600))
SPREADS = st.one_of(st.none(), st.floats(0, 60))
MEASURED = st.builds(Measurement, VALUES, SPREADS)
NO_WAVES = Waves(*np.zeros((3, 0, 2)), np.zeros(0))
NOTHING_MEASURED = Measured(Measurements(), NO_WAVES)


def change(field: str, then: Measurement, now: Measurement):
    both = (Measurements(**{field: one}) for one in (then, now))
    return next(one for one in measured_changes(*both) if one.field == field)


def reading(*probabilities: float, age: int | None = 60, sex: str | None = "male") -> Reading:
    weights = np.full((12, 10), 1.0)
    findings = [Finding(f"p{n}", "other", 0.1, p, weights) for n, p in enumerate(probabilities)]
    record = RecordFacts("test", 500.0, 10.0, LEADS, age, sex)
    return Reading(record, 0.0, np.arange(11.0), tuple(findings), (), NOTHING_MEASURED)


def verdicts(then: Reading, now: Reading) -> dict[str, str]:
    return {one.prompt: one.verdict for one in finding_changes(then, now)}


def test_every_measurement_has_a_word_for_how_far_it_may_be_off():
    assert set(OFF_BY) == {field.name for field in fields(Measurements)}


@pytest.mark.parametrize(
    ("then", "now", "verdict"),
    [
        ((100, 2), (130, 3), "higher"),
        ((130, 2), (100, 3), "lower"),
        ((100, 2), (110, 3), "as before"),  # less than measuring may be off
        ((100, 20), (130, 15), "as before"),  # the spreads meet
        ((100, None), (130, None), "higher"),
        ((None, None), (130, 3), "not measured"),  # leads disagreed: no QRS is "gone"
        ((100, 2), (None, None), "not measured"),
        ((None, None), (None, None), "not measured"),
    ],
)
def test_a_measurement_changed_when_it_moved_by_more_than_the_spread(then, now, verdict):
    assert change("qrs_ms", Measurement(*then), Measurement(*now)).verdict == verdict


def test_an_axis_turns_the_shorter_way():
    turned = change("axis_degrees", Measurement(170, 2), Measurement(-170, 2))
    assert (turned.by, turned.verdict) == (20.0, "more to the right")
    assert change("axis_degrees", Measurement(-175, 2), Measurement(178, 2)).verdict == "as before"


@given(st.sampled_from(sorted(OFF_BY)), MEASURED, MEASURED)
def test_looking_back_turns_every_word_around(field, then, now):
    pairs = (("higher", "lower"), ("more to the right", "more to the left"))
    opposite = {one: other for pair in pairs for one, other in (pair, pair[::-1])}
    there, back = change(field, then, now), change(field, now, then)
    if there.by is not None and abs(there.by) != 180:
        assert back.by == pytest.approx(-there.by, abs=1e-6)
        assert back.verdict == opposite.get(there.verdict, there.verdict)


@given(st.sampled_from(sorted(OFF_BY)), MEASURED)
def test_the_same_value_is_as_before(field, value):
    assert change(field, value, value).verdict in {"as before", "not measured"}


@pytest.mark.parametrize(
    ("then", "now", "verdict"),
    [
        (0.1, 0.9, "new"),
        (0.9, 0.1, "gone"),
        (0.45, 0.55, "as before"),  # across the line, but hardly
        (0.6, 0.99, "as before"),  # likely in both
        (0.01, 0.4, "as before"),  # likely in neither
        (0.3, 0.5, "new"),
    ],
)
def test_a_finding_is_new_or_gone_when_it_clearly_crossed_the_line(then, now, verdict):
    assert verdicts(reading(then), reading(now)) == {"p0": verdict}


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=5))
def test_what_is_new_the_one_way_is_gone_the_other(pairs):
    then, now = (reading(*(pair[n] for pair in pairs)) for n in (0, 1))
    swapped = {"new": "gone", "gone": "new", "as before": "as before"}
    assert verdicts(now, then) == {p: swapped[v] for p, v in verdicts(then, now).items()}


def test_new_and_gone_stand_first_and_what_only_one_was_asked_is_left_out():
    then, now = reading(0.9, 0.9, 0.1, 0.2), reading(0.9, 0.1, 0.9)
    assert [one.prompt for one in finding_changes(then, now)] == ["p2", "p1", "p0"]


@pytest.mark.parametrize(
    ("earlier", "later", "warned"),
    [
        ({}, {}, False),
        ({"age": 60}, {"age": 55}, True),
        ({"sex": "male"}, {"sex": "female"}, True),
        ({"age": None, "sex": None}, {"age": 55, "sex": "female"}, False),
    ],
)
def test_two_that_can_be_no_one_patient_are_warned_of(earlier, later, warned):
    found = Comparison.of(reading(0.5, **earlier), reading(0.5, **later))
    assert found.warnings == ((OTHER_PATIENT,) if warned else ())


def test_the_document_says_both_values_and_the_verdict():
    then, now = (
        replace(reading(share), measured=Measured(Measurements(rate_per_min=rate), NO_WAVES))
        for share, rate in ((0.1, Measurement(60.01, 1.0)), (0.9, Measurement(90.02, 1 / 0.99)))
    )
    told = document(Comparison.of(then, now))
    assert told["measurements"]["rate_per_min"] == {
        "earlier": {"value": 60.0, "spread": 1.0, "device": None},
        "later": {"value": 90.0, "spread": 1.0, "device": None},
        "by": 30.0,
        "verdict": "higher",
    }
    assert told["measurements"]["pr_ms"]["verdict"] == "not measured"
    assert told["findings"] == [{"prompt": "p0", "earlier": 0.1, "later": 0.9, "verdict": "new"}]


@pytest.mark.parametrize(
    ("then", "now", "verdict"),
    [
        (False, True, "new"),
        (True, False, "gone"),
        (True, True, "as before"),
        (None, True, "not measured"),
    ],
)
def test_pacing_is_compared_too(then, now, verdict):
    sides = [
        replace(reading(0.1), measured=replace(NOTHING_MEASURED, spikes_seen=seen))
        for seen in (then, now)
    ]
    told = document(Comparison.of(*sides))["pacing_spikes"]
    assert told == {"earlier": then, "later": now, "verdict": verdict}
    assert f'<td class="verdict">{verdict}</td>' in changes(Comparison.of(*sides))
