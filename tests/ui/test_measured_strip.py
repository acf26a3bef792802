"""What the page says of measurements: the strip, the rows of findings, and the summary."""

from dataclasses import replace

import numpy as np
import pytest

from focal_app.ecg.measured import Measured
from focal_app.ecg.measurements import Measurement, Measurements, Waves
from focal_app.explore.measured.device import differences
from focal_app.explore.reading.checkpoint_card import HeldOut
from focal_app.ui.read import wording as said
from focal_app.ui.read.findings_list import findings_list
from focal_app.ui.read.html import recording
from focal_app.ui.read.measured_strip import measured_panel, strip

BEATS = np.column_stack([np.arange(10.0), np.arange(10.0) + 0.1])


def made(*, spikes=0, seen=True, **values):
    measurements = Measurements(**{k: Measurement(*v) for k, v in values.items()})
    waves = Waves(BEATS, BEATS, BEATS, np.arange(float(spikes)))
    return Measured(measurements, waves, 1.0, bool(spikes) if seen else None)


@pytest.fixture
def found():
    return made(
        rate_per_min=(72.4, 2.0, 71.0),
        rr_variation_percent=(3.0,),
        pr_ms=(),
        qrs_ms=(96.2, 4.0, 94.0),
        axis_degrees=(-32.0, 3.0),
    )


def test_a_value_stands_with_its_spread_and_the_devices_own(found):
    html = strip(found)
    for part in ("72/min", "± 2", "device 71/min", "96 ms", "device 94 ms", "−32°", "regular"):
        assert part in html
    assert "±" in html and said.HOW_HELP[:40] in html


def test_amplitudes_stand_in_a_row_of_their_own_those_that_were_measured():
    html = strip(made(qrs_ms=(96.0, 4.0), sokolow_lyon_mv=(3.86, 0.1), lowest_st_mv=(-0.124, 0.02)))
    times, heights = html.split('<dl class="heights">')
    assert "96 ms" in times and "mV" not in times
    for part in ("<dt>Sokolow-Lyon</dt>", "3.9 mV", "<dt>Lowest ST</dt>", "−0.12 mV"):
        assert part in heights
    assert "Cornell</dt>" not in heights
    assert said.HEIGHTS_HELP[:40] in html


def test_what_was_not_measured_is_a_dash(found):
    html = strip(found)
    assert '<dt>PR</dt><dd><span class="value">–</span>' in html
    assert "None" not in html and "nan" not in html


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (made(spikes=9), "9 spikes"),
        (made(), "no spikes seen"),
        (made(seen=False), '<dt>Pacing</dt><dd><span class="value">–</span>'),
        (made(rr_variation_percent=(7.0,)), "slightly irregular"),
        (made(rr_variation_percent=(22.0,)), '"value">irregular<'),
    ],
)
def test_regularity_and_pacing_are_said_in_words(found, words):
    assert words in strip(found)


def test_without_beats_nothing_is_shown_as_measured():
    none = np.zeros((0, 2))
    html = strip(Measured(Measurements(), Waves(none, none, none, np.zeros(0))))
    assert said.NOTHING_MEASURED in html and "<dl>" not in html


def with_findings(view, found, **changes):
    findings = tuple(
        replace(one, **{k: v[n] for k, v in changes.items()})
        for n, one in enumerate(view.reading.findings)
    )
    return replace(view, reading=replace(view.reading, findings=findings, measured=found))


def test_the_strip_is_empty_until_there_is_a_reading(view, found):
    assert 'class="measured"' in measured_panel(with_findings(view, found))
    assert not measured_panel(replace(view, reading=None))


def test_a_contradicted_finding_says_so_and_keeps_its_probability(view, found):
    html = findings_list(
        with_findings(
            view,
            found,
            probability=[0.18, 0.92, 0.05, 0.6],
            measured=["P waves before each QRS", "RR varies by 2 %", "x", None],
            contradicted=[False, True, True, None],
        )
    )
    assert '<span class="beside against">but RR varies by 2 %</span>' in html
    assert '<span class="beside fits">fits: P waves before each QRS</span>' in html
    assert '<li class="against">atrial fibrillation 92 %: but RR varies by 2 %</li>' in html
    assert '<span class="percent">92 %</span>' in html
    assert "but x" not in html, "an improbable finding need not be refuted"


