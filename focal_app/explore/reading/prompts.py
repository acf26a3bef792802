"""Prompts: what is asked of an ECG, cleaned, and the group under which an answer is shown."""

from collections.abc import Sequence
from functools import lru_cache

from focal_app.errors import PromptError
from focal_app.lexicon import PromptSet, load_lexicon, load_prompt_sets
from focal_app.words.prompts import Asked, asked
from focal_app.words.statements import LONGEST, tidy

MOST_PROMPTS, MOST_CHARACTERS = 150, 6_000
"""Of one question: prompts, characters of each, and characters of all. Words that were never asked
before take 10 ms each and more; as many and as long ones as may be asked, 2 s on one core."""
EVERYDAY = "everyday"
"""The set that is asked where none is named."""
OTHER = "other"
"""Group of a prompt that the lexicon does not know."""


def cleaned(prompts: Sequence[str]) -> tuple[str, ...]:
    """Prompts without outer or repeated spaces; a `PromptError` for what cannot be asked."""
    if len(prompts) > MOST_PROMPTS:
        raise PromptError(f"found {len(prompts)} prompts; ask at most {MOST_PROMPTS} at a time")
    found = tuple(map(tidy, prompts))
    if not any(found):
        raise PromptError("found no prompt; write at least one finding, such as 'atrial flutter'")
    for number, prompt in enumerate(found, 1):
        if not any(character.isalnum() for character in prompt):
            raise PromptError(f"prompt {number} is empty; write a finding or remove the line")
        if len(prompt) > LONGEST:
            raise PromptError(
                f"prompt {number} has {len(prompt)} characters; shorten it to {LONGEST} or fewer"
            )
    if (characters := sum(map(len, found))) > MOST_CHARACTERS:
        raise PromptError(
            f"found {characters} characters in {len(found)} prompts; ask for at most "
            f"{MOST_CHARACTERS} at a time"
        )
    return found


def checked(prompts: Sequence[str]) -> tuple[str, ...]:
    """Cleaned prompts that all name a finding; a `PromptError` for one that denies or names none.

    Words that are no finding would get a probability and a heatmap too.
    """
    found = cleaned(prompts)
    for prompt in found:
        if not scored(prompt).known:
            asked(prompt)  # says what is wrong with it
    return found


def read_as(prompt: str) -> str:
    """The words that are scored: the lexicon's where a prompt is one of its names, else as typed.

    All names of a statement, and all spellings of its leads, so get one score.
    """
    return scored(prompt).text


@lru_cache(maxsize=4096)
def scored(prompt: str) -> Asked:
    """What is scored for a prompt; one that names no finding is scored as typed."""
    try:
        return asked(prompt)
    except PromptError:
        return Asked(prompt, known=False)


def group_of(prompt: str) -> str:
    """The lexicon's group of a prompt, or `other`."""
    words = scored(prompt).words
    return load_lexicon()[words].group if words in load_lexicon() else OTHER


def prompt_set(name: str) -> PromptSet:
    """The prompt set of that name; a `PromptError` names the known ones."""
    sets = load_prompt_sets()
    if name not in sets:
        raise PromptError(f"found no prompt set {name!r}; needed one of {', '.join(sets)}")
    return sets[name]
