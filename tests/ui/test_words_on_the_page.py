"""Panels and list say what is true, escape what is foreign, and keep their order."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from focal_app.ecg.measured import Measured
from focal_app.ecg.measurements import Measurement, Measurements, Waves
from focal_app.ecg.recording import SourceFacts
from focal_app.explore.reading.prompts import tidy
from focal_app.explore.reading.reading import percent
from focal_app.figures.paper_settings import PaperSettings
from focal_app.figures.places import Place
from focal_app.lexicon import GROUPS
from focal_app.ui import wording
from focal_app.ui.read import html as panels
from focal_app.ui.read.findings_list import findings_list
from focal_app.ui.read.showing import reading_paper
from focal_app.ui.read.state import choosing, read, with_prompts

PLANTED = "<img src=x onerror=alert(1)>'\"`${alert(2)}{{x}}</button><script>alert(3)</script>"


class Markup(HTMLParser):
    """What a browser would make of a piece of HTML."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.text = set(), set(), ""

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data):
        self.text += data


def names(html):
    return re.findall(r'class="name">([^<]*)<', html)


def scored(view, *probabilities):
    """The view with these probabilities for its first prompts, whatever their groups."""
    findings = view.reading.findings
    changed = [replace(f, probability=p) for f, p in zip(findings, probabilities, strict=True)]
    return replace(view, reading=replace(view.reading, findings=tuple(changed)))


def blocks(view):
    """Title and prompts of every block of the list."""
    parts = findings_list(view).split("<section>")[1:]
    return [(re.findall("<h3>(.*?)</h3>", part)[0], names(part)) for part in parts]


def test_what_is_measured_and_named_by_none_stands_in_the_summary(view):
    waves = Waves(*np.zeros((3, 0, 2)), np.zeros(0))
    wide = Measured(Measurements(qrs_ms=Measurement(154.0, 2.0, None)), waves)
    told = replace(view, reading=replace(view.reading, measured=wide))
    assert "<b>wide QRS complex</b> (QRS 154 ms)" in findings_list(told)
    assert "wide QRS complex" not in findings_list(view)


def test_the_most_probable_stand_first_whatever_their_group(view):
    shown = blocks(scored(view, 0.94, 0.02, 0.95, 0.6))
    assert shown[0] == (
        wording.MOST_PROBABLE,
        ["ST elevation", "sinus rhythm", "words of my own"],
    )
    assert shown[1:] == [(wording.GROUPS["rhythm"], ["atrial fibrillation"])]


def test_where_nothing_is_likely_the_likeliest_few_stand_first(view):
    shown = blocks(scored(view, 0.01, 0.3, 0.2, 0.1))
    assert shown[0][1] == ["atrial fibrillation", "ST elevation", "words of my own"]
    assert shown[1:] == [(wording.GROUPS["rhythm"], ["sinus rhythm"])]


def test_what_is_not_likely_stands_by_group_and_the_likelier_first(view):
    shown = blocks(scored(view, 0.1, 0.2, 0.3, 0.9))
    rhythm = (wording.GROUPS["rhythm"], ["atrial fibrillation", "sinus rhythm"])
    assert shown[1:] == [rhythm, (wording.GROUPS["st-t"], ["ST elevation"])]


def test_a_refused_upload_says_what_is_still_shown():
    said = panels.trouble("found <nothing>.", still=wording.still_showing("Normal ECG"))
    assert "Found &lt;nothing&gt;." in said and "Still showing “Normal ECG”." in said
    assert "from before" in wording.still_showing("")


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        ("LBBB", "read as left bundle branch block"),
        ("left  Bundle branch block", ""),
        ("slurred terminal S", wording.OWN_WORDS),
        ("Linksschenkelblock", "read as left bundle branch block"),
        ("LBBB with broad waves", wording.OWN_WORDS),
    ],
)
def test_a_row_says_which_words_were_scored(view, reader, prompt, said):
    html = findings_list(read(with_prompts(view, (tidy(prompt),), chosen=None), reader))
    assert re.findall(r'class="beside">([^<]*)<', html) == [said] * bool(said)


def test_exactly_the_chosen_finding_is_pressed(view):
    html = findings_list(choosing(view, "ST elevation"))
    pressed = re.findall(r'data-prompt="([^"]*)"[^>]*aria-pressed="true"', html)
    assert pressed == ["ST elevation"]


@pytest.mark.parametrize("planted", [PLANTED, PLANTED.upper()])
def test_nothing_foreign_reaches_the_page_as_markup(view, reader, planted):
    hostile = with_prompts(view, (planted,), chosen=planted)
    facts = SourceFacts("test", sex=planted)
    ecg = replace(view.ecg, notes=(planted,), source=facts)
    hostile = read(replace(hostile, ecg=ecg, about=planted), reader)
    for html in (findings_list(hostile), panels.recording(hostile), panels.places(hostile)):
        page = Markup()
        page.feed(html)
        assert not page.tags & {"img", "script"}
        assert not [name for name in page.attributes if name.startswith("on")]
        assert "alert(3)" in page.text.lower()
    assert "<img" not in panels.trouble(planted)


def test_every_group_of_the_lexicon_has_a_name():
    assert set(wording.GROUPS) == set(GROUPS)


