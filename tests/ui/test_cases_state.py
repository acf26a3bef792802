"""Cases that a visitor looks at: shown, hidden and revealed."""

from dataclasses import replace
from types import SimpleNamespace

import gradio as gr
import numpy as np
import pytest

from focal_app.__main__ import _parser
from focal_app.errors import PromptError
from focal_app.explore.cases.gallery import Case, Facts
from focal_app.explore.cases.hits import Hit, TermScore
from focal_app.explore.cases.reasons import Reasons
from focal_app.explore.cases.similar import Finding, Segment, Whole
from focal_app.ui.cases import html as case_panels
from focal_app.ui.cases import search_tab, similar_tab, wording
from focal_app.ui.cases import state as cases_state
from focal_app.ui.cases.comparing import Compared
from focal_app.ui.cases.state import CasesState
from focal_app.ui.teach.state import Lesson

PLANTED = "<img src=x onerror=alert(1)>'\""


def case(key, **told):
    known = {
        "labels": ("left bundle branch block",),
        "report": "a report",
        "sex": "female",
        "age_years": 61,
        "source": "Somewhere (somebody 2020)",
        "licence": "CC BY 4.0",
    }
    facts = Facts(key="kept", **{**known, **told})
    object.__setattr__(facts, "key", key)  # a planted one would be refused
    return Case(0, facts)


def hit(key, **named):
    weights = np.ones((12, 10))
    terms = (TermScore("LBBB", True, 0.7, weights),)
    return Hit(case(key, **named), 0.7, ("LBBB",), weights, probability=0.7, terms=terms)


@pytest.fixture
def found():
    return cases_state.with_hits(
        CasesState(), [hit("a"), hit("b"), hit("c")], understood="With LBBB."
    )


def test_the_first_case_is_shown_and_stepping_stays_in_the_list(found):
    assert found.shown.case.key == "a"
    assert cases_state.moved(found, -1).number == 0
    assert cases_state.moved(cases_state.moved(found, 1), 1).shown.case.key == "c"
    assert cases_state.moved(found, 9).number == 2


def test_a_case_of_a_patient_whom_the_model_knows_is_marked_hidden_or_not():
    known = cases_state.with_hits(
        CasesState(), [hit("a", trained=True), hit("b", trained=False), hit("c")]
    )
    for shown in (known, cases_state.hiding(known, on=True)):
        assert case_panels.hits_list(shown).count(wording.TRAINED_BRIEF) == 1
    told = [str(case_panels.case_facts(one.case)) for one in known.hits]
    assert [wording.TRAINED in one for one in told] == [True, False, False]


def test_hidden_labels_are_nowhere_on_the_page_until_they_are_revealed(found):
    hidden = cases_state.hiding(found, on=True)
    html = case_panels.hits_list(hidden) + case_panels.terms_found(hidden)
    html += case_panels.case_facts(hidden.shown.case, hidden=True)
    assert "left bundle" not in html and "LBBB" not in html and "report" not in html.lower()
    told = cases_state.revealed(hidden, "b")
    html = case_panels.hits_list(told)
    assert html.count("left bundle branch block") == 1
    assert told.shown.case.key == "b"


def test_a_new_search_hides_again(found):
    told = cases_state.revealed(cases_state.hiding(found, on=True), "b")
    assert cases_state.with_hits(told, [hit("b")]).hides(hit("b"))


def test_a_case_that_is_no_longer_listed_is_said_to_be_gone(found):
    with pytest.raises(PromptError):
        cases_state.opened(found, "z")


def test_nothing_foreign_reaches_the_page_as_markup():
    planted = hit(PLANTED, labels=(PLANTED,), report=PLANTED, source=PLANTED, licence=PLANTED)
    planted = replace(planted, reasons=Reasons(*[(PLANTED,)] * 5))
    found = cases_state.with_hits(CasesState(), [planted], understood=PLANTED, warnings=(PLANTED,))
    html = "".join(
        [
            case_panels.hits_list(found),
            case_panels.case_facts(planted.case),
            case_panels.terms_found(found),
            case_panels.likeness(planted, Finding(PLANTED)),
            case_panels.likeness(planted, Segment(PLANTED, 1, 2)),
            case_panels.heading(found),
            case_panels.heading(cases_state.aged(found, PLANTED)),
        ]
    )
    assert "<img" not in html and "onerror=alert(1)>" not in html
    assert "&lt;img" in html


def test_a_likeness_is_no_probability():
    """It is said by what random pairs reach, and never rounded up to all of them."""
    near = Hit(case("a"), 3.1, (), np.ones((12, 10)), closer_than=0.997)
    assert near.figure == "99 of 100"
    assert replace(near, closer_than=None).figure == ""


def test_why_differs_from_hit_to_hit():
    found = Reasons(
        ("left bundle branch block",), ("QRS 150 and 146 ms",), ("atrial fibrillation",), (), ()
    )
    one = Hit(case("a"), 3.1, ("left bundle branch block",), np.ones((12, 10)), reasons=found)
    html = case_panels.likeness(one, Whole())
    assert "left bundle branch block. Measured alike (yours first): QRS 150 and 146 ms." in html
    assert "Differs: atrial fibrillation (yours alone)." in html
    row = case_panels.hits_list(cases_state.with_hits(CasesState(), [one]))
    assert "both: left bundle branch block, QRS 150 and 146 ms; differs: atrial" in row
    assert "both:" not in case_panels.hits_list(
        cases_state.hiding(cases_state.with_hits(CasesState(), [one]), on=True), collected=()
    )


