"""Bundled cases say what is drawn in them, and contradict neither themselves nor the lexicon."""

import pytest

from focal_app.explore.reading.bundled_cases import bundled_case, bundled_cases
from focal_app.lexicon import load_lexicon


@pytest.mark.parametrize("case", bundled_cases(), ids=lambda case: case.name)
def test_nothing_is_both_drawn_and_absent(case):
    lexicon = load_lexicon()
    implied = set(case.tags).union(*(lexicon.ancestors(tag) for tag in case.tags))
    assert case.absent and not implied & set(case.absent)
    assert all(case.draws(tag) for tag in implied)
    assert {case.draws(tag) for tag in case.absent} == {False}


def test_what_the_simulator_does_not_speak_of_is_not_known():
    assert bundled_case("complete-heart-block").draws("long RR intervals") is None
    assert bundled_case("of my own") is None
