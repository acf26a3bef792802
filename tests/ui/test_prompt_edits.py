"""Editing prompts changes one of them, or nothing and says why."""

import pytest

from focal_app.errors import PromptError
from focal_app.explore.reading.prompts import LONGEST, MOST_PROMPTS
from focal_app.ui.read.prompt_edits import added, removed, reworded

LIST = ("sinus rhythm", "atrial flutter", "ST elevation")


def test_an_added_prompt_comes_last_and_without_needless_space():
    assert added(LIST, "  delta   wave ") == (*LIST, "delta wave")


def test_rewording_keeps_the_place_and_leaves_the_others_alone():
    assert reworded(LIST, "atrial flutter", "flutter") == ("sinus rhythm", "flutter", LIST[2])


def test_rewording_to_the_same_words_in_another_case_is_allowed():
    assert reworded(LIST, "ST elevation", "st elevation")[2] == "st elevation"


def test_removing_leaves_the_others_in_order():
    assert removed(LIST, "atrial flutter") == ("sinus rhythm", "ST elevation")


@pytest.mark.parametrize("text", ["", "   ", "…?!", "Sinus  Rhythm", "x" * (LONGEST + 1)])
def test_what_cannot_be_asked_is_refused_with_a_sentence(text):
    for edit in (lambda: added(LIST, text), lambda: reworded(LIST, "ST elevation", text)):
        with pytest.raises(PromptError, match=r"\w.*[.]$"):
            edit()


def test_a_full_list_takes_no_more():
    full = tuple(f"finding {n}" for n in range(MOST_PROMPTS))
    with pytest.raises(PromptError, match=str(MOST_PROMPTS)):
        added(full, "one more")


@pytest.mark.parametrize("edit", [removed, lambda p, old: reworded(p, old, "new")])
def test_a_prompt_that_is_gone_is_said_to_be_gone(edit):
    with pytest.raises(PromptError, match="no longer"):
        edit(LIST, "delta wave")
