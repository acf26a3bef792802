"""What the Verify tab does with a report, and what it shows of it."""

import re
from dataclasses import replace

import pytest

from focal_app.errors import PromptError
from focal_app.explore.reading.bundled_cases import bundled_case
from focal_app.explore.report.candidates import LEXICON, MODEL
from focal_app.explore.report.language_model import LLMServer
from focal_app.explore.report.verification import FROM_SUSPECTED
from focal_app.ui.verify import html as verify_panels
from focal_app.ui.verify import wording
from focal_app.ui.verify.state import (
    VerifyView,
    choosing,
    verified,
    with_features,
    with_findings,
    with_report,
    with_source,
    with_tag,
    with_threshold,
    without_tag,
)

PLANTED = "<img src=x onerror=alert(1)>"


@pytest.fixture
def state(view, reader):
    return verified(with_report(VerifyView(), "Sinus rhythm. LBBB, no AF."), view, reader)


def test_a_report_becomes_tags_and_candidates_with_scores(state):
    assert [t.tag for t in state.tags] == [
        "sinus rhythm",
        "left bundle branch block",
        "atrial fibrillation",
    ]
    assert state.affirmed == ("sinus rhythm", "left bundle branch block")
    assert state.verification.verified


def test_a_fine_tint_of_read_is_not_drawn_for_what_verify_shows(state, view, reader):
    looked_at = replace(view, fine=reader.fine(view.ecg, "sinus rhythm"))
    shown = state.on_paper(looked_at)
    assert shown.finding is None and shown.heatmap is None
    chosen = choosing(state, shown.reading.findings[0].prompt, on=True).on_paper(looked_at)
    assert chosen.heatmap is not None and chosen.fine is None


def test_changing_a_tag_in_its_place_leaves_the_others(state, view, reader):
    after = verified(with_tag(state, "left bundle branch block", "no RBBB"), view, reader)
    assert [(t.tag, t.denied) for t in after.tags][1] == ("right bundle branch block", True)
    assert len(after.tags) == 3


def test_doubt_is_said_on_the_chip_on_the_row_and_of_what_it_proposes(view, reader):
    state = verified(with_report(VerifyView(), "Possible LBBB."), view, reader)
    assert 'value="possible left bundle branch block"' in verify_panels.chips(state)
    assert ">suspected<" in verify_panels.chips(state)
    said = verify_panels.verdicts(with_threshold(state, 0.05))
    assert wording.STANCES["suspected"] in said and wording.AFFIRMED not in said
    assert said.count(FROM_SUSPECTED) == len(state.verification.verified)


@pytest.mark.parametrize("word", ["asdf", "slurred terminal S", "no asdf"])
def test_words_that_are_no_known_term_are_said_to_be_and_stand_apart(view, reader, word):
    state = with_tag(with_report(VerifyView(), "Sinus rhythm."), "", word)
    html = verify_panels.verdicts(verified(state, view, reader))
    assert wording.UNKNOWN in verify_panels.chips(state)
    assert wording.count(wording.IN_REPORT, 1) in html
    apart = html.partition(wording.count(wording.UNKNOWN_TITLE, 1))[2]
    assert wording.UNKNOWN in apart and "the report" not in apart


def test_the_truth_of_a_simulated_case_stands_beside_each_feature(view, reader):
    state = verified(with_report(VerifyView(), "RBBB. Third degree AV block."), view, reader)
    case = bundled_case("right-bundle-branch-block")
    html = verify_panels.verdicts(state, case)
    said = dict(re.findall(r'data-prompt="([^"]*)"(.*?)</button>', html))
    assert wording.DRAWN[True] in said["wide QRS complex"]
    assert wording.DRAWN[False] in said["deep S waves in I, V5-V6"]
    assert "drawn" not in said["long RR intervals"] + said["third degree AV block"]
    assert "drawn" not in verify_panels.verdicts(state)


def test_a_name_that_begins_with_no_is_not_taken_for_a_denial(state):
    assert not with_tag(state, "", "no P waves").tags[-1].denied


def test_removing_every_tag_empties_the_verdicts(state, view, reader):
    empty = state
    for tag in state.tags:
        empty = without_tag(empty, tag.tag)
    assert verified(empty, view, reader).verification is None


def test_only_what_is_accepted_looks_so_and_every_bar_carries_the_line(state):
    scores = sorted(one.probability for one in state.verification.verified)
    html = verify_panels.verdicts(with_threshold(state, scores[-1]))
    accepted, _, rejected = html.partition('class="rejected"')
    rejected = rejected.partition('class="said"')[0]
    assert "row likely" in accepted and "row likely" not in rejected
    assert "finding" in rejected and scores[-2] >= 0.5
    assert f"--line-at:{100 * scores[-1]:g}%" in html


def test_the_threshold_reads_nothing_again(state):
    moved = with_threshold(state, 0.2)
    assert moved.verification.verified is state.verification.verified
    assert len(moved.verification.accepted) >= len(state.verification.accepted)


def test_likely_findings_serve_as_a_report(view):
    taken = with_findings(VerifyView(), view)
    likely = {f.prompt for f in view.reading.findings if f.probability >= 0.5}
    assert {t.text for t in taken.tags} == likely


def test_a_model_is_shown_what_is_sent_and_edits_forget_its_answer(state, view, reader):
    asked = verified(with_source(state, MODEL), view, reader)
    assert asked.verification.verified == ()
    html = verify_panels.to_be_sent(LLMServer("https://u:p@host.example/v1", "m"), asked)
    assert "https://host.example" in html and "u:p" not in html
    assert "left bundle branch block" in html and "atrial fibrillation" not in html
    answered = verified(with_features(asked, ["wide QRS complex"]), view, reader)
    assert [v.candidate.source for v in answered.verification.verified] == [MODEL]
    assert with_tag(answered, "", "ST elevation").features is None


def test_another_window_makes_the_verdicts_stale(state, view):
    assert state.fits(view)
    assert not state.fits(replace(view, reading=replace(view.reading, start_s=10.0)))
    assert not state.fits(replace(view, ecg=replace(view.ecg, notes=("another",))))


@pytest.mark.parametrize("report", ["", "…", "12 34"])
def test_a_report_without_findings_says_so(report):
    with pytest.raises(PromptError):
        with_report(VerifyView(), report)


def test_a_choice_that_is_gone_is_refused(state):
    with pytest.raises(PromptError):
        choosing(state, "delta wave", on=True)
    assert choosing(state, "delta wave", on=False).chosen is None


def test_nothing_of_a_report_or_of_a_models_answer_reaches_the_page_as_markup(view, reader):
    state = verified(with_report(VerifyView(), f"LBBB and {PLANTED}"), view, reader)
    state = with_tag(state, "", PLANTED)
    state = verified(with_features(with_source(state, MODEL), [PLANTED, "b"]), view, reader)
    html = "".join(
        [
            verify_panels.chips(state),
            verify_panels.verdicts(state),
            verify_panels.enriched(state.verification),
            verify_panels.to_be_sent(LLMServer("http://h", PLANTED), state),
        ]
    )
    assert "<img" not in html and "&lt;img" in html


def test_the_lexicon_is_asked_where_nothing_else_is_chosen():
    assert VerifyView().source == LEXICON
