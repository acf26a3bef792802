"""Editing the list of prompts: every edit gives a new list, or says why it cannot."""

from focal_app.errors import PromptError
from focal_app.explore.reading.prompts import LONGEST, MOST_PROMPTS, tidy
from focal_app.ui import wording

Prompts = tuple[str, ...]


def added(prompts: Prompts, text: str) -> Prompts:
    """The list with one prompt more, at its end."""
    if len(prompts) >= MOST_PROMPTS:
        raise PromptError(wording.prompts_many(MOST_PROMPTS))
    return (*prompts, _accepted(prompts, text))


def reworded(prompts: Prompts, old: str, text: str) -> Prompts:
    """The list with one prompt worded anew, in its place."""
    others = removed(prompts, old)
    new = _accepted(others, text)
    return tuple(new if prompt == old else prompt for prompt in prompts)


def removed(prompts: Prompts, old: str) -> Prompts:
    """The list without one prompt."""
    if old not in prompts:
        raise PromptError(wording.PROMPT_GONE)
    return tuple(prompt for prompt in prompts if prompt != old)


def _accepted(others: Prompts, text: str) -> str:
    new = tidy(text)
    if not any(character.isalnum() for character in new):
        raise PromptError(wording.PROMPT_EMPTY)
    if len(new) > LONGEST:
        raise PromptError(wording.prompt_long(len(new), LONGEST))
    if new.casefold() in {other.casefold() for other in others}:
        raise PromptError(wording.prompt_twice(new))
    return new
