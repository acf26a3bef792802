"""A prompt as the model is asked it: the lexicon's words, and the leads to which it is restricted.

asked("ST elevation in V1, V2 and V3")    # Asked("ST elevation", ("V1", "V2", "V3"))
asked("LBBB and AF").parts                # both, each for itself
asked("the left bundle does not conduct") # Asked("left bundle branch block")
asked("QRS over 130 ms")                  # Asked("wide QRS complex")
asked("no LBBB")                          # PromptError: it denies a finding
asked("banana split")                     # PromptError: no finding of an ECG
"""

from collections.abc import Sequence
from dataclasses import dataclass

from focal_app.errors import PromptError
from focal_app.lexicon import load_lexicon
from focal_app.words.amounts import defines_nothing, in_ms
from focal_app.words.leads import notation
from focal_app.words.names import idle
from focal_app.words.normals import normals_judged
from focal_app.words.own_words import criterion, mechanism, plainly
from focal_app.words.reach import DENIALS
from focal_app.words.statements import ReportTag, Understood, tidy, understood
from focal_app.words.tokens import COMMA, tokens
from focal_app.words.vocabulary import known_words, named

_HEADS = frozenset(["p", "q", "r", "s", "t", "u", "j", "st", "qt", "qtc", "pr", "pq", "qrs", "rr"])
_LONG = 9
"""Letters from which on a word of the lexicon is one of cardiology alone."""
_LONGEST_SAID = 60


@dataclass(frozen=True)
class Asked:
    """What is scored for a prompt: words of the lexicon or its own, in these leads or in all.

    A prompt that names several findings has `parts`, which are scored each for itself.
    """

    words: str
    leads: tuple[str, ...] = ()
    known: bool = True
    parts: tuple["Asked", ...] = ()

    @property
    def each(self) -> tuple["Asked", ...]:
        """Its parts, or itself where it is one finding."""
        return self.parts or (self,)

    @property
    def text(self) -> str:
        """The same in one notation, whatever the spelling of the prompt."""
        return f"{self.words} in {notation(self.leads)}" if self.leads else self.words


def asked(prompt: str) -> Asked:
    """What is asked for a prompt; a `PromptError` where it denies a finding or names none."""
    typed = tidy(prompt)
    timed = in_ms(typed)
    if defines_nothing(timed):
        raise _measurement(typed)
    if tag := named(typed) or mechanism(typed):
        return Asked(tag)
    found = understood(timed)
    told = [tag for tag in found.tags if tag.known and tag.value is None]
    denied = (*(tag for tag in found.tags if tag.denied), *found.overruled)
    if said := next(iter(denied), None):
        normal = normals_judged(timed) != timed
        if (normal or not told) and (other := _reworded(typed)):
            return other
        typed_out = [tag for tag in told if normal and tag.text in timed and not tag.denied]
        alone = " and ".join(f'"{tag.prompt}"' for tag in typed_out)
        instead = f'"{said.tag}"' if said.known else "the finding itself"
        raise PromptError(
            f'"{_short(typed)}" denies a finding; ask for '
            f"{f'{alone} alone' if alone else f'{instead} instead'}: what is improbable is denied."
        )
    past = [tag for tag in told if tag.age == "old" and _is_rhythm(tag.tag)]
    if past:
        instead = next((tag for tag in told if tag not in past), past[0])
        raise PromptError(
            f'"{_short(typed)}" asks for what was; an ECG shows the rhythm of its own seconds: '
            f'ask for "{instead.tag}".'
        )
    if whole := findings_of(found):
        return whole
    values = [] if told else [tag.value for tag in found.tags if tag.value]
    if not all(map(criterion, values)):
        raise _measurement(typed)
    if other := _reworded(typed):
        return other
    if values:
        raise _measurement(typed)
    if told or speaks_of_an_ecg(typed):
        return Asked(typed, known=False)
    raise no_finding([typed])


def can_be_asked(prompt: str) -> bool:
    """Whether a prompt is one: words of a report may deny, or measure, where they stand alone."""
    try:
        asked(prompt)
    except PromptError:
        return False
    return True


def findings_of(found: Understood) -> Asked | None:
    """All that a text says, where it says nothing but findings and values that define one."""
    if found.left_out or not found.tags:
        return None
    parts = tuple(dict.fromkeys(map(_part, found.tags)))
    kept = tuple(part for part in parts if part)
    if len(kept) < len(parts):
        return None
    whole = ", ".join(part.text for part in kept)
    return kept[0] if len(kept) == 1 else Asked(whole, parts=kept)


def _is_rhythm(tag: str) -> bool:
    return load_lexicon()[tag].group == "rhythm"


def _part(tag: ReportTag) -> Asked | None:
    if tag.denied:
        return None
    if tag.value is not None:
        met = criterion(tag.value)
        return Asked(met) if met else None
    return Asked(tag.tag, tag.narrower) if tag.known and not tag.elsewhere else None


def _reworded(typed: str) -> Asked | None:
    """What is asked where plain words stand for terms of the lexicon."""
    for other in dict.fromkeys(plainly(typed)):
        if other and other != typed and (found := _as_reworded(other)):
            return found
    return None


def _as_reworded(words: str) -> Asked | None:
    tag = named(words) or mechanism(words)
    return Asked(tag) if tag else findings_of(understood(words))


def speaks_of_an_ecg(text: str) -> bool:
    """Whether words that are no name still all belong to an ECG: "slurred terminal S in V6".

    Words with a denial do not: scored as they stand they would count as if affirmed.
    """
    words = [token for token in tokens(text) if token.lower != COMMA and not token.leads]
    telling = [token for token in words if not idle(token.lower)]
    denied = any(token.lower in DENIALS for token in words)
    if denied or not telling or any(token.stem not in known_words() for token in telling):
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


def _measurement(words: str) -> PromptError:
    return PromptError(
        f'"{_short(words)}" is a measurement, which no prompt can ask for; ask for a finding, '
        "such as 'wide QRS complex'."
    )


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_SAID else f"{text[: _LONGEST_SAID - 1]}…"
