"""Prompts: what is asked of an ECG, cleaned, and the group under which an answer is shown."""

from collections.abc import Sequence

from focal_app.errors import PromptError
from focal_app.lexicon import PromptSet, load_lexicon, load_prompt_sets

MOST_PROMPTS, LONGEST = 300, 200
EVERYDAY = "everyday"
"""The set that is asked where none is named."""
OTHER = "other"
"""Group of a prompt that the lexicon does not know."""


def tidy(prompt: str) -> str:
    """A prompt as typed, without needless space."""
    return " ".join(prompt.split())


def cleaned(prompts: Sequence[str]) -> tuple[str, ...]:
    """Prompts without outer or repeated spaces; a `PromptError` for what cannot be asked."""
    asked = tuple(map(tidy, prompts))
    if not any(asked):
        raise PromptError("found no prompt; write at least one finding, such as 'atrial flutter'")
    if len(asked) > MOST_PROMPTS:
        raise PromptError(f"found {len(asked)} prompts; ask at most {MOST_PROMPTS} at a time")
    for number, prompt in enumerate(asked, 1):
        if not any(character.isalnum() for character in prompt):
            raise PromptError(f"prompt {number} is empty; write a finding or remove the line")
        if len(prompt) > LONGEST:
            raise PromptError(
                f"prompt {number} has {len(prompt)} characters; shorten it to {LONGEST} or fewer"
            )
    return asked


def read_as(prompt: str) -> str:
    """The words that are scored: the lexicon's where a prompt is one of its names, else as typed.

    All names of a statement so get one score. A wording is a name or none; nothing is guessed.
    """
    statement = load_lexicon().resolve(prompt)
    return statement.tag if statement else prompt


def group_of(prompt: str) -> str:
    """The lexicon's group of a prompt, or `other`."""
    statement = load_lexicon().resolve(prompt)
    return statement.group if statement else OTHER


def prompt_set(name: str) -> PromptSet:
    """The prompt set of that name; a `PromptError` names the known ones."""
    sets = load_prompt_sets()
    if name not in sets:
        raise PromptError(f"found no prompt set {name!r}; needed one of {', '.join(sets)}")
    return sets[name]
