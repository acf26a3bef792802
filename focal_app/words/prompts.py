"""A prompt as the model is asked it: the lexicon's words, and the leads to which it is restricted.

asked("ST elevation in V1, V2 and V3")    # Asked("ST elevation", ("V1", "V2", "V3"))
asked("no LBBB")                          # PromptError: it denies a finding
asked("banana split")                     # PromptError: no finding of an ECG
"""

from collections.abc import Sequence
from dataclasses import dataclass

from focal_app.errors import PromptError
from focal_app.words.leads import notation
from focal_app.words.reach import DENIALS
from focal_app.words.sentence import idle
from focal_app.words.statements import tidy, understood
from focal_app.words.tokens import COMMA, tokens
from focal_app.words.vocabulary import known_words, named

_HEADS = frozenset(["p", "q", "r", "s", "t", "u", "j", "st", "qt", "qtc", "pr", "pq", "qrs", "rr"])
_LONG = 9
"""Letters from which on a word of the lexicon is one of cardiology alone."""
_LONGEST_SAID = 60


@dataclass(frozen=True)
class Asked:
    """What is scored for a prompt: words of the lexicon or its own, in these leads or in all."""

    words: str
    leads: tuple[str, ...] = ()
    known: bool = True

    @property
    def text(self) -> str:
        """The same in one notation, whatever the spelling of the prompt."""
        return f"{self.words} in {notation(self.leads)}" if self.leads else self.words


def asked(prompt: str) -> Asked:
    """What is asked for a prompt; a `PromptError` where it denies a finding or names none."""
    typed = tidy(prompt)
    if tag := named(typed):
        return Asked(tag)
    found = understood(typed)
    if said := next((tag for tag in found.tags if tag.denied), None):
        raise PromptError(
            f'"{_short(typed)}" denies a finding; ask for "{said.tag}" instead: what is improbable '
            "is denied."
        )
    told = [tag for tag in found.tags if tag.known and tag.value is None]
    if len(told) == 1 and len(found.tags) == 1 and not found.left_out:
        return Asked(told[0].tag, told[0].narrower)
    value = next((tag.value for tag in found.tags if tag.value), None)
    if value and not told:
        raise PromptError(
            f'"{value.words}" is a measurement, which no prompt can ask for; ask for a finding, '
            "such as 'wide QRS complex'."
        )
    if told or speaks_of_an_ecg(typed):
        return Asked(typed, known=False)
    raise no_finding([typed])


def speaks_of_an_ecg(text: str) -> bool:
    """Whether words that are no name still all belong to an ECG: "slurred terminal S in V6"."""
    words = [token for token in tokens(text) if token.lower != COMMA and not token.leads]
    telling = [token for token in words if not idle(token.lower) and token.lower not in DENIALS]
    if not telling or any(token.stem not in known_words() for token in telling):
        return False
    return any(token.key in _HEADS or len(token.key) >= _LONG for token in telling)


def no_finding(words: Sequence[str]) -> PromptError:
    """The refusal of words that name no finding."""
    if not words:
        return PromptError("found no finding; name one, such as 'inverted T waves in V1-V4'")
    return PromptError(
        f'"{_short(words[0])}" is no ECG term that this app knows, and gets no percentage; name a '
        "finding, such as 'inverted T waves in V1-V4'"
    )


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_SAID else f"{text[: _LONGEST_SAID - 1]}…"
