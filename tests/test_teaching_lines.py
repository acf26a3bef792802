"""What a finding teaches: a line for every state of the simulator, and patients whom it fits."""

import re

import pytest

from focal_app import teaching_lines
from focal_app.errors import LexiconError
from focal_app.lexicon import load_lexicon
from focal_app.teaching_lines import line_of, usual_patient
from train.publish.gallery_cases import shown_by
from train.simulate import STATES

ENTRIES = teaching_lines._entries()


@pytest.mark.parametrize("state", sorted(STATES))
def test_every_simulated_state_has_a_line_a_source_and_a_usual_patient(state):
    shows = shown_by(state)
    assert all(tag in load_lexicon() for tag in shows)
    assert line_of(shows).source and usual_patient(shows)


def test_lines_are_whole_sentences_and_short_enough_to_read_after_one_case():
    for _, line in ENTRIES.values():
        assert line.text[-1] == "." and 30 < len(line.text) < 260


def test_every_source_is_told_in_full():
    told = {line.source for _, line in ENTRIES.values()}
    assert len(told) == 10
    assert all(re.search(r"\(20\d\d\)$", one) for one in told - {"common knowledge of ECG reading"})


def test_a_statement_without_a_line_takes_that_of_what_it_implies_else_its_description():
    flutter = line_of(["atrial flutter with 2:1 conduction"])
    assert flutter == line_of(["atrial flutter"]) and flutter.source
    rhythm = line_of(["sinus rhythm"])
    assert rhythm.text == load_lexicon()["sinus rhythm"].description and not rhythm.source
    assert line_of(["words of my own"]) is None and line_of([]) is None
    assert usual_patient(["sinus rhythm"]) is None


@pytest.mark.parametrize(
    "entry",
    [
        "atrial fibrillation: {}",
        "no such finding: {ages: [20, 30], women: 0.5, line: A line., source: x}",
        "atrial fibrillation: {ages: [30, 20], women: 0.5, line: A line., source: x}",
        "atrial fibrillation: {ages: [1, 20], women: 0.5, line: A line., source: x}",
        "atrial fibrillation: {ages: [20, 30], women: 2.0, line: A line., source: x}",
        "atrial fibrillation: {ages: [20, 30], women: 0.5, line: '', source: x}",
        "atrial fibrillation: {ages: [20, 30], women: 0.5, line: A line., source: y}",
    ],
)
def test_a_wrong_entry_is_refused(tmp_path, entry):
    (tmp_path / "teaching.yaml").write_text(f"sources: {{x: Somewhere}}\n{entry}\n")
    with pytest.raises(LexiconError):
        teaching_lines._entries(tmp_path / "teaching.yaml")
