"""What every backend offers: answers to conversations, each as soon as it is known."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from focal_app.errors import FocalError
from train.enrich.prompts import Conversation


class BackendError(FocalError):
    """A backend cannot answer; what it answered before is kept."""


@dataclass(frozen=True)
class Answer:
    """The answer to conversation `number`; a refused one holds the reason and is asked again."""

    number: int
    text: str
    refused: bool = False


class Backend(Protocol):
    """One way to reach a language model, or what stands in for one.

    `at_once` is how many tag sets it wants at a time: few enough for progress to be seen, many
    enough to keep it busy.
    """

    @property
    def name(self) -> str:
        """What candidates are labelled with."""
        ...

    @property
    def model(self) -> str:
        """Which model answers."""
        ...

    @property
    def at_once(self) -> int:
        """Tag sets that are handed over together."""
        ...

    @property
    def varies(self) -> bool:
        """Whether the same question, with another seed, may be answered otherwise."""
        ...

    def answer(self, conversations: Sequence[Conversation]) -> Iterator[Answer]:
        """An answer a conversation, in any order; a `BackendError` when no more can come."""
        ...
