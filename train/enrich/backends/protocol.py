"""What every backend offers, each answer as soon as it is known, and what some of them share."""

import importlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from focal_app.errors import FocalError
from focal_app.llm.prompts import RESPONSE_FORMAT
from train.enrich.prompts import Conversation, Generation


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


def request_of(model: str, conversation: Conversation, generation: Generation) -> dict[str, Any]:
    """A request as OpenAI's protocol words it."""
    request: dict[str, Any] = {
        "model": model,
        "messages": conversation.messages,
        "temperature": conversation.temperature,
        "top_p": conversation.top_p,
        "max_tokens": generation.max_tokens,
        "seed": conversation.seed,
    }
    if conversation.structured:
        request["response_format"] = RESPONSE_FORMAT
    if generation.template:
        request["chat_template_kwargs"] = generation.template
    return request


def imported(module: str, package: str) -> Any:  # noqa: ANN401
    """A module of a package that only enrichment needs; a `BackendError` where it is not there."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise BackendError(
            f"{package} is not installed here; it needs `pip install -r requirements-enrich.txt`, "
            "in an environment of its own"
        ) from error