@pytest.mark.parametrize(
    ("probability", "said"),
    [(0.0, "<1 %"), (0.009, "<1 %"), (0.01, "1 %"), (0.5, "50 %"), (0.991, ">99 %"), (1, ">99 %")],
)
def test_no_probability_is_called_certain(probability, said):
    assert percent(probability) == said


def test_a_place_is_said_by_leads_seconds_and_times_the_even_share():
    said = wording.place(Place(("V1", "V2", "V3"), 2.0, 4.0, 3.1))
    assert said == "V1–V3, 2–4 s: looked here 3.1 times as much as on average"


def test_facts_hold_no_more_than_age_sex_signal_and_format(view):
    facts = ["61 years", "female", "12 leads", "10.0 s", "500 Hz", "test"]
    assert wording.facts(view.ecg) == facts


def test_notes_of_the_recording_are_shown_once(view, reader):
    ecg = replace(view.ecg, notes=("V2 is flat.", "V2 is flat."))
    html = panels.recording(read(replace(view, ecg=ecg), reader))
    assert html.count("V2 is flat.") == 1


def test_a_simulated_case_and_an_upload_say_what_they_are(view):
    assert wording.SIMULATED in panels.recording(view)
    assert wording.UPLOADED in panels.recording(replace(view, case=None))


def test_a_place_outside_the_layout_is_said_to_be(view):
    chosen = choosing(view, "ST elevation")
    assert f'data-layout="12x1">{wording.SHOW_PLACE}</button>' in panels.places(chosen)
    assert wording.OTHER_LAYOUT in panels.places(chosen, switch=False)
    shown = panels.places(replace(chosen, paper=PaperSettings(layout="12x1")))
    assert wording.OTHER_LAYOUT not in shown and wording.SHOW_PLACE not in shown


def test_what_is_measured_over_the_recording_stands_beside_where_the_model_looked(view):
    chosen = choosing(view, "sinus rhythm")
    assert "Measured over all beats" not in panels.places(chosen)
    (finding, *others) = view.reading.findings
    measured = replace(finding, measured="P waves before 100 % of the beats")
    found = replace(view.reading, findings=(measured, *others))
    shown = choosing(replace(view, reading=found), "sinus rhythm")
    assert "P waves before 100 % of the beats" in panels.places(shown)
    marked = replace(shown, paper=PaperSettings(fiducials=True))
    assert wording.MARK_WAVES in panels.places(shown)
    assert wording.MARK_WAVES not in panels.places(marked), "they are marked already"


@pytest.mark.parametrize(("lead", "unusual"), [(1, False), (9, True)])
def test_a_tint_away_from_the_leads_of_the_lexicon_is_said_to_be(view, lead, unusual):
    """Sinus rhythm is looked for in II and V1; V4 is neither."""
    weights = np.full((12, 10), 0.5)
    weights[lead] = 6.5
    findings = tuple(replace(f, weights=weights, probability=0.9) for f in view.reading.findings)
    shown = replace(view, reading=replace(view.reading, findings=findings), chosen="sinus rhythm")
    said = panels.places(shown)
    assert ("Differs from where a reader looks: usually II" in said) == unusual
    improbable = tuple(replace(f, probability=0.05) for f in findings)
    faint = replace(shown, reading=replace(view.reading, findings=improbable))
    assert "Differs" not in panels.places(faint)


@pytest.mark.parametrize("probability", [0.0, 0.094, 0.096, 0.0999, 0.1, 0.104, 0.496, 0.5])
def test_no_percentage_is_on_the_other_side_of_a_bound_than_its_probability(probability, view):
    finding = replace(view.reading.findings[0], probability=probability)
    whole = int(percent(probability).strip("< %"))
    assert finding.improbable == (whole < 10) and finding.likely == (whole >= 50)


def test_each_place_says_whether_the_layout_leaves_it_out(view):
    places = panels.places(choosing(view, "ST elevation"))
    assert "V1, 0–1 s: looked here 4.0 times as much as on average (not on this layout)" in places
    shown = panels.places(
        choosing(replace(view, paper=PaperSettings(layout="12x1")), "ST elevation")
    )
    assert "not on this layout" not in shown
    assert wording.EVEN in places and wording.EVEN in shown
    partly = wording.place(Place(("V1", "V2"), 4.0, 6.0, 2.0), hidden=["V2"])
    assert partly.endswith("(V2 not on this layout)")


@pytest.mark.parametrize(("probability", "faint"), [(0.099, True), (0.1, False), (0.97, False)])
def test_a_heatmap_of_what_is_improbable_is_lighter_and_says_so(view, probability, faint):
    findings = tuple(replace(f, probability=probability) for f in view.reading.findings)
    shown = replace(view, reading=replace(view.reading, findings=findings), chosen="ST elevation")
    assert (wording.IMPROBABLE in panels.places(shown)) == faint
    assert ('class="tint faint"' in reading_paper(shown)) == faint


def test_the_numbers_table_holds_every_weight(view):
    html = panels.places(choosing(view, "ST elevation"))
    assert html.count("<td>0.90</td>") == 119
    assert html.count("<td>4.00</td>") == 1
