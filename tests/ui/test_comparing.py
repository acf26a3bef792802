"""By what an ECG is compared: blank fields, default seconds, and the frame on the paper."""

import re
from dataclasses import replace

import numpy as np
import pytest

from focal_app.ecg.recording import LEADS
from focal_app.errors import PromptError
from focal_app.explore.cases.similar import Finding, Segment, Whole
from focal_app.explore.reading.heatmap import Heatmap
from focal_app.figures.layout import THREE_BY_FOUR
from focal_app.figures.marks import Marked
from focal_app.figures.paper_settings import PaperSettings
from focal_app.figures.tint import deepest
from focal_app.ui.cases import wording
from focal_app.ui.cases.comparing import asked_by, marked_in, segment_of, shown_s
from focal_app.ui.gradio_helpers import paper

ALL_LEADS = PaperSettings(layout="12x1")


def test_an_empty_second_is_the_start_or_the_end_of_the_window():
    assert segment_of("V1", None, None, 4.0, 14.0) == Segment("V1", 4.0, 14.0)
    assert segment_of("V1", None, 6, 4.0, 14.0) == Segment("V1", 4.0, 6.0)
    assert segment_of("V1", 5, None, 4.0, 14.0) == Segment("V1", 5.0, 14.0)


def test_the_second_zero_is_not_an_empty_one():
    assert segment_of("V1", 0, 0, 4.0, 14.0) == Segment("V1", 0.0, 0.0)


@pytest.mark.parametrize(
    ("by", "said"), [(wording.BY_FINDING, "finding"), (wording.BY_SEGMENT, "lead")]
)
def test_what_is_not_chosen_is_asked_for(by, said):
    with pytest.raises(PromptError, match=said):
        asked_by(by, None, segment_of(None, None, None, 0.0, 10.0))


def test_every_way_of_comparing_is_taken():
    segment = Segment("V1", 1.0, 2.0)
    assert asked_by(wording.BY_WHOLE, "LBBB", segment) == Whole()
    assert asked_by(wording.BY_FINDING, "LBBB", segment) == Finding("LBBB")
    assert asked_by(wording.BY_SEGMENT, "LBBB", segment) == segment


@pytest.mark.parametrize("lead", LEADS)
def test_the_seconds_offered_first_are_on_the_usual_paper(lead):
    start_s, end_s = shown_s(lead)
    assert THREE_BY_FOUR.shows(lead, start_s, end_s)
    assert 2.5 <= end_s - start_s <= 10


def frames(value):
    """Left edge and width of every frame, in millimetres, and the row that it lies on."""
    found = re.findall(r'class="marked" x="([\d.]+)" width="([\d.]+)" y="([\d.]+)"', value)
    return [tuple(map(float, one)) for one in found]


def test_a_marked_part_is_framed_where_it_stands(ecg):
    value = paper(ecg, settings=ALL_LEADS, marked=Marked("V1", 1.0, 3.0))
    ((left, width, top),) = frames(value)
    assert (left, width) == (25.0, 50.0)
    assert f'data-lead="V1" data-from="0" data-to="10" data-gain="10" data-top="{top:g}"' in value


def test_a_frame_is_cut_to_what_the_layout_shows(ecg):
    assert frames(paper(ecg, marked=Marked("V1", 0.0, 2.0))) == []
    ((left, width, _),) = frames(paper(ecg, marked=Marked("V1", 4.0, 6.0)))
    assert (left, width) == (125.0, 25.0)


def test_seconds_of_a_later_window_are_framed_within_it(view):
    later = replace(view, reading=replace(view.reading, start_s=4.0))
    assert marked_in(later, Segment("V1", 5.0, 6.0)) == Marked("V1", 1.0, 2.0)
    assert marked_in(later, Whole()) is None


def test_leads_that_took_no_part_are_not_hatched_as_unseen(ecg):
    weights = np.full((12, 10), np.nan)
    weights[6] = 1.0

    def drawn():
        return paper(ecg, heatmap=Heatmap.over(weights, window_s=10.0), settings=ALL_LEADS)

    assert 'class="unseen"' not in drawn()
    weights[6, 2:4] = np.nan
    assert 'class="unseen"' in drawn()


def test_a_match_in_which_nothing_took_part_has_no_heatmap():
    assert Heatmap.over(np.full((12, 10), np.nan), window_s=10.0) is None


def test_a_narrow_screen_is_sent_to_the_deepest_tint():
    weights = np.ones((12, 10))
    weights[6, 5] = 5.0
    at = deepest(Heatmap(weights, np.arange(11.0)), THREE_BY_FOUR)
    assert at == pytest.approx(Marked("V1", 5.0, 6.0).middle)
    assert 0.4 < at < 0.6


def test_rows_of_two_papers_lie_at_the_same_heights(ecg):
    tall = replace(ecg, signal_mv=3 * ecg.signal_mv)
    alone, left, right = (
        re.findall(r'data-(?:gain|zero|high)="([\d.]+)"', value)
        for value in (
            paper(ecg),
            paper(ecg, beside=(tall, 0.0)),
            paper(tall, beside=(ecg, 0.0)),
        )
    )
    assert alone != left == right


def test_a_match_that_is_nearly_even_is_said_to_be():
    assert "about alike" in wording.outlined("V1", 5, 7.5, even=True)
    assert "The tint shows" in wording.outlined("V1", 5, 7.5, even=False)
