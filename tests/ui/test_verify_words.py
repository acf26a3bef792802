"""What the Verify tab does with a report, and what it shows of it."""

import re
from dataclasses import replace

import pytest

from focal_app.errors import PromptError
from focal_app.explore.reading.bundled_cases import bundled_case
from focal_app.explore.reading.zones import Zones
from focal_app.explore.report import verification
from focal_app.explore.report.candidates import LEXICON, MODEL
from focal_app.explore.report.documents import FROM_SUSPECTED
from focal_app.explore.report.language_model import LLMServer
from focal_app.explore.report.table import table_of
from focal_app.explore.report.verdicts import of_feature
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
    without_answer,
    without_tag,
)
from focal_app.ui.verify.tab import Handlers
from focal_app.words.statements import understood

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


def test_a_report_is_parsed_once_for_all_that_is_shown_of_it(state, monkeypatch):
    parsed, parse = [], verification.understood
    monkeypatch.setattr(verification, "understood", lambda text: parsed.append(text) or parse(text))
    for shown in (state, choosing(state, state.verification.reading.findings[0].prompt, on=True)):
        verify_panels.summary(shown.verification)
        verify_panels.verdicts(shown)
        verify_panels.enriched(shown)
    assert parsed == [state.report]


@pytest.mark.parametrize("asked", ["a report", "the findings"])
def test_verdicts_bring_the_zones_to_a_tab_that_was_opened_before_the_model(
    view, reader, parts, asked
):
    handlers = Handlers(parts, lambda: reader, None)
    at_first = VerifyView()
    if asked == "a report":
        updates = handlers.read_report(view, at_first, "Sinus rhythm.")
    else:
        updates = handlers.take_findings(view, at_first)
    assert updates[parts.threshold] == reader.zones.high
    assert updates[parts.zones] == verify_panels.zones(reader.zones)
    assert parts.zones not in handlers.read_report(view, at_first, "Sinusrytm, högersidigt.")


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


def test_doubt_is_said_on_the_row_and_of_what_it_proposes(view, reader):
    state = verified(with_report(VerifyView(), "Possible LBBB."), view, reader)
    said = verify_panels.verdicts(state)
    assert '<span class="name">possible left bundle branch block</span>' in said
    assert 'value="possible left bundle branch block"' in said
    assert said.count(FROM_SUSPECTED) == len(state.verification.verified)


@pytest.mark.parametrize("word", ["asdf", "slurred terminal S", "no asdf", "Sgarbossa"])
def test_words_that_are_no_known_term_get_no_verdict(view, reader, word):
    state = verified(with_tag(with_report(VerifyView(), "Sinus rhythm."), "", word), view, reader)
    (row,) = (row for row in table_of(state.verification).rows if not row.tag.known)
    assert row.verdict.name == "not checked" and not row.features
    assert "not a known ECG term" in verify_panels.verdicts(state).lower().replace("ecg", "ECG")
    assert "Not checked (1)" in verify_panels.summary(state.verification)


def test_the_truth_of_a_simulated_case_stands_beside_each_feature(view, reader):
    state = verified(with_report(VerifyView(), "RBBB. Third degree AV block."), view, reader)
    case = bundled_case("right-bundle-branch-block")
    html = verify_panels.verdicts(state, case)
    said = dict(re.findall(r'<li class="row">.*?data-prompt="([^"]*)"(.*?)</li>', html))
    assert wording.DRAWN[True] in said["wide QRS complex"]
    assert wording.DRAWN[False] in said["deep S waves in I, V5-V6"]
    assert "drawn" not in said["long RR intervals"]
    assert "drawn" not in verify_panels.verdicts(state)
    alone = verified(with_report(VerifyView(), "No LBBB."), view, reader)
    assert wording.DRAWN_HINT in html and "truth" not in verify_panels.verdicts(alone, case)


def test_words_of_the_report_stand_beside_a_row_that_is_named_otherwise_alone():
    (short,) = understood("no LBBB").tags
    assert wording.own_words(short, "no left bundle branch block") == "“LBBB”"
    (same,) = understood("normal QTc").tags
    assert wording.own_words(same, "no long QT interval") == ""


def test_a_name_that_begins_with_no_is_not_taken_for_a_denial(state):
    assert not with_tag(state, "", "no P waves").tags[-1].denied


def test_removing_every_tag_empties_the_verdicts(state, view, reader):
    empty = state
    for tag in state.tags:
        empty = without_tag(empty, tag.tag)
    assert verified(empty, view, reader).verification is None


def test_the_summary_holds_every_row_once_and_the_zones_stand_on_every_scale(state):
    html = verify_panels.summary(state.verification)
    counts = [int(found) for found in re.findall(r"<dt>(?!Would)[^(]*\((\d+)\)", html)]
    assert sum(counts) == len(state.tags)
    table = verify_panels.verdicts(state)
    assert "--low:" in table and table.count('class="scale"') > len(state.tags)


def test_what_is_denied_has_the_scale_turned_round_and_is_called_so(view, reader):
    shown = {}
    for text in ("AF.", "No AF."):
        state = verified(with_report(VerifyView(), text), view, reader)
        row = str(verify_panels.verdicts(state)).partition("<tbody")[2].partition("</tbody>")[0]
        shown[text] = next(float(at) for at in re.findall(r"--at:([\d.]+)%", row)), row
    (there, plain), (turned, denied) = shown.values()
    assert there + turned == pytest.approx(100, abs=0.11)
    assert "--low" not in plain and "--low:calc(100% - " in denied
    joined = replace(view.reading.findings[0], model_probability=0.2)
    why = of_feature(joined, Zones(), denied=True).why
    assert why.startswith("Read tells what is denied at")


def test_the_threshold_reads_nothing_again(state):
    moved, back = with_threshold(state, 0.99), with_threshold(state, 0.05)
    assert moved.verification.verified is state.verification.verified
    few, many = (len(table_of(one.verification).supported) for one in (moved, back))
    assert few < many


def test_nothing_proposed_checked_supported_or_answered_are_four_sentences(view, reader):
    def said(state):
        return verify_panels.verdicts(verified(state, view, reader)).partition("hint none")[2]

    some = with_report(VerifyView(), "LBBB.")
    asked = with_source(some, MODEL)
    told = [
        said(with_report(VerifyView(), "No LBBB.")),
        said(with_features(asked, ["LBBB", "banana split"])),
        said(with_threshold(with_features(asked, ["wide QRS complex"]), 0.99)),
        said(without_answer(asked)),
        said(asked),
    ]
    assert all(told) and len(set(told)) == 5
    for words, html in zip(
        ["no feature is proposed", "can be checked", "supports none", "gave no answer", "not been"],
        told,
        strict=True,
    ):
        assert words in html
    assert not said(with_threshold(with_features(asked, ["wide QRS complex"]), 0.05))


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
            verify_panels.summary(state.verification),
            verify_panels.verdicts(state),
            verify_panels.enriched(state),
            verify_panels.to_be_sent(LLMServer("http://h", PLANTED), state),
        ]
    )
    assert "<img" not in html and "&lt;img" in html


def test_the_lexicon_is_asked_where_nothing_else_is_chosen():
    assert VerifyView().source == LEXICON
