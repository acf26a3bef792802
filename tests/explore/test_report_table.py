"""What the ECG holds of a statement: zones, measurements, denials, and where everything stands."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from focal_app.ecg.measured import Measured
from focal_app.ecg.measurements import Measurement, Measurements, Waves
from focal_app.explore.reading.reading import Finding
from focal_app.explore.reading.zones import Kept, MeasuredZones, Zones, read_zones
from focal_app.explore.report.documents import table_document
from focal_app.explore.report.table import in_words, table_of
from focal_app.explore.report.values import held, held_of
from focal_app.explore.report.verdicts import of_feature, of_finding, of_value
from focal_app.explore.report.verification import Statement, Verification
from focal_app.ui.verify import html
from focal_app.ui.verify.state import VerifyView
from focal_app.words.numbers import Value
from focal_app.words.statements import report_tags

ZONES = Zones(low=0.02, high=0.3)
NONE = np.zeros((0, 2))


def finding(prompt, probability, measured=None, contradicted=None):
    return Finding(prompt, "x", 0.1, probability, np.ones((12, 10)), measured, contradicted)


def measured(**values):
    found = Measurements(**{name: Measurement(*value) for name, value in values.items()})
    return Measured(found, Waves(NONE, NONE, NONE, np.zeros(0)))


def verdict(report, probability, **judged):
    (tag,) = report_tags(report)
    return of_finding(tag, finding(tag.prompt, probability, **judged), ZONES)


@pytest.mark.parametrize(
    ("report", "probability", "name"),
    [
        ("LBBB", 0.9, "supported"),
        ("LBBB", 0.3, "supported"),
        ("LBBB", 0.1, "undecided"),
        ("LBBB", 0.01, "not supported"),
        ("Possible LBBB", 0.9, "supported"),
        ("No LBBB", 0.01, "supported"),
        ("No LBBB", 0.1, "undecided"),
        ("No LBBB", 0.9, "not supported"),
    ],
)
def test_a_denial_is_supported_where_the_model_does_not_find_it_either(report, probability, name):
    assert verdict(report, probability).name == name


def test_a_measurement_moves_a_verdict_by_one_zone_and_only_where_it_decides():
    against = {"measured": "QRS 80 ms", "contradicted": True}
    fits = {"measured": "QRS 140 ms", "contradicted": False}
    assert verdict("LBBB", 0.9, **against).name == "undecided"
    assert verdict("LBBB", 0.1, **against).name == "not supported"
    assert verdict("No LBBB", 0.1, **against).name == "supported"
    assert verdict("LBBB", 0.1, **fits).name == "undecided"
    assert verdict("wide QRS complex", 0.1, **fits).name == "supported"
    assert "QRS 140 ms" in verdict("LBBB", 0.1, **fits).why
    assert verdict("LBBB", 0.1, **fits).why.endswith("QRS 140 ms: fits")
    assert verdict("No LBBB", 0.1, **fits).why.endswith("QRS 140 ms: fits what is denied")


def test_what_read_tells_sorts_a_row_and_the_model_alone_stands_beside_it():
    joined = replace(finding("wide QRS complex", 0.06, "QRS 110 ms"), model_probability=0.9)
    told, against = (
        of_feature(replace(joined, contradicted=is_so), ZONES) for is_so in (None, True)
    )
    assert (told.name, against.name) == ("undecided", "not supported")
    assert "at 6 % with what is measured, 90 % without; measured QRS 110 ms" in told.why
    assert against.why == f"{told.why}: against it"


def test_a_joined_probability_is_told_beside_the_models_own_wherever_a_row_goes():
    (tag,) = report_tags("wide QRS complex")
    joined = replace(finding(tag.prompt, 0.05, "QRS 80 ms", True), model_probability=0.9)
    found = Verification("", (Statement(tag, joined),), (), (), ZONES, None, 0)
    (row,) = table_document(found)["statements"]
    assert (row["probability"], row["model_probability"]) == (0.05, 0.9)
    assert row["made_of"] == "model and measurements"
    alone = replace(found, statements=(Statement(tag, finding(tag.prompt, 0.05)),))
    places = [
        re.findall(r"--at:[0-9.]+%", str(html.verdicts(VerifyView(verification=one))))
        for one in (found, alone)
    ]
    assert places[0] == places[1] != []


def test_a_denial_that_the_measurement_supports_too_says_so():
    against = {"measured": "QRS 80 ms", "contradicted": True}
    assert verdict("No LBBB", 0.01, **against).why.endswith("against it, as the report says")
    assert "as the report" not in verdict("LBBB", 0.01, **against).why


def test_leads_and_age_stand_in_the_words_of_a_row():
    infarct, inverted = report_tags("Old inferior infarct. T waves inverted in V5, V6.")
    assert in_words(infarct) == "old inferior myocardial infarction"
    assert in_words(inverted) == "inverted T waves in V5-V6"
    assert "V5-V6 alone" in of_finding(inverted, finding(inverted.prompt, 0.9), ZONES).why
    assert "old and new" in of_finding(infarct, finding(infarct.prompt, 0.9), ZONES).why


@pytest.mark.parametrize(
    ("stated", "name"),
    [
        (Value("pr_ms", 210, 210), "supported"),
        (Value("pr_ms", 235, 235), "undecided"),
        (Value("pr_ms", 260, 260), "not supported"),
        (Value("axis_degrees", 175, 175), "supported"),
        (Value("rate_per_min", 100, float("inf")), "supported"),
        (Value("pr_ms", 210, float("inf")), "undecided"),
        (Value("pr_ms", float("-inf"), 190), "undecided"),
        (Value("pr_ms", 260, float("inf")), "not supported"),
        (Value("qrs_ms", 100, 100), "cannot be measured here"),
        (Value("qtc_bazett_ms", 440, 440), "supported"),
    ],
)
def test_a_stated_value_is_held_against_the_measured_one(stated, name):
    found = measured(
        pr_ms=(200, 4),
        axis_degrees=(-170, 3),
        rate_per_min=(120, 1),
        qtc_bazett_ms=(520, 5),
        qtc_fridericia_ms=(445, 5),
    )
    assert of_value(held(stated, found), denied=False).name == name


def test_a_bound_that_is_denied_is_held_the_other_way_round():
    (tag,) = report_tags("No PR > 200 ms.")
    assert tag.denied
    low, high = (measured(pr_ms=(value, 4)) for value in (183, 215))
    found = [Statement(tag, held=held_of(tag, tag.value, one)) for one in (low, high)]
    tables = [table_of(Verification("", (one,), (), (), ZONES, None, 0)) for one in found]
    assert [table.rows[0].verdict.name for table in tables] == ["supported", "undecided"]


def test_the_tolerance_grows_with_the_spread_of_the_measurement():
    far = Value("qrs_ms", 130, 130)
    found = [held(far, measured(qrs_ms=(100, spread))) for spread in (2, 16, 32)]
    verdicts = [of_value(one, denied=False) for one in found]
    assert [one.name for one in verdicts] == ["undecided", "undecided", "supported"]
    assert "readers differ by 15 ms" in verdicts[0].why
    assert "leads or beats differ by 16 ms" in verdicts[1].why
    named = held(Value("qtc_bazett_ms", 440, 440), measured(qtc_bazett_ms=(520, 5)), said="QTcBaz")
    assert of_value(named, denied=False).name == "not supported"


def table(report, *others):
    statements = tuple(Statement(tag, finding(tag.prompt, 0.9)) for tag in report_tags(report))
    found = Verification(report, statements, (), tuple(others), ZONES, None, 0)
    return table_of(found)


def test_what_would_be_added_is_neither_said_nor_implied_nor_denied():
    likely = [finding(p, 0.9) for p in ("left bundle branch block", "conduction disturbance")]
    added = table("AF.", *likely, finding("sinus rhythm", 0.8), finding("ST elevation", 0.1)).added
    assert [one.finding.prompt for one in added] == ["left bundle branch block", "sinus rhythm"]
    assert added[1].against == ("atrial fibrillation",)
    assert table("Complete LBBB.", *likely).added == ()
    assert table("AF.", finding("sinus rhythm", 0.45)).added == (), "which Read calls not likely"
    assert table("No LBBB.", likely[0]).added == ()


def test_asides_and_words_that_nothing_is_known_of_are_named():
    found = table("LBBB in woodwork. When compared with ECG of 2019, no change.")
    assert [one.kind for one in found.asides] == ["comparison"] and "woodwork" in found.left_out


def test_a_value_that_cannot_be_is_named_and_not_dropped():
    assert table("LBBB. Rate 900.").left_out == ("Rate 900",)


def test_zones_are_those_of_their_checkpoint_and_move_without_crossing(tmp_path):
    curve = [[0.1, 0.9, 0.5], [0.5, 0.6, 0.1]]
    one = {"what": "w", "source": "s", "recordings": 3, "true": 9, "false": 9, "curve": curve}
    for spoilt in ("", "[]", '{"low": 2, "high": 1}', json.dumps({"low": 0.1, "high": 0.5})):
        (tmp_path / "zones.json").write_text(spoilt)
        assert read_zones(tmp_path, lambda: "a") == Zones()
    written = {"checkpoint": "a", "low": 0.1, "high": 0.5, "chosen_on": [], "measured": [one]}
    (tmp_path / "zones.json").write_text(json.dumps(written))
    assert read_zones(tmp_path, lambda: "b") == Zones()
    zones = read_zones(tmp_path, lambda: "a")
    assert (zones.low, zones.high) == (0.1, 0.5) and zones.moved(0.05).low == 0.05
    assert zones.moved(None) is zones
    assert zones.measured[0].above(0.7) == Kept(0.5, 0.6, 0.1)
    assert Kept(0.5, 0.6, 0.1).precision == pytest.approx(0.6 / 0.7)
    assert Kept(0.5, 0.6, 0.1).rightly_left_out == pytest.approx(0.9 / 1.3)
    empty = replace(zones.measured[0], curve=(Kept(0.5, 0.0, 0.0),))
    assert isinstance(empty, MeasuredZones) and empty.above(0.5).precision is None


def test_a_feature_is_judged_as_a_statement_is():
    assert of_feature(finding("wide QRS complex", 0.9), ZONES).name == "supported"
    assert of_feature(finding("wide QRS complex", 0.005), ZONES).why.endswith("(0.5 %)")
