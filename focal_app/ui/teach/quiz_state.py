"""A quiz that a visitor goes through, one case at a time. Values in, values out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from focal_app.errors import PromptError
from focal_app.explore.cases.limits import LONGEST_ANSWER
from focal_app.ui.teach import quiz_wording as wording

if TYPE_CHECKING:
    # Not when the page is laid out: it brings torch with it.
    from focal_app.explore.cases.quiz import Scored


@dataclass(frozen=True)
class Given:
    """What was answered, and what that is worth; nothing where the answer was asked for."""

    answer: str
    scored: Scored


@dataclass(frozen=True)
class Quiz:
    """Cases by their keys, and what was answered so far: as many answers as cases are done.

    `told` says that the last one answered is still shown with its answer. `choosing` has answers
    to choose from in place of a field. Cases that are `drawn` are of the gallery, not of the set.
    `remarks` are the educator's notes by key.
    """

    keys: tuple[str, ...] = ()
    given: tuple[Given, ...] = ()
    told: bool = False
    choosing: bool = False
    drawn: bool = False
    remarks: Mapping[str, str] = field(default_factory=dict)

    @property
    def number(self) -> int:
        """Which case is shown, from 0."""
        return len(self.given) - self.told

    @property
    def key(self) -> str | None:
        """The key of the case that is shown; None where no quiz runs, or at its end."""
        return self.keys[self.number] if self.number < len(self.keys) else None

    @property
    def over(self) -> bool:
        """Whether every case is done and read."""
        return bool(self.keys) and self.key is None

    @property
    def points(self) -> float:
        """The credit of all answers together."""
        return sum(one.scored.credit for one in self.given)

    @property
    def right(self) -> int:
        """How many were answered fully."""
        return sum(one.scored.right for one in self.given)

    @property
    def partly(self) -> int:
        """How many were answered in part."""
        return sum(0 < one.scored.credit < 1 for one in self.given)

    @property
    def unanswered(self) -> int:
        """How many got no answer."""
        return sum(not one.answer for one in self.given)

    @property
    def missed(self) -> tuple[str, ...]:
        """The keys of cases that were not answered fully."""
        return tuple(
            key for key, one in zip(self.keys, self.given, strict=False) if not one.scored.right
        )


def answered(quiz: Quiz, answer: str, scored: Scored) -> Quiz:
    """The case that is shown, answered; each is answered once."""
    if quiz.told or quiz.key is None:
        raise PromptError(wording.ANSWERED)
    return replace(
        quiz, given=(*quiz.given, Given(answer.strip()[:LONGEST_ANSWER], scored)), told=True
    )


def next_case(quiz: Quiz) -> Quiz:
    """The next case, or the end; a case that is not answered stays."""
    return replace(quiz, told=False)


def again(quiz: Quiz) -> Quiz:
    """A quiz of those cases alone that were not answered fully."""
    return replace(quiz, keys=quiz.missed, given=(), told=False)


def handed_in(keys: tuple[str, ...], answers: Sequence[str], scored: Sequence[Scored]) -> Quiz:
    """A quiz that was done elsewhere, at its end."""
    given = (Given(answer.strip(), one) for answer, one in zip(answers, scored, strict=True))
    return Quiz(keys, tuple(given))
