"""What an action changes on the page, and what it leaves alone."""

from dataclasses import replace

import pytest

from focal_app.errors import PromptError, RecordingError
from focal_app.figures.paper_settings import PaperSettings
from focal_app.ui.read.prompt_edits import added, removed, reworded
from focal_app.ui.read.state import (
    at_once,
    choosing,
    read,
    refined,
    with_prompts,
    with_recording,
)


def scores(view):
    return {f.prompt: f.probability for f in view.reading.findings}


def test_editing_a_prompt_leaves_the_scores_of_the_others_alone(view, reader):
    prompts = reworded(view.prompts, "ST elevation", "ST elevation in V2")
    after = scores(read(with_prompts(view, prompts, chosen=None), reader))
    before = scores(view)
    assert {p: s for p, s in after.items() if p in before} == {
        p: s for p, s in before.items() if p != "ST elevation"
    }


def test_the_last_of_several_choices_holds_whichever_came_through_before(view):
    before = (view, choosing(view, "ST elevation"), choosing(view, "sinus rhythm"))
    for earlier in before:
        assert choosing(earlier, "ST elevation").finding.prompt == "ST elevation"
        assert choosing(earlier, "ST elevation", on=False).finding is None


def test_choosing_what_is_not_there_is_refused_and_letting_go_of_it_is_not(view):
    with pytest.raises(PromptError):
        choosing(view, "delta wave")
    assert choosing(view, "delta wave", on=False) == view


def test_an_added_prompt_is_chosen(view, reader):
    after = read(with_prompts(view, added(view.prompts, "delta wave"), chosen="delta wave"), reader)
    assert after.finding.prompt == "delta wave"


def test_a_choice_outlives_another_focus_but_not_its_prompt(view, reader):
    chosen = choosing(view, "ST elevation")
    assert read(replace(chosen, tau=0.3), reader).chosen == "ST elevation"
    gone = with_prompts(chosen, removed(chosen.prompts, "ST elevation"), chosen=chosen.chosen)
    assert read(gone, reader).chosen is None


def test_the_last_prompt_may_be_removed(view, reader):
    empty = read(with_prompts(view, (), chosen=None), reader)
    assert empty.reading.findings == ()


def test_another_recording_keeps_the_prompts_and_begins_at_zero(view, ecg):
    later = replace(view, start_s=10.0, chosen="ST elevation")
    fresh = with_recording(later, ecg)
    assert (fresh.start_s, fresh.chosen, fresh.prompts) == (0.0, None, view.prompts)


def test_a_finer_tint_comes_with_its_finding_where_nobody_waits_for_it(view, reader):
    assert at_once(choosing(view, "ST elevation"), reader).fine is None
    reader.fine_at_s = view.start_s
    assert at_once(view, reader) is view, "nothing is chosen"
    chosen = at_once(choosing(view, "ST elevation"), reader)
    assert chosen.fine is not None
    assert read(replace(chosen, tau=0.3), reader).fine is not None
    assert read(replace(chosen, start_s=1.0), reader).fine is None


def test_a_finer_tint_follows_the_coarse_one_and_goes_with_its_finding(view, reader):
    assert refined(view, reader) is view
    chosen = choosing(view, "ST elevation")
    coarse = chosen.heatmap
    fine = refined(chosen, reader)
    assert len(fine.heatmap.edges_s) > len(coarse.edges_s)
    assert refined(fine, reader) is fine
    for after in (
        choosing(fine, "sinus rhythm"),
        choosing(fine, "ST elevation", on=False),
        read(replace(fine, tau=0.3), reader),
        read(with_prompts(fine, (), chosen=None), reader),
        with_recording(fine, fine.ecg),
    ):
        assert after.fine is None


def test_the_settings_of_the_paper_stay_when_another_recording_opens(view, ecg):
    paper = PaperSettings(layout="6x2", gain_mm_per_mv=5.0, speed_mm_per_s=50.0, half_chest=True)
    changed = replace(view, paper=paper)
    assert with_recording(changed, ecg).paper == paper


def test_a_refused_reading_raises_and_changes_nothing(view, reader):
    reader.refuses = True
    with pytest.raises(RecordingError):
        read(view, reader)
    assert view.reading is not None