def test_diagnoses_stand_before_waveforms_and_long_lists_are_cut():
    labels = ("P wave before every QRS complex", "good signal quality", "upright T waves")
    told = wording.headline(case("a", labels=(*labels, "left bundle branch block")).facts)
    assert told.startswith("left bundle branch block, ") and told.endswith(" and 1 more")


def test_warnings_of_a_search_stand_before_everything_else():
    found = cases_state.with_hits(
        CasesState(), [hit("a")], understood="With asdf.", warnings=("not known",)
    )
    html = case_panels.heading(found)
    assert 'class="warned" role="alert"' in html
    assert html.index("not known") < html.index("With asdf.")
    assert "warned" not in case_panels.heading(cases_state.with_hits(found, [hit("a")]))


def test_old_cases_are_said_to_be_old_until_there_are_new_ones(found):
    old = cases_state.aged(found, "older")
    assert "older" in case_panels.heading(old)
    assert "older" in case_panels.heading(cases_state.opened(old, "b"))
    assert "older" not in case_panels.heading(cases_state.with_hits(old, [hit("c")]))
    assert case_panels.heading(cases_state.aged(CasesState(), "older")) == ""


def test_only_what_labels_confirm_is_said_to_be_in_the_case():
    labelled = Hit(case("a"), 0.9, ("LBBB",), np.ones((12, 10)))
    assert wording.SHARED in case_panels.likeness(labelled, Whole())
    bare = Hit(case("a", labels=()), 0.9, ("LBBB",), np.ones((12, 10)))
    assert wording.SHARED_UNLABELLED in case_panels.likeness(bare, Whole())
    assert wording.NOTHING_SHARED in case_panels.likeness(
        Hit(case("a"), 0.9, (), np.ones((12, 10))), Whole()
    )


def test_the_finding_by_which_was_compared_comes_first():
    compared = Hit(
        case("a"), 0.8, ("right bundle branch block", "LBBB"), np.ones((12, 10)), probability=0.91
    )
    html = case_panels.likeness(compared, Finding("RBBB"))
    assert html.startswith('<p class="why">right bundle branch block: 91 % in this case.')


def test_whose_real_cases_are_is_shown_and_how_to_have_some_where_all_are_simulated():
    class Some(SimpleNamespace):
        def __len__(self) -> int:
            return 3

    real = case_panels.gallery_line(Some(title="Real", simulated=False, note=f"CC {PLANTED}"))
    assert "Real: 3 cases." in real and '<p class="hint">CC &lt;img' in real
    assert wording.REAL_CASES_BUILD not in real
    made = case_panels.gallery_line(Some(title="Made", simulated=True, note="drawn"))
    assert wording.REAL_CASES_BUILD in made and "<summary>" in made
    options = wording.REAL_CASES_BUILD.partition("focal_app ")[2].split()
    assert _parser().parse_args(options).cases == 500


def test_leads_that_took_no_part_are_named():
    weights = np.full((12, 10), np.nan)
    weights[6] = 1.0
    found = Hit(case("a"), 0.7, (), weights, terms=(TermScore("RSR'", True, 0.7, weights),))
    assert "Only V1 took part" in case_panels.terms_found(
        cases_state.with_hits(CasesState(), [found])
    )


def test_a_figure_is_explained_where_there_is_one(found):
    assert wording.PROBABILITY_SHOWN in case_panels.hits_list(found)
    hidden = cases_state.hiding(found, on=True)
    assert wording.PROBABILITY_SHOWN not in case_panels.hits_list(hidden)
    alike = cases_state.with_hits(Compared(), found.hits)
    assert wording.LIKENESS_SHOWN in case_panels.hits_list(alike)
    by_finding = replace(alike, by=Finding("LBBB"))
    assert wording.ordered_by("LBBB") in case_panels.hits_list(by_finding)


def test_what_was_measured_stands_beside_a_case_and_no_figure_is_explained_where_there_is_none():
    rate = Hit(case("a"), 0.0, (), np.full((12, 10), np.nan), measured=("heart rate 164/min",))
    searched = cases_state.with_hits(CasesState(), [rate])
    html = case_panels.hits_list(searched)
    assert "heart rate 164/min" in html and wording.PROBABILITY_SHOWN not in html
    hidden = case_panels.hits_list(cases_state.hiding(searched, on=True))
    assert "164" not in hidden


def test_a_case_of_the_set_can_be_taken_out_where_it_is_listed(found):
    html = case_panels.hits_list(found, ("b",))
    assert html.count(wording.DROP) == 1 and html.count(wording.KEEP) == 2


@pytest.mark.parametrize(
    ("tab", "empty"),
    [(search_tab, CasesState()), (similar_tab, Compared())],
    ids=["search", "similar"],
)
def test_a_listed_case_alone_is_kept_and_dropped_again_on_both_tabs(parts, tab, empty):
    keep = tab.Handlers(parts, lambda: None, lambda: None).keep
    listed = cases_state.with_hits(empty, [hit("a"), hit("b")])
    kept = keep(listed, Lesson(), gr.EventData(None, {"key": "b"}))
    assert kept["lesson"].keys == ("b",) and kept["trouble"] == ""
    assert kept["cases"].count(wording.DROP) == 1 and wording.in_set(1) in kept["in_set"]
    assert keep(listed, kept["lesson"], gr.EventData(None, {"key": "b"}))["lesson"].keys == ()
    for other in (empty, listed):
        refused = keep(other, kept["lesson"], gr.EventData(None, {"key": "c"}))
        assert refused.keys() == {"trouble"} and wording.STALE in refused["trouble"]