def test_what_decides_nothing_stands_in_the_rows_of_likely_findings_alone(view, found):
    words = ["pacing spikes before QRS", "PR 196 ms", None, None]
    told = {"measured": words, "contradicted": [None] * 4}
    html = findings_list(with_findings(view, found, probability=[0.92, 0.3, 0.05, 0.6], **told))
    assert '<span class="beside noted">measured: pacing spikes before QRS</span>' in html
    assert "measured: PR 196 ms" not in html and "this decides nothing" in html
    joined = with_findings(view, found, probability=[0.9] * 4, model_probability=[0.8] * 4, **told)
    assert "this alone decides nothing, but counts in the percentage" in findings_list(joined)


def test_what_differs_from_the_device_is_said_in_the_strip_and_not_again_in_the_notes(view):
    wide = made(qrs_ms=(106.0, 4.0, 135.0), pr_ms=(150.0, 3.0, 155.0))
    told = with_findings(view, wide)
    notes = (*differences(wide), "Derived III from I and II (Einthoven, Goldberger).", "Flat: V2.")
    told = replace(told, reading=replace(told.reading, warnings=notes))
    line = "QRS: 106 ms here, the device gives 135 ms. Look at the strip."
    assert measured_panel(told).count(line) == 1 and differences(wide) == (line,)
    facts = recording(told)
    assert line not in facts and '<li class="mind">Flat: V2.</li>' in facts
    assert '<li class="ordinary">Derived III' in facts


def test_the_summary_names_what_is_likely_and_not_contradicted(view, found):
    html = findings_list(
        with_findings(
            view,
            found,
            probability=[0.97, 0.92, 0.05, 0.2],
            measured=[None, "RR varies by 2 %", None, None],
            contradicted=[None, True, None, None],
        )
    )
    line = "Probably: sinus rhythm (97 %); measured: 72/min, regular, QRS 96 ms, axis −32°."
    assert line in html


def test_where_all_that_is_likely_is_contradicted_the_summary_says_that(view, found):
    html = findings_list(
        with_findings(
            view,
            found,
            probability=[0.2, 0.92, 0.05, 0.2],
            measured=[None, "RR varies by 2 %", None, None],
            contradicted=[None, True, None, None],
        )
    )
    assert "All that is probable is contradicted by what is measured; measured: 72/min" in html
    assert "Nothing that was asked is probable" not in html


def test_a_contradicted_finding_accounts_for_nothing_that_is_measured(view):
    wide = made(rate_per_min=(72.0, 2.0), qrs_ms=(154.0, 3.0))
    for contradicted in (None, True):
        html = findings_list(
            with_findings(
                view,
                wide,
                prompt=["sinus rhythm", "ventricular pacing", "LVH", "inverted T waves"],
                probability=[0.97, 0.6, 0.05, 0.2],
                measured=[None, "no spikes seen", None, None],
                contradicted=[None, contradicted, None, None],
            )
        )
        assert ("<b>wide QRS complex</b> (QRS 154 ms)" in html) is bool(contradicted)


def test_where_nothing_is_likely_the_summary_says_so(view):
    html = findings_list(
        with_findings(view, view.reading.measured, probability=[0.2, 0.3, 0.1, 0.05])
    )
    assert "<p>Nothing that was asked is probable.</p>" in html


def test_the_improbable_are_folded_unless_one_is_chosen(view, found):
    few = with_findings(view, found, probability=[0.9, 0.8, 0.05, 0.01])
    assert '<details class="folded"><summary>2 others below 10 %</summary>' in findings_list(few)
    chosen = findings_list(replace(few, chosen="ST elevation"))
    assert '<details class="folded" open>' in chosen
    one = with_findings(view, found, probability=[0.9, 0.8, 0.7, 0.01])
    assert "1 other below 10 %" in findings_list(one)


def test_the_rule_is_shown_on_demand(view, found):
    html = findings_list(view)
    assert "RR variation at most 6 %" in html and "ESC 2020" in html


def test_how_far_to_trust_a_finding_is_said_or_that_nobody_knows(view, found):
    told = [HeldOut(85, 12, 0.846, False), HeldOut(80, 3, 0.95, True), None, None]
    html = findings_list(with_findings(view, found, held_out=told))
    assert "On 85 real recordings of held-out patients, 12 of them with it: AUC 0.85. " in html
    assert html.count("Training has seen other patients of the same source") == 2
    assert f"AUC 0.95{said.FEW_EXAMPLES}." in html
    assert html.count(said.NOT_HELD_OUT) == 2
