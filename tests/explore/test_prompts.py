"""What may be asked at a time: how many prompts, and of how many characters."""

import pytest

from focal_app.errors import PromptError
from focal_app.explore.reading.prompts import LONGEST, MOST_CHARACTERS, MOST_PROMPTS, cleaned
from focal_app.explore.report.candidates import MOST_CANDIDATES
from focal_app.words.statements import MOST_TAGS


class Uncounted(list):
    """A list too long to be gone through."""

    def __len__(self) -> int:
        return 10**9

    def __iter__(self):
        raise AssertionError("gone through before it was counted")


def test_too_many_prompts_are_refused_before_any_is_looked_at() -> None:
    with pytest.raises(PromptError, match=f"at most {MOST_PROMPTS} at a time"):
        cleaned(Uncounted())


def test_all_prompts_together_have_a_limit() -> None:
    words = "q" * LONGEST
    within = [words] * (MOST_CHARACTERS // LONGEST)
    assert cleaned(within) == tuple(within)
    with pytest.raises(PromptError, match=f"at most {MOST_CHARACTERS} at a time"):
        cleaned([*within, "one more"])


def test_a_report_of_usual_words_finds_room() -> None:
    assert MOST_TAGS + MOST_CANDIDATES <= MOST_PROMPTS
    assert cleaned(["ST elevation in leads II, III and aVF"] * (MOST_TAGS + MOST_CANDIDATES))
