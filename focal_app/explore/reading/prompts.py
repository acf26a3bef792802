"""Prompts: what is asked of an ECG, cleaned, and the group under which an answer is shown."""

from collections.abc import Sequence

from focal_app.errors import PromptError
from focal_app.lexicon import PromptSet, load_lexicon, load_prompt_sets

MOST_PROMPTS, LONGEST, MOST_CHARACTERS = 150, 200, 6_000
"""Of one question: prompts, characters of each, and characters of all. Words that were never asked
before take 10 ms each and more; as many and as long ones as may be asked, 2 s on one core."""
EVERYDAY = "everyday"
"""The set that is asked where none is named."""
OTHER = "other"
"""Group of a prompt that the lexicon does not know."""


def tidy(prompt: str) -> str:
    """A prompt as typed, without needless space."""
    return " ".join(prompt.split())


def cleaned(prompts: Sequence[str]) -> tuple[str, ...]:
    """Prompts without outer or repeated spaces; a `PromptError` for what cannot be asked."""
    if len(prompts) > MOST_PROMPTS:
        raise PromptError(f"found {len(prompts)} prompts; ask at most {MOST_PROMPTS} at a time")
    asked = tuple(map(tidy, prompts))
    if not any(asked):
        raise PromptError("found no prompt; write at least one finding, such as 'atrial flutter'")
    for number, prompt in enumerate(asked, 1):
        if not any(character.isalnum() for character in prompt):
            raise PromptError(f"prompt {number} is empty; write a finding or remove the line")
        if len(prompt) > LONGEST:
            raise PromptError(
                f"prompt {number} has {len(prompt)} characters; shorten it to {LONGEST} or fewer"
            )
    if (characters := sum(map(len, asked))) > MOST_CHARACTERS:
        raise PromptError(
            f"found {characters} characters in {len(asked)} prompts; ask for at most "
            f"{MOST_CHARACTERS} at a time"
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
